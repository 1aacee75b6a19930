/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the oracle compares: snapshots (x86-64) of a ptrace-stopped task, or from perf,
 * the executable mappings it had at that time, and its modules, each opened twice: by our
 * reader and by libdw.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/array.h"
#include "report/unwind/cfi.h"
#include "report/unwind/unwinder.h"

struct oracle_module {
	char *path;
	struct elf_file *elf; /* NULL: cannot be read; then the rest is missing, too */
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
	char *text; /* of /proc/PID/maps, to detect changes; NULL: detected otherwise */
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
	uint8_t *stack; /* owned by the holder */
	uint64_t stack_address;
	size_t stack_size;
	const struct oracle_space *space;
};

/* A file, as the first module; NULL if it cannot be read. */
const struct oracle_module *oracle_module_open(struct oracle_modules *modules, const char *path);
/*
 * The number of a file, or of "[vdso]" at [start, end), which is opened when it is first needed;
 * UINT32_MAX: anonymous. `pid`: whose root and memory are searched.
 */
uint32_t oracle_module_find(struct oracle_modules *modules, pid_t pid, const char *path, uint64_t start, uint64_t end);
/* Where the segment that holds the mapping's file offset is mapped to. */
uint64_t oracle_bias(const struct oracle_module *module, const struct oracle_mapping *map);

/* false if the task is gone, or has no memory. `size`: the maximum of stack bytes, which are at `stack`. */
bool oracle_snapshot_take(struct oracle_modules *modules, pid_t pid, uint8_t *stack, size_t size,
			  struct oracle_snapshot *ret_snapshot);

/* As struct unwind_space requires it; context is a struct oracle_space. */
bool oracle_find(void *context, uint64_t address, struct unwind_mapping *ret_mapping);
const struct oracle_mapping *oracle_mapping_at(const struct oracle_space *space, uint64_t address);
