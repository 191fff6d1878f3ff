/* PHP's hidden state is what engine/state/hidden says it is: each item is checked through what PHP does. */
#include "state/hidden/hidden.h"
#include "state/php_headers.h"
#include "state/segments.h"
#include "state/version.h"
#include "../contract/cmocka_includes.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ext/pcre/php_pcre.h>

/* ---- PHP, started as php-fpm: opcache enables itself for SAPI names that it knows ---------------------------------------- */

static int sapi_start(sapi_module_struct *sapi) {
  return php_module_startup(sapi, NULL);
}

static size_t sapi_write(const char *data, size_t size) {
  (void)data;
  return size;
}

static int sapi_headers(sapi_headers_struct *headers) {
  (void)headers;
  return SAPI_HEADER_SENT_SUCCESSFULLY;
}

static void sapi_variables(zval *variables) {
  (void)variables;
}

static sapi_module_struct sapi = {.name = "fpm-fcgi",
                                  .pretty_name = "unit test",
                                  .startup = sapi_start,
                                  .ub_write = sapi_write,
                                  .send_headers = sapi_headers,
                                  .register_server_variables = sapi_variables};

static howdah_hidden items[128];
static int items_count;

/* Whoever hardens PHP disables functions that the levers use: that must not matter. */
static char settings[] = "opcache.enable=1\nopcache.jit_buffer_size=0\nassert.callback=strlen\n"
                         "disable_functions=opendir,closedir,spl_autoload_functions,opcache_is_script_cached\n";

static int start_php(void **state) {
  char error[512] = "";
  (void)state;
  sapi_startup(&sapi);
  sapi.ini_entries = strdup(settings);
  if (!sapi.ini_entries || sapi.startup(&sapi) == FAILURE) return -1;
  items_count = howdah_hidden_find(items, 128, error, sizeof(error));
  if (items_count < 0) fprintf(stderr, "%s\n", error);
  return items_count < 0 ? -1 : 0;
}

static int stop_php(void **state) {
  (void)state;
  php_module_shutdown();
  sapi_shutdown();
  free((void *)sapi.ini_entries); /* const since PHP 8.3 */
  return 0;
}

static void begin_request(void) {
  SG(headers_sent) = 1;
  SG(request_info).no_headers = 1;
  assert_int_equal(php_request_startup(), SUCCESS);
}

static void end_request(void) {
  php_request_shutdown(NULL);
}

/* The value of a PHP expression, as a number. */
static zend_long value_of(const char *expression) {
  zval result;
  char code[512];
  zend_long number = -1;
  snprintf(code, sizeof(code), "%s", expression);
  assert_int_equal(zend_eval_string(code, &result, "test"), SUCCESS);
  assert_null(EG(exception));
  number = zval_get_long(&result);
  zval_ptr_dtor(&result);
  return number;
}

static void run(const char *code) {
  char copy[512];
  snprintf(copy, sizeof(copy), "%s", code);
  assert_int_equal(zend_eval_string(copy, NULL, "test"), SUCCESS);
  assert_null(EG(exception));
}

static const howdah_hidden *item(const char *name) {
  for (int i = 0; i < items_count; i++)
    if (strcmp(items[i].name, name) == 0) return &items[i];
  fail_msg("no item %s", name);
  return NULL;
}

/* ---- The list ------------------------------------------------------------------------------------------------------------ */

static void test_every_item_is_found(void **state) {
  static const char *const names[] = {"gc_globals",
                                      "current_observed_frame",
                                      "zend_fiber_switch_blocking",
                                      "cwd_globals.cwd",
                                      "cwd_globals.realpath_cache_limits",
                                      "spl_autoload_functions",
                                      "spl_autoload_extensions",
                                      "assert_globals",
                                      "dir_globals",
                                      "array_globals",
                                      "filter_globals",
                                      "pcre.mdata",
                                      "pcre.mdata_used",
                                      "pcre.mctx",
                                      "accel_globals.enabled",
                                      "accel_globals.accelerator_enabled",
                                      "accel_globals.xlat_table",
                                      "accel_globals.directives_to_request_time",
                                      "accel_globals.cache_opline",
                                      "xmlGenericError",
                                      "xmlStructuredError",
                                      "xmlStructuredErrorContext",
                                      "xmlLastError",
                                      "xmlParserInputBufferCreateFilenameValue"};
  (void)state;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    /* Later in executor_globals (Zend/zend_globals.h, 8.4.24). */
    if (PHP_VERSION_ID >= 80400 && strcmp(names[i], "current_observed_frame") == 0) continue;
    const howdah_hidden *one = item(names[i]);
    assert_non_null(one->address);
    assert_true(one->size > 0);
    assert_non_null(one->source);
  }
}

