/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Evaluates a DWARF expression of call frame information (DWARF 5 §2.5 and §6.4.2) with a frame's
 * registers and the bytes of its stack. Operations that §6.4.2 excludes from call frame information
 * are refused, and so are those that need a live process: calls, threads, typed values. Bounded: 64
 * values on the stack, and as many steps as the caller allows.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_DWARF_EXPRESSION_H
#define RWALKER_REPORT_RESOLVE_UNWIND_DWARF_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum { EXPRESSION_STACK = 64 };

struct expression_context {
	const uint64_t *registers;
	uint64_t known;		 /* bit n: registers[n] is valid */
	unsigned int register_count;
	uint64_t bias;		 /* added to link-time addresses */
	/* Reads up to 8 bytes, little-endian; 0, or a negative code that ends the expression and is returned. */
	int (*read)(void *memory, uint64_t address, size_t size, uint64_t *ret_value);
	void *memory;
	unsigned int *steps_left; /* counted down */
};

/*
 * The value on top of the stack at the end; the stack starts with `initial` if that is not NULL.
 * -EBADMSG: malformed, or an unsupported operation; -ENODATA: needs an unknown register; -ELOOP: no
 * steps left; or what `read` returned.
 */
int expression_evaluate(const struct expression_context *context, const uint8_t *bytes, size_t length,
			const uint64_t *initial, uint64_t *ret_value);

#endif
