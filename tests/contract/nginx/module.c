/* The contract on the nginx driver: a module that runs the suite inside a real nginx as soon as its process has started, and
 * ends nginx with the result. */
#include "../../../nginx/loop.h"
#include "../suite.h"

#include <stdlib.h>

static howdah_loop *make(void) {
  return howdah_nginx_loop_new((ngx_cycle_t *)ngx_cycle, NULL);
}

static void wake_up(ngx_event_t *event) {
  (void)event;
}

/* The most that nginx may sleep is a timer like any other. Its event's data must look like a connection: nginx logs its fd. */
static void turn_nginx(howdah_loop *loop, int max_wait_ms) {
  (void)loop;
  static ngx_connection_t nobody = {.fd = (ngx_socket_t)-1};
  ngx_event_t limit = {.handler = wake_up, .data = &nobody, .log = ngx_cycle->log};
  ngx_time_update();
  ngx_add_timer(&limit, (ngx_msec_t)max_wait_ms);
  ngx_process_events_and_timers((ngx_cycle_t *)ngx_cycle);
  if (limit.timer_set) ngx_del_timer(&limit);
}

static ngx_int_t run(ngx_cycle_t *cycle) {
  (void)cycle;
  static const contract_driver driver = {.name = "nginx", .make = make, .destroy = howdah_nginx_loop_free, .turn = turn_nginx};
  exit(run_loop_contract(&driver) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static ngx_core_module_t context = {.name = ngx_string("howdah_contract")};

static ngx_command_t directives[] = {ngx_null_command};

__attribute__((visibility("default"))) ngx_module_t ngx_howdah_contract_module = {
    NGX_MODULE_V1, &context, directives, NGX_CORE_MODULE, NULL, NULL, run, NULL, NULL, NULL, NULL, NGX_MODULE_V1_PADDING};
