/* Realms whose code is of before a restart of opcache. See outdated.h. */
#include "outdated.h"
#include "../hooks/restart.h"
#include "../log.h"
#include "../state/php_headers.h"

/* A restart that was asked for in another worker. */
enum { LOOK_US = 500000 };

static bool keeps;

void howdah_outdated_keep(void) {
  keeps = true;
}

bool howdah_outdated(const howdah_realm *realm) {
  return !keeps && realm->booted && howdah_restart_outdates(&realm->coroutine);
}

bool howdah_outdated_by_save(const howdah_realm *realm) {
  return realm->booted && howdah_restart_is_saved_over(&realm->coroutine);
}

bool howdah_outdated_look_for_saves(uint32_t *seen) {
  uint32_t now = howdah_restart_saves();
  if (now == *seen) return false;
  *seen = now;
  realpath_cache_clean();
  return true;
}

static void look(howdah_timer *timer) {
  howdah_outdated_look *self = timer->data;
  self->retire(self->data);
  if (howdah_loop_timer_start(howdah_coroutine_loop(), timer, LOOK_US) < 0)
    howdah_log(HOWDAH_LOG_WARNING, NULL,
               "howdah: out of memory for a timer: realms keep their code after a restart of opcache");
}

void howdah_outdated_start(howdah_outdated_look *self, void (*retire)(void *data), void *data) {
  *self = (howdah_outdated_look){.timer = {.fire = look, .data = self}, .retire = retire, .data = data};
  look(&self->timer);
}

void howdah_outdated_stop(howdah_outdated_look *self) {
  howdah_loop_timer_stop(howdah_coroutine_loop(), &self->timer);
}
