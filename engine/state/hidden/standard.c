/* Hidden state of ext/standard: assert(), directory functions, sorting, get_browser(). */
#include "probe.h"

#include <ext/standard/php_array.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- assert_globals (ext/standard/assert.c) ------------------------------------------------------------------------------ */

/* cb is the malloc'ed copy of assert.callback, which is freed and made anew when a request's ini_set() is undone
 * (OnChangeCallback): each realm needs its own. */
static void assert_birth(void *address) {
  howdah_assert_globals *globals = address;
  if (globals->cb) globals->cb = pestrdup(globals->cb, true);
}

static void assert_death(void *address) {
  howdah_assert_globals *globals = address;
  free(globals->cb);
  globals->cb = NULL;
}

static const struct {
  const char *entry;
  size_t offset;
} assert_members[] = {{"assert.active", offsetof(howdah_assert_globals, active)},
                      {"assert.bail", offsetof(howdah_assert_globals, bail)},
                      {"assert.warning", offsetof(howdah_assert_globals, warning)},
                      {"assert.exception", offsetof(howdah_assert_globals, exception)}};

static bool set_ini(const char *name, const char *value) {
  zend_string *key = zend_string_init(name, strlen(name), false);
  bool done = zend_alter_ini_entry_chars(key, value, strlen(value), ZEND_INI_SYSTEM, ZEND_INI_STAGE_RUNTIME) == SUCCESS;
  zend_string_release(key);
  return done;
}

static bool assert_agrees(howdah_probe *probe, const howdah_assert_globals *globals) {
  for (size_t i = 0; i < sizeof(assert_members) / sizeof(*assert_members); i++)
    if (((const char *)globals)[assert_members[i].offset] !=
        zend_ini_long(assert_members[i].entry, strlen(assert_members[i].entry), 0))
      return false;
  /* Outside a running function the name goes to cb. */
  if (!set_ini("assert.callback", "howdah") || !globals->cb || strcmp(globals->cb, "howdah") != 0) return false;
  return howdah_probe_new_request(probe) && Z_ISUNDEF(globals->callback);
}

static bool find_assert(howdah_probe *probe) {
  static const char what[] = "the globals of assert()";
  void *base = NULL;
  for (size_t i = 0; i < sizeof(assert_members) / sizeof(*assert_members); i++) {
    zend_ini_entry *entry = howdah_probe_ini(assert_members[i].entry);
    if (!entry || !entry->mh_arg2 || (base && entry->mh_arg2 != base) || (size_t)entry->mh_arg1 != assert_members[i].offset)
      return howdah_probe_fail(probe, what, "the ini entry %s is not where it is in ext/standard/assert.c",
                               assert_members[i].entry);
    base = entry->mh_arg2;
  }
  if (!howdah_segments_find(&probe->library, base) || !assert_agrees(probe, base))
    return howdah_probe_fail(probe, what, "they do not hold what the assert.* ini entries say");
  return howdah_probe_add(probe, (howdah_hidden){.name = "assert_globals",
                                                 .address = base,
                                                 .size = sizeof(howdah_assert_globals),
                                                 .source = "ext/standard/assert.c",
                                                 .birth = assert_birth,
                                                 .death = assert_death});
}

/* ---- dir_globals.default_dir (ext/standard/dir.c): the resource of the last opendir() ------------------------------------ */

static bool dir_move(howdah_probe *probe, int step, void *data) {
  zval *directory = data;
  bool done;
  if (step % 2 == 0) {
    zval path;
    ZVAL_STRING(&path, "/");
    done = howdah_probe_call(probe, "opendir", 1, &path, directory) && Z_TYPE_P(directory) == IS_RESOURCE;
    zval_ptr_dtor(&path);
  } else {
    done = howdah_probe_call(probe, "closedir", 1, directory, NULL);
    zval_ptr_dtor(directory);
    ZVAL_UNDEF(directory);
  }
  return done;
}

static bool dir_holds(const void *now, const void *before, int step, void *data) {
  const zval *directory = data;
  (void)before;
  return *(zend_resource *const *)now == (step % 2 == 0 ? Z_RES_P(directory) : NULL);
}

static bool find_dir(howdah_probe *probe) {
  zval directory;
  ZVAL_UNDEF(&directory);
  howdah_lever lever = {.what = "the default directory of readdir()",
                        .width = sizeof(void *),
                        .steps = 4,
                        .move = dir_move,
                        .holds = dir_holds,
                        .data = &directory};
  void *place = howdah_probe_search(probe, &lever);
  return place && howdah_probe_add(probe, (howdah_hidden){.name = "dir_globals",
                                                          .address = place,
                                                          .size = sizeof(zend_resource *),
                                                          .source = "ext/standard/dir.c"});
}

/* ---- array_globals (ext/standard/php_array.h) ---------------------------------------------------------------------------- */

/* A comparison that returns a bool is noted, once per usort(), in compare_deprecation_thrown. */
static bool array_move(howdah_probe *probe, int step, void *data) {
  (void)data;
  return howdah_probe_eval(probe,
                           step % 2 ? "$a = [2, 1, 3]; usort($a, fn($x, $y) => $x <=> $y);"
                                    : "$a = [2, 1, 3]; usort($a, fn($x, $y) => $x > $y);",
                           NULL);
}

static bool array_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return *(const unsigned char *)now == (step % 2 ? 0 : 1);
}

static bool find_array(howdah_probe *probe) {
  static const char what[] = "the globals of PHP's sort functions";
  howdah_lever lever = {.what = what, .width = 1, .steps = 6, .move = array_move, .holds = array_holds};
  char *thrown = howdah_probe_search(probe, &lever);
  if (!thrown) return false;
  zend_array_globals *globals = (void *)(thrown - offsetof(zend_array_globals, compare_deprecation_thrown));
  if (!howdah_segments_find(&probe->library, globals))
    return howdah_probe_fail(probe, what, "they are not laid out as in ext/standard/php_array.h");
  /* array_multisort() leaves the (freed) list of its comparison functions behind; a newer one puts back what it has found. */
  void *before = globals->multisort_func = NULL;
  if (!howdah_probe_eval(probe, "$a = [2, 1]; $b = [1, 2]; array_multisort($a, $b);", NULL) ||
      ((void *)globals->multisort_func == before) != HOWDAH_MULTISORT_RESTORES)
    return howdah_probe_fail(probe, what, "array_multisort() left no trace in them");
  return howdah_probe_add(
      probe, (howdah_hidden){
                 .name = "array_globals", .address = globals, .size = sizeof(*globals), .source = "ext/standard/php_array.h"});
}

bool howdah_find_standard(howdah_probe *probe) {
  return find_assert(probe) && find_dir(probe) && find_array(probe);
}
