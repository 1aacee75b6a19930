/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/waiting_calls.h"

#include <string.h>

#include "tests/test.h"

/* A table of the kernel's symbols, each 0x100 bytes long; module 1 is not the kernel's own. */
static void table_make(struct test *t, const char *const names[], size_t count, uint32_t module,
		       struct kallsyms *ret_table)
{
	const struct kallsyms_module modules[] = {{"[kernel]", 0x1000, 0x1000 + count * 0x100},
						  {"ext4", 0x9000, 0x9100}};

	*ret_table = (struct kallsyms){0};
	for (size_t i = 0; i < 2; i++)
		CHECK_INT(t, array_push(&ret_table->modules, modules[i]), 0);
	for (size_t i = 0; i < count; i++) {
		const struct kallsyms_symbol symbol = {0x1000 + i * 0x100, (uint32_t)ret_table->names.count, module};

		CHECK_INT(t, array_push(&ret_table->symbols, symbol), 0);
		for (const char *at = names[i]; at == names[i] || at[-1]; at++)
			CHECK_INT(t, array_push(&ret_table->names, *at), 0);
	}
}

/* Of each kind one is needed: else nothing may be concluded from what is not among the frames. */
static void marks_functions_or_none(struct test *t)
{
	static const char *const names[] = {"asm_exc_page_fault", "exit_to_user_mode_loop", "handle_mm_faulty",
					    "syscall_trace_enter.isra.0", "handle_mm_fault"};

	for (size_t count = 4; count <= 5; count++) {
		struct ring_object_functions known = {0};
		struct kallsyms table;

		table_make(t, names, count, 0, &table);
		waiting_calls_find(&table, &known);
		CHECK_INT(t, known.marks_known, count == 5);
		CHECK(t, known.starts[2] == 0x1300 && known.marked[2].bytes == 0x100);
		CHECK_INT(t, known.marked[2].mark, RING_MARK_BEFORE);
		CHECK(t, known.starts[3] == (count == 5 ? 0x1400 : UINT64_MAX));
		kallsyms_deinit(&table);
	}
}

/* No more than there is room for, and the bounds are of those that were taken. */
static void takes_no_more_than_there_is_room_for(struct test *t)
{
	const char *names[RING_LOCK_FUNCTIONS + 4];
	struct ring_object_functions known = {0};
	struct kallsyms table;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		names[i] = "__mutex_lock.cold";
	table_make(t, names, sizeof(names) / sizeof(names[0]), 0, &table);
	waiting_calls_find(&table, &known);
	CHECK_INT(t, known.locks[RING_LOCK_FUNCTIONS - 1].start, 0x1000 + (RING_LOCK_FUNCTIONS - 1) * 0x100);
	CHECK(t, known.locks_start == 0x1000 && known.locks_end == 0x1000 + RING_LOCK_FUNCTIONS * 0x100);
	kallsyms_deinit(&table);
}

TEST_MAIN(TEST(marks_functions_or_none), TEST(takes_no_more_than_there_is_room_for))
