/* Looks when a realm is left. See inspect.h. */
#include "inspect.h"
#include "realm.h"
#include "../log.h"
#include "../state/audit.h"

#include <stdio.h>

enum { SAVE_AGAIN_US = 1000000 };

static howdah_timer save_timer;

/* The realm that a state is a part of. */
static const howdah_realm *realm_of(const howdah_state *state) {
  return (const howdah_realm *)((const char *)state - offsetof(howdah_realm, state));
}

static howdah_audit_moment moment_of(const howdah_realm *realm) {
  if (!realm->pool) return HOWDAH_AUDIT_BIRTH;
  if (realm->coroutine.finished || realm->finished || realm->idle) return HOWDAH_AUDIT_END;
  if (realm->request && !howdah_request_is_real(realm->request)) return HOWDAH_AUDIT_BOOT;
  return HOWDAH_AUDIT_MIDDLE;
}

static void save(howdah_timer *timer) {
  char error[512];
  (void)timer;
  if (howdah_audit_is_dirty() && howdah_audit_save(error, sizeof(error)) < 0) howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", error);
}

static void look(const howdah_state *state) {
  const howdah_realm *realm = realm_of(state);
  howdah_audit_moment moment = moment_of(realm);
  if (moment == HOWDAH_AUDIT_MIDDLE && !howdah_audit_is_due()) return;
  const howdah_request *request = realm->finished ? realm->finished : realm->request;
  char name[192] = "", script[192] = "";
  if (request && howdah_request_is_real(request)) {
    snprintf(name, sizeof(name), "%.*s %.*s", (int)request->method.len, request->method.data, (int)request->request_uri.len,
             request->request_uri.data);
    snprintf(script, sizeof(script), "%.*s", (int)request->script_filename.len, request->script_filename.data);
  }
  howdah_audit_look(moment, name, script);
  if (howdah_audit_is_dirty() && !save_timer.slot && howdah_coroutine_loop())
    howdah_loop_timer_start(howdah_coroutine_loop(), &save_timer, SAVE_AGAIN_US);
}

int howdah_inspect_start(const char *audit_report, char *error, size_t error_size) {
  if (!audit_report) return 0;
  if (howdah_audit_start(audit_report, error, error_size) < 0) return -1;
  save_timer.fire = save;
  howdah_state_on_leave(look);
  return 0;
}

void howdah_engine_save_audit(void) {
  save(&save_timer);
}

void howdah_inspect_stop(void) {
  char error[512];
  if (!howdah_audit_is_on()) return;
  howdah_state_on_leave(NULL);
  if (howdah_coroutine_loop()) howdah_loop_timer_stop(howdah_coroutine_loop(), &save_timer);
  howdah_audit_look(HOWDAH_AUDIT_STOP, "", "");
  if (howdah_audit_save(error, sizeof(error)) < 0) howdah_log(HOWDAH_LOG_ERROR, NULL, "%s", error);
  howdah_audit_stop();
}
