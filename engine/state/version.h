/* What differs between PHP versions: the layouts of structs that php-src keeps in .c files, names that changed, and what moved.
 *
 * Nothing here is believed: engine/state/hidden checks each member that it uses against what PHP itself answers, and Howdah refuses
 * to start when one does not agree. Include php_headers.h first. */
#ifndef HOWDAH_STATE_VERSION_H
#define HOWDAH_STATE_VERSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/param.h>
#include <time.h>

#if PHP_VERSION_ID < 80200 || PHP_VERSION_ID >= 80600
#error "Howdah supports PHP 8.2 to 8.5: set PHP_CONFIG to the php-config of such a version"
#endif
#ifdef ZTS
#error "Howdah needs a PHP without thread safety (NTS), as distributions ship it: set PHP_CONFIG to such a PHP"
#endif

/* zend_gc_globals, Zend/zend_gc.c (8.2.32; 8.3 added the times, 8.4 the destructor fiber). GC_BENCH, which adds members, is never on
 * in a distribution. */
typedef struct {
  void *buf; /* malloc'ed */
  bool gc_enabled;
  bool gc_active;
  bool gc_protected;
  bool gc_full;
  uint32_t unused;
  uint32_t first_unused;
  uint32_t gc_threshold;
  uint32_t buf_size;
  uint32_t num_roots;
  uint32_t gc_runs;
  uint32_t collected;
#if PHP_VERSION_ID >= 80300
  uint64_t activated_at;
  uint64_t collector_time;
  uint64_t dtor_time;
  uint64_t free_time;
#endif
#if PHP_VERSION_ID >= 80400
  uint32_t dtor_idx;
  uint32_t dtor_end;
  void *dtor_fiber;
  bool dtor_fiber_running;
#endif
} howdah_gc_globals;

/* zend_assert_globals, ext/standard/assert.c (8.2.32, unchanged in 8.4). */
typedef struct {
  zval callback;
  char *cb; /* malloc'ed */
  bool active;
  bool bail;
  bool warning;
  bool exception;
} howdah_assert_globals;

/* browser_data, ext/standard/browscap.c (8.2.32, unchanged in 8.4). */
typedef struct howdah_browser_data {
  HashTable *htab;
  void *kv;
  uint32_t kv_used;
  uint32_t kv_size;
  char filename[MAXPATHLEN];
} howdah_browser_data;

/* The head of zend_accel_globals, ext/opcache/ZendAccelerator.h (8.2.32, unchanged in 8.4.24); accel_directives follows. */
typedef struct {
  bool counted;
  bool enabled;
  bool locked;
  bool accelerator_enabled;
  bool pcre_reseted;
} howdah_accel_head;

/* What follows accel_directives in zend_accel_globals (8.2.32, 8.4.24); its last member is preload_user, except on Windows. */
#define HOWDAH_ACCEL_LAST_DIRECTIVE "opcache.preload_user"
typedef struct {
  zend_string *cwd;
  zend_string *include_path;
  char include_path_key[32];
  char cwd_key[32];
  int include_path_key_len;
  bool include_path_check;
  int cwd_key_len;
  bool cwd_check;
  int auto_globals_mask;
  time_t request_time;
  time_t last_restart_time;
  HashTable xlat_table;
  zend_ulong root_hash;
#if PHP_VERSION_ID >= 80400
  /* Observers' caches for internal functions that a preloaded script made (8.4.24). */
  void *preloaded_internal_run_time_cache;
  size_t preloaded_internal_run_time_cache_size;
#endif
#if PHP_VERSION_ID >= 80500
  bool preloading; /* 8.5.7 */
#endif
  void *mem;
  void *current_persistent_script;
  const void *cache_opline;
  void *cache_persistent_script;
#if PHP_VERSION_ID >= 80400
  zend_string *key; /* malloc'ed once for the process, of MAXPATHLEN * 8 (accel_globals_ctor()) */
#else
  zend_string key; /* its bytes go on in a buffer of MAXPATHLEN * 8 */
#endif
} howdah_accel_tail;

#if PHP_VERSION_ID >= 80400
#define HOWDAH_ACCEL_KEY(tail) ((tail)->key)
#else
#define HOWDAH_ACCEL_KEY(tail) (&(tail)->key)
#endif

/* The head of zend_jit_globals, ext/opcache/jit/zend_jit.h (8.2.32, 8.4.24: one directive more): directives follow, options being the
 * first; then this tail, and what is about the process's code: roots that did not become traces, and counters of exits. */
typedef struct {
  bool enabled; /* there is memory for code */
  bool on;
  uint8_t trigger;
  uint8_t opt_level;
  uint32_t opt_flags;
} howdah_jit_head;

typedef struct {
  void *symbols;
  bool tracing;
  void *current_trace;
  void *current_frame;
} howdah_jit_tail;

typedef struct {
  const void *opline[64];
  uint8_t count[64];
  uint8_t stop[64];
  uint32_t slot;
  uint8_t *exit_counters; /* malloc'ed */
} howdah_jit_roots;

