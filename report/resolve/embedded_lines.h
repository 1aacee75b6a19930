/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Lines and inlined calls that a trace brings along (EMBED_LINES), put there where the debug information was.
 */
#ifndef RWALKER_REPORT_RESOLVE_EMBEDDED_LINES_H
#define RWALKER_REPORT_RESOLVE_EMBEDDED_LINES_H

#include "report/resolve/modules.h"

/* Answers what is not answered yet, as far as the traces can. Texts go to the pool. -ENOMEM, -errno of reading the trace. */
int embedded_lines_add(const struct module *module, struct text_pool *texts, struct line_answers *answers);

#endif
