/* The status of a page that shows a fatal error. See fatal.c. */
#ifndef HOWDAH_SAPI_FATAL_H
#define HOWDAH_SAPI_FATAL_H

/* Reads the setting howdah.fatal_status and, where it is set, puts a function in the place of PHP's for errors. Once per
 * process, from a module's startup. */
void howdah_fatal_hook_php(void);
/* At the end of a request, after its output buffers. Only where the setting is set, and a fatal error has ended it unseen. */
void howdah_fatal_show(void);

#endif
