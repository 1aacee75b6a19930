/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which names a trace gets: all those among which the reader would choose if it had the whole table. */
#include "record/pick/symbol_pick.h"

#include <elf.h>
#include <stdlib.h>

#include "tests/test.h"

/* Names are identified by their numbers. */
enum { PLAIN = 1, MARKER, WEAK, LOCAL, TWIN, OTHER, BARE };

static bool has(const struct elf_symbols *symbols, uint32_t name)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (symbols->items[i].name == name)
			return true;
	return false;
}

static void drops_what_is_not_chosen(struct test *t)
{
	struct elf_symbol items[] = {
		{.address = 0x200, .size = 8, .name = OTHER, .binding = STB_LOCAL},
		/* As OCaml marks the beginning of a unit. */
		{.address = 0x100, .size = 0, .name = MARKER, .binding = STB_GLOBAL},
		{.address = 0x100, .size = 32, .name = WEAK, .binding = STB_WEAK},
		{.address = 0x100, .size = 32, .name = LOCAL, .binding = STB_LOCAL},
		{.address = 0x100, .size = 32, .name = PLAIN, .binding = STB_GLOBAL},
		{.address = 0x100, .size = 16, .name = TWIN, .binding = STB_GLOBAL},
		{.address = 0x300, .size = 0, .name = BARE, .binding = STB_LOCAL},
	};
	struct elf_symbols symbols = {.items = items, .count = sizeof(items) / sizeof(items[0])};

	symbol_pick_drop_lesser(&symbols);
	CHECK_INT(t, symbols.count, 4);
	CHECK(t, has(&symbols, PLAIN) && has(&symbols, TWIN) && has(&symbols, OTHER) && has(&symbols, BARE));
	CHECK_INT(t, symbols.items[2].address, 0x200);
	CHECK_INT(t, symbols.items[3].address, 0x300);
}

static void no_symbols(struct test *t)
{
	struct elf_symbols symbols = {.count = 0};

	symbol_pick_drop_lesser(&symbols);
	CHECK_INT(t, symbols.count, 0);
}

/* A name without a size reaches to the next address, and is kept for the hits in that range. */
static void a_name_without_a_size(struct test *t)
{
	struct elf_symbol items[] = {{.address = 0x100, .name = PLAIN}, {.address = 0x140, .size = 16, .name = OTHER}};
	uint64_t hit = 0x13f;
	bool keep[2] = {false, false};

	symbol_pick_prepare(items, 2);
	CHECK_INT(t, items[0].size, 0x40);
	CHECK(t, symbol_pick_holds(items, 2, hit) && !symbol_pick_holds(items, 2, 0x150));
	symbol_pick_mark(items, 2, &hit, 1, keep);
	CHECK(t, keep[0] && !keep[1]);
}

TEST_MAIN(TEST(drops_what_is_not_chosen), TEST(no_symbols), TEST(a_name_without_a_size))
