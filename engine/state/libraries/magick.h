/* ImageMagick: its limits, which Imagick::setResourceLimit() sets for the process (settings.c), and its registry of texts, which
 * Imagick::setRegistry() writes to: what a realm has written is taken out when the realm is left, and put back before it runs. */
#ifndef HOWDAH_STATE_MAGICK_H
#define HOWDAH_STATE_MAGICK_H

#include <stdbool.h>
#include <stdint.h>

/* `which` is a ResourceType (magick/resource_.h, 6.9 and 7.1). */
bool howdah_magick_find(void);
int64_t howdah_magick_get(int which);
void howdah_magick_set(int which, int64_t value);

typedef struct howdah_magick_text howdah_magick_text;

/* The realm in place is about to write this text. False when memory is short. */
bool howdah_magick_note(howdah_magick_text **texts, const char *key, const char *value);
void howdah_magick_enter(const howdah_magick_text *texts);
void howdah_magick_leave(const howdah_magick_text *texts);
/* With the realm in place: takes them out, and frees them. */
void howdah_magick_forget(howdah_magick_text **texts);

#endif
