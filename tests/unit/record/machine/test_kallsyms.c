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

static void says_when_addresses_are_hidden(struct test *t)
{
	_cleanup_(kallsyms_deinit) struct kallsyms table = {0};

	CHECK_INT(t, read_made(t, &table, "0000000000000000 T _text\n0000000000000000 t first\n", ""), -EPERM);
	CHECK_INT(t, read_made(t, &table, "", ""), -EPERM);
	CHECK_INT(t, kallsyms_read_from(&table, "/nonexistent/kallsyms", "/nonexistent/modules"), -ENOENT);
}

TEST_MAIN(TEST(reads_lines_across_reads), TEST(sorts_what_is_in_no_order),
	  TEST(says_when_addresses_are_hidden))
