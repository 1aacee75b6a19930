/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * /proc/kallsyms and /proc/modules as sorted tables: functions and variables by address, modules
 * by base. Plain data, filled once; kallsyms_read() replaces the contents. Needs CAP_SYSLOG:
 * without it the kernel shows zeros.
 */
#ifndef RWALKER_RECORD_HOST_KALLSYMS_H
#define RWALKER_RECORD_HOST_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

#include "common/array.h"

struct kallsyms_symbol {
	uint64_t address;
	uint32_t name;   /* offset in names */
	uint32_t module; /* index in modules; 0 is the kernel itself */
};

struct kallsyms_module {
	char name[56];      /* "[kernel]", "ext4" */
	uint64_t base, end; /* of its text */
};

struct kallsyms_bpf { /* a program loaded before the recording */
	uint64_t address;
	uint32_t name;
	uint32_t is_trampoline;
};

struct kallsyms {
	ARRAY(struct kallsyms_symbol) symbols;
	ARRAY(struct kallsyms_symbol) variables; /* of the kernel itself, if it lists them (CONFIG_KALLSYMS_ALL) */
	ARRAY(struct kallsyms_module) modules;
	ARRAY(struct kallsyms_bpf) run_time; /* [bpf] and [__builtin__...] entries */
	ARRAY(char) names;
};

/*
 * A number that changes when a module is loaded or unloaded, from /proc/modules alone, which is
 * short. 0 for a kernel without modules.
 */
uint64_t kallsyms_modules_mark(void);

/* 0, -EPERM (addresses hidden), -ENOMEM, -errno of /proc/kallsyms. Nothing is reported here. */
int kallsyms_read(struct kallsyms *table);
int kallsyms_read_from(struct kallsyms *table, const char *symbols, const char *modules); /* files like these */
void kallsyms_deinit(struct kallsyms *table);

/* The function that holds the address: the last one at or below it, within its module's bounds; NULL: none. */
const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *table, uint64_t address);

/* The name of the variable at exactly this address; NULL: none. */
const char *kallsyms_variable(const struct kallsyms *table, uint64_t address);

/* Bytes from a symbol to the next one or its module's end. */
uint64_t kallsyms_size(const struct kallsyms *table, const struct kallsyms_symbol *symbol);

#endif
