/* Extensions that ask PHP to tell them of each call. See observers.c. */
#ifndef HOWDAH_STATE_OBSERVERS_H
#define HOWDAH_STATE_OBSERVERS_H

#include <stddef.h>

/* Writes the names of the loaded extensions that can do so, with blanks between them. Returns how many. */
size_t howdah_observers_name(char *names, size_t size);

#endif
