/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* How --info prints text from a trace, which may contain anything: escaped by common/printable.h. */
#ifndef RWALKER_REPORT_TOOL_INFO_TEXT_H
#define RWALKER_REPORT_TOOL_INFO_TEXT_H

#include <stdio.h>

void info_text(FILE *out, const char *text);
/* " key text". Prints nothing if there is no text. */
void info_line(FILE *out, const char *key, const char *text);

#endif
