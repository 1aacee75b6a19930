/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Lines of a module's addresses. They come from the traces, else from DWARF on this machine: of the
 * local binary, if it has the module's build-id and DWARF, else of its separate debug file; for the
 * kernel, of --vmlinux or its debug file. All addresses of a module are resolved at once, before
 * the first lookup. The answers belong to the module.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_LINES_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_LINES_H

#include "report/resolve/module/modules.h"

struct line_request {
	uint32_t module;
	const uint64_t *addresses; /* of the module; ascending, each once */
	size_t count;
};

/*
 * Resolves the addresses of some modules, each listed once. Call it once. A child process reads the
 * DWARF for all modules that use the same files. Unknown addresses have no answers; after an error module->lines_error is
 * set, as returned by line_child_finish(). Ctrl-C ends it: modules not yet read are counted
 * (modules->lines_cut). 0 or -ENOMEM.
 */
int module_lines_resolve(struct modules *modules, const struct line_request *requests, size_t count);

/* The levels of a resolved address, innermost function first. 0: nothing is known about it. */
size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address,
			 const struct line_level **ret_levels);

#endif
