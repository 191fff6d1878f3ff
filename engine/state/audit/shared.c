/* What realms share on purpose. See shared.h; hidden state that is shared is in hidden/. */
#include "shared.h"
#include "../hidden/hidden.h"
#include "../php_headers.h"

#include <string.h>

/* ---- Libraries ----------------------------------------------------------------------------------------------------------- */

/* Libraries that threads may use at once, and in which nothing that a script can set outlives the object that it belongs to.
 * What they change is made once (tables, lists of algorithms), or is theirs to guard: caches, pools, counts, seeds. Where a
 * script can set something for the whole process (libldap's options, ImageMagick's limits, libxml2's and libxslt's globals), a
 * library is not here. */
#define SHARED(library, source_, reason_)                                                                                      \
  {                                                                                                                            \
    library, {                                                                                                                 \
      library, source_, reason_                                                                                                \
    }                                                                                                                          \
  }

static const struct {
  const char *file; /* what its name begins with */
  howdah_reason reason;
} libraries[] = {
    SHARED("libaom.so", "libaom, with libgd", "tables, made once"),
    SHARED("libargon2.so", "libargon2", "constants and the address of an allocator"),
    SHARED("libbrotli", "libbrotlicommon, libbrotlidec, libbrotlienc", "tables"),
    SHARED("libbz2.so", "libbzip2", "tables"),
    SHARED("libcom_err.so", "libcom_err", "the list of error tables, behind a lock"),
    SHARED("libcrypto.so", "openssl-threads(7)",
           "algorithms, providers and random generators of the process; its queue of errors, which is the thread's, is kept "
           "per realm (openssl.c)"),
    SHARED("libcurl", "libcurl-thread(3), lib/easy.c, lib/version.c",
           "curl_global_init() and curl_version()'s text, the same each time; what is set belongs to handles"),
    SHARED("libdav1d.so", "dav1d, with libgd", "tables, made once"),
    SHARED("libexslt.so", "libexslt", "tables of functions, registered once"),
    SHARED("libffi.so", "libffi, src/closures.c", "a pool of executable memory for closures"),
    SHARED("libgearman.so", "libgearman", "tables; what is set belongs to clients and workers"),
    SHARED("libgmp.so", "GMP manual, Reentrancy",
           "the allocator, set once by ext/gmp; random states belong to ext/gmp's globals"),
    SHARED("libgnutls.so", "GnuTLS manual, Thread safety", "algorithms, made once; the count of forks"),
    SHARED("libgcrypt.so", "Libgcrypt manual, Multi-Threading", "algorithms and the random pool, behind locks"),
    SHARED("libgomp.so", "GNU OpenMP, libgomp/team.c, with libgd's libimagequant",
           "its pool of threads, and their count: work that it hands to them ends before the call does (thread.c)"),
    SHARED("libgpgme.so", "GPGME manual, Multi-Threading; src/data.c, src/posix-io.c, 1.18",
           "tables of data objects and of open descriptors, behind locks; where gpg is, found at start; what is set belongs to "
           "contexts"),
    SHARED("libgpg-error.so", "libgpg-error", "locks and texts, made once"),
    SHARED("libgssapi_krb5.so", "MIT Kerberos", "the list of mechanisms, behind locks"),
    SHARED("libhashkit.so", "libhashkit", "tables"),
    SHARED("libhogweed.so", "Nettle", "tables"),
    SHARED("libicu", "ICU User Guide, ICU Threading Model",
           "data and services, loaded once and cached behind locks; PHP keeps its default locale in ext/intl's globals"),
    SHARED("libidn2.so", "libidn2", "tables"),
    SHARED("libjpeg.so", "libjpeg-turbo, simd/x86_64/jsimd.c, with libgd", "what this processor can, found once"),
    SHARED("libk5crypto.so", "MIT Kerberos", "algorithms, made once"),
    SHARED("libkeyutils.so", "libkeyutils", "tables"),
    SHARED("libkrb5", "MIT Kerberos", "lists of plug-ins, behind locks; credential caches of the process, as under php-fpm"),
    SHARED("liblber", "liblber", "its allocator and debug level, which PHP does not set"),
    SHARED("liblz4.so", "LZ4", "tables"),
    SHARED("liblzma.so", "XZ Utils", "tables"),
    SHARED("libmd.so", "libmd", "tables"),
    SHARED("libmemcached", "libmemcached", "tables; what is set belongs to memcached_st"),
    SHARED("libnettle.so", "Nettle", "tables"),
    SHARED("libnghttp2.so", "nghttp2", "tables"),
    SHARED("libonig.so", "Oniguruma, doc/API",
           "encodings and property tables, made once; syntax and options are given to each regex, and ext/mbstring keeps them "
           "in its globals"),
    SHARED("libp11-kit.so", "p11-kit", "modules of the process, behind a lock; the count of forks"),
    SHARED("libpcre2-8.so", "pcre2api(3), MULTITHREADING; sljit's allocator",
           "the JIT compiler's pool of executable memory, behind a lock"),
    SHARED("libpq.so", "PostgreSQL documentation, libpq-threading",
           "locks and OpenSSL's start, once; what is set belongs to connections"),
    SHARED("libpsl.so", "libpsl", "the list that is built in"),
    SHARED("librabbitmq.so", "rabbitmq-c", "OpenSSL's start, once, behind a lock"),
    SHARED("librdkafka.so", "librdkafka INTRODUCTION.md, Threads",
           "start and counts, behind locks; what is set belongs to handles"),
    SHARED("librtmp.so", "librtmp, with libcurl", "tables, made once"),
    SHARED("libsasl2.so", "Cyrus SASL", "its plug-ins, loaded once by the first client"),
    SHARED("libsnappy.so", "Snappy", "tables"),
    SHARED("libsodium.so", "libsodium, sodium_init()", "the implementation for this processor and the random device"),
    SHARED("libsqlite3.so", "sqlite.org/threadsafe.html, src/global.c",
           "functions, page cache, memory figures, open files and the random generator, behind mutexes; its limits and the "
           "names of "
           "databases are the realm's (../libraries)"),
    SHARED("libssh2.so", "libssh2", "the start of its cryptography, counted"),
    SHARED("libssl.so", "openssl-threads(7)", "ciphers and compression methods, made once"),
    SHARED("libstdc++.so", "libstdc++",
           "locales and the pool for exceptions, made once; those that are being handled are kept per realm (thread.c)"),
    SHARED("libtasn1.so", "libtasn1", "tables"),
    SHARED("libtinfo.so", "ncurses, with ext/readline", "the terminal's: a server has none"),
    SHARED("libunistring.so", "libunistring", "tables"),
    SHARED("libuuid.so", "libuuid", "the clock's state and random descriptor: two realms must not be given the same one"),
    SHARED("libyaml", "LibYAML", "tables; what is set belongs to parsers and emitters"),
    SHARED("libz.so", "zlib", "tables"),
    SHARED("libwebp", "libwebp, with libgd", "functions for this processor, chosen once behind a lock"),
    SHARED("libyuv.so", "libyuv, with libgd", "what this processor can, found once"),
    SHARED("libzip.so", "libzip", "tables; the seed of its random numbers"),
    SHARED("libzstd.so", "Zstandard", "tables"),
};