static bool apart(const void *a, size_t a_size, const void *b, size_t b_size) {
  return (const char *)a + a_size <= (const char *)b || (const char *)b + b_size <= (const char *)a;
}

static void test_items_do_not_overlap(void **state) {
  size_t shared_count;
  const howdah_shared *shared = howdah_hidden_shared(&shared_count);
  (void)state;
  for (int i = 0; i < items_count; i++) {
    for (int j = 0; j < i; j++)
      assert_true(apart(items[i].address, items[i].size, items[j].address, items[j].size));
    for (size_t j = 0; j < shared_count; j++)
      assert_true(apart(items[i].address, items[i].size, shared[j].address, shared[j].size));
    assert_true(apart(items[i].address, items[i].size, &executor_globals, sizeof(executor_globals)));
    assert_true(apart(items[i].address, items[i].size, &basic_globals, sizeof(basic_globals)));
    zend_module_entry *module;
    ZEND_HASH_FOREACH_PTR(&module_registry, module) {
      assert_true(apart(items[i].address, items[i].size, module->globals_ptr, module->globals_size));
    }
    ZEND_HASH_FOREACH_END();
  }
}

static void count_change(const howdah_segment *segment, const void *now, const void *before, void *data) {
  (void)before;
  fprintf(stderr, "%s changed at %p\n", segment->object, now);
  ++*(size_t *)data;
}

static void test_finding_leaves_the_process_as_it_was(void **state) {
  static howdah_hidden again[128];
  howdah_segments memory = {0};
  char error[512];
  size_t changes = 0;
  (void)state;
  assert_int_equal(howdah_segments_add(&memory, (void *)(uintptr_t)php_request_startup, error, sizeof(error)), 0);
  assert_int_equal(howdah_segments_add(&memory, item("accel_globals.enabled")->address, error, sizeof(error)), 0);
  /* Its statics, or what it keeps for a thread (libxml2 2.14). */
  assert_int_equal(howdah_segments_add_named(&memory, "libxml2.", error, sizeof(error)), 0);
  assert_int_equal(howdah_segments_copy(&memory, error, sizeof(error)), 0);
  assert_int_equal(howdah_hidden_find(again, 128, error, sizeof(error)), items_count);
  howdah_segments_compare(&memory, count_change, &changes);
  assert_int_equal(changes, 0);
  assert_memory_equal(again, items, sizeof(items));
  howdah_segments_free(&memory);
}

static void test_too_little_room_is_said(void **state) {
  howdah_hidden few[2];
  char error[512] = "";
  (void)state;
  assert_int_equal(howdah_hidden_find(few, 2, error, sizeof(error)), -1);
  assert_non_null(strstr(error, "room for 2 items"));
}

/* ---- The engine's -------------------------------------------------------------------------------------------------------- */

static void test_each_collector_has_its_own_roots(void **state) {
  const howdah_hidden *gc = item("gc_globals");
  howdah_gc_globals first;
  zend_gc_status status;
  (void)state;
  begin_request();
  run("for ($i = 0; $i < 5; $i++) { $o = new stdClass; $o->o = $o; unset($o); }");
  zend_gc_get_status(&status);
  assert_int_equal(status.num_roots, 5);
  memcpy(&first, gc->address, sizeof(first));
  gc->birth(gc->address);
  assert_true(gc_enabled());
  zend_gc_get_status(&status);
  assert_int_equal(status.num_roots, 0);
  assert_ptr_not_equal(((howdah_gc_globals *)gc->address)->buf, first.buf);
  assert_int_equal(value_of("gc_collect_cycles()"), 0);
  gc->death(gc->address);
  memcpy(gc->address, &first, sizeof(first));
  assert_int_equal(value_of("gc_collect_cycles()"), 5);
  end_request();
}

