/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Evaluates a DWARF expression of call frame information (DWARF 5 §2.5 and §6.4.2) over a frame's registers and the bytes of
 * its stack. What §6.4.2 excludes from call frame information is refused, and so is what needs another process: calls,
 * threads, typed values. Bounded: 64 values on the stack, and as many steps as the caller allows.
 */
#ifndef RWALKER_REPORT_RESOLVE_DWARF_EXPRESSION_H
#define RWALKER_REPORT_RESOLVE_DWARF_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

enum { EXPRESSION_STACK = 64 };

struct expression_context {
	const uint64_t *registers;
	uint64_t known;		 /* bit n: registers[n] is good */
	unsigned int register_count;
	uint64_t bias;		 /* what link-time addresses are moved by */
	/* Reads up to 8 bytes, little-endian; 0, or a negative code that ends the expression and is passed on. */
	int (*read)(void *memory, uint64_t address, size_t size, uint64_t *ret_value);
	void *memory;
	unsigned int *steps_left; /* counted down */
};

/*
 * The value on top of the stack at the end; the stack begins with `initial` where that is not NULL.
 * -EBADMSG: malformed, or an operation we do not do; -ENODATA: needs a register that is unknown; -ELOOP: no steps left;
 * what `read` returned.
 */
int expression_evaluate(const struct expression_context *context, const uint8_t *bytes, size_t length,
			const uint64_t *initial, uint64_t *ret_value);

#endif
