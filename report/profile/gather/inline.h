/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes frames for inlined functions. After all traces were read, all addresses of each module are
 * resolved at once (report/resolve/module/module_lines.h). Each node whose address is in inlined
 * code becomes a path of nodes: the real function, then the functions inlined in it, with the
 * innermost nearest to the leaf. All references to a node are changed to the last node of its path.
 * Work is per unique address and per node, never per sample; nodes keep their order.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_INLINE_H
#define RWALKER_REPORT_PROFILE_GATHER_INLINE_H

#include "report/profile/tables/profile_internal.h"

/* Call after the last node was added, before anything is sorted. Does nothing with --quick. -ENOMEM. */
int profile_expand_inlines(struct profile *profile);

#endif
