/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel map compared with /proc/kallsyms as awk reads it, and with text that comes and goes. */
#include "tests/test.h"
#include "tests/unit/record/place/heard_kernel.h"

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