static void test_the_fiber_lock_is_the_item(void **state) {
  uint32_t *blocking = item("zend_fiber_switch_blocking")->address;
  (void)state;
  begin_request();
  assert_int_equal(*blocking, 0);
  zend_fiber_switch_block();
  assert_int_equal(*blocking, 1);
  *blocking = 0;
  assert_false(zend_fiber_switch_blocked());
  end_request();
}

static void test_shared_state_has_a_reason(void **state) {
  static const char *const names[] = {"pcre.char_tables", "accel_globals.key", "browscap_globals", "uniqid()'s last time"};
  size_t count;
  char error[512];
  (void)state;
  assert_int_equal(howdah_hidden_find_harmless(error, sizeof(error)), 0);
  const howdah_shared *shared = howdah_hidden_shared(&count);
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    size_t at = 0;
    while (at < count && strcmp(shared[at].name, names[i]) != 0)
      at++;
    if (at == count) fail_msg("%s is not listed", names[i]);
    assert_true(strlen(shared[at].reason) > 0);
  }
}

static void test_the_current_directory_starts_empty(void **state) {
  cwd_state *cwd = item("cwd_globals.cwd")->address;
  cwd_state saved = *cwd;
  (void)state;
  item("cwd_globals.cwd")->birth(cwd);
  assert_null(cwd->cwd);
  begin_request();
  assert_true(value_of("strlen(getcwd())") > 0);
  end_request();
  assert_null(cwd->cwd);
  *cwd = saved;
}

/* ---- The extensions' ----------------------------------------------------------------------------------------------------- */

static void test_autoloaders_live_in_the_item(void **state) {
  void **functions = item("spl_autoload_functions")->address;
  (void)state;
  assert_null(*functions);
  begin_request();
  run("$calls = 0; spl_autoload_register(function ($class) { $GLOBALS['calls']++; });");
  assert_non_null(*functions);
  assert_int_equal(value_of("(int)class_exists('Nobody') + $calls"), 1);
  void *saved = *functions;
  *functions = NULL;
  assert_int_equal(value_of("(int)class_exists('NobodyElse') + $calls"), 1);
  *functions = saved;
  assert_int_equal(value_of("(int)class_exists('NobodyElse') + $calls"), 2);
  end_request();
  assert_null(*functions);
}

static void test_autoload_extensions_live_in_the_item(void **state) {
  void **extensions = item("spl_autoload_extensions")->address;
  (void)state;
  begin_request();
  run("spl_autoload_extensions('.one');");
  void *saved = *extensions;
  *extensions = NULL;
  assert_int_equal(value_of("spl_autoload_extensions() === '.inc,.php'"), 1);
  *extensions = saved;
  assert_int_equal(value_of("spl_autoload_extensions() === '.one'"), 1);
  end_request();
  assert_null(*extensions);
}

static void test_each_realm_has_its_own_assert_callback(void **state) {
  const howdah_hidden *block = item("assert_globals");
  howdah_assert_globals *globals = block->address, start = *globals;
  (void)state;
  assert_string_equal(start.cb, "strlen");
  block->birth(globals);
  assert_ptr_not_equal(globals->cb, start.cb);
  begin_request();
  /* Undone at the request's end: PHP frees the string and makes another. */
  run("ini_set('assert.callback', 'trim');");
  end_request();
  assert_string_equal(globals->cb, "strlen");
  block->death(globals);
  *globals = start;
  assert_string_equal(globals->cb, "strlen");
}

static void test_the_default_directory_is_the_item(void **state) {
  void **directory = item("dir_globals")->address;
  (void)state;
  begin_request();
  run("$d = dir('/');");
  assert_non_null(*directory);
  assert_int_equal(value_of("readdir() !== false"), 1);
  void *saved = *directory;
  *directory = NULL;
  zval result;
  char code[] = "(function () { try { readdir(); } catch (TypeError $e) { return 7; } })()";
  assert_int_equal(zend_eval_string(code, &result, "test"), SUCCESS);
  assert_int_equal(zval_get_long(&result), 7);
  *directory = saved;
  end_request();
}

