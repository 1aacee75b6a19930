/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Snapshots of the test's own process, taken by a SIGTRAP handler on a stack of its own; and its
 * address space in the form that the unwinder needs. x86-64 only.
 */
#pragma once

#include "common/array.h"
#include "report/resolve/unwind/cfi_file.h"
#include "report/resolve/unwind/unwinder.h"

enum { OWN_STACK_BYTES = 32768, OWN_SNAPSHOTS = 4096, OWN_STEP_BYTES = 4096, OWN_SIGNAL_STACK = 65536 };

struct own_snapshot {
	uint64_t registers[UNWIND_REGISTERS];
	uint8_t *stack;
	size_t size;
};

struct own_mapping {
	uint64_t start, end, bias;
	uint32_t module; /* UINT32_MAX: none */
};

struct own_module {
	char *path;
	struct elf_file *elf;
	struct elf_symbols symbols;
	struct cfi_file cfi;
};

struct own_process {
	struct unwinder *unwinder;
	ARRAY(struct own_mapping) maps;
	ARRAY(struct own_module) modules;
	uint64_t stack_end;
	uint8_t *signal_stack; /* OWN_SIGNAL_STACK bytes */
	struct own_snapshot *taken; /* OWN_SNAPSHOTS */
	size_t count, stack_bytes;
	uint8_t *stacks;
};

int own_create(struct own_process *own);
void own_destroy(struct own_process *own);
/* Forgets the snapshots taken so far; from now on each has `bytes` of stack. */
void own_begin(struct own_process *own, size_t bytes);
/* The chain of one snapshot, of which `size` bytes of stack are used. */
void own_unwind(struct own_process *own, const struct own_snapshot *snapshot, size_t size,
		const struct unwind_tail *tail, struct unwind_chain *chain);
