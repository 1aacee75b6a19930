/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The expression evaluator on any bytes: the first 64 are memory, the rest is the expression. It
 * stays within its limit of steps.
 */
#include "report/resolve/unwind/dwarf_expression.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 64, STEPS = 2000, REGISTERS = 33 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static int read_memory(void *memory, uint64_t address, size_t size, uint64_t *ret_value)
{
	if (size > 8 || address > MEMORY - size)
		return -EFAULT;
	*ret_value = 0;
	memcpy(ret_value, (uint8_t *)memory + address, size);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint64_t registers[REGISTERS], value, initial = 7;
	unsigned int steps = STEPS;
	uint8_t memory[MEMORY], *copy;
	struct expression_context context = {
		.registers = registers,
		.known = 0x1ffff00ff,
		.register_count = REGISTERS,
		.bias = 0x555500000000,
		.read = read_memory,
		.memory = memory,
		.steps_left = &steps,
	};

	if (length < MEMORY)
		return 0;
	memcpy(memory, bytes, MEMORY);
	for (size_t i = 0; i < REGISTERS; i++)
		registers[i] = i & 1 ? i : i << 40;
	copy = malloc(length - MEMORY + 1);
	if (!copy)
		return 0;
	memcpy(copy, bytes + MEMORY, length - MEMORY);
	(void)expression_evaluate(&context, copy, length - MEMORY, bytes[0] & 1 ? &initial : NULL, &value);
	if (steps > STEPS)
		abort();
	free(copy);
	return 0;
}
