/* ImageMagick's limits and registry. See magick.h. */
#include "magick.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct howdah_magick_text {
  howdah_magick_text *next;
  char *key, *value;
};

enum { STRING = 3 /* StringRegistryType, magick/registry.h */ };

static uint64_t (*get)(int);
static int (*set)(int, uint64_t);
static int (*put_text)(int type, const char *key, const void *value, void *exception);
static int (*delete_text)(const char *key);
static void *(*new_exception)(void);
static void *(*free_exception)(void *);

bool howdah_magick_find(void) {
  if (get) return true;
  *(void **)&put_text = dlsym(RTLD_DEFAULT, "SetImageRegistry");
  *(void **)&delete_text = dlsym(RTLD_DEFAULT, "DeleteImageRegistry");
  *(void **)&new_exception = dlsym(RTLD_DEFAULT, "AcquireExceptionInfo");
  *(void **)&free_exception = dlsym(RTLD_DEFAULT, "DestroyExceptionInfo");
  *(void **)&set = dlsym(RTLD_DEFAULT, "SetMagickResourceLimit");
  if (set) *(void **)&get = dlsym(RTLD_DEFAULT, "GetMagickResourceLimit");
  return get != NULL;
}

int64_t howdah_magick_get(int which) {
  return (int64_t)get(which);
}

void howdah_magick_set(int which, int64_t value) {
  set(which, (uint64_t)value);
}

/* ---- The registry -------------------------------------------------------------------------------------------------------- */

static void free_text(howdah_magick_text *text) {
  free(text->key);
  free(text->value);
  free(text);
}

/* The last one of a key counts: it is put last. */
bool howdah_magick_note(howdah_magick_text **texts, const char *key, const char *value) {
  howdah_magick_text *made = delete_text ? calloc(1, sizeof(*made)) : NULL, **at = texts;
  if (!made) return false;
  made->key = strdup(key);
  made->value = strdup(value);
  if (!made->key || !made->value) {
    free_text(made);
    return false;
  }
  while (*at) {
    howdah_magick_text *each = *at;
    if (strcmp(each->key, key) == 0) {
      *at = each->next;
      free_text(each);
    } else {
      at = &each->next;
    }
  }
  *at = made;
  return true;
}

void howdah_magick_enter(const howdah_magick_text *texts) {
  if (!texts) return;
  void *exception = new_exception();
  for (const howdah_magick_text *each = texts; each; each = each->next)
    put_text(STRING, each->key, each->value, exception);
  free_exception(exception);
}

void howdah_magick_leave(const howdah_magick_text *texts) {
  for (const howdah_magick_text *each = texts; each; each = each->next)
    delete_text(each->key);
}

void howdah_magick_forget(howdah_magick_text **texts) {
  howdah_magick_leave(*texts);
  while (*texts) {
    howdah_magick_text *each = *texts;
    *texts = each->next;
    free_text(each);
  }
}