const howdah_reason *howdah_shared_library(const howdah_segment *segment) {
  for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
    if (strncmp(segment->object, libraries[i].file, strlen(libraries[i].file)) == 0) return &libraries[i].reason;
  return NULL;
}

/* ---- Hidden state, and what the user lists ------------------------------------------------------------------------------- */

enum { HIDDEN_MAX = 256 };

static struct {
  const char *start, *end;
  howdah_reason reason;
} hidden[HIDDEN_MAX];
static size_t hidden_count;

void howdah_shared_start(void) {
  size_t count;
  const howdah_shared *items = howdah_hidden_shared(&count);
  hidden_count = 0;
  for (size_t i = 0; i < count && i < HIDDEN_MAX; i++) {
    hidden[hidden_count].start = items[i].address;
    hidden[hidden_count].end = (const char *)items[i].address + items[i].size;
    hidden[hidden_count++].reason = (howdah_reason){items[i].name, items[i].source, items[i].reason};
  }
}

void howdah_shared_by_user(const void *inside) {
  static const howdah_reason reason = {"an extension that the user lists", "howdah_shared_extension", "the user says so"};
  howdah_segments segments = {0};
  char error[128];
  /* Where memory is short the audit tells of what it could explain. */
  if (howdah_segments_add(&segments, inside, error, sizeof(error)) < 0) return;
  for (size_t i = 0; i < segments.count && hidden_count < HIDDEN_MAX; i++) {
    hidden[hidden_count].start = segments.items[i].start;
    hidden[hidden_count].end = segments.items[i].start + segments.items[i].size;
    hidden[hidden_count++].reason = reason;
  }
  howdah_segments_free(&segments);
}

const howdah_reason *howdah_shared_at(const howdah_segment *segment, const char *address) {
  for (size_t i = 0; i < hidden_count; i++)
    if (address >= hidden[i].start && address < hidden[i].end) return &hidden[i].reason;
  return howdah_shared_library(segment);
}
