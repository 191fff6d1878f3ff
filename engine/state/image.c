/* Images, and going from one to another: what every switch between realms pays for. See image.h.
 *
 * An image is: the marks, a bit for each piece; how often it was saved; blocks of less than 64 bytes, which are copied as they
 * are; the others, each from a multiple of 64 on, in pieces of 64 bytes. A last piece ends with its block, and may begin in the
 * piece before: so all are saved before any is loaded. Blocks that rest come last, from a word of marks of their own on. */
#include "image.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64, WORD_BITS = 64 };

/* What differs from the base image goes on differing: of 100 such pieces one is the base image's again when it is saved next. So
 * they are copied without a look, but for one time in so many. */
enum { LOOK_EVERY = 16 };

typedef struct {
  char *address;
  size_t at, size;
} small_block;

typedef struct {
  char *address;
  size_t at;
} piece;

/* The largest first; of 8 and of 4 bytes, as most are, there are so many from there on. */
static small_block *small;
static size_t small_count, eights_from, eights, fours_from, fours;
static piece *pieces;
static size_t pieces_count, words;         /* of those that do not rest */
static size_t all_pieces_count, all_words; /* of all */
static char nothing[PIECE];                /* what pieces hold that only fill a word */
static uint64_t *last_marks;               /* of the image that was saved last */
static char *base;
static size_t image_bytes, first_piece; /* all, and those before the pieces */

static bool is_small(const howdah_block *block) {
  return block->size < PIECE;
}

static size_t pieces_of(const howdah_block *block) {
  return is_small(block) ? 0 : (block->size + PIECE - 1) / PIECE;
}

static size_t next_multiple(size_t value, size_t of) {
  return (value + of - 1) / of * of;
}

static void add_small(howdah_block *block) {
  block->at = next_multiple(image_bytes, 8);
  image_bytes = block->at + block->size;
  small[small_count++] = (small_block){block->address, block->at, block->size};
}

static size_t small_larger_than(size_t size) {
  size_t i = 0;
  while (i < small_count && small[i].size > size)
    i++;
  return i;
}

static void add_pieces(const howdah_block *block) {
  for (size_t i = 0, count = pieces_of(block); i < count; i++) {
    size_t from = i + 1 < count ? i * PIECE : block->size - PIECE;
    pieces[pieces_count++] = (piece){block->address + from, block->at + from};
  }
}

static void add_large(howdah_block *blocks, size_t count, bool rest) {
  for (size_t i = 0; i < count; i++) {
    if (is_small(&blocks[i]) || blocks[i].rests != rest) continue;
    blocks[i].at = next_multiple(image_bytes, PIECE);
    image_bytes = blocks[i].at + blocks[i].size;
    add_pieces(&blocks[i]);
  }
}

static void fill_word(void) {
  const howdah_block filler = {.address = nothing, .size = PIECE, .at = next_multiple(image_bytes, PIECE)};
  image_bytes = filler.at + PIECE;
  while (pieces_count % WORD_BITS)
    add_pieces(&filler);
}