/* Without the item the second parser would take over what the first had in its hands. */
static void test_each_realm_parses_with_its_own(void **state) {
  (void)state;
  for (int i = 0; i < items_count; i++)
    if (PHP_VERSION_ID < 80500) assert_string_not_equal(items[i].name, "lexbor_parser"); /* no ext/uri */
  if (PHP_VERSION_ID < 80500) return;
  begin_request();
  run("$a = new Uri\\WhatWg\\Url('http://a.example/x');");
  void *const *parser = item("lexbor_parser")->address, *first = parser[0];
  assert_non_null(first);
  run("$b = new Uri\\WhatWg\\Url('http://b.example/y');");
  assert_ptr_not_equal(parser[0], first);
  assert_ptr_equal(parser[1], item("lexbor_mraw")->address);
  assert_non_null(*(void *const *)item("lexbor_mraw")->address);
  end_request();
  assert_null(parser[0]);
  assert_null(parser[1]);
  assert_null(*(void *const *)item("lexbor_mraw")->address);
}

static void test_embedding_writes_into_the_item(void **state) {
  (void)state;
  if (PHP_VERSION_ID >= 80400 && PHP_VERSION_ID < 80500) { /* ext/standard/iptc.c has no such static there */
    for (int i = 0; i < items_count; i++)
      assert_string_not_equal(items[i].name, "iptcembed.psheader");
    return;
  }
  const unsigned char *header = item("iptcembed.psheader")->address;
  begin_request();
  run("$f = tempnam(sys_get_temp_dir(), 'howdah'); file_put_contents($f, \"\\xff\\xd8\\xff\\xe0\\0\\4##\\xff\\xda\");"
      "iptcembed(str_repeat('a', 0x1234), $f); unlink($f);");
  assert_int_equal(header[2] * 256 + header[3], 0x1234 + 28);
  end_request();
}

static size_t fonts_in_use(void) {
  size_t count = 0;
  for (int i = 0; i < items_count; i++)
    if (strcmp(items[i].name, "gdFontCache") == 0 && items[i].size == sizeof(void *))
      count += *(void **)items[i].address != NULL;
  return count;
}

static void test_fonts_live_in_the_items(void **state) {
  (void)state;
  const zend_module_entry *gd = zend_hash_str_find_ptr(&module_registry, "gd", strlen("gd"));
  assert_true(gd && gd->handle); /* packaging/deps installs it */
  int (*setup)(void) = (int (*)(void))(uintptr_t)dlsym(gd->handle, "gdFontCacheSetup");
  assert_non_null(setup);
  begin_request();
  assert_int_equal(fonts_in_use(), 0);
  assert_int_equal(setup(), 0);
  assert_int_equal(fonts_in_use(), 2); /* libgd's cache, and FreeType */
  end_request();
  /* libgd forgets the cache alone. */
  assert_int_equal(fonts_in_use(), 1);
}

static void test_input_variables_live_in_the_filter_item(void **state) {
  zval *get_array = (zval *)item("filter_globals")->address + 1;
  (void)state;
  begin_request();
  char *value = estrdup("42");
  sapi_module.input_filter(PARSE_GET, "n", &value, 2, NULL);
  efree(value);
  assert_int_equal(value_of("filter_input(INPUT_GET, 'n', FILTER_VALIDATE_INT)"), 42);
  zval saved = *get_array;
  ZVAL_UNDEF(get_array);
  assert_int_equal(value_of("(int)filter_has_var(INPUT_GET, 'n')"), 0);
  *get_array = saved;
  end_request();
  assert_true(Z_ISUNDEF_P(get_array));
}

static void test_each_realm_has_its_own_match_data(void **state) {
  const howdah_hidden *mdata = item("pcre.mdata");
  bool *used = item("pcre.mdata_used")->address;
  void **slot = mdata->address, *first = *slot;
  (void)state;
  mdata->birth(slot);
  assert_ptr_not_equal(*slot, first);
  assert_non_null(*slot);
  begin_request();
  assert_int_equal(value_of("preg_match('/(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)/', 'abcdefghij', $m) + count($m)"), 12);
  run("preg_replace_callback('/x/', function () { $GLOBALS['seen'] = 1; return ''; }, 'x');");
  assert_false(*used);
  end_request();
  mdata->death(slot);
  assert_null(*slot);
  *slot = first;
}

