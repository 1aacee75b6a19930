/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Limits the total decompressed size of a section's compressed data (MiniDebugInfo, .debug_frame):
 * 16 MB, plus 32 times the stored size of the section's EMBED chunks. Real data expands 3 to 10
 * times, an xz bomb 7,000 times. Each section has its own budget, so it can use up only its own.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_BUDGET_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_BUDGET_H

#include "report/resolve/module/modules.h"

enum { MODULE_BUDGET_FREE = 16 << 20, MODULE_BUDGET_FACTOR = 32 };

struct module_budget {
	const struct trace_model *model;
	uint64_t left; /* bytes */
};

/* The bytes left for the section; valid until the next call. NULL: out of memory. */
uint64_t *module_budget_find(struct modules *modules, const struct trace_model *model);

#endif