/* zend_smm_shared_globals, ext/opcache/zend_shared_alloc.h (8.2.32, 8.4.24 by what is found there); reserved is the JIT's code. */
typedef struct {
  void *segments;
  int segments_count;
  size_t free;
  size_t wasted;
  bool exhausted;
  size_t *positions;
  size_t state_free;
  void *app;
  void *reserved;
  size_t reserved_size;
} howdah_smm_globals;

/* ZEND_JIT_DEBUG_GDB and ZEND_JIT_DEBUG_PERF_DUMP, ext/opcache/jit/zend_jit.h (8.2.32, unchanged in 8.4): code stays writable. */
enum { HOWDAH_JIT_DEBUG_WRITABLE = 1 << 8 | 1 << 5 };

/* Whether a trace of the JIT stores its registers before it lets PHP handle an interrupt (engine/sapi/jit.c): 8.4 has another compiler,
 * ext/opcache/jit/ir. */
enum { HOWDAH_JIT_TRACES_STORE_REGISTERS = PHP_VERSION_ID < 80400 };

/* Whether rewind was tried with the JIT (engine/sapi/rewindable.c). */
enum { HOWDAH_REWINDS_JIT = PHP_VERSION_ID < 80400 };

/* Whether opcache.jit_buffer_size is more than 0 where nothing is said (ext/opcache/zend_accelerator_module.c, 8.2.32, 8.4.24). */
enum { HOWDAH_JIT_HAS_MEMORY_BY_DEFAULT = PHP_VERSION_ID >= 80400 };

/* How many slots stand before those that CG(map_ptr_last) counts: 8.4 keeps there what outlives a request (Zend/zend_map_ptr.h,
 * 8.4.24; without threads, what a preloaded script has declared of internal functions, such as an enum's cases()). */
#if PHP_VERSION_ID >= 80400
#define HOWDAH_MAP_PTR_STATIC zend_map_ptr_static_size
#else
#define HOWDAH_MAP_PTR_STATIC ((size_t)0)
#endif

/* The numbers that zend_strtod() and zend_dtoa() keep for the next call. 8.4 has them in executor_globals (Zend/zend_strtod.h, 8.4.24):
 * a realm that took over the base's free list would reuse what another has made a power of five. Before, they are a static that all
 * realms share, which no switch interrupts. */
static inline void howdah_numbers_birth(void) {
#ifdef ZEND_STRTOD_K_MAX
  memset(&EG(strtod_state), 0, sizeof(EG(strtod_state)));
#endif
}

static inline void howdah_numbers_death(void) {
#ifdef ZEND_STRTOD_K_MAX
  zend_shutdown_strtod();
  memset(&EG(strtod_state), 0, sizeof(EG(strtod_state)));
#endif
}

/* Memory that extensions have with each internal function: 8.4 clears it at each request's start (Zend/zend_extensions.c,
 * zend_reset_internal_run_time_cache(), 8.4.24), and without threads all requests of a process share it. NULL where none asks. */
#if PHP_VERSION_ID >= 80400
#define HOWDAH_INTERNAL_RUN_TIME_CACHE CG(internal_run_time_cache)
#else
#define HOWDAH_INTERNAL_RUN_TIME_CACHE NULL
#endif

/* zend_soap_globals, ext/soap/php_soap.h, which is not installed (8.2.32, 8.4.24, 8.5.7 by its code). */
typedef struct {
#if PHP_VERSION_ID < 80500
  HashTable defEncNs; /* these three are filled at module startup and then only read; statics in 8.5 */
  HashTable defEnc;
  HashTable defEncIndex;
#endif
  HashTable *typemap;
  int cur_uniq_ns;
  int soap_version;
  void *sdl;
#if PHP_VERSION_ID >= 80400
  char *error_code;
  zval error_object;
  bool use_soap_error_handler;
#else
  bool use_soap_error_handler;
  char *error_code;
  zval error_object;
  char cache;
#endif
  char cache_mode;
  char cache_enabled;
  char *cache_dir;
  zend_long cache_ttl;
  zend_long cache_limit;
  HashTable *mem_cache; /* malloc'ed */
  void *encoding;
  HashTable *class_map;
  int features;
  HashTable wsdl_cache;
  int cur_uniq_ref;
  HashTable *ref_map;
} howdah_soap_globals;

/* Its tables of encodings and of their names' prefixes, or NULL where they are elsewhere. */
#if PHP_VERSION_ID < 80500
#define HOWDAH_SOAP_ENCODINGS(soap)  (&(soap)->defEnc)
#define HOWDAH_SOAP_NAMESPACES(soap) (&(soap)->defEncNs)
#else
#define HOWDAH_SOAP_ENCODINGS(soap)  NULL
#define HOWDAH_SOAP_NAMESPACES(soap) NULL
#endif

