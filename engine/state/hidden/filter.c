/* Hidden state of ext/filter: its globals, which it does not register with its module (ext/filter/filter.c). */
#include "probe.h"

#include <ext/filter/php_filter.h>
#include <stddef.h>

bool howdah_find_filter(howdah_probe *probe) {
  static const char what[] = "the globals of ext/filter";
  if (!howdah_probe_module("filter")) return true;
  zend_ini_entry *entry = howdah_probe_ini("filter.default");
  if (!entry || !entry->mh_arg2 || (size_t)entry->mh_arg1 != offsetof(zend_filter_globals, default_filter))
    return howdah_probe_fail(probe, what, "the ini entry filter.default does not point to them");
  zend_filter_globals *globals = entry->mh_arg2;
  if (!howdah_probe_readable(globals, sizeof(*globals))) return howdah_probe_fail(probe, what, "they are not in memory");
  /* A variable that comes in from outside shows up in its table and nowhere else. */
  char *value = estrdup("realm");
  size_t length = strlen(value);
  if (!sapi_module.input_filter) return howdah_probe_fail(probe, what, "it has not registered its input filter");
  sapi_module.input_filter(PARSE_GET, "howdah", &value, length, NULL);
  bool agrees = Z_TYPE(globals->get_array) == IS_ARRAY && Z_ISUNDEF(globals->post_array) && Z_ISUNDEF(globals->cookie_array) &&
                zend_hash_str_exists(Z_ARRVAL(globals->get_array), "howdah", strlen("howdah"));
  efree(value);
  agrees = agrees && howdah_probe_new_request(probe) && Z_ISUNDEF(globals->get_array);
  if (!agrees) return howdah_probe_fail(probe, what, "an input variable does not show up in them");
  return howdah_probe_add(
      probe, (howdah_hidden){
                 .name = "filter_globals", .address = globals, .size = sizeof(*globals), .source = "ext/filter/php_filter.h"});
}
