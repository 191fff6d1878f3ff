/* The originals of what is hooked, by which the replacements call them: the installer fills them in. */
#include "hooked.h"

#define ORIGINAL(function, ours)                          __typeof__(function) *howdah_real_##ours;
#define HOOKED(function, ours, kind)                      ORIGINAL(function, ours)
#define HOOKED_IN(function, ours, kind, object)           ORIGINAL(function, ours)
#define HOOKED_IN_NGINX(function, ours, kind, nginx)      ORIGINAL(function, ours)
#define HOOKED_IN_NGINX_ONLY(function, ours, kind, nginx) ORIGINAL(function, ours)
#define HOOKED_AND_TABLES(function, ours, kind, table)    ORIGINAL(function, ours)
#include "list.h"
