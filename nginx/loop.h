/* The loop on nginx: a driver of engine/loop that sleeps where nginx sleeps. */
#ifndef HOWDAH_NGINX_LOOP_H
#define HOWDAH_NGINX_LOOP_H

#include "compat.h"
#include "../engine/howdah.h"

/* What the loop tells. */
typedef struct {
  /* The worker shuts down gracefully; and once more, with now set, when worker_shutdown_timeout has passed. */
  void (*closing)(bool now);
  /* Callbacks (timers, tasks, watches) are about to be called; one of them has been; the last one has been. */
  void (*begins)(void), (*called)(void), (*ends)(void);
} howdah_nginx_loop_listener;

/* NULL after a message in the error log. listener is kept, not copied; NULL: nobody listens. */
howdah_loop *howdah_nginx_loop_new(ngx_cycle_t *cycle, const howdah_nginx_loop_listener *listener);
void howdah_nginx_loop_free(howdah_loop *loop);
/* For a process that ends at once: takes the loop away from nginx, which looks for connections left open, and frees nothing. */
void howdah_nginx_loop_forget(howdah_loop *loop);

/* For a process that ends: one short turn of the loop, without nginx. 0, or -1 with errno. */
int howdah_nginx_loop_turn(howdah_loop *loop);

/* Has nginx tell when a descriptor can be read, with a connection of its own; NULL after a message in the log. */
ngx_connection_t *howdah_nginx_listen_to(void *data, int fd, ngx_uint_t trigger, ngx_event_handler_pt handler, ngx_log_t *log);
/* The descriptor stays open. */
void howdah_nginx_forget(ngx_connection_t *connection);

/* Something of a turn of nginx's begins. The first time in a turn that is when nginx asked the kernel what is ready; then
 * nothing. */
void howdah_nginx_heard(void);
/* Whether that was so long ago that what nginx knows of its connections may be wrong: a turn is as long as the PHP in it. */
bool howdah_nginx_is_behind(uint64_t now_us);

/* To be told, once in a turn, that nginx was told to leave (ngx_quit) and does so at its end. */
void howdah_nginx_on_quit(void (*quits)(void));

/* nginx sleeps by the clock that it read before our callbacks ran. After PHP has run for a while, timers would be late by
 * that. */
void howdah_nginx_clock_catch_up(uint64_t now_us);

#endif
