/* free in PHP: a table that outgrows its first slots leaves them where they are (engine/state/pages.h). Kind: note. */
#include "hooked.h"

#include "../state/pages.h"

void howdah_hook_free(void *address) {
  if (!howdah_pages_keep(address)) howdah_real_free(address);
}
