/* Hidden state of ext/pcre (ext/pcre/php_pcre.c): what a match writes to, and the limits that ini_set() changes.
 *
 * Private: mdata, mdata_used (taken while a callback runs), mctx (carries pcre.backtrack_limit, pcre.recursion_limit and
 * pcre.jit, each of which a request may ini_set()). Shared: gctx (an allocator, malloc); cctx (its tables are set right before
 * each compilation); jit_stack (used only inside one match, where nothing switches: PHP sets no callouts); char_tables
 * (compiled patterns in the shared pattern cache point into them, so they must live as long as the cache does). */
#include "probe.h"

#include <ext/pcre/php_pcre.h>
#include <stddef.h>

/* ---- Births and deaths: PCRE2's own functions, which libphp exports when it bundles PCRE2, else finds in its library ---- */

static void *pcre2_function(const char *name) {
  return howdah_probe_function("pcre", name);
}

typedef pcre2_match_data *(*create_match_data)(uint32_t, pcre2_general_context *);
typedef void (*free_match_data)(pcre2_match_data *);
typedef uint32_t (*count_pairs)(pcre2_match_data *);
typedef pcre2_match_context *(*copy_match_context)(pcre2_match_context *);
typedef void (*free_match_context)(pcre2_match_context *);

static create_match_data match_data_create(void) {
  return (create_match_data)(uintptr_t)pcre2_function("pcre2_match_data_create_8");
}

static free_match_data match_data_free(void) {
  return (free_match_data)(uintptr_t)pcre2_function("pcre2_match_data_free_8");
}

static copy_match_context match_context_copy(void) {
  return (copy_match_context)(uintptr_t)pcre2_function("pcre2_match_context_copy_8");
}

static free_match_context match_context_free(void) {
  return (free_match_context)(uintptr_t)pcre2_function("pcre2_match_context_free_8");
}

/* As php_pcre_init_pcre2(); its allocator ends the process when memory is short. */
static void mdata_birth(void *address) {
  *(pcre2_match_data **)address = match_data_create()(HOWDAH_PCRE_MATCH_DATA_SIZE, php_pcre_gctx());
}

static void mdata_death(void *address) {
  match_data_free()(*(pcre2_match_data **)address);
  *(pcre2_match_data **)address = NULL;
}

/* The copy has the limits and the JIT stack of PHP's start. */
static void mctx_birth(void *address) {
  pcre2_match_context **mctx = address;
  *mctx = match_context_copy()(*mctx);
}

static void mctx_death(void *address) {
  pcre2_match_context **mctx = address;
  match_context_free()(*mctx);
  *mctx = NULL;
}

/* ---- Statics that an exported function returns --------------------------------------------------------------------------- */

typedef struct {
  void *value;
  void *(*get)(void);
} known;

static bool known_move(howdah_probe *probe, int step, void *data) {
  known *one = data;
  (void)probe;
  (void)step;
  one->value = one->get();
  return one->value != NULL;
}

static bool known_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)step;
  return *(void *const *)now == ((known *)data)->value;
}

/* PHP returns what we put there. */
static bool known_confirm(void *place, void *data) {
  known *one = data;
  void **slot = place, *saved = *slot;
  char other;
  *slot = &other;
  bool obeyed = one->get() == &other;
  *slot = saved;
  return obeyed;
}

static void *search_known(howdah_probe *probe, const char *what, void *(*get)(void)) {
  known one = {.get = get};
  howdah_lever lever = {.what = what,
                        .width = sizeof(void *),
                        .steps = 1,
                        .move = known_move,
                        .holds = known_holds,
                        .confirm = known_confirm,
                        .data = &one};
  return howdah_probe_search(probe, &lever);
}

static void *get_mctx(void) {
  return php_pcre_mctx();
}

static void *get_gctx(void) {
  return php_pcre_gctx();
}

static void *get_cctx(void) {
  return php_pcre_cctx();
}

/* ---- mdata and mdata_used ------------------------------------------------------------------------------------------------ */

static pcre2_code *pattern;

/* Taken and given back at once: what an idle request gets is mdata itself. */
static void *get_mdata(void) {
  pcre2_match_data *data = php_pcre_create_match_data(0, pattern);
  /* php_pcre_free_match_data() frees what is not mdata, which mctx's search never is, but known_confirm()'s pointer is mdata. */
  php_pcre_free_match_data(data);
  return data;
}

static bool used_move(howdah_probe *probe, int step, void *data) {
  pcre2_match_data **taken = data;
  (void)probe;
  if (step % 2 == 0)
    *taken = php_pcre_create_match_data(0, pattern);
  else
    php_pcre_free_match_data(*taken);
  return true;
}

static bool used_holds(const void *now, const void *before, int step, void *data) {
  (void)before;
  (void)data;
  return *(const unsigned char *)now == (step % 2 == 0);
}

/* While it is used, PHP hands out another. */
static bool used_confirm(void *place, void *data) {
  unsigned char *used = place;
  void *mdata = get_mdata();
  (void)data;
  *used = 1;
  pcre2_match_data *other = php_pcre_create_match_data(0, pattern);
  bool obeyed = other != mdata;
  if (obeyed) php_pcre_free_match_data(other);
  *used = 0;
  return obeyed;
}

