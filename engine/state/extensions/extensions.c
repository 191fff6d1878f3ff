/* Judges the extensions that are loaded. See extensions.h; the table itself is in known.c. */
#include "extensions.h"
#include "../block.h"
#include "evidence.h"
#include "../hidden/hidden.h"
#include "../audit/json.h"
#include "../php_headers.h"
#include "../audit/shared.h"
#include "../audit/symbols.h"
#include "watch.h"
#include "../../advice.h"
#include "../../log.h"

#include <dlfcn.h>
#include <ext/standard/php_versioning.h>
#include <stdlib.h>
#include <string.h>

enum { SUSPECTS_MAX = 8, UNDECLARED_MAX = 32 };

static howdah_extension *all;
static bool know_none;
static size_t count;

static bool is_listed(const char *listed, const char *name) {
  size_t len = strlen(name);
  for (const char *line = listed; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (strcspn(line, "\n") == len && strncasecmp(line, name, len) == 0) return true;
  return false;
}

bool howdah_extension_covers(const howdah_known_extension *known, const char *version) {
  return !known->from ||
         (version && php_version_compare(version, known->from) >= 0 && php_version_compare(version, known->below) < 0);
}

static void say(char *text, size_t size, const char *more) {
  size_t len = strlen(text);
  snprintf(text + len, size - len, "%s%s", len ? ", " : "", more);
}

static bool is_declared(const void *address) {
  return howdah_blocks_find(address) != NULL;
}

/* Ini entries that write into memory which nobody declared: of all extensions, found once, and again when more is known to be shared. */
static howdah_undeclared undeclared[UNDECLARED_MAX];
static size_t undeclared_count;
static bool undeclared_is_known;

static void add_undeclared(howdah_extension *one) {
  if (!undeclared_is_known) undeclared_count = howdah_hidden_undeclared(is_declared, undeclared, UNDECLARED_MAX);
  undeclared_is_known = true;
  for (size_t i = 0; i < undeclared_count && i < UNDECLARED_MAX; i++) {
    char text[160];
    if (strcasecmp(undeclared[i].module, one->name) != 0) continue;
    snprintf(text, sizeof(text), "what its setting %s writes to", undeclared[i].entry);
    say(one->found, sizeof(one->found), text);
  }
}

static void add_suspects(howdah_extension *one, const void *inside) {
  howdah_suspect suspects[SUSPECTS_MAX];
  howdah_segments own = {0};
  char error[256];
  int found = howdah_evidence_suspects(inside, suspects, SUSPECTS_MAX, error, sizeof(error));
  if (found < 0 || howdah_segments_add(&own, inside, error, sizeof(error)) < 0) {
    say(one->found, sizeof(one->found), error);
    return;
  }
  for (int i = 0; i < found && i < SUSPECTS_MAX; i++) {
    howdah_place place;
    char text[200];
    howdah_place_of(howdah_segments_find(&own, suspects[i].address), suspects[i].address, &place);
    howdah_place_print(&place, text, sizeof(text));
    say(one->found, sizeof(one->found), text);
  }
  if (found > SUSPECTS_MAX) {
    char text[32];
    snprintf(text, sizeof(text), "%d more", found - SUSPECTS_MAX);
    say(one->found, sizeof(one->found), text);
  }
  howdah_segments_free(&own);
}

static const void *library(void) {
  Dl_info info;
  return dladdr((const void *)(uintptr_t)php_request_startup, &info) ? info.dli_fbase : NULL;
}

/* What is shared on purpose is no evidence; it takes some 50 ms to find out, so only where it matters. */
static void find_shared(void) {
  char error[1024];
  if (howdah_hidden_find_harmless(error, sizeof(error)) < 0) howdah_log(HOWDAH_LOG_WARNING, NULL, "%s", error);
  howdah_shared_start();
  undeclared_is_known = false;
}

static void judge_unknown(howdah_extension *one, const void *inside) {
  Dl_info info;
  bool has_file = dladdr(inside, &info) != 0;
  find_shared();
  if (has_file && info.dli_fbase == library())
    snprintf(one->found, sizeof(one->found), "it is part of PHP's own library, where its memory cannot be told from PHP's");
  else if (has_file)
    add_suspects(one, inside);
  add_undeclared(one);
  one->verdict = one->found[0] ? HOWDAH_EXTENSION_REFUSED : HOWDAH_EXTENSION_CLEAN;
}

static void judge_known(howdah_extension *one, const void *inside) {
  char way_out[HOWDAH_ADVICE_MAX];
  bool other = !howdah_extension_covers(one->known, one->version);
  one->verdict = other ? HOWDAH_EXTENSION_OTHER_VERSION : HOWDAH_EXTENSION_KNOWN;
  add_undeclared(one);
  if (other) find_shared();
  if (other && one->found[0] && one->known->keeps == HOWDAH_KEEPS_NOTHING) {
    one->known = NULL;
    one->found[0] = '\0';
    judge_unknown(one, inside);
  } else if (one->found[0]) {
    howdah_log(HOWDAH_LOG_WARNING, NULL,
               "howdah: the PHP extension %s %s keeps %s in memory that Howdah does not know: requests in flight may see each "
               "other's value; "
               "disable the extension for this server (%s), or serve with --concurrency=1",
               one->name, one->version, one->found, howdah_advice_leave_out(one->name, way_out));
  } else if (other) {
    howdah_log(HOWDAH_LOG_NOTICE, NULL,
               "howdah: the PHP extension %s is known in versions from %s to below %s, but this is %s: it is watched",
               one->name, one->known->from, one->known->below, one->version);
  }
}

static bool add(const char *name, const char *version, const void *inside, const char *listed) {
  howdah_extension *longer = realloc(all, (count + 1) * sizeof(*longer));
  Dl_info info;
  if (!longer) return false;
  all = longer;
  howdah_extension *one = &all[count++];
  *one = (howdah_extension){0};
  snprintf(one->name, sizeof(one->name), "%s", name);
  snprintf(one->version, sizeof(one->version), "%s", version ? version : "");
  if (dladdr(inside, &info)) snprintf(one->file, sizeof(one->file), "%s", info.dli_fname);
  char *small = zend_str_tolower_dup(name, strlen(name));
  one->known = know_none ? NULL : howdah_extension_known(small);
  efree(small);
  if (one->known)
    judge_known(one, inside);
  else if (is_listed(listed, name))
    one->verdict = HOWDAH_EXTENSION_LISTED;
  else
    judge_unknown(one, inside);
  return true;
}

/* Something of the extension in its own file. */
static const void *inside_of(const zend_extension *extension) {
  return (const void *)(uintptr_t)(extension->startup ? (void *)extension->startup : (void *)extension->activate);
}

static bool add_zend_extensions(const char *listed) {
  for (zend_llist_element *element = zend_extensions.head; element; element = element->next) {
    const zend_extension *extension = (const zend_extension *)element->data;
    char *small = zend_str_tolower_dup(extension->name, strlen(extension->name));
    bool is_module = zend_hash_str_exists(&module_registry, small, strlen(small));
    efree(small);
    if (!is_module && !add(extension->name, extension->version, inside_of(extension), listed)) return false;
  }
  return true;
}

int howdah_extensions_judge(const char *listed, bool without_table, char *error, size_t error_size) {
  zend_module_entry *module;
  bool done = true;
  know_none = without_table;
  undeclared_is_known = false;
  ZEND_HASH_FOREACH_PTR(&module_registry, module) {
    /* Howdah's own functions, and those that php-fpm has (engine/sapi/fpm.c). */
    bool is_own = strcmp(module->name, "howdah") == 0 || strcmp(module->name, "cgi-fcgi") == 0;
    if (!is_own && done) done = add(module->name, module->version, module, listed);
  }
  ZEND_HASH_FOREACH_END();
  if (done && add_zend_extensions(listed)) return 0;
  snprintf(error, error_size, "howdah: out of memory for the list of extensions");
  return -1;
}

const howdah_extension *howdah_extensions_all(size_t *number) {
  *number = count;
  return all;
}

const howdah_extension *howdah_extensions_refused(void) {
  for (size_t i = 0; i < count; i++)
    if (all[i].verdict == HOWDAH_EXTENSION_REFUSED) return &all[i];
  return NULL;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void howdah_extensions_explain(const howdah_extension *extension, char *text, size_t size) {
  char way_out[HOWDAH_ADVICE_MAX];
  snprintf(
      text, size,
      "howdah: the PHP extension %s %s (%s) is not known to Howdah and keeps memory that it does not register as module "
      "globals: %s; "
      "requests at once in one process could see each other's. Choose one: leave it out for this server (%s); "
      "take one request at a time per worker (howdah_concurrency 1, --concurrency=1); or, when you know that all requests may "
      "share it, say so (howdah_shared_extension %s, --shared-extension=%s)",
      extension->name, extension->version, base_name(extension->file), extension->found,
      howdah_advice_leave_out(extension->name, way_out), extension->name, extension->name);
}

static const void *inside_by_name(const char *name) {
  char *small = zend_str_tolower_dup(name, strlen(name));
  const zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, small, strlen(small));
  efree(small);
  const zend_extension *extension = module ? NULL : zend_get_extension(name);
  return extension ? inside_of(extension) : module;
}

int howdah_extensions_watch(char *error, size_t error_size) {
  for (size_t i = 0; i < count; i++) {
    bool watched = all[i].verdict == HOWDAH_EXTENSION_CLEAN || all[i].verdict == HOWDAH_EXTENSION_OTHER_VERSION;
    const void *inside = inside_by_name(all[i].name);
    if (all[i].verdict == HOWDAH_EXTENSION_LISTED && inside) howdah_shared_by_user(inside);
    if (watched && inside && howdah_watch_add(inside, all[i].name, error, error_size) < 0) return -1;
  }
  return 0;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

/* Whether it has something to do when a request begins or ends (docs/between-requests.md). */
static const char *at_requests(const char *name) {
  char key[sizeof(all->name)];
  zend_str_tolower_copy(key, name, strlen(name));
  const zend_module_entry *module = zend_hash_str_find_ptr(&module_registry, key, strlen(key));
  return module && (module->request_startup_func || module->request_shutdown_func || module->post_deactivate_func) ? "yes"
                                                                                                                   : "no";
}

void howdah_extensions_write(FILE *to) {
  static const char *const verdicts[] = {[HOWDAH_EXTENSION_KNOWN] = "known",
                                         [HOWDAH_EXTENSION_OTHER_VERSION] = "other-version",
                                         [HOWDAH_EXTENSION_CLEAN] = "unknown-clean",
                                         [HOWDAH_EXTENSION_LISTED] = "listed",
                                         [HOWDAH_EXTENSION_REFUSED] = "refused"};
  static const char *const keeps[] = {[HOWDAH_KEEPS_NOTHING] = "its state is in registered module globals, or it has none",
                                      [HOWDAH_KEEPS_HIDDEN] = "its hidden state is found and private to each realm",
                                      [HOWDAH_KEEPS_ALL_OF_IT] = "all that it may write to is private to each realm",
                                      [HOWDAH_KEEPS_LIBRARY] =
                                          "all that it and its library may write to is private to each realm",
                                      [HOWDAH_KEEPS_SETTINGS] = "what it does not register is the same for all requests"};
  static const char *const shown[] = {[HOWDAH_SHOWN_TESTED] = "Howdah's tests use it",
                                      [HOWDAH_SHOWN_AUDITED] = "its functions ran under the audit",
                                      [HOWDAH_SHOWN_LOADED] = "it was loaded and its memory examined",
                                      [HOWDAH_SHOWN_READ] = "its source was read"};
  char way_out[HOWDAH_ADVICE_MAX];
  fputs("[", to);
  for (size_t i = 0; i < count; i++) {
    const howdah_extension *one = &all[i];
    fputs(i ? ",\n    {" : "\n    {", to);
    howdah_json_field(to, "name", one->name, ", ");
    howdah_json_field(to, "version", one->version, ", ");
    howdah_json_field(to, "file", one->file, ", ");
    howdah_json_field(to, "verdict", verdicts[one->verdict], ", ");
    howdah_json_field(to, "leave_out", howdah_advice_leave_out(one->name, way_out), ", ");
    if (one->known) {
      howdah_json_field(to, "keeps", keeps[one->known->keeps], ", ");
      howdah_json_field(to, "shown", shown[one->known->shown], ", ");
      howdah_json_field(to, "note", one->known->note, ", ");
    }
    howdah_json_field(to, "at_requests", at_requests(one->name), ", ");
    howdah_json_field(to, "found", one->found, "}");
  }
  fputs("\n  ]", to);
}

void howdah_extensions_free(void) {
  free(all);
  all = NULL;
  count = 0;
}
