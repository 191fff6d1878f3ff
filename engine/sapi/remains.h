/* What a request leaves in PHP's modules, and the next one of its realm must not see: docs/between-requests.md has all of it. */
#ifndef HOWDAH_SAPI_REMAINS_H
#define HOWDAH_SAPI_REMAINS_H

#include "sapi.h"

/* Once, when all modules have started. */
void howdah_remains_start(void);
/* At a request's end, while there still is output: modules whose end of a request resets results alone. They may warn. */
void howdah_remains_end(void);
/* Before the next request. No PHP code runs. */
void howdah_remains_forget(void);
/* A module's beginning or end of a request; module may be NULL. */
void howdah_remains_begin_in(const zend_module_entry *module);
void howdah_remains_end_in(const zend_module_entry *module);

#endif
