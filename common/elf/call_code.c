/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/elf/call_code.h"

#include <elf.h>
#include <string.h>

static uint32_t word_at(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word)); /* little-endian, as both machines are */
	return word;
}

static uint64_t relative(const uint8_t *bytes, uint64_t end)
{
	return end + (uint64_t)(int64_t)(int32_t)word_at(bytes);
}

/* --- x86-64 --- */

/*
 * FF and a ModRM byte with this in its middle; that byte, and one that may follow, give the size of
 * a memory operand.
 */
enum { GROUP = 0xff, GROUP_CALL = 2, GROUP_JUMP = 4, RELATIVE_CALL = 0xe8, RELATIVE_JUMP = 0xe9,
       SHORT_JUMP = 0xeb, PUSH = 0x68 };

static size_t group_length(const uint8_t *bytes, size_t left)
{
	unsigned int mode = bytes[1] >> 6, base = bytes[1] & 7;
	bool scaled = mode != 3 && base == 4;
	size_t displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;

	if (mode == 0 && (base == 5 || (scaled && left > 2 && (bytes[2] & 7) == 5)))
		displacement = 4;
	return 2 + scaled + displacement;
}

static bool is_group(const uint8_t *bytes, unsigned int which)
{
	return bytes[0] == GROUP && (bytes[1] >> 3 & 7) == which;
}

static bool x86_call_before(const uint8_t *bytes, uint64_t address, struct call_code *call)
{
	const uint8_t *end = bytes + CALL_CODE_BYTES;

	call->direct = end[-5] == RELATIVE_CALL;
	call->target = call->direct ? relative(end - 4, address) : 0;
	for (size_t length = 2; length <= CALL_CODE_BYTES && !call->indirect; length++)
		call->indirect = is_group(end - length, GROUP_CALL) && group_length(end - length, length) == length;
	return call->direct || call->indirect;
}

/* endbr64, bnd */
static size_t x86_prefixes(const uint8_t *bytes)
{
	size_t at = word_at(bytes) == 0xfa1e0ff3 ? 4 : 0;

	return at + (bytes[at] == 0xf2);
}

static enum jump_code x86_jump_at(const uint8_t *bytes, uint64_t address, uint64_t *ret_target)
{
	size_t at = x86_prefixes(bytes);

	if (bytes[at] == PUSH) /* the number of the symbol for the dynamic linker to look up */
		return bytes[at + 5] == RELATIVE_JUMP || bytes[at + 6] == RELATIVE_JUMP ?
			       JUMP_CODE_ANYWHERE :
			       JUMP_CODE_NONE;
	if (is_group(bytes + at, GROUP_JUMP))
		return JUMP_CODE_ANYWHERE;
	if (bytes[at] != RELATIVE_JUMP && bytes[at] != SHORT_JUMP)
		return JUMP_CODE_NONE;
	*ret_target = bytes[at] == RELATIVE_JUMP ? relative(bytes + at + 1, address + at + 5) :
						   address + at + 2 + (uint64_t)(int64_t)(int8_t)bytes[at + 1];
	return JUMP_CODE_DIRECT;
}

static bool is_within(uint64_t target, uint64_t first, uint64_t last)
{
	return target >= first && target <= last;
}

/* The target of the instruction, if it is a relative jump. */
static bool x86_relative_jump(const uint8_t *bytes, size_t left, uint64_t address, uint64_t *ret_target)
{
	if (left >= 2 && bytes[0] == SHORT_JUMP)
		*ret_target = address + 2 + (uint64_t)(int64_t)(int8_t)bytes[1];
	else if (left >= 5 && bytes[0] == RELATIVE_JUMP)
		*ret_target = relative(bytes + 1, address + 5);
	else if (left >= 6 && bytes[0] == 0x0f && bytes[1] >> 4 == 8) /* conditional */
		*ret_target = relative(bytes + 2, address + 6);
	else
		return false;
	return true;
}

static enum jump_code x86_jump_leads(const uint8_t *bytes, size_t size, uint64_t address, uint64_t first, uint64_t last)
{
	enum jump_code found = JUMP_CODE_NONE;
	uint64_t target;

	for (size_t i = 0; i < size; i++) {
		if (x86_relative_jump(bytes + i, size - i, address + i, &target) && is_within(target, first, last))
			return JUMP_CODE_DIRECT;
		if (size - i >= 2 && is_group(bytes + i, GROUP_JUMP))
			found = JUMP_CODE_ANYWHERE;
	}
	return found;
}

