/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/module_budget.h"

uint64_t *module_budget_find(struct modules *modules, const struct trace_model *model)
{
	uint64_t stored = model->statistics[RWK_CHUNK_EMBED].stored_bytes;
	struct module_budget budget = {.model = model,
				       .left = stored * MODULE_BUDGET_FACTOR + MODULE_BUDGET_FREE};

	for (size_t i = 0; i < modules->budgets.count; i++)
		if (modules->budgets.items[i].model == model)
			return &modules->budgets.items[i].left;
	if (array_push(&modules->budgets, budget) < 0)
		return NULL;
	return &modules->budgets.items[modules->budgets.count - 1].left;
}
