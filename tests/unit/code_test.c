/* What the machine code of an object refers to (state/extensions/code.c): instructions that write, in each encoding that there
 * is, behind bytes that look like a part of them; those that take an address; and those that only read, which are not told of. */
#include "state/extensions/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)

typedef enum { READ, WRITTEN, ADDRESS } how;

/* X(number, what stands before it, the instruction before and behind its place, how that is used). The constant 15 is the byte
 * with which instructions of two bytes begin, 0xf3 a prefix, 0xc5 how AVX's begin. */
#define CASES(X)                                                                                                               \
  X(0, "nop", "movl $1,", "", WRITTEN)                                                                                         \
  X(1, "and $15, %ecx", "movl $1,", "", WRITTEN)                                                                               \
  X(2, "and $15, %ecx", "movb $1,", "", WRITTEN)                                                                               \
  X(3, "and $15, %ecx", "movw $1,", "", WRITTEN)                                                                               \
  X(4, "and $15, %ecx", "addl $1000,", "", WRITTEN)                                                                            \
  X(5, "and $15, %ecx", "adcb %al,", "", WRITTEN)                                                                              \
  X(6, "and $15, %ecx", "subb %al,", "", WRITTEN)                                                                              \
  X(7, "and $15, %ecx", "leal", ", %edx", ADDRESS)                                                                             \
  X(8, "nop", "leaq", ", %rdx", ADDRESS)                                                                                       \
  X(9, "and $0xf3, %al", "movd %xmm0,", "", WRITTEN)                                                                           \
  X(10, "nop", "movq %xmm0,", "", WRITTEN)                                                                                     \
  X(11, "nop", "vmovlps %xmm0,", "", WRITTEN)                                                                                  \
  X(12, "nop", "vmovntps %ymm0,", "", WRITTEN)                                                                                 \
  X(13, "nop", "vextracti128 $1, %ymm0,", "", WRITTEN)                                                                         \
  X(14, "nop", "vmovdqu32 %zmm0,", "", WRITTEN)                                                                                \
  X(15, "nop", "pextrb $1, %xmm0,", "", WRITTEN)                                                                               \
  X(16, "nop", "shldl $3, %eax,", "", WRITTEN)                                                                                 \
  X(17, "nop", "rolb $3,", "", WRITTEN)                                                                                        \
  X(18, "nop", "btsl $3,", "", WRITTEN)                                                                                        \
  X(19, "nop", "lock cmpxchgl %ecx,", "", WRITTEN)                                                                             \
  X(20, "nop", "xaddl %ecx,", "", WRITTEN)                                                                                     \
  X(21, "nop", "xchgl %ecx,", "", WRITTEN)                                                                                     \
  X(22, "nop", "fstpl", "", WRITTEN)                                                                                           \
  X(23, "nop", "setc", "", WRITTEN)                                                                                            \
  X(24, "nop", "movbe %eax,", "", WRITTEN)                                                                                     \
  X(25, "nop", "stmxcsr", "", WRITTEN)                                                                                         \
  X(26, "nop", "incq", "", WRITTEN)                                                                                            \
  X(27, "nop", "notl", "", WRITTEN)                                                                                            \
  X(28, "nop", "popq", "", WRITTEN)                                                                                            \
  X(29, "nop", "movaps %xmm0,", "", WRITTEN)                                                                                   \
  X(30, "nop", "movl", ", %eax", READ)                                                                                         \
  X(31, "nop", "cmpl $5,", "", READ)                                                                                           \
  X(32, "nop", "movups", ", %xmm0", READ)                                                                                      \
  X(33, "nop", "vmovups", ", %ymm0", READ)                                                                                     \
  X(34, "nop", "pushq", "", READ)                                                                                              \
  X(35, "nop", "call *", "", READ)                                                                                             \
  X(36, "nop", "testl $1,", "", READ)                                                                                          \
  X(37, "and $0xc5, %al", "movl", ", %eax", READ)                                                                              \
  X(38, "nop", "movzbl", ", %eax", READ)                                                                                       \
  X(39, "nop", "pshufd $3,", ", %xmm0", READ)

#define PLACE(number, before, left, right, what)       ".globl place_" #number "\nplace_" #number ": .zero 64\n"
#define INSTRUCTION(number, before, left, right, what) before "\n" left " place_" #number "(%rip)" right "\n"
#define DECLARE(number, before, left, right, what)     extern char place_##number[64] __attribute__((visibility("hidden")));
#define ROW(number, before, left, right, what)         {before "; " left " place" right, place_##number, what},

/* Never called. As in an object that a compiler made, a function with an entry for exceptions. */
__asm__(".bss\n.balign 64\n" CASES(PLACE) ".text\n.type never_called, @function\nnever_called:\n.cfi_startproc\n" CASES(
    INSTRUCTION) "ret\n.cfi_endproc\n.size never_called, . - never_called\n");
CASES(DECLARE)

static const struct {
  const char *code;
  const char *place;
  how used;
} cases[] = {CASES(ROW)};

enum { COUNT = sizeof cases / sizeof *cases };

static bool written[COUNT], taken[COUNT];
static unsigned beside; /* in a place, but not at its start: the instruction's length was misread */

static void note(const void *address, bool writes, bool while_starting, void *data) {
  (void)while_starting, (void)data;
  for (size_t i = 0; i < COUNT; i++) {
    const char *at = address;
    if (at > cases[i].place && at < cases[i].place + 64) beside++;
    if (at != cases[i].place) continue;
    *(writes ? &written[i] : &taken[i]) = true;
  }
}

static int look_at_program(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  assert_true(howdah_code_references(object, note, NULL));
  return 1; /* the first is the program itself */
}

static void test_what_writes_and_what_takes_an_address_is_told_of(void **state) {
  (void)state;
  dl_iterate_phdr(look_at_program, NULL);
  for (size_t i = 0; i < COUNT; i++) {
    if (written[i] != (cases[i].used == WRITTEN)) fail_msg("written is %d: %s", written[i], cases[i].code);
    /* Only what is written matters more than an address that is taken: this test's own table has all of them, but not in its
     * code. */
    if (cases[i].used == ADDRESS && !taken[i]) fail_msg("its address is not told of: %s", cases[i].code);
  }
  assert_int_equal(beside, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_writes_and_what_takes_an_address_is_told_of)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  puts("NOT RUN: machine code is read on x86-64 only");
  return 0;
}

#endif
