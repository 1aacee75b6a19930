/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/tool.h"

const struct tool tools[TOOL_KINDS] = {
	[TOOL_INFO] = {"info", tool_info, false},
	[TOOL_NEEDS] = {"needs", tool_needs, false},
	[TOOL_DUMP] = {"dump", tool_dump, false},
	[TOOL_CACHE_INFO] = {"cache-info", tool_cache_info, true},
	[TOOL_CACHE_CLEAR] = {"cache-clear", tool_cache_clear, true},
};
