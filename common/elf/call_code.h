/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Recognizes calls in a few bytes of machine code: whether the instruction that ends at an address
 * is a call, and whether a function begins with a jump to another (an entry of a PLT). x86-64:
 * Intel's manual, volume 2, CALL and JMP; aarch64: Arm ARM, C6.2. x86-64 instructions cannot be
 * decoded backwards reliably: bytes that could end a call are taken for one.
 */
#ifndef RWALKER_COMMON_ELF_CALL_CODE_H
#define RWALKER_COMMON_ELF_CALL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALL_CODE_BYTES = 7, JUMP_CODE_BYTES = 16 };

struct call_code {
	bool direct, indirect; /* the bytes can be decoded as either */
	uint64_t target;       /* target of the direct one */
};

/* `bytes`: the CALL_CODE_BYTES before the address. false: no call ends at it. */
bool call_code_before(uint16_t machine, const uint8_t *bytes, uint64_t address, struct call_code *ret_call);

enum jump_code { JUMP_CODE_NONE, JUMP_CODE_DIRECT, JUMP_CODE_ANYWHERE };

/* The jump that the JUMP_CODE_BYTES at an address begin with; *ret_target is the target of a direct jump. */
enum jump_code jump_code_at(uint16_t machine, const uint8_t *bytes, uint64_t address, uint64_t *ret_target);

/* Looks in a function's bytes for a jump into [first, last]: a direct one, else an indirect one. */
enum jump_code jump_code_leads(uint16_t machine, const uint8_t *bytes, size_t size, uint64_t address, uint64_t first,
			       uint64_t last);

/* Whether the bytes, the first of a function, set up the frame pointer to point to a frame record. */
bool frame_code_kept(uint16_t machine, const uint8_t *bytes, size_t size);

/* Whether the bytes begin with a return instruction. */
bool return_code_at(uint16_t machine, const uint8_t *bytes, size_t size);

#endif
