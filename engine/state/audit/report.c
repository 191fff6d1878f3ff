/* The audit's report: JSON for programs (README.md has the format), a table for people. */
#include "audit.h"
#include "../../advice.h"
#include "../extensions/extensions.h"
#include "json.h"
#include "objects.h"
#include "../php_headers.h"

#include <string.h>

enum { LINES_MAX = 50 };

static const char *const moments[] = {[HOWDAH_AUDIT_BIRTH] = "birth",
                                      [HOWDAH_AUDIT_BOOT] = "boot",
                                      [HOWDAH_AUDIT_MIDDLE] = "middle",
                                      [HOWDAH_AUDIT_END] = "end",
                                      [HOWDAH_AUDIT_STOP] = "stop"};

static void put_finding(FILE *to, const howdah_finding *finding) {
  char way_out[HOWDAH_ADVICE_MAX];
  fputs("{", to);
  howdah_json_field(to, "verdict", finding->why ? "shared" : "unexplained", ", ");
  howdah_json_field(to, "object", finding->object, ", ");
  howdah_json_field(to, "extension", finding->extension, ", ");
  if (finding->extension[0]) howdah_json_field(to, "leave_out", howdah_advice_leave_out(finding->extension, way_out), ", ");
  howdah_json_field(to, "place", finding->place ? finding->place : "", ", ");
  howdah_json_field(to, "symbol", finding->symbol ? finding->symbol : "", ", ");
  howdah_json_field(to, "section", finding->section ? finding->section : "", ", ");
  if (finding->why) {
    howdah_json_field(to, "name", finding->why->name, ", ");
    howdah_json_field(to, "source", finding->why->source, ", ");
    howdah_json_field(to, "reason", finding->why->reason, ", ");
  }
  howdah_json_field(to, "request", finding->request, ", ");
  howdah_json_field(to, "script", finding->script, ", ");
  howdah_json_field(to, "moment", moments[finding->moment], ", ");
  fprintf(to, "\"offset\": %zu, \"words\": %zu, \"seen\": %u}", (size_t)finding->offset, finding->words, finding->seen);
}

static void put_objects(FILE *to) {
  const char *name;
  size_t bytes;
  fputs("  \"objects\": [", to);
  for (size_t i = 0; howdah_audit_object(i, &name, &bytes); i++) {
    fputs(i ? ",\n    {" : "\n    {", to);
    howdah_json_field(to, "object", name, ", ");
    fprintf(to, "\"bytes\": %zu}", bytes);
  }
  fputs("\n  ],\n  \"not_compared\": [", to);
  for (const howdah_skipped_object *one = howdah_objects_skipped(); one->name; one++) {
    fputs(one == howdah_objects_skipped() ? "\n    {" : ",\n    {", to);
    howdah_json_field(to, "object", one->name, ", ");
    fputs("\"reason\": ", to);
    howdah_json_text(to, one->reason);
    fputs("}", to);
  }
  fputs("\n  ],\n", to);
}

int howdah_audit_write(FILE *to) {
  size_t count;
  howdah_audit_totals totals;
  howdah_finding *findings = howdah_audit_findings(&count);
  howdah_audit_get_totals(&totals);
  if (!findings && totals.unexplained + totals.shared > 0) {
    errno = ENOMEM;
    return -1;
  }
  fprintf(
      to,
      "{\n  \"format\": 1,\n  \"php\": \"%s\",\n  \"unexplained_words\": %zu,\n  \"shared_words\": %zu,\n"
      "  \"lost_words\": %zu,\n  \"looks\": {\"middle\": %llu, \"end\": %llu},\n  \"compared_bytes\": %zu,\n  \"findings\": [",
      zend_get_module_version("Core"), totals.unexplained, totals.shared, totals.lost, (unsigned long long)totals.middle,
      (unsigned long long)totals.ends, totals.bytes);
  for (size_t i = 0; i < count; i++) {
    fputs(i ? ",\n    " : "\n    ", to);
    put_finding(to, &findings[i]);
  }
  fputs("\n  ],\n", to);
  put_objects(to);
  fputs("  \"extensions\": ", to);
  howdah_extensions_write(to);
  fputs(",\n", to);
  fputs("  \"complete\": true\n}\n", to);
  howdah_findings_free(findings, count);
  return ferror(to) ? -1 : 0;
}

/* What is shared is many words for few reasons: one line for each. */
static void print_shared(FILE *to, const howdah_finding *findings, size_t count) {
  for (size_t i = 0; i < count; i++) {
    size_t words = 0;
    bool told = false;
    for (size_t j = 0; j < count; j++) {
      if (findings[j].why != findings[i].why || strcmp(findings[j].object, findings[i].object) != 0) continue;
      if (j < i) told = true;
      words += findings[j].words;
    }
    if (findings[i].why && !told)
      fprintf(to, "  shared on purpose: %-20s %5zu words  %s: %s\n", findings[i].object, words, findings[i].why->name,
              findings[i].why->reason);
  }
}

void howdah_audit_print(FILE *to) {
  size_t count;
  howdah_audit_totals totals;
  howdah_finding *findings = howdah_audit_findings(&count);
  howdah_audit_get_totals(&totals);
  fprintf(to,
          "audit: %zu unexplained words, %zu shared on purpose (%zu KB looked at %llu times, %llu of them in the middle of a "
          "request)\n",
          totals.unexplained, totals.shared, totals.bytes / 1024, (unsigned long long)(totals.middle + totals.ends),
          (unsigned long long)totals.middle);
  if (totals.lost) fprintf(to, "audit: %zu more words could not be noted\n", totals.lost);
  size_t unexplained = 0;
  while (unexplained < count && !findings[unexplained].why)
    unexplained++;
  for (size_t i = 0; i < unexplained && i < LINES_MAX; i++) {
    const howdah_finding *one = &findings[i];
    fprintf(to, "  UNEXPLAINED: %s, %s: %zu words, seen %u times, first by %s (%s)\n", one->object,
            one->place ? one->place : "", one->words, one->seen, *one->request ? one->request : "nobody", moments[one->moment]);
  }
  if (unexplained > LINES_MAX) fprintf(to, "  and %zu more places, which are in the report\n", unexplained - LINES_MAX);
  print_shared(to, findings, count);
  howdah_findings_free(findings, count);
}
