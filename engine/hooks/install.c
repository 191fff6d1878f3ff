/* Puts the hook table into effect by patching the slots through which objects call libc.
 * LD_PRELOAD would not do: PHP loads extensions with RTLD_DEEPBIND, and a server must work without an environment variable.
 *
 * A slot is what the linker has filled in for a call (JUMP_SLOT, GLOB_DAT), or a pointer in a table that an object keeps of
 * libc's functions (SQLite's aSyscall), while it holds the original. */
#include "hooked.h"
#include "hook.h"

#include "../state/php_headers.h"
#include "../state/loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* Whose own calls stay as they are, by the beginning of the file's name. */
static const char *const untouched[] = {"libc.so",    "libpthread.so", "librt.so", "ld-linux",
                                        "libasan.so", "linux-vdso",    "libdl.so", "vgpreload_"};

typedef enum { PATCHED, PATCHED_AS_NGINX, UNTOUCHED } treatment;

/* The engine is found by address: it may be linked into the nginx module or the runner. */
static treatment treatment_of(const struct dl_phdr_info *object) {
  if (howdah_loaded_holds(object, (void *)(uintptr_t)&treatment_of)) return UNTOUCHED;
  if (!object->dlpi_name || !*object->dlpi_name) return PATCHED_AS_NGINX; /* the program itself */
  for (size_t i = 0; i < sizeof(untouched) / sizeof(*untouched); i++)
    if (strncmp(howdah_loaded_name(object), untouched[i], strlen(untouched[i])) == 0) return UNTOUCHED;
  return strncmp(howdah_loaded_name(object), "ngx_", strlen("ngx_")) == 0 ? PATCHED_AS_NGINX : PATCHED;
}

/* Found before objects are visited: dlsym() takes a lock of the loader's that another thread has while it loads a library, and
 * that one waits then until the visit is over. */
static struct {
  const char *name, *extension, *function;
  const void *inside;
} libraries[] = {{"libcurl", "curl", "curl_easy_perform", NULL}, {"libgpgme", "gnupg", "gpgme_new", NULL}};
enum { LIBRARIES = sizeof(libraries) / sizeof(*libraries) };

/* The one that the extension uses: other libraries may have one of their own. */
static void find_libraries(void) {
  for (size_t i = 0; i < LIBRARIES; i++) {
    const char *name = libraries[i].extension;
    const zend_module_entry *extension = zend_hash_str_find_ptr(&module_registry, name, strlen(name));
    if (!extension || !extension->handle) continue;
    __atomic_store_n(&libraries[i].inside, dlsym(extension->handle, libraries[i].function), __ATOMIC_RELAXED);
  }
}

/* An address in the object that a name of the table means; NULL: it is not there. Calls nothing of the loader's. */
static const void *inside_of(const char *only_in) {
  if (strcmp(only_in, "libphp") == 0) return (void *)(uintptr_t)php_request_startup;
  for (size_t i = 0; i < LIBRARIES; i++)
    if (strcmp(only_in, libraries[i].name) == 0) return __atomic_load_n(&libraries[i].inside, __ATOMIC_RELAXED);
  return zend_hash_str_find_ptr(&module_registry, only_in, strlen(only_in));
}

/* Objects have tens of thousands of slots, and hardly one of them has a hook: a bit for each hash that a hook's name has spares
 * the others the table. Written once, by the installer, before anybody reads it. */
#define HASHES 4096
static uint64_t hooked[HASHES / 64];

static unsigned hash_of(const char *name) {
  unsigned hash = 5381;
  while (*name)
    hash = hash * 33 + (unsigned char)*name++;
  return hash % HASHES;
}

static void remember_names(void) {
  for (const howdah_hook *hook = howdah_hooks; hook->name; hook++) {
    unsigned hash = hash_of(hook->name);
    hooked[hash / 64] |= UINT64_C(1) << hash % 64;
  }
}

static const howdah_hook *hook_for(const char *name, const struct dl_phdr_info *object) {
  unsigned hash = hash_of(name);
  if (!(hooked[hash / 64] >> hash % 64 & 1)) return NULL;
  for (const howdah_hook *hook = howdah_hooks; hook->name; hook++) {
    if (!*hook->original || strcmp(hook->name, name) != 0) continue;
    if (!hook->only_in) return hook;
    const void *inside = inside_of(hook->only_in);
    if (inside && howdah_loaded_holds(object, inside)) return hook;
  }
  return NULL;
}

/* The pages that RELRO made read-only after relocation are opened for the one write. */
static bool write_slot(void **slot, void *value, bool read_only) {
  uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(sysconf(_SC_PAGESIZE) - 1);
  size_t bytes = (uintptr_t)(slot + 1) - page;
  if (mprotect((void *)page, bytes, PROT_READ | PROT_WRITE) < 0) return false;
  *slot = value;
  return !read_only || mprotect((void *)page, bytes, PROT_READ) == 0;
}

/* ---- Going through an object's slots ---- */

typedef struct {
  const char *symbol;
  void **at;
  void *original, *replacement;
  bool is_pointer; /* in a table of the object's own, which may say something else by now */
} slot;

enum { SLOTS = HOWDAH_RELOCATION_CALL | HOWDAH_RELOCATION_ADDRESS | HOWDAH_RELOCATION_POINTER };

typedef struct {
  bool as_nginx;
  bool (*visit)(const struct dl_phdr_info *, const slot *);
  const char **stopped_at;
} tour;