int howdah_images_start(howdah_block *blocks, size_t count) {
  size_t most_pieces = 0, resting = 0;
  for (size_t i = 0; i < count; i++) {
    most_pieces += pieces_of(&blocks[i]);
    if (blocks[i].rests) resting += pieces_of(&blocks[i]);
  }
  if (resting) most_pieces = next_multiple(most_pieces - resting, WORD_BITS) + resting;
  small_count = pieces_count = 0;
  words = (most_pieces + WORD_BITS - 1) / WORD_BITS;
  /* One more: nothing to do is no reason to fail. */
  small = malloc((count + 1) * sizeof(*small));
  pieces = malloc((most_pieces + 1) * sizeof(*pieces));
  last_marks = calloc(words + 1, sizeof(*last_marks));
  if (!small || !pieces || !last_marks) goto no_memory;

  image_bytes = (words + 1) * sizeof(uint64_t);
  /* By size: the processor learns then how they are copied. */
  for (size_t size = PIECE - 1; size > 0; size--)
    for (size_t i = 0; i < count; i++)
      if (blocks[i].size == size) add_small(&blocks[i]);
  eights_from = small_larger_than(8);
  eights = small_larger_than(7) - eights_from;
  fours_from = small_larger_than(4);
  fours = small_larger_than(3) - fours_from;
  first_piece = image_bytes;
  add_large(blocks, count, false);
  size_t awake_pieces = pieces_count;
  if (resting) {
    fill_word();
    add_large(blocks, count, true);
  }
  all_pieces_count = pieces_count;
  all_words = words;
  image_bytes = next_multiple(image_bytes ? image_bytes : 1, PIECE);

  base = howdah_image_new();
  if (!base) goto no_memory;
  memset(base, 0, image_bytes);
  for (size_t i = 0; i < count; i++)
    memcpy(base + blocks[i].at, blocks[i].address, blocks[i].size);
  pieces_count = awake_pieces;
  words = (awake_pieces + WORD_BITS - 1) / WORD_BITS;
  return 0;

no_memory:
  howdah_images_stop();
  errno = ENOMEM;
  return -1;
}

void howdah_images_wake(void) {
  pieces_count = all_pieces_count;
  words = all_words;
}

size_t howdah_image_size(void) {
  return image_bytes;
}

char *howdah_image_new(void) {
  char *image = aligned_alloc(PIECE, image_bytes);
  if (!image) return NULL;
  /* What does not rest is marked: none of its bytes is known to be the base image's. */
  memset(image, 0xff, words * sizeof(uint64_t));
  ((uint64_t *)image)[all_words] = 0;
  if (words == all_words) return image;
  memset(image + words * sizeof(uint64_t), 0, (all_words - words) * sizeof(uint64_t));
  for (size_t i = words * WORD_BITS; i < all_pieces_count; i++)
    memcpy(image + pieces[i].at, base + pieces[i].at, PIECE);
  return image;
}

const char *howdah_image_base(void) {
  return base;
}

void howdah_images_stop(void) {
  free(base);
  free(pieces);
  free(last_marks);
  free(small);
  base = NULL;
  pieces = NULL;
  last_marks = NULL;
  small = NULL;
  small_count = pieces_count = all_pieces_count = words = all_words = 0;
}

/* May alias all, and need not be aligned: what the compiler keeps in registers, which it does not do with arrays. */
typedef uint64_t vector __attribute__((vector_size(32), aligned(1), may_alias));
enum { V = sizeof(vector) };

/* Once more for processors with registers of that size: a quarter less instructions. The linker chooses. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define HOWDAH_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define HOWDAH_WIDE
#endif
#define ALWAYS_INLINE inline __attribute__((always_inline))

static inline void copy_piece(char *to, const char *from) {
  const vector a = *(const vector *)from, b = *(const vector *)(from + V);
  *(vector *)to = a;
  *(vector *)(to + V) = b;
}

static inline bool is_equal(const char *x, const char *y) {
  const vector differs = (*(const vector *)x ^ *(const vector *)y) | (*(const vector *)(x + V) ^ *(const vector *)(y + V));
  return (differs[0] | differs[1] | differs[2] | differs[3]) == 0;
}

/* Of less than a piece, without a call: two that overlap. */
static ALWAYS_INLINE void copy_small(char *to, const char *from, size_t size) {
  if (size >= 32) {
    memcpy(to, from, 32);
    memcpy(to + size - 32, from + size - 32, 32);
  } else if (size >= 16) {
    memcpy(to, from, 16);
    memcpy(to + size - 16, from + size - 16, 16);
  } else if (size >= 8) {
    memcpy(to, from, 8);
    memcpy(to + size - 8, from + size - 8, 8);
  } else if (size >= 4) {
    memcpy(to, from, 4);
    memcpy(to + size - 4, from + size - 4, 4);
  } else {
    for (size_t i = 0; i < size; i++)
      to[i] = from[i];
  }
}

