/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

const struct tool tools[TOOL_KINDS] = {
	[TOOL_INFO] = {.name = "info", .run = tool_info},
	[TOOL_NEEDS] = {.name = "needs", .run = tool_needs},
	[TOOL_DUMP] = {.name = "dump", .run = tool_dump},
	[TOOL_CONDENSE] = {.name = "condense", .run = tool_condense, .writes = true},
	[TOOL_SCRUB] = {.name = "scrub", .run = tool_condense, .writes = true},
	[TOOL_RESOLVE_LINES] = {.name = "resolve-lines", .run = tool_resolve_lines, .writes = true},
};
