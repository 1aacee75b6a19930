/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Commands of the shell that make what a test needs. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Whether it ended with 0. */
__attribute__((format(printf, 1, 2))) static inline bool shell_run(const char *format, ...)
{
	char command[4096];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	return system(command) == 0;
}
