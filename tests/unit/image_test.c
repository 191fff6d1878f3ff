/* Images (engine/state/image.c): blocks of all sizes, realms that write here and there, beside a model that copies everything. */
#include "state/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY = 16384, REALMS = 5, SWITCHES = 20000, SWITCHES_IN_VALGRIND = 2000, BLOCKS = 140 };

static char memory[MEMORY];        /* where blocks are, and what is none between them */
static char model[REALMS][MEMORY]; /* what each realm has in its blocks */
static char first[MEMORY];         /* the base image's */
static char *images[REALMS];
static howdah_block blocks[BLOCKS];
static uint64_t seed;
static bool some_rest, awake;

static size_t below(size_t limit) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)(seed >> 33) % limit;
}

/* Blocks of 1 to 130 bytes, a few large ones, all unaligned. */
static int start(void **state) {
  (void)state;
  seed = 1;
  for (size_t i = 0; i < MEMORY; i++)
    memory[i] = (char)below(256);
  memcpy(first, memory, MEMORY);
  size_t at = 3;
  for (size_t i = 0; i < BLOCKS; i++) {
    size_t size = i < 130 ? i + 1 : 200 + below(300);
    blocks[i] = (howdah_block){.name = "block", .address = memory + at, .size = size, .rests = some_rest && i % 3 == 0};
    at += size + below(5);
  }
  assert_true(at < MEMORY);
  assert_int_equal(howdah_images_start(blocks, BLOCKS), 0);
  for (size_t i = 0; i < REALMS; i++) {
    images[i] = howdah_image_new();
    assert_non_null(images[i]);
    memcpy(model[i], first, MEMORY);
  }
  return 0;
}

static int start_with_some_that_rest(void **state) {
  some_rest = true;
  awake = false;
  return start(state);
}

static int end(void **state) {
  (void)state;
  for (size_t i = 0; i < REALMS; i++)
    free(images[i]);
  howdah_images_stop();
  some_rest = false;
  return 0;
}

static void check_in_place(const char *expected) {
  for (size_t i = 0; i < BLOCKS; i++)
    assert_memory_equal(blocks[i].address, expected + (blocks[i].address - memory), blocks[i].size);
}

static void check_image(const char *image, const char *expected) {
  for (size_t i = 0; i < BLOCKS; i++)
    assert_memory_equal(image + blocks[i].at, expected + (blocks[i].address - memory), blocks[i].size);
}

/* Some bytes of some blocks; at times back to what the base image has. */
static void write_as(size_t realm) {
  for (size_t times = below(6); times > 0; times--) {
    const howdah_block *block = &blocks[below(BLOCKS)];
    if (block->rests && !awake) continue;
    size_t from = below(block->size), bytes = 1 + below(block->size - from);
    bool back = below(3) == 0;
    for (size_t i = from; i < from + bytes; i++) {
      size_t at = (size_t)(block->address - memory) + i;
      memory[at] = model[realm][at] = back ? first[at] : (char)below(256);
    }
  }
}

static void test_each_realm_finds_what_it_has_left(void **state) {
  (void)state;
  bool born[REALMS] = {false};
  size_t in_place = REALMS; /* none: the base image */
  /* Each is fifty times as slow there, and each kind of them comes often in some hundreds. */
  size_t switches = getenv("HOWDAH_VALGRIND") ? SWITCHES_IN_VALGRIND : SWITCHES;
  for (size_t i = 0; i < switches; i++) {
    if (i == switches / 2) {
      howdah_images_wake();
      awake = true;
    }
    size_t next = below(REALMS + 1);
    if (next == in_place) continue;
    char *from = in_place < REALMS ? images[in_place] : NULL;
    /* As state.c does: a birth puts the base image in place, which is the new realm's from then on. */
    howdah_image_switch(from, next < REALMS && born[next] ? images[next] : NULL);
    if (from) check_image(from, model[in_place]);
    check_in_place(next < REALMS ? model[next] : first);
    in_place = next;
    if (next == REALMS) continue;
    born[next] = true;
    write_as(next);
  }
}

static void test_what_is_between_blocks_is_nobodys(void **state) {
  (void)state;
  bool in_block[MEMORY] = {false};
  for (size_t i = 0; i < BLOCKS; i++)
    memset(in_block + (blocks[i].address - memory), true, blocks[i].size);
  howdah_image_switch(NULL, NULL);
  for (size_t i = 0; i < MEMORY; i++)
    memory[i] = (char)~first[i];
  howdah_image_switch(images[0], NULL);
  for (size_t i = 0; i < MEMORY; i++)
    assert_int_equal(memory[i], in_block[i] ? first[i] : (char)~first[i]);
}

/* Who is not known to be in place may have left anything. */
static void test_the_base_image_comes_back_whole(void **state) {
  (void)state;
  for (size_t i = 0; i < MEMORY; i++)
    memory[i] = (char)below(256);
  howdah_image_switch(NULL, NULL);
  check_in_place(first);
  for (size_t i = 0; i < MEMORY; i++)
    memory[i] = (char)below(256);
  howdah_image_switch(NULL, howdah_image_base());
  check_in_place(first);
}

/* Else each switch would copy for ever what has differed once. */
static void test_what_is_the_base_images_again_is_not_copied_for_ever(void **state) {
  (void)state;
  const howdah_block *block = &blocks[127];
  const size_t at = (size_t)(block->address - memory);
  assert_true(block->size == 128);
  howdah_image_switch(NULL, NULL);
  howdah_image_switch(images[1], NULL);
  memset(block->address, ~first[at], block->size);
  howdah_image_switch(images[0], NULL);
  howdah_image_switch(NULL, images[0]);
  memcpy(block->address, first + at, block->size);
  for (size_t i = 0; i < 100; i++) {
    howdah_image_switch(images[0], images[1]);
    howdah_image_switch(images[1], images[0]);
  }
  howdah_image_switch(images[0], NULL);
  memset(images[0] + block->at, ~first[at], block->size); /* nobody looks at it */
  howdah_image_switch(NULL, images[0]);
  check_in_place(first);
}

static void test_blocks_lie_apart_in_an_image(void **state) {
  (void)state;
  char *taken = calloc(1, howdah_image_size());
  assert_non_null(taken);
  for (size_t i = 0; i < BLOCKS; i++) {
    assert_true(blocks[i].at + blocks[i].size <= howdah_image_size());
    for (size_t j = 0; j < blocks[i].size; j++)
      assert_int_equal(taken[blocks[i].at + j]++, 0);
  }
  free(taken);
}

static void test_no_blocks_are_no_error(void **state) {
  (void)state;
  howdah_images_stop();
  assert_int_equal(howdah_images_start(NULL, 0), 0);
  char *image = howdah_image_new();
  assert_non_null(image);
  howdah_image_switch(image, howdah_image_base());
  free(image);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_each_realm_finds_what_it_has_left, start, end),
      cmocka_unit_test_setup_teardown(test_each_realm_finds_what_it_has_left, start_with_some_that_rest, end),
      cmocka_unit_test_setup_teardown(test_blocks_lie_apart_in_an_image, start_with_some_that_rest, end),
      cmocka_unit_test_setup_teardown(test_what_is_between_blocks_is_nobodys, start, end),
      cmocka_unit_test_setup_teardown(test_the_base_image_comes_back_whole, start, end),
      cmocka_unit_test_setup_teardown(test_what_is_the_base_images_again_is_not_copied_for_ever, start, end),
      cmocka_unit_test_setup_teardown(test_blocks_lie_apart_in_an_image, start, end),
      cmocka_unit_test_setup_teardown(test_no_blocks_are_no_error, start, end),
  };
  return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
