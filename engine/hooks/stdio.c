/* fread(3) and fwrite(3) in ext/curl: what a transfer sends is read from a stream of libc's, and what it receives is written to
 * one, where PHP's own stream has a descriptor (curl_read(), curl_write(), ext/curl/interface.c, 8.2): CURLOPT_INFILE,
 * CURLOPT_FILE, CURLOPT_WRITEHEADER. libcurl itself writes what it tells of a transfer (Curl_debug(), lib/sendf.c, 7.88):
 * CURLOPT_STDERR. Kind: ready.
 *
 * libc reads and writes inside libc. Here a stream's buffer is used up, or written out, and then the descriptor is asked
 * itself. Disk files are left to libc, and so are streams without a descriptor: their functions are PHP's. */
#include "hooked.h"
#include "pipe.h"

#include "caller.h"

#include <errno.h>

/* Keeps errno. */
static bool may_wait(FILE *stream) {
  int saved = errno;
  struct stat status;
  if (!howdah_hooks_may_park()) return false;
  int fd = fileno(stream);
  bool waits = fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
  errno = saved;
  return waits;
}

/* What libc itself sets. */
static void note_end(FILE *stream, ssize_t result) {
  stream->_flags |= result < 0 ? _IO_ERR_SEEN : _IO_EOF_SEEN;
}

size_t howdah_hook_fread(void *data, size_t size, size_t count, FILE *stream) {
  size_t wanted, got = 0;
  if (size == 0 || __builtin_mul_overflow(size, count, &wanted) || !may_wait(stream))
    return howdah_real_fread(data, size, count, stream);
  while (got < wanted && !feof(stream)) {
    size_t buffered = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr), left = wanted - got;
    if (buffered > 0) {
      got += howdah_real_fread((char *)data + got, 1, buffered < left ? buffered : left, stream);
      continue;
    }
    ssize_t part = howdah_hook_read(fileno(stream), (char *)data + got, left);
    if (part <= 0) {
      note_end(stream, part);
      break;
    }
    got += (size_t)part;
  }
  return got / size;
}

size_t howdah_hook_fwrite(const void *data, size_t size, size_t count, FILE *stream) {
  size_t len;
  if (size == 0 || __builtin_mul_overflow(size, count, &len) || len == 0 || !may_wait(stream))
    return howdah_real_fwrite(data, size, count, stream);
  ssize_t written = howdah_flush(stream) ? howdah_hook_write(fileno(stream), data, len) : -1;
  if (written < (ssize_t)len) note_end(stream, -1);
  return written < 0 ? 0 : (size_t)written / size;
}
