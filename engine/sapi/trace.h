/* Where a realm's PHP code stands, read from outside: its realm may be parked, and its memory may be broken. */
#ifndef HOWDAH_SAPI_TRACE_H
#define HOWDAH_SAPI_TRACE_H

#include "sapi.h"

/* The innermost frame of PHP code from this one on, or NULL. Follows so many frames and no more: they may be a ring. */
const zend_execute_data *howdah_trace_code(const zend_execute_data *frame);
/* The line that such a frame is at. */
unsigned howdah_trace_line(const zend_executor_globals *executor, const zend_execute_data *frame);

/* What is registered with howdah_realms_run(): see howdah_request_place(), howdah_request_each_frame(). */
bool howdah_trace_place(const howdah_realm *realm, void (*tell)(void *to, const howdah_spot *spot), void *to);
bool howdah_trace_each(const howdah_realm *realm, unsigned most, void (*tell)(void *to, const howdah_frame *frame), void *to);

#endif
