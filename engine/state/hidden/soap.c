/* Hidden state of ext/soap: its globals, which it does not register with its module (ext/soap/php_soap.h). */
#include "probe.h"

#include <stddef.h>
#include <stdlib.h>

/* Made by the first request that has soap.wsdl_cache=WSDL_CACHE_MEMORY; freed as PHP_MSHUTDOWN_FUNCTION(soap) does. */
static void soap_death(void *address) {
  howdah_soap_globals *soap = address;
  if (!soap->mem_cache) return;
  zend_hash_destroy(soap->mem_cache);
  free(soap->mem_cache);
  soap->mem_cache = NULL;
}

static const struct {
  const char *entry;
  size_t offset;
} members[] = {{"soap.wsdl_cache_enabled", offsetof(howdah_soap_globals, cache_enabled)},
               {"soap.wsdl_cache_dir", offsetof(howdah_soap_globals, cache_dir)},
               {"soap.wsdl_cache_ttl", offsetof(howdah_soap_globals, cache_ttl)},
               {"soap.wsdl_cache", offsetof(howdah_soap_globals, cache_mode)},
               {"soap.wsdl_cache_limit", offsetof(howdah_soap_globals, cache_limit)}};

/* The tables of encodings have been filled; what a request starts from has been set (PHP_RINIT_FUNCTION(soap)). */
static bool agrees(howdah_probe *probe, howdah_soap_globals *soap) {
  HashTable *encodings = HOWDAH_SOAP_ENCODINGS(soap), *namespaces = HOWDAH_SOAP_NAMESPACES(soap);
  if (soap->cache_ttl != zend_ini_long("soap.wsdl_cache_ttl", strlen("soap.wsdl_cache_ttl"), 0) ||
      soap->cache_limit != zend_ini_long("soap.wsdl_cache_limit", strlen("soap.wsdl_cache_limit"), 0))
    return false;
  if (encodings && (!howdah_probe_is_table(encodings, encodings->nNumOfElements) || !encodings->nNumOfElements)) return false;
  if (namespaces &&
      !zend_hash_str_exists(namespaces, "http://www.w3.org/2001/XMLSchema", strlen("http://www.w3.org/2001/XMLSchema")))
    return false;
  /* ref_map is the last member. */
  soap->typemap = soap->ref_map = (HashTable *)soap;
  soap->soap_version = soap->features = 73;
  if (!howdah_probe_new_request(probe)) return false;
  return !soap->typemap && !soap->ref_map && soap->soap_version == 1 && soap->features == 0 && !soap->mem_cache;
}

bool howdah_find_soap(howdah_probe *probe) {
  static const char what[] = "the globals of ext/soap";
  void *base = NULL;
  if (!howdah_probe_module("soap")) return true;
  for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
    zend_ini_entry *entry = howdah_probe_ini(members[i].entry);
    if (!entry || !entry->mh_arg2 || (base && entry->mh_arg2 != base) || (size_t)entry->mh_arg1 != members[i].offset)
      return howdah_probe_fail(probe, what, "the ini entry %s is not where it is in ext/soap/php_soap.h", members[i].entry);
    base = entry->mh_arg2;
  }
  if (!howdah_probe_readable(base, sizeof(howdah_soap_globals)) || !agrees(probe, base))
    return howdah_probe_fail(probe, what, "they do not follow a request as in ext/soap/soap.c");
  return howdah_probe_add(probe, (howdah_hidden){.name = "soap_globals",
                                                 .address = base,
                                                 .size = sizeof(howdah_soap_globals),
                                                 .source = "ext/soap/php_soap.h",
                                                 .death = soap_death});
}
