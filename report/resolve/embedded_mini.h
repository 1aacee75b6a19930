/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The packed symbols (.gnu_debugdata) of stripped files that the traces hold: pieces that are put together and unpacked. */
#ifndef RWALKER_REPORT_RESOLVE_EMBEDDED_MINI_H
#define RWALKER_REPORT_RESOLVE_EMBEDDED_MINI_H

#include "report/resolve/modules.h"

/* What makes no sense is as good as nothing. 0, -ENOMEM. */
int embedded_mini_add(const struct module *module, const struct module_part *part, struct symbol_list *list);

#endif
