/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the code of a module, a few bytes at a time, for the unwinder when it has to guess. The
 * code comes from the trace if that has it, else from the file with the module's build-id, which is
 * opened on demand. Also knows the names of functions with special stacks.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_CODE_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_CODE_H

#include "report/resolve/module/modules.h"
#include "report/resolve/unwind/unwinder.h"

struct module_code;

void module_code_destroy(struct module_code *code);

/* Reads all of [address, address + size), which are link-time addresses. 1; 0: not available; -ENOMEM. */
int module_code_read(struct modules *modules, uint32_t number, uint64_t address, size_t size, uint8_t *bytes);

/* The function that contains a module address; results as above. *ret_named has link-time addresses. */
int module_code_name(struct modules *modules, uint32_t number, uint64_t address,
		     struct unwind_named *ret_named);

#endif
