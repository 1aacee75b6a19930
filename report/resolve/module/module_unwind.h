/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A module's unwind information, read on demand from the trace, or, if the trace has none, from the
 * local file with its build-id. Each module has its own, which threads may share.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_UNWIND_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_UNWIND_H

#include "report/resolve/module/modules.h"
#include "report/resolve/unwind/cfi_file.h"

enum unwind_source { /* of a module's unwind information */
	UNWIND_NOT_ASKED,
	UNWIND_FROM_TRACE,
	UNWIND_FROM_FILE,
	UNWIND_NOWHERE,
};

struct module_unwind {
	enum unwind_source source;
	struct cfi_file file; /* section is NULL if there is none */
};

/* *ret_section is NULL if there is none. 0 or -ENOMEM. `arch`: of the trace. */
int module_unwind_find(struct modules *modules, uint32_t number, const struct unwind_arch *arch,
		       const struct cfi_section **ret_section);
/*
 * Copies a piece of a section into the section, which the first piece creates. The pieces are
 * untrusted. Bytes that none covers are zero. 1: it was the first; 0: copied, or ignored because it
 * does not fit the others; -ENOMEM.
 */
int module_unwind_join(const struct event_embed_unwind *piece, struct elf_section_bytes *section);
void module_unwind_destroy(struct module_unwind *unwind);

#endif
