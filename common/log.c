/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/printable.h"

/* On a terminal there may be a progress line; the next message replaces it. */
#define ERASE "\r\033[K"

enum level { LEVEL_ERROR = 3, LEVEL_WARNING = 4, LEVEL_INFO = 6 }; /* syslog(3) */

static const char *kind_of(enum level level)
{
	return level == LEVEL_ERROR ? "error: " : level == LEVEL_WARNING ? "warning: " : "";
}

enum { LINE_MAX_BYTES = 4608 }; /* a path of PATH_MAX bytes and the message about it */

/* The journal adds the program's name itself, and takes the level of a line from its beginning (sd-daemon(3)). */
static bool goes_to_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat status;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && !fstat(STDERR_FILENO, &status) &&
	       status.st_dev == device && status.st_ino == inode;
}

/*
 * One write per line, so that lines of several processes do not mix. A longer message ends in
 * "...".
 */
static void log_line(enum level level, const char *format, va_list arguments)
{
	static const char cut[] = "...";
	char line[LINE_MAX_BYTES], safe[sizeof(ERASE) + 4 * LINE_MAX_BYTES + 2];
	size_t before = isatty(STDERR_FILENO) ? strlen(ERASE) : 0;
	int prefix = goes_to_journal() ?
		snprintf(line, sizeof(line), "<%d>%s", (int)level, kind_of(level)) :
		snprintf(line, sizeof(line), "%.64s: %s", program_invocation_short_name, kind_of(level));
	int rest = vsnprintf(line + prefix, sizeof(line) - (size_t)prefix, format, arguments);
	size_t length;

	if (rest < 0)
		rest = 0;
	length = (size_t)prefix + (size_t)rest;
	if (length >= sizeof(line)) {
		length = sizeof(line) - 1;
		memcpy(line + length - strlen(cut), cut, strlen(cut));
	}
	memcpy(safe, ERASE, before);
	length = before + printable_escape_line(safe + before, sizeof(safe) - 1 - before, line, length);
	safe[length++] = '\n';
	(void)fwrite(safe, 1, length, stderr);
}

int log_error(int errno_value, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line(LEVEL_ERROR, format, arguments);
	va_end(arguments);
	return -errno_value;
}

void log_warning(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line(LEVEL_WARNING, format, arguments);
	va_end(arguments);
}

void log_info(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	log_line(LEVEL_INFO, format, arguments);
	va_end(arguments);
}