static inline void fetch(const char *image, const uint64_t *marks) {
  const piece *one = pieces;
  for (size_t word = 0; word < words; word++, one += WORD_BITS)
    for (uint64_t left = marks[word]; left; left &= left - 1)
      __builtin_prefetch(image + one[__builtin_ctzll(left)].at);
}

/* Its own marks are as far away as the rest; realms of one application differ in the same places. */
void howdah_image_fetch(const char *image) {
  for (size_t at = 0; at < first_piece; at += PIECE)
    __builtin_prefetch(image + at);
  fetch(image, last_marks);
}

/* The last word is seldom full. */
static inline uint64_t pieces_in(size_t word) {
  const size_t last = pieces_count % WORD_BITS;
  return word == words - 1 && last ? ((uint64_t)1 << last) - 1 : UINT64_MAX;
}

/* size: 0, where each tells its own. */
static ALWAYS_INLINE void copy_each(size_t from, size_t count, size_t size, char *image, bool saves) {
  for (const small_block *one = small + from, *end = one + count; one < end; one++) {
    char *to = saves ? image + one->at : one->address;
    const char *source = saves ? one->address : image + one->at;
    if (size)
      memcpy(to, source, size);
    else
      copy_small(to, source, one->size);
  }
}

static ALWAYS_INLINE void copy_all_small(char *image, bool saves) {
  const size_t between = eights_from + eights, behind = fours_from + fours;
  copy_each(0, eights_from, 0, image, saves);
  copy_each(eights_from, eights, 8, image, saves);
  copy_each(between, fours_from - between, 0, image, saves);
  copy_each(fours_from, fours, 4, image, saves);
  copy_each(behind, small_count - behind, 0, image, saves);
}

static ALWAYS_INLINE void save(char *image) {
  const char *const initial = base;
  copy_all_small(image, true);
  uint64_t *marks = (uint64_t *)image;
  const bool looks = marks[all_words]++ % LOOK_EVERY == 0;
  const piece *first = pieces;
  for (size_t word = 0; word < words; word++, first += WORD_BITS) {
    const uint64_t before = marks[word];
    uint64_t marked = looks ? 0 : before;
    for (uint64_t left = ~marked & pieces_in(word); left; left &= left - 1) {
      const piece *one = &first[__builtin_ctzll(left)];
      if (!is_equal(one->address, initial + one->at)) marked |= left & -left;
    }
    /* Also what has become the base image's again. */
    for (uint64_t left = (marked | before) & pieces_in(word); left; left &= left - 1) {
      const piece *one = &first[__builtin_ctzll(left)];
      copy_piece(image + one->at, one->address);
    }
    marks[word] = last_marks[word] = marked & pieces_in(word);
  }
}

/* Where `before` is in place, whose image has just been saved; NULL: nobody knows what is. */
static ALWAYS_INLINE void load(const char *image, const char *before) {
  const char *const initial = base;
  copy_all_small((char *)image, false);
  const uint64_t *marks = (const uint64_t *)image, *marks_before = (const uint64_t *)before;
  const piece *first = pieces;
  for (size_t word = 0; word < words; word++, first += WORD_BITS) {
    const uint64_t marked = marks[word];
    uint64_t left = before ? marked | marks_before[word] : UINT64_MAX;
    for (left &= pieces_in(word); left; left &= left - 1) {
      const piece *one = &first[__builtin_ctzll(left)];
      copy_piece(one->address, (marked & left & -left ? image : initial) + one->at);
    }
  }
}

HOWDAH_WIDE void howdah_image_switch(char *from, const char *to) {
  /* What is marked will be read in a moment, and comes from far away: all of it at once. */
  if (to) fetch(to, (const uint64_t *)to);
  if (from) save(from);
  load(to ? to : base, from);
}
