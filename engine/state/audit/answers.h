/* What the audit cannot see by comparing memory: what libraries keep on their own heaps. They are asked instead, whenever a
 * realm was left: each setting that a script could set for the process (../libraries/settings.c) and each default that is found
 * out once (../libraries/defaults.c) is what it was when PHP had started, or the report names it. */
#ifndef HOWDAH_STATE_ANSWERS_H
#define HOWDAH_STATE_ANSWERS_H

#include <stddef.h>

/* The next one, from *at on, that is not what it was; NULL: no more. *at is its number then, and *library whose it is. On the
 * main stack. */
const char *howdah_answers_changed(size_t *at, const char **library);
/* What is asked for by this number, or NULL. */
const char *howdah_answers_name(size_t at, const char **library);
/* The beginning of what stands for the path of a library's file in the notes. */
extern const char howdah_answers_path[];

#endif
