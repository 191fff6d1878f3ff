/* See bridge.h. */
#include "bridge.h"
#include "hooked.h"

#include <fcntl.h>

int howdah_bridge_ask(int fd, int command, short type, off_t first, off_t last) {
  struct flock lock = {
      .l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = last == INT64_MAX ? 0 : last - first + 1};
  return howdah_real_record(fd, command, &lock);
}

bool howdah_bridge_carries(const howdah_range *range, int closing) {
  return range->fd != closing;
}

static void take_down(const howdah_ranges *ranges, size_t count, int closing) {
  for (size_t i = 0; i < count; i++) {
    const howdah_range *each = &ranges->items[i];
    if (howdah_bridge_carries(each, closing)) howdah_bridge_ask(each->fd, F_OFD_SETLK, F_UNLCK, each->first, each->last);
  }
}

bool howdah_bridge_build(const howdah_ranges *ranges, int closing) {
  for (size_t i = 0; i < ranges->count; i++) {
    const howdah_range *each = &ranges->items[i];
    if (!howdah_bridge_carries(each, closing)) continue;
    if (!each->exclusive && howdah_bridge_ask(each->fd, F_OFD_SETLK, F_RDLCK, each->first, each->last) == 0) continue;
    take_down(ranges, i, closing);
    return false;
  }
  return true;
}

void howdah_bridge_cross(const howdah_ranges *ranges, int closing) {
  bool all = true;
  for (size_t i = 0; i < ranges->count; i++) {
    const howdah_range *each = &ranges->items[i];
    if (howdah_bridge_carries(each, closing) && howdah_bridge_ask(each->fd, F_SETLK, F_RDLCK, each->first, each->last) < 0)
      all = false;
  }
  /* Where the kernel has no memory for a lock that it had a moment ago, the other one stays for it. */
  if (all) take_down(ranges, ranges->count, closing);
}
