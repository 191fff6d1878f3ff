/* The PHP module `howdah`: the functions that scripts call. */
#include "disturb.h"
#include "fatal.h"
#include "fpm.h"
#include "jit.h"
#include "journal.h"
#include "overflow.h"
#include "run.h"
#include "sapi.h"
#include "session.h"
#include "trailer.h"
#include "../hooks/offload.h"
#include "../realm/pool.h"

#include <string.h>
#include <unistd.h>

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_handle_request, 0, 1, _IS_BOOL, 0)
ZEND_ARG_TYPE_INFO(0, callback, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_bool, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_array, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_headers_send, 0, 0, IS_LONG, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, status, IS_LONG, 0, "200")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_trailer, 0, 2, _IS_BOOL, 0)
ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, value, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_request_variables, 0, 1, IS_ARRAY, 0)
ZEND_ARG_VARIADIC_TYPE_INFO(0, names, IS_STRING, 0)
ZEND_END_ARG_INFO()

enum { VARIABLES_AT_ONCE = 32 };

/* frankenphp_handle_request(callable $callback): bool
 * Waits for a request, runs the callback for it and ends it; false when the script should end. */
static ZEND_FUNCTION(frankenphp_handle_request) {
  zend_fcall_info call;
  zend_fcall_info_cache cache;
  ZEND_PARSE_PARAMETERS_START(1, 1)
  Z_PARAM_FUNC(call, cache)
  ZEND_PARSE_PARAMETERS_END();
  if (!howdah_worker_handle(&call, &cache, return_value)) RETURN_THROWS();
}

/* apache_response_headers(): array, and frankenphp_response_headers(): array */
static ZEND_FUNCTION(apache_response_headers) {
  ZEND_PARSE_PARAMETERS_NONE();
  array_init(return_value);
  zend_llist_position position;
  for (sapi_header_struct *header = zend_llist_get_first_ex(&SG(sapi_headers).headers, &position); header;
       header = zend_llist_get_next_ex(&SG(sapi_headers).headers, &position)) {
    howdah_header parts = howdah_sapi_split_header(header->header, header->header_len);
    if (parts.name.len == header->header_len) continue;
    zval text;
    ZVAL_STRINGL(&text, parts.value.data, parts.value.len);
    zend_symtable_str_update(Z_ARRVAL_P(return_value), parts.name.data, parts.name.len, &text);
  }
}

/* headers_send(int $status = 200): int As FrankenPHP's (frankenphp.c, 1.11): with 100 to 199 the headers so far leave at once
 * as an interim response, and stay for the final one: 1, or 3 when the client cannot be sent it. Else the response's head is
 * made: 0, or -1. */
static ZEND_FUNCTION(headers_send) {
  zend_long status = 200;
  ZEND_PARSE_PARAMETERS_START(0, 1)
  Z_PARAM_OPTIONAL
  Z_PARAM_LONG(status)
  ZEND_PARSE_PARAMETERS_END();
  if (status < 100 || status > 599 || status == 101) {
    zend_argument_value_error(1, "must be from 100 to 599, and not 101: protocols cannot be switched");
    RETURN_THROWS();
  }
  howdah_realm *realm = howdah_realm_current();
  if (status < 200)
    RETURN_LONG(realm && howdah_sapi_send_interim(realm, (int)status) ? SAPI_HEADER_SENT_SUCCESSFULLY
                                                                      : SAPI_HEADER_SEND_FAILED);
  if (!SG(headers_sent)) SG(sapi_headers).http_response_code = (int)status;
  RETURN_LONG(sapi_send_headers());
}

static void add_deaths(zval *array, const howdah_pool_deaths *why) {
  zval reasons;
  array_init(&reasons);
  add_assoc_long(&reasons, "script", (zend_long)why->script);
  add_assoc_long(&reasons, "boot", (zend_long)why->boot);
  add_assoc_long(&reasons, "requests", (zend_long)why->requests);
  add_assoc_long(&reasons, "memory", (zend_long)why->memory);
  add_assoc_long(&reasons, "outdated", (zend_long)why->outdated);
  add_assoc_long(&reasons, "idle", (zend_long)why->idle);
  add_assoc_long(&reasons, "ceiling", (zend_long)why->ceiling);
  add_assoc_zval(array, "deaths_by", &reasons);
}

/* Howdah\status(): array
 * Which worker and realm answers, what its pool is doing, and how long this request has waited so far. */