static bool visit_one(const struct dl_phdr_info *object, const howdah_relocation *relocation, void *data) {
  const tour *self = data;
  bool is_pointer = relocation->kind == HOWDAH_RELOCATION_POINTER;
  if (is_pointer && relocation->addend != 0) return true;
  const howdah_hook *hook = hook_for(relocation->name, object);
  void *replacement = hook ? self->as_nginx ? hook->in_nginx : hook->replacement : NULL;
  if (!replacement) return true;
  slot one = {hook->name, relocation->at, *hook->original, replacement, is_pointer};
  if (is_pointer && !self->as_nginx && hook->in_tables) one.replacement = hook->in_tables;
  *self->stopped_at = hook->name;
  return self->visit(object, &one);
}

/* Calls visit() for each slot that has a hook. false: it said so, and has set *stopped_at. */
static bool visit_all(const struct dl_phdr_info *object, bool as_nginx,
                      bool (*visit)(const struct dl_phdr_info *, const slot *), const char **stopped_at) {
  return howdah_loaded_relocations(object, SLOTS, visit_one, &(tour){as_nginx, visit, stopped_at});
}

/* ---- Patching ---- */

static bool patch(const struct dl_phdr_info *object, const slot *one) {
  if (*one->at == one->replacement || (one->is_pointer && *one->at != one->original)) return true;
  return write_slot(one->at, one->replacement, howdah_loaded_part_at(object, PT_GNU_RELRO, one->at));
}

static int patch_object(struct dl_phdr_info *object, size_t size, void *failed) {
  const char *function;
  (void)size;
  treatment how = treatment_of(object);
  if (how == UNTOUCHED || visit_all(object, how == PATCHED_AS_NGINX, patch, &function)) return 0;
  *(const char **)failed = *object->dlpi_name ? object->dlpi_name : "nginx";
  return 1;
}

/* The first that is missing and must not be, or NULL. */
static const howdah_hook *find_originals(void) {
  const howdah_hook *missing = NULL;
  find_libraries();
  for (const howdah_hook *hook = howdah_hooks; hook->name; hook++) {
    if (!*hook->original) *hook->original = dlsym(RTLD_DEFAULT, hook->name);
    if (!*hook->original && !hook->only_in && !missing) missing = hook;
  }
  return missing;
}

/* ---- Whether PHP's objects are patched: each by an address in it, whatever its name is ---- */

typedef struct {
  const void *inside;
  char *path;
  size_t path_size;
  const char *function; /* that is not patched */
} look;

static bool is_patched(const struct dl_phdr_info *object, const slot *one) {
  (void)object;
  return *one->at == one->replacement || (one->is_pointer && *one->at != one->original);
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  look *self = data;
  (void)size;
  if (!howdah_loaded_holds(object, self->inside)) return 0;
  snprintf(self->path, self->path_size, "%s", object->dlpi_name);
  if (visit_all(object, false, is_patched, &self->function)) self->function = NULL;
  return 1;
}

/* handle: dlopen()'s, NULL: PHP's own library. */
static int check(const char *name, void *handle, char *error, size_t error_size) {
  char path[512] = "";
  struct link_map *map = NULL;
  look self = {.inside = (void *)(uintptr_t)php_request_startup, .path = path, .path_size = sizeof(path)};
  if (handle && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) self.inside = map->l_ld;
  if ((handle && !map) || dl_iterate_phdr(look_at, &self) == 0) {
    snprintf(error, error_size, "howdah: %s was loaded, but the linker does not know where: its calls cannot be made to yield",
             name);
    return -1;
  }
  if (!self.function) return 0;
  snprintf(error, error_size,
           "howdah: %s (%s) calls the C library's own %s(), and so would stop or change its whole worker: files whose names "
           "begin with ngx_, libc.so, libdl.so, librt.so, libpthread.so, libasan.so, ld-linux, linux-vdso or vgpreload_ are "
           "taken for nginx's or the system's; give this one another name",
           name, path, self.function);
  return -1;
}

static int check_all(char *error, size_t error_size) {
  char name[128];
  zend_module_entry *module;
  if (check("PHP's library", NULL, error, error_size) < 0) return -1;
  ZEND_HASH_MAP_FOREACH_PTR(&module_registry, module) {
    if (!module->handle) continue;
    snprintf(name, sizeof(name), "the PHP extension %s", module->name);
    if (check(name, module->handle, error, error_size) < 0) return -1;
  }
  ZEND_HASH_FOREACH_END();
  for (zend_llist_element *each = zend_extensions.head; each; each = each->next) {
    const zend_extension *extension = (const zend_extension *)each->data;
    if (!extension->handle) continue;
    snprintf(name, sizeof(name), "the PHP extension %s", extension->name);
    if (check(name, extension->handle, error, error_size) < 0) return -1;
  }
  return 0;
}

int howdah_hooks_install(char *error, size_t error_size) {
  const howdah_hook *missing = find_originals();
  if (missing) {
    snprintf(error, error_size, "howdah: the C library has no %s(); this C library is not supported (glibc is)", missing->name);
    return -1;
  }
  remember_names();
  const char *failed = NULL;
  dl_iterate_phdr(patch_object, &failed);
  if (failed) {
    snprintf(error, error_size, "howdah: cannot make blocking calls of %s yield: its relocations may not be written", failed);
    return -1;
  }
  return check_all(error, error_size);
}

void howdah_hooks_refresh(void) {
  const char *failed = NULL;
  find_originals();
  dl_iterate_phdr(patch_object, &failed);
}
