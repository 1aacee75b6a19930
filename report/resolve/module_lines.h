/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the traces hold of the lines of a module's addresses, and what the DWARF of this machine says of the others: from the local
 * binary, if it has the module's build-id and DWARF, else from its separate debug file; of the kernel from --vmlinux or its
 * debug file. All addresses of a module are asked for at once, before the first is looked up. The answers are the module's.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_LINES_H
#define RWALKER_REPORT_RESOLVE_MODULE_LINES_H

#include "report/resolve/modules.h"

struct line_request {
	uint32_t module;
	const uint64_t *addresses; /* of the module; they ascend, each once */
	size_t count;
};

/*
 * Resolves the addresses of some modules, each of which is named once; to be called once. Their DWARF is read by one child each, as many
 * at a time as there are CPUs, LINE_CHILDREN_MAX at most; what comes out does not depend on that. Where nothing is known there are
 * no answers, and where something went wrong module->lines_error says so, as line_child_finish() has it. Ctrl-C ends it: what is
 * not read yet then is counted (modules->lines_cut). 0 or -ENOMEM.
 */
int module_lines_resolve(struct modules *modules, const struct line_request *requests, size_t count);

/* The levels of an address that was resolved, the innermost function first. 0: nothing is known of it. */
size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address, const struct line_level **ret_levels);

#endif
