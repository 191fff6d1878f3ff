/* opcache's JIT: which kinds of it may run where PHP is interrupted all the time. docs/jit.md says what was found, and how. */
#ifndef HOWDAH_SAPI_JIT_H
#define HOWDAH_SAPI_JIT_H

#include <stdbool.h>

/* Looks at the settings before opcache reads them, and puts the nearest safe ones in the place of those that are not, with a
 * warning. Once per process, while PHP starts, from a module's startup. */
void howdah_jit_settings(void);
/* Refuses the same settings to ini_set(). Once per process, after PHP's module startup, before the first private state is
 * made. */
void howdah_jit_hook_php(void);
/* After a bailout out of a compilation, where opcache may have left its code without the right to run. */
void howdah_jit_after_bailout(void);
/* Whether code is compiled to machine code. */
bool howdah_jit_runs(void);

#endif
