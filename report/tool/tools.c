/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

const struct tool tools[TOOL_KINDS] = {
	[TOOL_INFO] = {"info", tool_info},
	[TOOL_NEEDS] = {"needs", tool_needs},
	[TOOL_DUMP] = {"dump", tool_dump},
};
