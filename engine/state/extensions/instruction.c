/* Reads an instruction with Zydis 4. See instruction.h. */
#include "instruction.h"

#if defined(__x86_64__)

#include <Zydis/Zydis.h>

/* The address that an operand names, where that is relative to the instruction; else NULL. */
static const void *place_of(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operand,
                            const unsigned char *code) {
  ZyanU64 address;
  bool relative = operand->type == ZYDIS_OPERAND_TYPE_MEMORY
                      ? operand->mem.base == ZYDIS_REGISTER_RIP
                      : operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand->imm.is_relative;
  if (!relative || !ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(decoded, operand, (ZyanU64)(uintptr_t)code, &address))) return NULL;
  return (const void *)(uintptr_t)address;
}

bool howdah_instruction_read(const unsigned char *code, size_t size, howdah_instruction *instruction) {
  ZydisDecoder decoder;
  ZydisDecodedInstruction decoded;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
      !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &decoded, operands)))
    return false;
  *instruction = (howdah_instruction){.bytes = decoded.length};
  for (int i = 0; i < decoded.operand_count; i++) {
    const ZydisDecodedOperand *operand = &operands[i];
    const void *place = place_of(&decoded, operand, code);
    if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
      instruction->goes_to = place ? place : instruction->goes_to;
    else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
      instruction->taken = place;
    else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && place)
      instruction->written = place;
  }
  return true;
}

#else

bool howdah_instruction_read(const unsigned char *code, size_t size, howdah_instruction *instruction) {
  (void)code, (void)size, (void)instruction;
  return false;
}

#endif