/* zend_pgsql_globals, ext/pgsql/php_pgsql.h, which is not installed (8.2.32; 8.4 added the patterns; 8.5.7 by its code, which has the
 * flags last). */
typedef struct {
  zend_long num_links;
  zend_long num_persistent;
  zend_long max_links;
  zend_long max_persistent;
#if PHP_VERSION_ID < 80500
  bool allow_persistent;
  int ignore_notices;
#endif
  zend_long auto_reset_persistent;
#if PHP_VERSION_ID < 80500
  int log_notices;
#endif
  zend_object *default_link;
#if PHP_VERSION_ID >= 80400
  zend_string *regexes[11]; /* malloc'ed */
#endif
#if PHP_VERSION_ID >= 80500
  bool allow_persistent;
  bool ignore_notices;
  bool log_notices;
#endif
  HashTable field_oids;
  HashTable table_oids;
  HashTable connections; /* malloc'ed */
} howdah_pgsql_globals;

static inline void howdah_pgsql_globals_death(howdah_pgsql_globals *globals) {
#if PHP_VERSION_ID >= 80400
  for (size_t i = 0; i < sizeof(globals->regexes) / sizeof(*globals->regexes); i++)
    zend_string_release_ex(globals->regexes[i], true);
#endif
  zend_hash_destroy(&globals->connections);
}

/* The statics of ext/uri (ext/uri/uri_parser_whatwg.c, 8.5.7): sizeof(lxb_url_parser_t), (lexbor_mraw_t) and (lxb_unicode_idna_t), whose headers
 * are not installed. */
enum { HOWDAH_URL_PARSER_SIZE = 40, HOWDAH_URL_MEMORY_SIZE = 24, HOWDAH_URL_NAMES_SIZE = 72 };

/* Whether a realm has a pattern cache of its own, as a thread has. An entry keeps the names of its groups on the heap of the request
 * that asked for them, and any request's end frees those of all entries (ext/pcre/php_pcre.c, ensure_subpats_table() and
 * PHP_RSHUTDOWN_FUNCTION(pcre), 8.4.24; 8.2.32 keeps none, 8.3 was not looked at). */
enum { HOWDAH_PCRE_CACHE_PRIVATE = PHP_VERSION_ID >= 80300 };

/* PHP_PCRE_PREALLOC_MDATA_SIZE, ext/pcre/php_pcre.c (8.2.32, unchanged in 8.4). */
enum { HOWDAH_PCRE_MATCH_DATA_SIZE = 32 };

/* FILTER_UNSAFE_RAW, ext/filter/filter_private.h (8.2.32, unchanged in 8.4). */
enum { HOWDAH_FILTER_UNSAFE_RAW = 0x0204 };

/* The head of zend_fiber_stack, Zend/zend_fibers.c (8.2.32, unchanged in 8.4): the lowest usable byte, and the bytes from there on; the
 * guard page is below. */
typedef struct {
  char *pointer;
  size_t size;
} howdah_fiber_stack;

/* An error about memory that waits until PHP code goes on (zend_mm_delayed_error_or_panic(), Zend/zend_alloc.c): 8.2.36 and 8.4.24 have it,
 * 8.2.32 has not. With it came memory_hard_limit_percent. */
#ifdef ZEND_HAS_OOM
/* Takes the one that waits: its message is written, its line is set, its file is returned, which the request's heap owns. NULL: none waits. */
static inline zend_string *howdah_memory_error_take(char *message, size_t size, uint32_t *line) {
  zend_oom_info *waiting = &EG(delayed_oom);
  zend_string *file = waiting->filename;
  if (waiting->state != ZEND_OOM_STATE_PENDING) return NULL;
  size_t len = ZSTR_LEN(waiting->message) < size ? ZSTR_LEN(waiting->message) : size - 1;
  memcpy(message, ZSTR_VAL(waiting->message), len);
  message[len] = 0;
  *line = waiting->lineno;
  zend_string_release(waiting->message);
  *waiting = (zend_oom_info){.state = ZEND_OOM_STATE_NONE};
  return file;
}

/* From now on allocations that cannot fail may not pass the heap's limit either. */
static inline void howdah_memory_limit_is_hard(void) {
  zend_set_memory_hard_limit_percent(100);
}
#else
static inline zend_string *howdah_memory_error_take(char *message, size_t size, uint32_t *line) {
  (void)message, (void)size, (void)line;
  return NULL;
}

static inline void howdah_memory_limit_is_hard(void) {}
#endif

/* Whether a realm may be put back after each request (snapshot.h): where all that is put back was read, and its tests were run. 8.3 was not looked
 * at. */
enum { HOWDAH_CAN_REWIND = PHP_VERSION_ID < 80300 || (PHP_VERSION_ID >= 80400 && PHP_VERSION_ID < 80500) };

/* Whether array_multisort() puts back the list of comparison functions that it has found (ext/standard/array.c: 8.4 does, 8.2 not). */
enum { HOWDAH_MULTISORT_RESTORES = PHP_VERSION_ID >= 80400 };

#endif
