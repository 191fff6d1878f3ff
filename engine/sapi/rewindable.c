/* What can be rewound: applications that hold nothing but memory of the request's heap when they have booted. See rewind.h. */
#include "rewind.h"
#include "jit.h"
#include "../realm/pool.h"
#include "../state/version.h"

#include <string.h>

/* Classes of extensions whose objects are nothing but memory of the request's heap, and so are their descendants': read in
 * Zend/zend_{closures,exceptions,generators,weakrefs,attributes}.c, ext/{spl,date,hash,random,reflection} and
 * ext/standard/incomplete_class.c (8.2.32, 8.4.14), none of which calls malloc() for an object; timelib has PHP's heap
 * (ext/date/config0.m4). Streams of SplFileInfo's descendants are resources, and looked at as such. */
static const char *const plain[] = {
    "stdClass",
    "Closure",
    "Exception",
    "Error",
    "ArrayObject",
    "ArrayIterator",
    "SplObjectStorage",
    "SplDoublyLinkedList",
    "SplHeap",
    "SplPriorityQueue",
    "SplFixedArray",
    "WeakMap",
    "WeakReference",
    "DateTime",
    "DateTimeImmutable",
    "DateTimeZone",
    "DateInterval",
    "DatePeriod",
    "Reflector",
    "ReflectionException",
    "__PHP_Incomplete_Class",
    "Generator",
    "SplFileInfo",
    "MultipleIterator",
    "HashContext",
    "ReflectionReference",
    "Attribute",
    "ReflectionGenerator",
    "Random\\Randomizer",
    "Random\\Engine\\Mt19937",
    "Random\\Engine\\PcgOneseq128XslRr64",
    "Random\\Engine\\Xoshiro256StarStar",
    "Random\\Engine\\Secure",
    "SensitiveParameterValue",
};

enum { FREES_MAX = 64 };
static zend_object_free_obj_t frees[FREES_MAX] = {zend_object_std_dtor}; /* of objects of those classes, as they were met */
static size_t frees_count = 1;

static bool is_named(const zend_class_entry *class) {
  for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
    if (strcasecmp(plain[i], ZSTR_VAL(class->name)) == 0) return true;
  return strncasecmp(ZSTR_VAL(class->name), "Reflection", strlen("Reflection")) == 0;
}

/* The nearest class of an extension that is not; NULL: there is none. */
static const zend_class_entry *foreign_class(const zend_object *object) {
  const zend_class_entry *class = object->ce;
  while (class && class->type == ZEND_USER_CLASS)
    class = class->parent;
  for (const zend_class_entry *at = class; at; at = at->parent)
    if (is_named(at)) return NULL;
  /* An object without memory of its own beyond its properties. */
  if (class && object->handlers->free_obj == zend_object_std_dtor && !class->create_object) return NULL;
  return class;
}

bool howdah_rewind_is_plain(zend_object_free_obj_t free_obj) {
  for (size_t i = 0; i < frees_count; i++)
    if (frees[i] == free_obj) return true;
  return false;
}

static void tell_object(const zend_class_entry *class, const zend_class_entry *foreign, char *why, size_t size) {
  static const char way_out[] = "make it in the request, or let go of it";
  if (class->type == ZEND_USER_CLASS)
    snprintf(why, size, "when it has booted it holds an object of the class %s (a %s; %s:%u); %s", ZSTR_VAL(class->name),
             ZSTR_VAL(foreign->name), ZSTR_VAL(class->info.user.filename), class->info.user.line_start, way_out);
  else
    snprintf(why, size, "when it has booted it holds an object of the class %s; %s", ZSTR_VAL(class->name), way_out);
}

static bool has_foreign_object(char *why, size_t size) {
  const zend_objects_store *store = &EG(objects_store);
  for (uint32_t i = 1; i < store->top; i++) {
    const zend_object *object = store->object_buckets[i];
    if (!IS_OBJ_VALID(object)) continue;
    const zend_class_entry *class = foreign_class(object);
    if (!class) {
      if (!howdah_rewind_is_plain(object->handlers->free_obj) && frees_count < FREES_MAX)
        frees[frees_count++] = object->handlers->free_obj;
      continue;
    }
    tell_object(object->ce, class, why, size);
    return true;
  }
  return false;
}

bool howdah_rewind_is_wrapper(const zend_resource *resource) {
  static int wrappers;
  if (!wrappers) wrappers = zend_fetch_list_dtor_id("stream factory");
  return resource->type == wrappers;
}

/* A context is an array on the request's heap; php://output and php://memory have nothing but memory there, too. */
static bool is_plain_resource(const zend_resource *resource) {
  if (resource->type < 0 || resource->type == php_le_stream_context() || howdah_rewind_is_wrapper(resource)) return true;
  const php_stream *stream = resource->type == php_file_le_stream() ? resource->ptr : NULL;
  return stream && !stream->is_persistent && !stream->readfilters.head && !stream->writefilters.head &&
         (strcmp(stream->ops->label, "Output") == 0 || strcmp(stream->ops->label, "MEMORY") == 0);
}

