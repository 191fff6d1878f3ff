/* Ending PHP code before its end. See unwind.c. */
#ifndef HOWDAH_SAPI_UNWIND_H
#define HOWDAH_SAPI_UNWIND_H

#include "../realm/realm.h"

/* Ends the PHP code of the cancelled realm that runs: at a VM interrupt, or when the C function that it has called returns. */
void howdah_unwind(void);
/* Once per process: what cancelling a coroutine means to PHP. */
void howdah_unwind_start(void);

#endif