static ZEND_FUNCTION(status) {
  ZEND_PARSE_PARAMETERS_NONE();
  array_init(return_value);
  howdah_realm *realm = howdah_realm_current();
  if (!realm) return;
  howdah_pool_stats stats;
  howdah_pool_get_stats(realm->pool, &stats);
  add_assoc_long(return_value, "worker", getpid());
  add_assoc_long(return_value, "realm", realm->id);
  add_assoc_string(return_value, "mode", realm->pool->mode == HOWDAH_WORKER ? "worker" : "classic");
  add_assoc_long(return_value, "realms", stats.realms);
  add_assoc_long(return_value, "busy", stats.busy);
  add_assoc_long(return_value, "waiting", stats.waiting);
  add_assoc_long(return_value, "queued", stats.queued);
  add_assoc_long(return_value, "limit", stats.limit);
  add_assoc_long(return_value, "requests", (zend_long)stats.requests);
  add_assoc_long(return_value, "births", (zend_long)stats.births);
  add_assoc_long(return_value, "deaths", (zend_long)stats.deaths);
  add_deaths(return_value, &stats.why);
  add_assoc_long(return_value, "booting", stats.booting);
  add_assoc_long(return_value, "collections", (zend_long)stats.collections);
  add_assoc_long(return_value, "collected", (zend_long)stats.collected);
  add_assoc_long(return_value, "cancelled", (zend_long)stats.cancelled);
  add_assoc_long(return_value, "loads", (zend_long)stats.loads);
  howdah_offload_stats offload;
  howdah_offload_get_stats(&offload);
  add_assoc_long(return_value, "threads", offload.threads);
  add_assoc_long(return_value, "offloaded", offload.running);
  add_assoc_long(return_value, "offload_queued", offload.queued);
  add_assoc_double(return_value, "wait_ms", (double)realm->coroutine.wait_us / 1000.0);
  add_assoc_long(return_value, "switches", (zend_long)(howdah_coroutine_switches() - realm->switches_before));
}

/* Howdah\request_variables(string ...$names): array What $_SERVER would hold under these names of what the request has brought,
 * in their order; null where there is none. $_SERVER itself is made when code names it: for each request of the realm from then
 * on. */
static ZEND_FUNCTION(request_variables) {
  zval *names;
  uint32_t count;
  ZEND_PARSE_PARAMETERS_START(1, -1)
  Z_PARAM_VARIADIC('+', names, count)
  ZEND_PARSE_PARAMETERS_END();
  if (count > VARIABLES_AT_ONCE) {
    zend_argument_count_error("Howdah\\request_variables() takes at most %d names", VARIABLES_AT_ONCE);
    RETURN_THROWS();
  }
  for (uint32_t i = 0; i < count; i++) {
    if (Z_TYPE(names[i]) == IS_STRING) continue;
    zend_argument_type_error(i + 1, "must be of type string, %s given", zend_zval_type_name(&names[i]));
    RETURN_THROWS();
  }
  zval values[VARIABLES_AT_ONCE];
  for (uint32_t i = 0; i < count; i++)
    ZVAL_NULL(&values[i]);
  howdah_sapi_choose_variables(names, values, count);
  array_init_size(return_value, count);
  for (uint32_t i = 0; i < count; i++)
    zend_hash_next_index_insert_new(Z_ARRVAL_P(return_value), &values[i]);
}

static const zend_function_entry functions[] = {
    ZEND_FE(frankenphp_handle_request, arginfo_handle_request)
        ZEND_FALIAS(frankenphp_finish_request, fastcgi_finish_request, arginfo_bool)
            ZEND_FE(apache_response_headers, arginfo_array)
                ZEND_FALIAS(frankenphp_response_headers, apache_response_headers, arginfo_array)
                    ZEND_FALIAS(frankenphp_request_headers, apache_request_headers, arginfo_array)
                        ZEND_FE(frankenphp_log, arginfo_frankenphp_log) ZEND_FE(headers_send, arginfo_headers_send)
                            ZEND_NS_FE("Howdah", status, arginfo_array) ZEND_NS_FE("Howdah", trailer, arginfo_trailer)
                                ZEND_NS_FE("Howdah", request_variables, arginfo_request_variables) ZEND_FE_END};

/* opcache starts after the modules. */
static PHP_MINIT_FUNCTION(howdah) {
  (void)type;
  howdah_journal_add_constants(module_number);
  howdah_jit_settings();
  howdah_hook_interrupts();
  howdah_disturb_files();
  howdah_overflow_hook_php();
  howdah_fatal_hook_php();
  return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(howdah) {
  (void)type;
  (void)module_number;
  howdah_session_forget(howdah_realm_current());
  howdah_fatal_show();
  return SUCCESS;
}

zend_module_entry howdah_php_module = {STANDARD_MODULE_HEADER, "howdah", functions,      PHP_MINIT(howdah),         NULL, NULL,
                                       PHP_RSHUTDOWN(howdah),  NULL,     HOWDAH_VERSION, STANDARD_MODULE_PROPERTIES};