/* mov %rsp,%rbp in either form; lea of rsp, or of it and a number, as in Go. */
static bool x86_frame_kept(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i + 3 <= size; i++) {
		uint32_t code = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];

		if (code == 0x4889e5 || code == 0x488bec ||
		    (i + 4 <= size && (code == 0x488d2c || code == 0x488d6c || code == 0x488dac) &&
		     bytes[i + 3] == 0x24))
			return true;
	}
	return false;
}

static bool x86_return_at(const uint8_t *bytes, size_t size)
{
	return (size >= 1 && (bytes[0] == 0xc3 || bytes[0] == 0xc2)) ||
	       (size >= 2 && (bytes[0] == 0xf3 || bytes[0] == 0xf2) && bytes[1] == 0xc3);
}

/* --- aarch64: an instruction is 4 bytes --- */

enum { ARM_BYTES = 4 };

/* B and BL: 26 bits, in instructions. */
static uint64_t arm_target(uint32_t code, uint64_t address)
{
	return address + (uint64_t)((int64_t)((uint64_t)code << 38) >> 36);
}

static bool arm_call_before(const uint8_t *bytes, uint64_t address, struct call_code *call)
{
	uint32_t code = word_at(bytes + CALL_CODE_BYTES - ARM_BYTES);

	call->direct = code >> 26 == 0x25; /* BL */
	call->target = call->direct ? arm_target(code, address - ARM_BYTES) : 0;
	/* BLR, BLRAA and its like. */
	call->indirect = (code & 0xfffffc1f) == 0xd63f0000 || (code & 0xfefff800) == 0xd63f0800;
	return call->direct || call->indirect;
}

static bool arm_is_branch_register(uint32_t code)
{
	return (code & 0xfffffc1f) == 0xd61f0000 || (code & 0xfefff800) == 0xd61f0800;
}

static enum jump_code arm_jump_at(const uint8_t *bytes, uint64_t address, uint64_t *ret_target)
{
	for (size_t at = 0; at + ARM_BYTES <= JUMP_CODE_BYTES; at += ARM_BYTES) {
		uint32_t code = word_at(bytes + at);

		if (arm_is_branch_register(code))
			return JUMP_CODE_ANYWHERE;
		if (at <= ARM_BYTES && code >> 26 == 5) {
			*ret_target = arm_target(code, address + at);
			return JUMP_CODE_DIRECT;
		}
	}
	return JUMP_CODE_NONE;
}

static enum jump_code arm_jump_leads(const uint8_t *bytes, size_t size, uint64_t address, uint64_t first, uint64_t last)
{
	enum jump_code found = JUMP_CODE_NONE;

	for (size_t at = 0; at + ARM_BYTES <= size; at += ARM_BYTES) {
		uint32_t code = word_at(bytes + at);

		if (code >> 26 == 5 && is_within(arm_target(code, address + at), first, last))
			return JUMP_CODE_DIRECT;
		if (arm_is_branch_register(code))
			found = JUMP_CODE_ANYWHERE;
	}
	return found;
}

/* mov x29, sp; add x29, sp, #n */
static bool arm_frame_kept(const uint8_t *bytes, size_t size)
{
	for (size_t at = 0; at + ARM_BYTES <= size; at += ARM_BYTES)
		if ((word_at(bytes + at) & 0xffc003ff) == 0x910003fd)
			return true;
	return false;
}

static bool arm_return_at(const uint8_t *bytes, size_t size)
{
	/* RET, also with authenticated addresses. */
	return size >= ARM_BYTES && (word_at(bytes) & 0xfffff3ff) == 0xd65f03c0;
}

/* --- both machines --- */

bool call_code_before(uint16_t machine, const uint8_t *bytes, uint64_t address, struct call_code *ret_call)
{
	*ret_call = (struct call_code){0};
	return machine == EM_AARCH64 ? arm_call_before(bytes, address, ret_call) :
				       x86_call_before(bytes, address, ret_call);
}

enum jump_code jump_code_at(uint16_t machine, const uint8_t *bytes, uint64_t address, uint64_t *ret_target)
{
	return machine == EM_AARCH64 ? arm_jump_at(bytes, address, ret_target) :
				       x86_jump_at(bytes, address, ret_target);
}

enum jump_code jump_code_leads(uint16_t machine, const uint8_t *bytes, size_t size,
			       uint64_t address, uint64_t first, uint64_t last)
{
	return (machine == EM_AARCH64 ? arm_jump_leads : x86_jump_leads)(bytes, size, address, first, last);
}

bool frame_code_kept(uint16_t machine, const uint8_t *bytes, size_t size)
{
	return (machine == EM_AARCH64 ? arm_frame_kept : x86_frame_kept)(bytes, size);
}

bool return_code_at(uint16_t machine, const uint8_t *bytes, size_t size)
{
	return (machine == EM_AARCH64 ? arm_return_at : x86_return_at)(bytes, size);
}
