/* Which memory the machine code of an object refers to: for the evidence about extensions (evidence.h).
 *
 * x86-64 only: each instruction that reaches memory relative to itself, read by Zydis (instruction.h). Where functions begin is
 * in the tables for exceptions (.eh_frame_hdr), which also stripped files have: where a function holds data, what follows it is
 * read right all the same.
 */
#ifndef HOWDAH_STATE_CODE_H
#define HOWDAH_STATE_CODE_H

#include <link.h>
#include <stdbool.h>

/* Calls found() for each reference to memory that does not only read it. writes: directly; otherwise its address is taken.
 * while_starting: in code that runs only while modules start: their startup functions, and what only these call. False, and
 * nothing is called, on processors whose code it cannot read. */
bool howdah_code_references(const struct dl_phdr_info *object,
                            void (*found)(const void *address, bool writes, bool while_starting, void *data), void *data);

#endif
