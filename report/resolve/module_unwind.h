/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a module's code is unwound by, read at the first question: from the trace; from the local file with its build-id where
 * the trace holds nothing of it. Each module has one, which is its own and may be shared by threads.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_UNWIND_H
#define RWALKER_REPORT_RESOLVE_MODULE_UNWIND_H

#include "report/resolve/cfi_file.h"
#include "report/resolve/modules.h"

enum unwind_source { /* of a module's unwind information */
	UNWIND_NOT_ASKED,
	UNWIND_FROM_TRACE,
	UNWIND_FROM_FILE,
	UNWIND_NOWHERE,
};

struct module_unwind {
	enum unwind_source source;
	struct cfi_file file; /* section NULL: there is none */
};

/* NULL in *ret_section where there is none. 0 or -ENOMEM. `arch`: of the trace. */
int module_unwind_find(struct modules *modules, uint32_t number, const struct unwind_arch *arch,
		       const struct cfi_section **ret_section);
void module_unwind_destroy(struct module_unwind *unwind);

#endif
