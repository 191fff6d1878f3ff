/* Looks when a realm is left. See inspect.h. */
#include "inspect.h"
#include "../advice.h"
#include "alone.h"
#include "../log.h"
#include "../state/audit/audit.h"
#include "../state/extensions/extensions.h"
#include "../state/hidden/hidden.h"
#include "../state/extensions/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { SAVE_AGAIN_US = 1000000 };

static howdah_timer save_timer;
static atomic_bool *alone; /* shared by the workers: what one has seen, all obey */

/* The realm that a state is a part of. */
static const howdah_realm *realm_of(const howdah_state *state) {
  return (const howdah_realm *)((const char *)state - offsetof(howdah_realm, state));
}

static howdah_audit_moment moment_of(const howdah_realm *realm) {
  if (!realm->pool) return HOWDAH_AUDIT_BIRTH;
  if (realm->coroutine.finished || realm->finished || realm->asks) return HOWDAH_AUDIT_END;
  if (realm->request && !howdah_request_is_real(realm->request)) return HOWDAH_AUDIT_BOOT;
  return HOWDAH_AUDIT_MIDDLE;
}

/* The request that it serves, or has just served; NULL for none. */
static howdah_request *request_of(const howdah_realm *realm) {
  howdah_request *request = realm->finished ? realm->finished : realm->request;
  return request && howdah_request_is_real(request) ? request : NULL;
}

/* ---- The audit ---- */

static void save(howdah_timer *timer) {
  char error[512];
  (void)timer;
  if (howdah_audit_is_dirty() && howdah_audit_save(error, sizeof(error)) < 0) howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", error);
}

void howdah_engine_save_audit(void) {
  save(&save_timer);
}

static void audit(const howdah_realm *realm) {
  howdah_audit_moment moment = moment_of(realm);
  const howdah_request *request = request_of(realm);
  char name[192] = "", script[192] = "";
  if (moment == HOWDAH_AUDIT_MIDDLE && !howdah_audit_is_due()) return;
  if (request) {
    snprintf(name, sizeof(name), "%.*s %.*s", (int)request->method.len, request->method.data, (int)request->request_uri.len,
             request->request_uri.data);
    snprintf(script, sizeof(script), "%.*s", (int)request->script_filename.len, request->script_filename.data);
  }
  howdah_audit_look(moment, name, script);
  if (howdah_audit_is_dirty() && !save_timer.slot && howdah_coroutine_loop())
    howdah_loop_timer_start(howdah_coroutine_loop(), &save_timer, SAVE_AGAIN_US);
}

/* ---- The watch ---- */

static void watch(const howdah_realm *realm) {
  char place[256];
  const char *name = howdah_watch_look(place, sizeof(place));
  if (!name) return;
  char way_out[HOWDAH_ADVICE_MAX];
  bool was_alone = atomic_exchange(alone, true);
  howdah_log(HOWDAH_LOG_ERROR, request_of(realm),
             "howdah: the PHP extension %s, which Howdah does not know, has changed memory that it does not register as module "
             "globals: %s; "
             "requests at once could see each other's. %s Choose one: leave it out for this server (%s); set the "
             "concurrency to 1; or, when you know that all requests may share it, say so (howdah_shared_extension %s, "
             "--shared-extension=%s)",
             name, place,
             was_alone ? "Workers take one request at a time already." : "From now on each worker takes one request at a time.",
             howdah_advice_leave_out(name, way_out), name, name);
}

static void look(const howdah_state *state) {
  const howdah_realm *realm = realm_of(state);
  if (howdah_watch_is_on()) watch(realm);
  if (howdah_audit_is_on()) audit(realm);
}

/* ---- Start and end ---- */

static int start_watch(bool one_at_a_time, char *error, size_t error_size) {
  const howdah_extension *refused = howdah_extensions_refused();
  if (howdah_extensions_watch(error, error_size) < 0) return -1;
  if (!refused && !howdah_watch_is_on()) return 0;
  alone = mmap(NULL, sizeof(*alone), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (alone == MAP_FAILED) {
    alone = NULL;
    snprintf(error, error_size, "howdah: out of memory for the watch of unknown extensions: %s", strerror(errno));
    return -1;
  }
  atomic_store(alone, refused != NULL && one_at_a_time);
  howdah_alone_obey(alone);
  if (refused)
    howdah_log(HOWDAH_LOG_WARNING, NULL,
               "howdah: one request at a time per worker, in all pools, because of the PHP extension %s: it is not known to "
               "Howdah and keeps "
               "memory that it does not register: %s",
               refused->name, refused->found);
  return 0;
}

int howdah_inspect_start(const char *audit_report, bool one_at_a_time, char *error, size_t error_size) {
  char why[1024];
  if (audit_report && howdah_hidden_find_harmless(why, sizeof(why)) < 0) howdah_log(HOWDAH_LOG_WARNING, NULL, "%s", why);
  howdah_shared_start();
  if (start_watch(one_at_a_time, error, error_size) < 0) return -1;
  if (audit_report && howdah_audit_start(audit_report, error, error_size) < 0) return -1;
  save_timer.fire = save;
  if (howdah_watch_is_on() || audit_report) howdah_state_on_leave(look);
  return 0;
}

void howdah_inspect_stop(void) {
  char error[512];
  howdah_state_on_leave(NULL);
  if (howdah_audit_is_on()) {
    if (howdah_coroutine_loop()) howdah_loop_timer_stop(howdah_coroutine_loop(), &save_timer);
    howdah_audit_look(HOWDAH_AUDIT_STOP, "", "");
    if (howdah_audit_save(error, sizeof(error)) < 0) howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", error);
    howdah_audit_stop();
  }
  howdah_watch_free();
  howdah_alone_obey(NULL);
  if (alone) munmap(alone, sizeof(*alone));
  alone = NULL;
}