static void test_match_limits_do_not_reach_another_realm(void **state) {
  const howdah_hidden *mctx = item("pcre.mctx");
  void **slot = mctx->address, *first = *slot;
  const char *match = "preg_match('/(a+)+[bc]/', 'aaaaaaaad') === false";
  (void)state;
  mctx->birth(slot);
  begin_request();
  run("ini_set('pcre.jit', 0); ini_set('pcre.backtrack_limit', 3);");
  assert_int_equal(value_of(match), 1);
  void *second = *slot;
  *slot = first;
  assert_int_equal(value_of(match), 0);
  *slot = second;
  end_request();
  mctx->death(slot);
  *slot = first;
}

static void test_opcache_follows_the_request(void **state) {
  bool *enabled = item("accel_globals.accelerator_enabled")->address;
  (void)state;
  begin_request();
  assert_true(*enabled);
  run("ini_set('opcache.enable', 0);");
  assert_false(*enabled);
  end_request();
  begin_request();
  assert_true(*enabled);
  end_request();
}

static void test_libxml_errors_live_in_the_items(void **state) {
  void **structured = item("xmlStructuredError")->address;
  const howdah_hidden *last = item("xmlLastError");
  (void)state;
  begin_request();
  assert_null(*structured);
  run("libxml_use_internal_errors(true); simplexml_load_string('<a>');");
  assert_non_null(*structured);
  assert_int_equal(value_of("libxml_get_last_error() instanceof LibXMLError"), 1);
  char saved[128];
  assert_true(last->size <= sizeof(saved));
  memcpy(saved, last->address, last->size);
  last->birth(last->address);
  for (size_t i = 0; i < last->size; i++)
    assert_int_equal(((char *)last->address)[i], 0);
  run("simplexml_load_string('<b>');");
  last->death(last->address);
  memcpy(last->address, saved, last->size);
  end_request();
}

/* ---- What cannot be found ------------------------------------------------------------------------------------------------ */

static zend_ini_entry *ini(const char *name) {
  zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), name, strlen(name));
  assert_non_null(entry);
  return entry;
}

static void expect_message(const char *part) {
  static howdah_hidden found[128];
  char error[512] = "";
  assert_int_equal(howdah_hidden_find(found, 128, error, sizeof(error)), -1);
  if (!strstr(error, part)) fail_msg("'%s' does not say '%s'", error, part);
  assert_int_equal(strncmp(error, "howdah: ", strlen("howdah: ")), 0);
  assert_non_null(strstr(error, "not supported yet, please report it"));
  assert_non_null(strstr(error, PHP_VERSION));
  assert_null(strchr(error, '\n'));
}

static void test_a_missing_lever_is_named(void **state) {
  static const struct {
    const char *entry, *message;
  } levers[] = {{"filter.default", "cannot find the globals of ext/filter in libphp"},
                {"assert.bail", "cannot find the globals of assert() in libphp"},
                {"opcache.enable", "cannot find opcache's accel_globals in libphp"}};
  (void)state;
  for (size_t i = 0; i < sizeof(levers) / sizeof(*levers); i++) {
    zend_ini_entry *entry = ini(levers[i].entry);
    void *saved = entry->mh_arg2;
    entry->mh_arg2 = NULL;
    expect_message(levers[i].message);
    entry->mh_arg2 = saved;
  }
}

static void test_another_layout_is_refused(void **state) {
  zend_ini_entry *entry = ini("opcache.preload_user");
  (void)state;
  entry->mh_arg1 = (char *)entry->mh_arg1 + sizeof(void *);
  expect_message("cannot find opcache's accel_globals");
  entry->mh_arg1 = (char *)entry->mh_arg1 - sizeof(void *);
}

/* Ends the child before it has answered, as a crash would; exec, so that valgrind does not report on all of PHP. */
static unsigned int crash(int argument, const char *name, char **value, size_t size, size_t *new_size) {
  (void)argument;
  (void)name;
  (void)value;
  (void)size;
  (void)new_size;
  execl("/bin/sh", "sh", "-c", "kill -SEGV $$", (char *)NULL);
  return 0;
}

