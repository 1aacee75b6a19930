/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state of a call frame program between two instructions: a rule for the CFA and one for each
 * register; and its conversion to a rule of the table. Used by the compiler (cfi_program.c) only.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_CFI_STATE_H
#define RWALKER_REPORT_RESOLVE_UNWIND_CFI_STATE_H

#include "report/resolve/unwind/cfi_rows.h"

struct cfi_register_state {
	int32_t value;
	uint8_t kind; /* enum cfi_rule_kind */
};

struct cfi_state {
	struct cfi_register_state registers[UNWIND_REGISTERS];
	uint64_t specified; /* bit n: registers[n] is not CFI_UNSPECIFIED */
	int32_t cfa_value;
	uint8_t cfa_kind; /* CFI_UNSPECIFIED, CFI_VALUE_OFFSET, CFI_VALUE_EXPRESSION */
	uint8_t cfa_register;
};

/* The number of its rule; CFI_RULE_NONE if there is no CFA. -ENOMEM. */
int cfi_state_intern(const struct cfi_state *state, const struct unwind_arch *arch, const struct cfi_fde *fde,
		     struct cfi_rows *rows, uint32_t *ret_number);

#endif
