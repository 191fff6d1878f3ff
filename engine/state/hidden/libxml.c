/* Hidden state of libxml2: what is a thread's own in it (globals.c, xmlGlobalState) is a realm's own here.
 *
 * libxml2 exports an accessor for each; on the process's main thread it returns the address of a plain global. The external
 * entity loader is the process's in libxml2, but nothing is needed for it: ext/libxml sets one loader at its start, and what
 * libxml_set_external_entity_loader() changes is in the module's globals. */
#include "probe.h"

/* xmlError, libxml/xmlerror.h: part of libxml2's ABI. */
typedef struct {
  int domain;
  int code;
  char *message;
  int level;
  char *file;
  int line;
  char *str1, *str2, *str3;
  int int1, int2;
  void *ctxt, *node;
} xml_error;

static void *libxml_function(const char *name) {
  return howdah_probe_function("libxml", name);
}

static void last_error_birth(void *address) {
  memset(address, 0, sizeof(xml_error));
}

static void last_error_death(void *address) {
  (void)address;
  void (*reset)(void) = (void (*)(void))(uintptr_t)libxml_function("xmlResetLastError");
  if (reset) reset();
}

/* Those marked needed are reset by ext/libxml at each request's end; the others are set and put back around a parse, which may
 * call back into PHP (stream wrappers, handlers). A libxml2 that no longer has one of these has nothing to keep apart. */
static const struct {
  const char *name;
  size_t size;
  bool needed;
} globals[] = {
    {"xmlGenericError", sizeof(void *), true},
    {"xmlGenericErrorContext", sizeof(void *), true},
    {"xmlStructuredError", sizeof(void *), true},
    {"xmlStructuredErrorContext", sizeof(void *), true},
    {"xmlParserInputBufferCreateFilenameValue", sizeof(void *), true},
    {"xmlOutputBufferCreateFilenameValue", sizeof(void *), true},
    {"xmlLastError", sizeof(xml_error), true},
    {"xmlLoadExtDtdDefaultValue", sizeof(int), false},
    {"xmlSubstituteEntitiesDefaultValue", sizeof(int), false},
    {"xmlKeepBlanksDefaultValue", sizeof(int), false},
    {"xmlDoValidityCheckingDefaultValue", sizeof(int), false},
    {"xmlGetWarningsDefaultValue", sizeof(int), false},
    {"xmlPedanticParserDefaultValue", sizeof(int), false},
    {"xmlLineNumbersDefaultValue", sizeof(int), false},
    {"xmlParserDebugEntities", sizeof(int), false},
    {"xmlIndentTreeOutput", sizeof(int), false},
    {"xmlSaveNoEmptyTags", sizeof(int), false},
    {"xmlTreeIndentString", sizeof(void *), false},
    {"xmlBufferAllocScheme", sizeof(int), false},
    {"xmlDefaultBufferSize", sizeof(int), false},
    {"xmlRegisterNodeDefaultValue", sizeof(void *), false},
    {"xmlDeregisterNodeDefaultValue", sizeof(void *), false},
};

static void *global_address(const char *name) {
  char accessor[64];
  snprintf(accessor, sizeof(accessor), "__%s", name);
  void *(*address)(void) = (void *(*)(void))(uintptr_t)libxml_function(accessor);
  /* Without threads libxml2 has no accessors, but exports the globals. */
  return address ? address() : libxml_function(name);
}

/* Reset by libxml2 itself: the struct is as long as ours, and it is the one that libxml2 uses. */
static bool last_error_agrees(xml_error *error) {
  void (*reset)(void) = (void (*)(void))(uintptr_t)libxml_function("xmlResetLastError");
  char other;
  if (!reset || !error) return false;
  memset(error, 0, sizeof(*error));
  error->code = 1;
  error->int2 = 2;
  error->node = &other;
  reset();
  return error->code == 0 && error->int2 == 0 && error->node == NULL;
}

/* ext/libxml puts its own handlers in at a request's start and takes them away at its end. */
static bool handlers_agree(howdah_probe *probe) {
  void **generic = global_address("xmlGenericError"), **input = global_address("xmlParserInputBufferCreateFilenameValue");
  if (!generic || !input) return false;
  void *generic_handler = *generic, *input_handler = *input;
  php_request_shutdown(NULL);
  bool agrees = *generic != generic_handler && *input != input_handler;
  return howdah_probe_new_request(probe) && agrees && *generic == generic_handler && *input == input_handler;
}

bool howdah_find_libxml(howdah_probe *probe) {
  static const char what[] = "libxml2's per-thread state";
  if (!howdah_probe_module("libxml")) return true;
  if (!handlers_agree(probe) || !last_error_agrees(global_address("xmlLastError")))
    return howdah_probe_fail(probe, what, "its accessors do not show what ext/libxml sets");
  for (size_t i = 0; i < sizeof(globals) / sizeof(*globals); i++) {
    howdah_hidden item = {.name = globals[i].name,
                          .address = global_address(globals[i].name),
                          .size = globals[i].size,
                          .source = "libxml2, globals.c"};
    if (!item.address && !globals[i].needed) continue;
    if (!item.address) return howdah_probe_fail(probe, what, "it has no %s", globals[i].name);
    if (strcmp(globals[i].name, "xmlLastError") == 0) {
      item.birth = last_error_birth;
      item.death = last_error_death;
    }
    if (!howdah_probe_add(probe, item)) return false;
  }
  return true;
}