static void test_a_probe_that_crashes_is_a_message(void **state) {
  (void)state;
  unsigned int (*saved)(int, const char *, char **, size_t, size_t *) = sapi_module.input_filter;
  sapi_module.input_filter = crash;
  expect_message("ended with signal 11");
  sapi_module.input_filter = saved;
}

/* ---- Structs that nobody declared ---------------------------------------------------------------------------------------- */

static bool all_but_filter(const void *address) {
  return address < (void *)ini("filter.default")->mh_arg2 ||
         address >= (void *)((char *)ini("filter.default")->mh_arg2 + item("filter_globals")->size);
}

static void test_an_undeclared_struct_is_named(void **state) {
  howdah_undeclared list[4];
  (void)state;
  assert_int_equal(howdah_hidden_undeclared(all_but_filter, list, 4), 1);
  assert_string_equal(list[0].module, "filter");
  assert_string_equal(list[0].entry, "filter.default");
  assert_ptr_equal(list[0].address, item("filter_globals")->address);
}

/* ---- Segments ------------------------------------------------------------------------------------------------------------ */

static long witness = 1;

static void see_change(const howdah_segment *segment, const void *now, const void *before, void *data) {
  (void)segment;
  if (now == &witness && *(const long *)before == 1 && *(const long *)now == 2) *(bool *)data = true;
}

static void test_segments_show_a_changed_word(void **state) {
  howdah_segments program = {0};
  char error[256];
  bool seen = false;
  (void)state;
  assert_int_equal(howdah_segments_add(&program, &witness, error, sizeof(error)), 0);
  size_t count = program.count;
  assert_true(count > 0);
  assert_int_equal(howdah_segments_add(&program, &witness, error, sizeof(error)), 0);
  assert_int_equal(program.count, count);
  assert_non_null(howdah_segments_find(&program, &witness));
  assert_int_equal(howdah_segments_copy(&program, error, sizeof(error)), 0);
  witness = 2;
  howdah_segments_compare(&program, see_change, &seen);
  assert_true(seen);
  witness = 1;
  howdah_segments_free(&program);
  assert_int_equal(howdah_segments_add(&program, (void *)16, error, sizeof(error)), -1);
  assert_non_null(strstr(error, "no loaded library"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_finding_leaves_the_process_as_it_was),
      cmocka_unit_test(test_every_item_is_found),
      cmocka_unit_test(test_items_do_not_overlap),
      cmocka_unit_test(test_too_little_room_is_said),
      cmocka_unit_test(test_shared_state_has_a_reason),
      cmocka_unit_test(test_each_collector_has_its_own_roots),
      cmocka_unit_test(test_the_fiber_lock_is_the_item),
      cmocka_unit_test(test_the_current_directory_starts_empty),
      cmocka_unit_test(test_autoloaders_live_in_the_item),
      cmocka_unit_test(test_autoload_extensions_live_in_the_item),
      cmocka_unit_test(test_each_realm_has_its_own_assert_callback),
      cmocka_unit_test(test_the_default_directory_is_the_item),
      cmocka_unit_test(test_each_realm_parses_with_its_own),
      cmocka_unit_test(test_embedding_writes_into_the_item),
      cmocka_unit_test(test_fonts_live_in_the_items),
      cmocka_unit_test(test_input_variables_live_in_the_filter_item),
      cmocka_unit_test(test_each_realm_has_its_own_match_data),
      cmocka_unit_test(test_match_limits_do_not_reach_another_realm),
      cmocka_unit_test(test_opcache_follows_the_request),
      cmocka_unit_test(test_libxml_errors_live_in_the_items),
      cmocka_unit_test(test_a_missing_lever_is_named),
      cmocka_unit_test(test_another_layout_is_refused),
      cmocka_unit_test(test_a_probe_that_crashes_is_a_message),
      cmocka_unit_test(test_an_undeclared_struct_is_named),
      cmocka_unit_test(test_segments_show_a_changed_word),
  };
  return cmocka_run_group_tests(tests, start_php, stop_php);
}