static bool find_match_data(howdah_probe *probe) {
  static const char what[] = "PHP's match data of preg_match()";
  zend_string *regex = zend_string_init("/howdah/", strlen("/howdah/"), false);
  uint32_t captures;
  pattern = pcre_get_compiled_regex(regex, &captures);
  zend_string_release(regex);
  if (!pattern) return howdah_probe_fail(probe, what, "pcre_get_compiled_regex() failed");
  void *mdata = search_known(probe, what, get_mdata);
  if (!mdata) return false;
  pcre2_match_data *taken = NULL;
  howdah_lever lever = {.what = "the mark of PHP's match data of preg_match()",
                        .width = 1,
                        .steps = 6,
                        .move = used_move,
                        .holds = used_holds,
                        .confirm = used_confirm,
                        .data = &taken};
  void *used = howdah_probe_search(probe, &lever);
  if (!used) return false;
  count_pairs pairs = (count_pairs)(uintptr_t)pcre2_function("pcre2_get_ovector_count_8");
  if (!pairs || pairs(*(pcre2_match_data **)mdata) != HOWDAH_PCRE_MATCH_DATA_SIZE)
    return howdah_probe_fail(probe, what, "it has not room for %d pairs", HOWDAH_PCRE_MATCH_DATA_SIZE);
  return howdah_probe_add(probe, (howdah_hidden){.name = "pcre.mdata",
                                                 .address = mdata,
                                                 .size = sizeof(void *),
                                                 .source = "ext/pcre/php_pcre.c",
                                                 .birth = mdata_birth,
                                                 .death = mdata_death}) &&
         howdah_probe_add(
             probe, (howdah_hidden){
                        .name = "pcre.mdata_used", .address = used, .size = sizeof(bool), .source = "ext/pcre/php_pcre.c"});
}

static bool find_contexts(howdah_probe *probe) {
  void *mctx = search_known(probe, "PHP's match context of preg_match()", get_mctx);
  void *gctx = mctx ? search_known(probe, "PHP's general context of PCRE2", get_gctx) : NULL;
  void *cctx = gctx ? search_known(probe, "PHP's compile context of PCRE2", get_cctx) : NULL;
  return cctx &&
         howdah_probe_add(probe, (howdah_hidden){.name = "pcre.mctx",
                                                 .address = mctx,
                                                 .size = sizeof(void *),
                                                 .source = "ext/pcre/php_pcre.c",
                                                 .birth = mctx_birth,
                                                 .death = mctx_death}) &&
         howdah_probe_add_shared(probe, (howdah_shared){.name = "pcre.gctx",
                                                        .address = gctx,
                                                        .size = sizeof(void *),
                                                        .source = "ext/pcre/php_pcre.c",
                                                        .reason = "an allocator (malloc) without state"}) &&
         howdah_probe_add_shared(probe, (howdah_shared){.name = "pcre.cctx",
                                                        .address = cctx,
                                                        .size = sizeof(void *),
                                                        .source = "ext/pcre/php_pcre.c",
                                                        .reason = "set right before each compilation, no switch inside"});
}

/* ---- char_tables: one entry for each locale in which a pattern was compiled ---------------------------------------------- */

static const char *const locales[] = {"howdah_A", "howdah_B", "howdah_C"};

/* Compiles a pattern as if setlocale(LC_CTYPE) had been called. */
static bool tables_move(howdah_probe *probe, int step, void *data) {
  zend_string *saved = BG(ctype_string);
  zend_string *locale = zend_string_init(locales[step], strlen(locales[step]), false);
  zend_string *regex = zend_string_init("/realm/", strlen("/realm/"), false);
  (void)probe;
  (void)data;
  BG(ctype_string) = locale;
  bool done = pcre_get_compiled_regex_cache(regex) != NULL;
  BG(ctype_string) = saved;
  zend_string_release(locale);
  zend_string_release(regex);
  return done;
}

static bool tables_holds(const void *now, const void *before, int step, void *data) {
  const uint32_t *count = (const uint32_t *)((const char *)now + offsetof(HashTable, nNumOfElements));
  const uint32_t *first = (const uint32_t *)((const char *)before + offsetof(HashTable, nNumOfElements));
  const howdah_segments *library = &((howdah_probe *)data)->library;
  return howdah_segments_find(library, (const char *)now + sizeof(HashTable) - 1) && *count == *first + (uint32_t)step + 1;
}

/* The pattern cache grows with it, but its keys are patterns. */
static bool tables_confirm(void *place, void *data) {
  HashTable *tables = place;
  (void)data;
  return howdah_probe_is_table(tables, tables->nNumOfElements) &&
         zend_hash_str_find_ptr(tables, locales[0], strlen(locales[0])) &&
         zend_hash_str_find_ptr(tables, locales[2], strlen(locales[2]));
}

static bool find_tables(howdah_probe *probe) {
  howdah_lever lever = {.what = "PHP's character tables of PCRE2",
                        .width = sizeof(void *),
                        .steps = sizeof(locales) / sizeof(*locales),
                        .move = tables_move,
                        .holds = tables_holds,
                        .confirm = tables_confirm,
                        .data = probe};
  void *tables = howdah_probe_search(probe, &lever);
  return tables && howdah_probe_add_shared(probe, (howdah_shared){.name = "pcre.char_tables",
                                                                  .address = tables,
                                                                  .size = sizeof(HashTable),
                                                                  .source = "ext/pcre/php_pcre.c",
                                                                  .reason = "patterns in the shared cache point into them"});
}

bool howdah_find_pcre(howdah_probe *probe) {
  if (!match_data_create() || !match_data_free() || !match_context_copy() || !match_context_free())
    return howdah_probe_fail(probe, "PCRE2", "libphp exports no pcre2_match_data_create_8() and its kin");
  return find_match_data(probe) && find_contexts(probe) && find_tables(probe);
}
