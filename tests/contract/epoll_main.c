/* The contract on the epoll driver. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>

static void turn_epoll(howdah_loop *loop, int max_wait_ms) {
  if (howdah_epoll_loop_turn(loop, max_wait_ms) == 0) return;
  perror("howdah_epoll_loop_turn");
  abort();
}

int main(void) {
  static const contract_driver driver = {
      .name = "epoll", .make = howdah_epoll_loop_new, .destroy = howdah_epoll_loop_free, .turn = turn_epoll};
  return run_loop_contract(&driver) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
