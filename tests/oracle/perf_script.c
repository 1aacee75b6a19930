/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/perf_script.h"

#include <inttypes.h>

static bool read_line(struct perf_script *script)
{
	if (!script->has_line)
		script->has_line = fgets(script->line, sizeof(script->line), script->file);
	return script->has_line;
}

static bool parse_head(const char *line, uint32_t *ret_tid, uint64_t *ret_time)
{
	uint64_t seconds, nanoseconds;

	if (sscanf(line, " %*u/%" SCNu32 " %" SCNu64 ".%9" SCNu64 ":", ret_tid, &seconds, &nanoseconds) != 3)
		return false;
	*ret_time = seconds * 1000000000 + nanoseconds;
	return true;
}

bool perf_script_next(struct perf_script *script)
{
	bool begun = false;

	script->count = 0;
	for (; read_line(script); script->has_line = false) {
		uint64_t address, time;
		uint32_t tid;

		if (parse_head(script->line, &tid, &time)) {
			if (begun)
				return true;
			begun = true;
			script->tid = tid;
			script->time = time;
		} else if (begun && sscanf(script->line, " %" SCNx64, &address) == 1 && address >> 63 == 0 &&
			   script->count < PERF_SCRIPT_DEPTH) {
			script->addresses[script->count++] = address;
		}
	}
	return begun;
}