static bool has_resource(char *why, size_t size) {
  zend_resource *resource;
  ZEND_HASH_FOREACH_PTR(&EG(regular_list), resource) {
    if (is_plain_resource(resource)) continue;
    const char *type = zend_rsrc_list_get_rsrc_type(resource);
    const php_stream *stream = resource->type == php_file_le_stream() ? resource->ptr : NULL;
    snprintf(why, size, "when it has booted it holds a resource of the type %s%s%s%s; open it in the request, or close it",
             type ? type : "unknown", stream ? " (" : "", stream && stream->orig_path ? stream->orig_path : "",
             stream ? ")" : "");
    return true;
  }
  ZEND_HASH_FOREACH_END();
  return false;
}

/* ---- What a request may do that cannot be put back ---- */

/* By their whole names. mbregex's options are malloc'ed, and outlive a request also in php-fpm (ext/mbstring/php_mbregex.c);
 * dl() brings new tables. */
static const char *const watched[] = {"mb_regex_set_options", "dl", "bindtextdomain", "bind_textdomain_codeset", "textdomain"};

enum { FUNCTIONS_MAX = sizeof(watched) / sizeof(*watched) };
static struct {
  const zend_function *function;
  zif_handler handler;
} functions[FUNCTIONS_MAX];
static size_t functions_count;

/* Without their last argument they tell what is set. */
static bool asks_only(const zend_function *function, const zend_execute_data *call) {
  const uint32_t last = function->common.num_args;
  return ZEND_CALL_NUM_ARGS(call) < last || Z_TYPE_P(ZEND_CALL_ARG(call, last)) == IS_NULL;
}

static ZEND_FUNCTION(tell_and_call) {
  howdah_realm *realm = howdah_realm_current();
  zif_handler handler = NULL;
  for (size_t i = 0; i < functions_count; i++)
    if (strcmp(ZSTR_VAL(functions[i].function->common.function_name), ZSTR_VAL(EX(func)->common.function_name)) == 0)
      handler = functions[i].handler;
  for (size_t i = 0; i < functions_count && realm; i++)
    if (handler == functions[i].handler && !asks_only(functions[i].function, execute_data))
      realm->rewind_spoiled = ZSTR_VAL(functions[i].function->common.function_name);
  if (handler) handler(execute_data, return_value);
}

void howdah_rewind_watch(void) {
  zend_function *function;
  ZEND_HASH_MAP_FOREACH_PTR(CG(function_table), function) {
    if (function->type != ZEND_INTERNAL_FUNCTION || functions_count == FUNCTIONS_MAX) continue;
    for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++) {
      if (strcmp(ZSTR_VAL(function->common.function_name), watched[i]) != 0) continue;
      functions[functions_count].function = function;
      functions[functions_count++].handler = function->internal_function.handler;
      function->internal_function.handler = ZEND_FN(tell_and_call);
      break;
    }
  }
  ZEND_HASH_FOREACH_END();
}

/* Settings whose handlers free and allocate what is malloc'ed, or reach beyond PHP. */
static const char *const settings[] = {"mbstring.",      "url_rewriter.",   "session.trans_sid_", "zend.script_encoding",
                                       "zend.multibyte", "assert.callback", "opcache.",           "browscap"};

static const char *changed_setting(void) {
  zend_ini_entry *entry;
  if (!EG(modified_ini_directives)) return NULL;
  ZEND_HASH_MAP_FOREACH_PTR(EG(modified_ini_directives), entry) {
    for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
      if (strncmp(ZSTR_VAL(entry->name), settings[i], strlen(settings[i])) == 0) return settings[i];
  }
  ZEND_HASH_FOREACH_END();
  return NULL;
}

void howdah_rewind_find_encodings(const zend_ini_entry *entries[HOWDAH_ENCODINGS]) {
  static const char *const names[HOWDAH_ENCODINGS] = {"default_charset", "internal_encoding", "input_encoding",
                                                      "output_encoding"};
  for (size_t i = 0; i < HOWDAH_ENCODINGS; i++)
    entries[i] = zend_hash_str_find_ptr(EG(ini_directives), names[i], strlen(names[i]));
}

uint64_t howdah_rewind_encodings(const zend_ini_entry *const entries[HOWDAH_ENCODINGS]) {
  zend_ulong all = 0;
  for (size_t i = 0; i < HOWDAH_ENCODINGS; i++) {
    const zend_string *text = entries[i] ? entries[i]->value : NULL;
    all = all * 31 + (text ? zend_hash_func(ZSTR_VAL(text), ZSTR_LEN(text)) : 0);
  }
  return all;
}

const char *howdah_rewind_spoiled(void) {
  const howdah_realm *realm = howdah_realm_current();
  if (realm->rewind_spoiled) return realm->rewind_spoiled;
  return changed_setting();
}

bool howdah_rewind_obstacle(char *why, size_t size) {
  if (howdah_jit_runs() && !HOWDAH_REWINDS_JIT) {
    snprintf(why, size, "opcache.jit is on, which was not tried with this release of PHP; set opcache.jit=off");
    return true;
  }
  const char *spoiled = howdah_rewind_spoiled();
  if (spoiled) {
    snprintf(why, size, "while it booted it has used or set %s, which keeps memory that is not the request's", spoiled);
    return true;
  }
  if (EG(active_fiber)) {
    snprintf(why, size, "its script asks for requests within a Fiber");
    return true;
  }
  return has_resource(why, size) || has_foreign_object(why, size);
}
