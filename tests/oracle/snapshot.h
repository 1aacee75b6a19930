/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the oracle looks at: snapshots of a ptrace-stopped task (x86-64), the executable mappings it had then, and its modules,
 * each opened twice: by our reader and by libdw.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/array.h"
#include "report/resolve/cfi_file.h"
#include "report/resolve/unwinder.h"

struct oracle_module {
	char *path;
	struct elf_file *elf; /* NULL: cannot be read; then all else is missing too */
	struct cfi_file cfi;
	Elf *libelf;
	Dwarf *dwarf;
	Dwarf_CFI *eh_frame, *debug_frame;
};

struct oracle_mapping {
	uint64_t start, end, file_offset, bias;
	uint32_t module; /* UINT32_MAX: anonymous */
};

struct oracle_space {
	char *text; /* of /proc/PID/maps, to know a change by */
	uint64_t generation;
	ARRAY(struct oracle_mapping) maps; /* executable ones, ascending */
	const struct oracle_modules *modules;
};

struct oracle_modules {
	ARRAY(struct oracle_module *) items;
	ARRAY(struct oracle_space *) spaces;
};

struct oracle_snapshot {
	uint64_t registers[UNWIND_REGISTERS];
	uint64_t known;
	uint8_t *stack; /* the holder's */
	uint64_t stack_address;
	size_t stack_size;
	const struct oracle_space *space;
};

/* A file, as the first module; NULL where it cannot be read. */
const struct oracle_module *oracle_module_open(struct oracle_modules *modules, const char *path);
/* false where the task is gone, or has no memory. `size`: at most so many bytes of stack, all of them at `stack`. */
bool oracle_snapshot_take(struct oracle_modules *modules, pid_t pid, uint8_t *stack, size_t size,
			  struct oracle_snapshot *ret_snapshot);

/* As struct unwind_space wants it; context is a struct oracle_space. */
bool oracle_find(void *context, uint64_t address, struct unwind_mapping *ret_mapping);
const struct oracle_mapping *oracle_mapping_at(const struct oracle_space *space, uint64_t address);
