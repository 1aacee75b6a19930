/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lines and inlined calls that were embedded in a trace (EMBED_LINES) on a machine with the debug information. */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_EMBEDDED_LINES_H
#define RWALKER_REPORT_RESOLVE_MODULE_EMBEDDED_LINES_H

#include "report/resolve/module/modules.h"

/* Adds missing answers from the traces. Texts go to the pool. -ENOMEM, -errno of reading the trace. */
int embedded_lines_add(const struct module *module, struct text_pool *texts, struct line_answers *answers);

#endif
