/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How much the compressed data that a section brings (MiniDebugInfo, .debug_frame) may be when it is
 * unpacked, in sum: 16 MB, and 32 times what the section's EMBED chunks take. Real data is 3 to 10
 * times as large unpacked; a bomb of xz is 7,000 times as large. What a section uses up is missing
 * for itself only.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_BUDGET_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_BUDGET_H

#include "report/resolve/module/modules.h"

enum { MODULE_BUDGET_FREE = 16 << 20, MODULE_BUDGET_FACTOR = 32 };

struct module_budget {
	const struct trace_model *model;
	uint64_t left; /* bytes */
};

/* What is left for the section; valid until the next call. NULL: -ENOMEM. */
uint64_t *module_budget_find(struct modules *modules, const struct trace_model *model);

#endif
