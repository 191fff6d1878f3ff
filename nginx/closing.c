/* A connection that nginx closes is taken out of its epoll set before.
 *
 * nginx leaves that to close(2) (ngx_epoll_del_connection() with NGX_CLOSE_EVENT, 1.22 and 1.26), and the kernel does it when
 * nobody has the open file any more. A child process has it from fork() until its program runs, or for as long as it lives
 * where it becomes no other program; also after posix_spawn() and vfork(), whose parent goes on before the child's descriptors
 * are closed (begin_new_exec(), fs/exec.c, Linux 6.1: exec_mmap(), then do_close_on_exec()). Meanwhile the socket tells nginx
 * of its end, by the address of a place that another client may have by then: nginx knows two clients in a row apart by one
 * bit, and the third would be taken for the first one, who has gone.
 *
 * Always, not only where a child has been started: one that C code starts behind our back (FFI, clone(2)) is not seen. It costs
 * a connection one system call, and what that does close(2) need not do any more; a request on a connection that stays costs
 * nothing. */
#include "module.h"

static ngx_int_t (*original)(ngx_connection_t *c, ngx_uint_t flags);

static ngx_int_t take_out(ngx_connection_t *c, ngx_uint_t flags) {
  bool is_in = c->read->active || c->write->active;
  if (is_in && (flags & NGX_CLOSE_EVENT) && original(c, flags & ~(ngx_uint_t)NGX_CLOSE_EVENT) == NGX_OK) return NGX_OK;
  return original(c, flags);
}

/* ngx_close_connection() asks this one, and sets it anew where a process gets another cycle (ngx_epoll_init()). Other ways to
 * wait have no such set. */
void howdah_closing_start(void) {
  if (!(ngx_event_flags & NGX_USE_EPOLL_EVENT) || ngx_event_actions.del_conn == take_out) return;
  original = ngx_event_actions.del_conn;
  ngx_event_actions.del_conn = take_out;
}
