/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kernel's text as laid out on this boot: address -> (module, offset) and the function that
 * contains it. Read once from /proc/kallsyms and /proc/modules; BPF programs and trampolines are
 * added and removed by ksymbol records, modules loaded later by kernel_map_refresh(). Every module
 * and every function is written to the trace when an event first points into it, before that
 * event, so that no kernel address leaves the host and every kernel frame has a name. All memory
 * is allocated at creation and at refresh; kernel_map_normalize() allocates nothing.
 */
#ifndef RWALKER_RECORD_PLACE_KERNEL_MAP_H
#define RWALKER_RECORD_PLACE_KERNEL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/event.h"

struct kallsyms;
struct kernel_chains;
struct kernel_map;

struct kernel_map_sink { /* receives modules and functions; each returns 0 or -errno */
	void *context;
	int (*module)(void *context, const struct event_module *module);
	int (*symbol)(void *context, const struct event_kernel_symbol *symbol);
	uint32_t (*new_module_id)(void *context); /* 0: no id left */
	void (*old_module_id)(void *context, uint32_t id); /* it is unused from now on */
};

/*
 * keep_addresses: also write the modules' run-time bases. 0; -EPERM if the kernel hides its
 * addresses (reported), -ENOMEM, -errno of /proc/kallsyms (reported).
 */
int kernel_map_create(const struct kernel_map_sink *sink, bool keep_addresses, struct kernel_map **ret_map);
void kernel_map_destroy(struct kernel_map *map);

/* The table as last read; valid until a refresh. */
const struct kallsyms *kernel_map_table(const struct kernel_map *map);

/* (module id << 32 | offset), or 0 if the address is unknown. */
uint64_t kernel_map_normalize(struct kernel_map *map, uint64_t address);

/* The name of the kernel's variable at this address, valid until a refresh. NULL: none, or variables are not listed. */
const char *kernel_map_variable(const struct kernel_map *map, uint64_t address);

/* While it stays the same, so do the results of kernel_map_normalize(), except for unknown addresses. */
uint64_t kernel_map_revision(const struct kernel_map *map);

/* Text added or removed at run time (PERF_RECORD_KSYMBOL). -ENOSPC beyond a fixed number: its frames have no names. */
int kernel_map_add(struct kernel_map *map, uint64_t address, uint32_t length, bool bpf, const char *name);
void kernel_map_remove(struct kernel_map *map, uint64_t address);

/* Writes all modules and functions again that were written and are still there. What goes is written once more, too. */
void kernel_map_tell(struct kernel_map *map);

/* How many addresses were unknown since the last refresh. */
uint64_t kernel_map_unknown(const struct kernel_map *map);

/* Reads the kernel's lists again if a module was loaded or unloaded: for the once-a-second tick, not the drain loop. */
int kernel_map_refresh(struct kernel_map *map);

/*
 * Converts raw kernel stacks to those of the trace. A hook's callers recur: they are resolved
 * once, not frame by frame each time. Callers that were seen before have a number: an encoder
 * recognizes them by it, without looking at their frames. All memory is allocated at creation.
 */

struct kernel_chain {
	/* By module (record/place/kernel_map.h), as many as were given; borrowed until the next call. */
	const uint64_t *frames;
	uint64_t callers;	/* struct event_stacks, kernel_callers */
};

/* 0, -ENOMEM, or -errno if the kernel provides no random numbers. */
int kernel_chains_create(struct kernel_map *map, struct kernel_chains **ret_chains);
void kernel_chains_destroy(struct kernel_chains *chains);

/* For `count` addresses, at most RING_MAX_FRAMES, leaf first. */
struct kernel_chain kernel_chains_take(struct kernel_chains *chains, const uint64_t *addresses, uint32_t count);

#endif
