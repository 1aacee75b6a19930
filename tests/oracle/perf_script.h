/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * perf's own result for a perf.data file: the text of `perf script -F pid,tid,time,ip --ns
 * --no-inline`, read sample by sample. User frames only; perf prints them as offsets in the file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PERF_SCRIPT_DEPTH = 2048 };

struct perf_script {
	FILE *file;
	char line[256];
	bool has_line;
	uint32_t tid;
	uint64_t time;
	uint64_t addresses[PERF_SCRIPT_DEPTH];
	size_t count;
};

/* false at the end. */
bool perf_script_next(struct perf_script *script);
