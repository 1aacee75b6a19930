/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/unscrub.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"

/* As in the view of folded stacks, whose frames are separated by semicolons. */
static void write_word(FILE *out, const char *name, size_t length)
{
	while (length) {
		const char *semicolon = memchr(name, ';', length);
		size_t part = semicolon ? (size_t)(semicolon - name) : length;

		printable_write(out, name, part);
		if (semicolon) {
			(void)fputs("\\x3b", out);
			part++;
		}
		name += part;
		length -= part;
	}
}

static void translate(const struct pseudonyms *names, const char *line, size_t length, FILE *out)
{
	for (size_t at = 0, used; at < length; at += used) {
		const char *name;
		size_t name_length;
		bool folded;

		used = pseudonyms_read(names, line + at, length - at, &name, &name_length);
		if (!used) {
			(void)fputc(line[at], out);
			used = 1;
			continue;
		}
		folded = (at && line[at - 1] == ';') || (at + used < length && line[at + used] == ';');
		if (folded)
			write_word(out, name, name_length);
		else
			printable_write(out, name, name_length);
	}
}

int unscrub_stream(const struct pseudonyms *names, FILE *in, FILE *out)
{
	_cleanup_free_ char *line = NULL;
	size_t room = 0;
	ssize_t length;

	errno = 0;
	while ((length = getline(&line, &room, in)) > 0)
		translate(names, line, (size_t)length, out);
	return feof(in) ? 0 : errno ? -errno : -EIO;
}
