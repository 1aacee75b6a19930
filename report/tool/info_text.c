/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/info_text.h"

#include <string.h>

#include "common/printable.h"

void info_text(FILE *out, const char *text)
{
	printable_write(out, text, strlen(text));
}

void info_line(FILE *out, const char *key, const char *text)
{
	if (!text || !text[0])
		return;
	(void)fprintf(out, "  %-16s", key);
	info_text(out, text);
	(void)fputc('\n', out);
}
