/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The compressed symbols (.gnu_debugdata) of stripped files embedded in traces: joins the pieces
 * and decompresses them.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_EMBEDDED_MINI_H
#define RWALKER_REPORT_RESOLVE_MODULE_EMBEDDED_MINI_H

#include "report/resolve/module/modules.h"

/* Malformed data is ignored; data beyond the budget is counted (module_budget.h). 0, -ENOMEM. */
int embedded_mini_add(struct modules *modules, const struct module *module, const struct module_part *part,
		      struct symbol_list *list);

#endif
