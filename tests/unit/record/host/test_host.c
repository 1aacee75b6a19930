/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/host/caller.h"
#include "record/host/kallsyms.h"
#include "record/host/waiting_calls.h"
#include "tests/test.h"

/* --- the groups of the user behind sudo: those that an ancestor was given here, as the kernel keeps them --- */

enum { USER = 54321, GROUP = 54322, MORE = 5 };

/* The kernel sorts them; the primary one comes first with us. */
static const gid_t GIVEN[] = {70000, 4, 27, GROUP, 1}, FOUND[] = {GROUP, 1, 4, 27, 70000};

/* In a grandchild: the groups that are found, with room for `room`. */
static int found_below(uid_t effective, size_t room, gid_t *groups)
{
	int report[2], count = -1;
	pid_t pid;

	if (pipe(report))
		return -1;
	pid = fork();
	if (!pid) {
		pid_t inner;

		if (setgroups(MORE, GIVEN) || setresgid(GROUP, GROUP, GROUP) || setresuid(USER, effective, USER))
			_exit(1);
		inner = fork();
		if (!inner) {
			count = (int)caller_groups(USER, GROUP, groups, room);
			(void)!write(report[1], &count, sizeof(count));
			(void)!write(report[1], groups, (size_t)count * sizeof(*groups));
			_exit(0);
		}
		_exit(waitpid(inner, NULL, 0) != inner);
	}
	(void)close(report[1]);
	if (read(report[0], &count, sizeof(count)) != sizeof(count) ||
	    read(report[0], groups, (size_t)count * sizeof(*groups)) != (ssize_t)((size_t)count * sizeof(*groups)))
		count = -1;
	(void)close(report[0]);
	(void)waitpid(pid, NULL, 0);
	return count;
}

/* A process that acts as another user is not the user's own, and its groups may be the other user's. */
static void finds_the_groups_of_the_users_own_ancestor(struct test *t)
{
	gid_t groups[16];

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, found_below(USER, 16, groups) == MORE);
	CHECK_MEM(t, groups, FOUND, sizeof(FOUND));
	REQUIRE(t, found_below(USER + 1, 16, groups) == 1);
	CHECK_INT(t, groups[0], GROUP);
}

/* --- kallsyms --- */

enum { ROOM_OF_PATH = 64 };

struct files {
	char symbols[ROOM_OF_PATH], modules[ROOM_OF_PATH];
};

static void file_make(struct test *t, char *path, const char *text)
{
	int fd;

	(void)snprintf(path, ROOM_OF_PATH, "/tmp/rwalker-kallsyms.XXXXXX");
	fd = mkstemp(path);
	CHECK_INT(t, write(fd, text, strlen(text)), (long)strlen(text));
	CHECK_INT(t, close(fd), 0);
}

static int read_made(struct test *t, struct kallsyms *table, const char *symbols, const char *modules)
{
	struct files files;
	int rc;

	file_make(t, files.symbols, symbols);
	file_make(t, files.modules, modules);
	rc = kallsyms_read_from(table, files.symbols, files.modules);
	CHECK_INT(t, unlink(files.symbols) | unlink(files.modules), 0);
	return rc;
}

static const char *name_at(const struct kallsyms *table, uint64_t address)
{
	const struct kallsyms_symbol *symbol = kallsyms_find(table, address);

	return symbol ? table->names.items + symbol->name : "none";
}

/* Modules may be below the kernel (arm64), and two names at one address: the last one in the file counts. */
static void sorts_what_is_in_no_order(struct test *t)
{
	_cleanup_(kallsyms_deinit) struct kallsyms table = {0};

	CHECK_INT(t, read_made(t, &table,
			       "ffff800008000000 T _text\nffff800008000100 t one\nffff800008001000 T _etext\n"
			       "ffff800001000200 t b\t[m]\nffff800001000100 t a\t[m]\nffff800001000100 T alias\t[m]\n",
			       "m 4096 0 - Live 0xffff800001000000\n"), 0);
	for (size_t i = 1; i < table.symbols.count; i++)
		CHECK(t, table.symbols.items[i - 1].address <= table.symbols.items[i].address);
	CHECK_STR(t, name_at(&table, 0xffff800001000180), "alias");
	CHECK_STR(t, name_at(&table, 0xffff800001000280), "b");
	CHECK_STR(t, name_at(&table, 0xffff800008000200), "one");
}

/* --- waiting calls --- */

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

TEST_MAIN(TEST(finds_the_groups_of_the_users_own_ancestor), TEST(sorts_what_is_in_no_order),
	  TEST(marks_functions_or_none))
