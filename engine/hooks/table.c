/* The hook table: see hook.h. Its rows are in list.h. */
#include "hook.h"
#include "hooked.h"

#define REPLACEMENT(ours)            ((void *)howdah_hook_##ours)
#define ORIGINAL(ours)               ((void **)&howdah_real_##ours)
#define HOOKED(function, ours, kind) {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, NULL, NULL},
#define HOOKED_IN(function, ours, kind, object)                                                                                \
  {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, object, NULL, NULL},
#define HOOKED_IN_NGINX(function, ours, kind, nginx)                                                                           \
  {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, REPLACEMENT(nginx), NULL},
#define HOOKED_IN_NGINX_ONLY(function, ours, kind, nginx)                                                                      \
  {#function, NULL, ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, REPLACEMENT(nginx), NULL},
#define HOOKED_AND_TABLES(function, ours, kind, table)                                                                         \
  {#function, REPLACEMENT(ours), ORIGINAL(ours), HOWDAH_HOOK_##kind, NULL, NULL, REPLACEMENT(table)},

const howdah_hook howdah_hooks[] = {
#include "list.h"
    {NULL, NULL, NULL, HOWDAH_HOOK_NOTE, NULL, NULL, NULL},
};
