/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/kernel_map.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/test.h"

/* Heard kernel: A kernel map of this host, and what it reported. */

struct heard {
	uint32_t last_id;
	struct event_module module;
	struct event_kernel_symbol symbol;
	char name[256];
	unsigned int modules, symbols;
	uint32_t ended_id; /* the last that was given back */
};

static inline int hear_module(void *context, const struct event_module *module)
{
	struct heard *heard = context;

	heard->module = *module;
	heard->modules++;
	return 0;
}

static inline int hear_symbol(void *context, const struct event_kernel_symbol *symbol)
{
	struct heard *heard = context;

	heard->symbol = *symbol;
	(void)snprintf(heard->name, sizeof(heard->name), "%.*s", (int)symbol->name.length, symbol->name.bytes);
	heard->symbols++;
	return 0;
}

static inline uint32_t give_id(void *context)
{
	return ++((struct heard *)context)->last_id;
}

static inline void hear_end(void *context, uint32_t id)
{
	((struct heard *)context)->ended_id = id;
}

/* 0 if the kernel hides it. */
static inline uint64_t address_of(const char *name)
{
	char shell[128];
	unsigned long address = 0;
	FILE *pipe;

	(void)snprintf(shell, sizeof(shell), "awk '$3==\"%s\" && NF==3 {print $1; exit}' /proc/kallsyms", name);
	pipe = popen(shell, "r");
	if (pipe && fscanf(pipe, "%lx", &address) != 1)
		address = 0;
	if (pipe)
		(void)pclose(pipe);
	return address;
}

static inline int map_open(struct heard *heard, struct kernel_map **ret_map)
{
	struct kernel_map_sink sink = {heard, hear_module, hear_symbol, give_id, hear_end};

	return kernel_map_create(&sink, false, ret_map);
}

/*
 * Kernel map: The kernel map compared with /proc/kallsyms as awk reads it, and with text that comes
 * and goes.
 */

/* After a call that never returns, the return address may be in the next function: the reader looks before it. */
static void names_what_is_before_a_first_byte(struct test *t)
{
	struct heard heard = {0};
	struct kernel_map *map;
	uint64_t address = address_of("vfs_read"), offset;

	if (!address)
		SKIP(t, "the kernel hides its addresses here");
	REQUIRE(t, !map_open(&heard, &map));
	offset = kernel_map_normalize(map, address + 2);
	CHECK(t, offset != 0);
	CHECK_INT(t, heard.symbols, 1);
	CHECK_INT(t, kernel_map_normalize(map, address), offset - 2);
	CHECK_INT(t, heard.symbols, 2);
	CHECK_INT(t, heard.symbol.offset + heard.symbol.size, (offset - 2) & 0xffffffff);
	CHECK_INT(t, kernel_map_normalize(map, address + 2), offset);
	CHECK_INT(t, kernel_map_normalize(map, address), offset - 2);
	CHECK_INT(t, heard.symbols, 2);
	kernel_map_destroy(map);
}

static void follows_text_made_at_run_time(struct test *t)
{
	const uint64_t base = 0xffffffffa0000000u - 0x20000000u; /* nothing is there: below the kernel */
	struct heard heard = {0};
	struct kernel_map *map;
	uint64_t first, second;

	if (!address_of("_text"))
		SKIP(t, "the kernel hides its addresses here");
	REQUIRE(t, !map_open(&heard, &map));
	CHECK_INT(t, kernel_map_normalize(map, base + 8), 0);
	CHECK_INT(t, kernel_map_add(map, base, 64, true, "bpf_prog_1234_one"), 0);
	first = kernel_map_normalize(map, base + 8);
	CHECK(t, first && (first & 0xffffffff) == 8);
	CHECK_STR(t, heard.name, "bpf_prog_1234_one");
	CHECK_INT(t, heard.module.kind, MODULE_BPF);
	CHECK_INT(t, kernel_map_normalize(map, base + 64), 0); /* one past its end */
	kernel_map_remove(map, base);
	CHECK_INT(t, heard.ended_id, first >> 32);
	CHECK_INT(t, kernel_map_normalize(map, base + 8), 0);
	CHECK_INT(t, kernel_map_add(map, base, 64, false, "bpf_trampoline_7"), 0);
	second = kernel_map_normalize(map, base + 8);
	CHECK(t, second >> 32 != first >> 32); /* different text at the same address is another module */
	CHECK_INT(t, heard.module.kind, MODULE_KERNEL_OTHER);
	CHECK_INT(t, kernel_map_refresh(map), 0);
	CHECK_INT(t, kernel_map_normalize(map, base + 8), second);
	kernel_map_destroy(map);
}

TEST_MAIN(TEST(names_what_is_before_a_first_byte), TEST(follows_text_made_at_run_time))
