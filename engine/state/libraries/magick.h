/* ImageMagick's limits: of the process, set by Imagick::setResourceLimit(). */
#ifndef HOWDAH_STATE_MAGICK_H
#define HOWDAH_STATE_MAGICK_H

#include <stdbool.h>
#include <stdint.h>

/* `which` is a ResourceType (magick/resource_.h, 6.9 and 7.1). */
bool howdah_magick_find(void);
int64_t howdah_magick_get(int which);
void howdah_magick_set(int which, int64_t value);

#endif
