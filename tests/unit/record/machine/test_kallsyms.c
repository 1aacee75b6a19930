/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/test.h"

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

static const char kernel[] = "0000000000000000 A fixed_percpu_data\n"
			     "ffffffff81000000 T _stext\n"
			     "ffffffff81000000 T _text\n"
			     "ffffffff81000040 t first\n"
			     "ffffffff81000080 W second\n"
			     "ffffffff81000100 T _etext\n"
			     "ffffffff82000000 D init_task\n"
			     "ffffffff82000040 d __compound_literal.3\n"
			     "ffffffff82000080 b lock\n"
			     "ffffffff82000090 R linux_banner\n";

static const char in_modules[] = "ffffffffc0200080 t late\t[ext4]\n"
				 "ffffffffc0200000 T early\t[ext4]\n"
				 "ffffffffc0200010 d a_variable\t[ext4]\n"
				 "ffffffffc0100000 t other\t[xfs]\n"
				 "ffffffffc0100020 t $x\t[xfs]\n"
				 "ffffffffc0300000 t gone\t[unloaded]\n"
				 "ffffffffc0400000 t bpf_prog_6deef7357e7b4530_a\t[bpf]\n"
				 "ffffffffc0400100 t ftrace_trampoline\t[__builtin__ftrace]\n";

static const char modules[] = "ext4 4096 1 - Live 0xffffffffc0200000\n"
			      "xfs 4096 0 - Live 0xffffffffc0100000\n";

static void reads_functions_and_variables(struct test *t)
{
	_cleanup_(kallsyms_deinit) struct kallsyms table = {0};
	char text[2048];

	(void)snprintf(text, sizeof(text), "%s%s", kernel, in_modules);
	CHECK_INT(t, read_made(t, &table, text, modules), 0);
	CHECK_INT(t, table.symbols.count, 5 + 3);
	CHECK_STR(t, name_at(&table, 0xffffffff81000000), "_text"); /* the last of those at one address */
	CHECK_STR(t, name_at(&table, 0xffffffff8100007f), "first");
	CHECK_STR(t, name_at(&table, 0xffffffff810000ff), "second");
	CHECK_STR(t, name_at(&table, 0xffffffff81000100), "none");
	CHECK_STR(t, name_at(&table, 0xffffffffc0200001), "early");
	CHECK_STR(t, name_at(&table, 0xffffffffc0200fff), "late");
	CHECK_STR(t, name_at(&table, 0xffffffffc0100020), "other");
	CHECK_STR(t, name_at(&table, 0xffffffffc0300000), "none");
	CHECK_STR(t, table.modules.items[kallsyms_find(&table, 0xffffffffc0100020)->module].name, "xfs");
	CHECK_INT(t, kallsyms_size(&table, kallsyms_find(&table, 0xffffffff81000040)), 0x40);
	CHECK_STR(t, kallsyms_variable(&table, 0xffffffff82000080), "lock");
	CHECK_STR(t, kallsyms_variable(&table, 0xffffffff82000000), "init_task");
	CHECK(t, !kallsyms_variable(&table, 0xffffffff82000040) && !kallsyms_variable(&table, 0xffffffffc0200010));
	CHECK_INT(t, table.run_time.count, 2);
	CHECK(t, !table.run_time.items[0].is_trampoline && table.run_time.items[1].is_trampoline);
}

/* Longer than any buffer: reads end in the middle of lines. */
static void reads_lines_across_reads(struct test *t)
{
	enum { COUNT = 20000, ROOM = COUNT * 48 };
	_cleanup_(kallsyms_deinit) struct kallsyms table = {0};
	_cleanup_free_ char *text = malloc(ROOM);
	char name[32];
	int length = snprintf(text, ROOM, "ffffffff81000000 T _text\n");
	bool all = true;

	for (int i = 1; i < COUNT; i++)
		length += snprintf(text + length, (size_t)(ROOM - length), "%016lx t function_%d\n",
				   0xffffffff81000000 + (unsigned long)i * 16, i);
	(void)snprintf(text + length, (size_t)(ROOM - length), "ffffffff82000000 T _etext\n");
	CHECK_INT(t, read_made(t, &table, text, ""), 0);
	CHECK_INT(t, table.symbols.count, COUNT + 1);
	for (int i = 1; i < COUNT; i++) {
		(void)snprintf(name, sizeof(name), "function_%d", i);
		all &= !strcmp(name_at(&table, 0xffffffff81000000 + (unsigned long)i * 16 + 15), name);
	}
	CHECK(t, all);
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

static void passes_over_what_is_no_symbol(struct test *t)
{
	_cleanup_(kallsyms_deinit) struct kallsyms table = {0};

	CHECK_INT(t, read_made(t, &table,
			       "\n \nffff\nffffffff81000000\nffffffff81000000 T\nffffffff81000000 T \n T x\n"
			       "ffffffff81000000 Tx y\nffffffff81000000 T m\t[]\nFFFFFFFF81000000 T upper\n"
			       "ffffffff81000000 T good\nffffffff81000010 T not ended", ""), 0);
	CHECK_INT(t, table.symbols.count, 1);
	CHECK_STR(t, table.names.items, "good");
}

static void says_when_addresses_are_hidden(struct test *t)
{
	_cleanup_(kallsyms_deinit) struct kallsyms table = {0};

	CHECK_INT(t, read_made(t, &table, "0000000000000000 T _text\n0000000000000000 t first\n", ""), -EPERM);
	CHECK_INT(t, read_made(t, &table, "", ""), -EPERM);
	CHECK_INT(t, kallsyms_read_from(&table, "/nonexistent/kallsyms", "/nonexistent/modules"), -ENOENT);
}

TEST_MAIN(TEST(reads_functions_and_variables), TEST(reads_lines_across_reads), TEST(sorts_what_is_in_no_order),
	  TEST(passes_over_what_is_no_symbol), TEST(says_when_addresses_are_hidden))
