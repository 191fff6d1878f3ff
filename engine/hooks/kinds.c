/* See kinds.h. */
#include "kinds.h"

uint8_t howdah_kinds[HOWDAH_KINDS_MAX];
