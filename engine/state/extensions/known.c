/* The table of known extensions: those of php-src, and those that Debian 12 packages for its PHP. See extensions.h.
 *
 * What is not here and why: Xdebug and profilers that observe calls are refused by name (engine.c); uopz changes code that realms
 * share; libvirt keeps a list of connections, which block: the evidence refuses both. */
#include "extensions.h"
#include "freetds.h"
#include "libc_client.h"

#include <string.h>

#define PHPS_OWN(name, keeps, shown, note)                                                                                     \
  { name, NULL, NULL, HOWDAH_KEEPS_##keeps, HOWDAH_SHOWN_##shown, note, NULL, NULL, NULL, NULL, false }
#define PHPS_OWN_WITH(library, prepare, birth, death, name, shown, note)                                                       \
  { name, NULL, NULL, HOWDAH_KEEPS_LIBRARY, HOWDAH_SHOWN_##shown, note, library, prepare, birth, death, false }
/* Debian's: only this extension links with the library. Its memory rests until a function of the extension is called
 * (calls.h). */
#define PHPS_OWN_CALLED(library, prepare, name, shown, note)                                                                   \
  { name, NULL, NULL, HOWDAH_KEEPS_LIBRARY, HOWDAH_SHOWN_##shown, note, library, prepare, NULL, NULL, true }
#define OF_PECL(name, from, below, keeps, shown, note)                                                                         \
  { name, from, below, HOWDAH_KEEPS_##keeps, HOWDAH_SHOWN_##shown, note, NULL, NULL, NULL, NULL, false }

static const howdah_known_extension known[] = {
    /* php-src 8.2, 8.4 and 8.5. */
    PHPS_OWN("bcmath", NOTHING, AUDITED, NULL),
    PHPS_OWN("bz2", NOTHING, AUDITED, NULL),
    PHPS_OWN("calendar", NOTHING, TESTED, NULL),
    PHPS_OWN("core", HIDDEN, TESTED, NULL),
    PHPS_OWN("ctype", NOTHING, TESTED, NULL),
    PHPS_OWN("curl", NOTHING, TESTED, NULL),
    PHPS_OWN("date", NOTHING, TESTED, NULL),
    PHPS_OWN("dba", NOTHING, AUDITED, "a file of LMDB is open in one realm at a time"),
    PHPS_OWN("dom", HIDDEN, TESTED, "libxml2's state of a thread"),
    PHPS_OWN("enchant", NOTHING, AUDITED, NULL),
    PHPS_OWN("exif", NOTHING, TESTED, NULL),
    PHPS_OWN("ffi", NOTHING, AUDITED, "what C code that it calls keeps is not known"),
    PHPS_OWN("fileinfo", SETTINGS, AUDITED, "libmagic's tables"),
    PHPS_OWN("filter", HIDDEN, TESTED, NULL),
    PHPS_OWN("ftp", NOTHING, TESTED, NULL),
    PHPS_OWN("gd", HIDDEN, TESTED, "libgd's cache of fonts is private to each realm"),
    PHPS_OWN("gettext", NOTHING, TESTED, "text domains are the realm's by hooks"),
    PHPS_OWN("gmp", NOTHING, AUDITED, NULL),
    PHPS_OWN("hash", NOTHING, TESTED, NULL),
    PHPS_OWN("iconv", NOTHING, TESTED, NULL),
    PHPS_OWN_CALLED("libc-client", howdah_libc_client_prepare, "imap", TESTED,
                    "the name that is looked up, time limits, a connection's host are statics"),
    PHPS_OWN("intl", NOTHING, TESTED, NULL),
    PHPS_OWN("json", NOTHING, TESTED, NULL),
    PHPS_OWN_WITH("libldap", NULL, NULL, NULL, "ldap", TESTED, "ldap_set_option(null, ...) sets libldap's own defaults"),
    PHPS_OWN("lexbor", SETTINGS, TESTED, "which functions give it memory"),
    PHPS_OWN("libxml", HIDDEN, TESTED, NULL),
    PHPS_OWN("mbstring", NOTHING, TESTED, NULL),
    PHPS_OWN("mysqli", NOTHING, TESTED, NULL),
    PHPS_OWN("mysqlnd", NOTHING, TESTED, NULL),
    PHPS_OWN_WITH("libodbc", NULL, NULL, NULL, "odbc", TESTED, "unixODBC keeps what it has read, whatever ODBCINI says"),
    PHPS_OWN("openssl", NOTHING, TESTED, "OpenSSL's queue of errors is kept per realm"),
    PHPS_OWN("pcntl", NOTHING, TESTED, "its functions are withheld"),
    PHPS_OWN("pcre", HIDDEN, TESTED, NULL),
    PHPS_OWN("pdo", NOTHING, TESTED, NULL),
    PHPS_OWN_WITH("libsybdb", howdah_freetds_prepare, howdah_freetds_birth, howdah_freetds_death, "pdo_dblib", TESTED,
                  "a time limit is that of all connections"),
    PHPS_OWN("pdo_firebird", NOTHING, LOADED, NULL),
    PHPS_OWN("pdo_mysql", NOTHING, TESTED, NULL),
    PHPS_OWN_WITH("libodbc", NULL, NULL, NULL, "pdo_odbc", TESTED, "as odbc"),
    PHPS_OWN("pdo_pgsql", NOTHING, TESTED, NULL),
    PHPS_OWN("pdo_sqlite", NOTHING, TESTED, NULL),
    PHPS_OWN("pgsql", NOTHING, TESTED, NULL),
    PHPS_OWN("phar", NOTHING, TESTED, NULL),
    PHPS_OWN("posix", NOTHING, TESTED, "what posix_setuid() and its like change is the process's"),
    PHPS_OWN("pspell", NOTHING, AUDITED, NULL),
    PHPS_OWN("random", HIDDEN, TESTED, NULL),
    PHPS_OWN_CALLED("libedit", NULL, "readline", TESTED, "the history is libedit's"),
    PHPS_OWN("reflection", NOTHING, TESTED, NULL),
    PHPS_OWN("session", NOTHING, TESTED, NULL),
    PHPS_OWN("shmop", NOTHING, TESTED, NULL),
    PHPS_OWN("simplexml", HIDDEN, TESTED, "libxml2's state of a thread"),
    PHPS_OWN_CALLED("libnetsnmp", NULL, "snmp", TESTED,
                    "a call listens for all sessions of the library; its options are statics"),
    PHPS_OWN("soap", HIDDEN, AUDITED, NULL),
    PHPS_OWN("sockets", SETTINGS, AUDITED, "the ancillary registry"),
    PHPS_OWN("sodium", NOTHING, AUDITED, NULL),
    PHPS_OWN("spl", HIDDEN, TESTED, NULL),
    PHPS_OWN("sqlite3", NOTHING, TESTED, NULL),
    PHPS_OWN("standard", HIDDEN, TESTED, NULL),
    PHPS_OWN("sysvmsg", NOTHING, TESTED, NULL),
    PHPS_OWN("sysvsem", NOTHING, TESTED, NULL),
    PHPS_OWN("sysvshm", NOTHING, TESTED, NULL),
    PHPS_OWN("tidy", NOTHING, AUDITED, NULL),
    PHPS_OWN("tokenizer", NOTHING, TESTED, NULL),
    PHPS_OWN("uri", HIDDEN, TESTED, NULL),
    PHPS_OWN("xml", HIDDEN, TESTED, "libxml2's state of a thread"),
    PHPS_OWN("xmlreader", HIDDEN, TESTED, "libxml2's state of a thread"),
    PHPS_OWN("xmlwriter", HIDDEN, TESTED, "libxml2's state of a thread"),
    PHPS_OWN("xsl", HIDDEN, AUDITED, "libxml2's state of a thread"),
    PHPS_OWN("zend opcache", HIDDEN, TESTED, NULL),
    PHPS_OWN("zlib", NOTHING, TESTED, NULL),
    /* From PECL, with versions of its own even where php-src has a copy. */
    OF_PECL("amqp", "1.11", "3", NOTHING, TESTED, NULL),
    OF_PECL("apcu", "5.1", "5.2", ALL_OF_IT, TESTED, "the cache is the process's; apcu_entry() counts how deep it is in calls"),
    OF_PECL("ast", "1.1", "1.2", NOTHING, LOADED, NULL),
    OF_PECL("ds", "1.4", "1.6", ALL_OF_IT, LOADED, NULL),
    OF_PECL("gearman", "2.1", "2.2", NOTHING, LOADED, NULL),
    OF_PECL("gmagick", "2.0", "2.1", ALL_OF_IT, LOADED, "GraphicsMagick's limits are the realm's by hooks"),
    OF_PECL("gnupg", "1.5", "1.6", NOTHING, AUDITED, NULL),
    OF_PECL("http", "4.2", "4.3", ALL_OF_IT, LOADED, NULL),
    OF_PECL("igbinary", "3.2", "3.3", SETTINGS, TESTED, "one setting, which changes speed alone"),
    OF_PECL("imagick", "3.7", "3.9", ALL_OF_IT, TESTED, "ImageMagick's limits and registry are the realm's by hooks"),
    OF_PECL("mailparse", "3.1", "3.2", ALL_OF_IT, LOADED, NULL),
    OF_PECL("maxminddb", "1.11", "1.13", NOTHING, LOADED, NULL),
    OF_PECL("mcrypt", "1.0", "1.1", NOTHING, LOADED, NULL),
    OF_PECL("memcache", "4", "9", ALL_OF_IT, LOADED, NULL),
    OF_PECL("memcached", "3.2", "3.4", NOTHING, TESTED, NULL),
    OF_PECL("mongodb", "1.15", "2.2", SETTINGS, TESTED, "libmongoc's and libbson's tables, behind locks"),
    OF_PECL("msgpack", "2.1", "3.1", ALL_OF_IT, TESTED, NULL),
    OF_PECL("oauth", "2.0", "2.1", NOTHING, LOADED, NULL),
    OF_PECL("pcov", "1.0", "1.1", NOTHING, LOADED, NULL),
    OF_PECL("pinba", "1.1", "1.2", ALL_OF_IT, LOADED, NULL),
    OF_PECL("ps", "1.4", "1.5", NOTHING, LOADED, NULL),
    OF_PECL("psr", "1.2", "1.3", NOTHING, LOADED, NULL),
    OF_PECL("raphf", "2.0", "2.1", NOTHING, LOADED, NULL),
    OF_PECL("redis", "5.3", "6.3", SETTINGS, TESTED, "handlers, made with the first object"),
    OF_PECL("rrd", "2.0", "2.1", NOTHING, LOADED, "rrd_error() tells the last error of the process"),
    OF_PECL("solr", "2.6", "2.9", ALL_OF_IT, LOADED, NULL),
    OF_PECL("ssh2", "1.3", "1.5", ALL_OF_IT, TESTED, NULL),
    OF_PECL("stomp", "2.0", "2.1", NOTHING, LOADED, NULL),
    OF_PECL("uploadprogress", "2.0", "2.1", NOTHING, LOADED, NULL),
    OF_PECL("uuid", "1.2", "1.3", NOTHING, LOADED, NULL),
    OF_PECL("yaml", "2.2", "2.3", NOTHING, LOADED, NULL),
    OF_PECL("zip", "1.21", "1.23", NOTHING, AUDITED, NULL),
};

const howdah_known_extension *howdah_extension_known(const char *name) {
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (strcmp(known[i].name, name) == 0) return &known[i];
  return NULL;
}

const howdah_known_extension *howdah_extensions_known(size_t *count) {
  *count = sizeof(known) / sizeof(*known);
  return known;
}
