/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/foreign_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOKED_AT = 4096 };

struct head {
	char bytes[LOOKED_AT + 1]; /* NUL-terminated */
	size_t length;
};

static const struct magic {
	const char *bytes;
	size_t length;
	const char *what; /* "%s" stands for the path, once */
} magics[] = {
	{"PERFILE2", 8, "is a recording of perf, which perf report -i %s reads; rwalker-record makes those for us"},
	{"2ELIFREP", 8, "is a recording of perf from a machine of the other byte order, which perf report -i %s reads"},
	{"\x17\x08\x44tracing", 10, "is a recording of trace-cmd, which trace-cmd report -i %s reads"},
	{"\x7f" "ELF", 4, "is a program, a library or a core dump; a command is recorded by rwalker-record -u -- %s"},
	{"\x1f\x8b", 2, "is packed by gzip: gzip -dc %s | rwalker-report -"},
	{"\x28\xb5\x2f\xfd", 4, "is packed by zstd: zstd -dc %s | rwalker-report -"},
	{"\xfd" "7zXZ", 5, "is packed by xz: xz -dc %s | rwalker-report -"},
	{"BZh", 3, "is packed by bzip2: bzip2 -dc %s | rwalker-report -"},
	{"\x04\x22\x4d\x18", 4, "is packed by lz4: lz4 -dc %s | rwalker-report -"},
	{"PK\x03\x04", 4, "is packed by zip: unzip -p %s | rwalker-report -"},
	{"\x89RWK\r\n\x1a\n", 8, "is a trace whose first 64 bytes are damaged: it cannot be read"},
	{"SQLite format 3", 15, "is a database; a cache of names is given as --cache=%s"},
};

static const struct magic *find_magic(const struct head *head)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (head->length >= magics[i].length && !memcmp(head->bytes, magics[i].bytes, magics[i].length))
			return &magics[i];
	return NULL;
}

static bool is_text(const struct head *head)
{
	for (size_t i = 0; i < head->length; i++) {
		unsigned char byte = (unsigned char)head->bytes[i];

		if (!byte || byte == 0x7f || (byte < ' ' && !strchr("\n\r\t\f\033", byte)))
			return false;
	}
	return true;
}

/* Whether the first line is of the form "comm;function;function 123". */
static bool is_folded(const char *text)
{
	const char *end = text + strcspn(text, "\n"), *number = end;

	while (number > text && isdigit((unsigned char)number[-1]))
		number--;
	return number > text && number < end && number[-1] == ' ' && memchr(text, ';', (size_t)(number - text));
}

static const char *text_kind(const char *text)
{
	if (is_folded(text))
		return "is folded text, which flamegraph.pl %s > out.svg draws";
	if (!strncmp(text, "# cpu ", 6) || !strncmp(text, "# offcpu ", 9) || !strncmp(text, "# tasks ", 8))
		return "is a report already: less %s";
	if (text[0] == '{' || text[0] == '[')
		return "is JSON, and no trace";
	return "is text, and no trace: rwalker-record -o FILE writes traces";
}

static void fill(const char *form, const char *path, char text[static FOREIGN_FILE_TEXT])
{
	const char *mark = strstr(form, "%s");

	if (mark)
		(void)snprintf(text, FOREIGN_FILE_TEXT, "%.*s%s%s", (int)(mark - form), form, path, mark + 2);
	else
		(void)snprintf(text, FOREIGN_FILE_TEXT, "%s", form);
}

void foreign_file_describe(int fd, const char *path, char text[static FOREIGN_FILE_TEXT])
{
	struct head head = {.length = 0};
	ssize_t got = pread(fd, head.bytes, LOOKED_AT, 0);
	const struct magic *magic;

	if (got > 0)
		head.length = (size_t)got;
	magic = find_magic(&head);
	if (!head.length)
		fill("is empty: its recorder has not written anything yet, or failed", path, text);
	else if (magic)
		fill(magic->what, path, text);
	else if (is_text(&head))
		fill(text_kind(head.bytes), path, text);
	else
		fill("is not an rwalker trace", path, text);
}
