/* What the notes come to: neighbours are joined, addresses get names, what nothing explains comes first. */
#include "answers.h"
#include "notes.h"
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b) {
  const howdah_word_note *const *x = a, *const *y = b;
  return (*x)->key < (*y)->key ? -1 : (*x)->key > (*y)->key;
}

static const howdah_word_note **sorted_notes(size_t *count) {
  *count = 0;
  const howdah_word_note **list = malloc(HOWDAH_AUDIT_WORDS_MAX * sizeof(*list));
  if (!list) return NULL;
  for (size_t i = 0; i < HOWDAH_AUDIT_WORDS_MAX; i++)
    if (atomic_load(&howdah_audit_notes->words[i].first)) list[(*count)++] = &howdah_audit_notes->words[i];
  qsort(list, *count, sizeof(*list), by_key);
  return list;
}

static void locate_answer(howdah_finding *finding) {
  const char *library, *name = howdah_answers_name(finding->offset / HOWDAH_AUDIT_WORD, &library);
  char *text;
  finding->place = asprintf(&text, "what it answers: %s", name ? name : "") < 0 ? NULL : text;
  finding->symbol = strdup(name ? name : "");
  finding->section = strdup("");
}

static void locate(howdah_finding *finding) {
  if (strncmp(finding->path, howdah_answers_path, strlen(howdah_answers_path)) == 0) {
    locate_answer(finding);
    return;
  }
  howdah_segment file = {.path = finding->path, .of_thread = finding->of_thread};
  howdah_place place;
  char text[256];
  howdah_place_of(&file, (const void *)finding->offset, &place);
  howdah_place_print(&place, text, sizeof(text));
  finding->place = strdup(text);
  finding->symbol = strdup(place.name);
  finding->section = strdup(place.section);
  finding->in_section = place.in_section;
}

static int unexplained_first(const void *a, const void *b) {
  const howdah_finding *x = a, *y = b;
  if (!x->why != !y->why) return x->why ? 1 : -1;
  int objects = strcmp(x->object, y->object);
  if (objects) return objects;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void fill(howdah_finding *finding, const howdah_word_note *note) {
  const howdah_object_note *object = &howdah_audit_notes->objects[(note->key >> 40) - 1];
  const howdah_label *first = &howdah_audit_notes->labels[atomic_load(&note->first) - 1];
  *finding = (howdah_finding){.why = howdah_notes_why(note),
                              .offset = note->key & 0xFFFFFFFFFF,
                              .words = 1,
                              .of_thread = object->of_thread,
                              .seen = atomic_load(&note->seen),
                              .request = first->request,
                              .script = first->script,
                              .moment = first->moment};
  snprintf(finding->object, sizeof(finding->object), "%s", object->name);
  snprintf(finding->path, sizeof(finding->path), "%s", object->path);
  snprintf(finding->extension, sizeof(finding->extension), "%s", object->extension);
  locate(finding);
}

/* Neighbours of the same object, for the same reason, and within the same variable where that is known. */
static bool joins(const howdah_finding *finding, const howdah_word_note *before, const howdah_word_note *note) {
  if (note->key != before->key + HOWDAH_AUDIT_WORD || howdah_notes_why(note) != finding->why) return false;
  if (!finding->symbol || !finding->symbol[0]) return true;
  howdah_segment file = {.path = (char *)finding->path, .of_thread = finding->of_thread};
  howdah_place place;
  howdah_place_of(&file, (const void *)(note->key & 0xFFFFFFFFFF), &place);
  return strcmp(place.name, finding->symbol) == 0;
}

howdah_finding *howdah_audit_findings(size_t *count) {
  size_t words;
  *count = 0;
  const howdah_word_note **list = sorted_notes(&words);
  howdah_finding *findings = words ? calloc(words, sizeof(*findings)) : NULL;
  for (size_t i = 0; findings && i < words; i++) {
    if (*count && joins(&findings[*count - 1], list[i - 1], list[i])) {
      findings[*count - 1].words++;
      uint32_t seen = atomic_load(&list[i]->seen);
      if (seen > findings[*count - 1].seen) findings[*count - 1].seen = seen;
      continue;
    }
    fill(&findings[(*count)++], list[i]);
  }
  if (findings) qsort(findings, *count, sizeof(*findings), unexplained_first);
  free(list);
  return findings;
}

void howdah_findings_free(howdah_finding *findings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free((char *)findings[i].place);
    free((char *)findings[i].symbol);
    free((char *)findings[i].section);
  }
  free(findings);
}

void howdah_audit_get_totals(howdah_audit_totals *totals) {
  *totals = (howdah_audit_totals){0};
  if (!howdah_audit_notes) return;
  totals->middle = atomic_load(&howdah_audit_notes->middle);
  totals->ends = atomic_load(&howdah_audit_notes->ends);
  totals->lost = (size_t)atomic_load(&howdah_audit_notes->lost);
  for (size_t i = 0; i < HOWDAH_AUDIT_WORDS_MAX; i++) {
    if (!atomic_load(&howdah_audit_notes->words[i].first)) continue;
    if (howdah_notes_why(&howdah_audit_notes->words[i]))
      totals->shared++;
    else
      totals->unexplained++;
  }
  for (size_t i = 0; i < HOWDAH_AUDIT_OBJECTS_MAX && atomic_load(&howdah_audit_notes->objects[i].state) == 2; i++)
    totals->bytes += howdah_audit_notes->objects[i].bytes;
}

size_t howdah_audit_unexplained(void) {
  howdah_audit_totals totals;
  howdah_audit_get_totals(&totals);
  return totals.unexplained + totals.lost;
}

bool howdah_audit_object(size_t index, const char **name, size_t *bytes) {
  if (!howdah_audit_notes || index >= HOWDAH_AUDIT_OBJECTS_MAX || atomic_load(&howdah_audit_notes->objects[index].state) != 2)
    return false;
  *name = howdah_audit_notes->objects[index].name;
  *bytes = howdah_audit_notes->objects[index].bytes;
  return true;
}
