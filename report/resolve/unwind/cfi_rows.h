/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Call frame information compiled to flat rows {offset in the function, rule}, one FDE at a time,
 * on demand. A rule defines where the caller's registers are; equal rules are stored once, across
 * all modules. One object per thread: it reads the modules' sections, which threads share, and
 * writes only to itself.
 *
 * Memory: when rows and rules exceed the budget, all of them are dropped and `epoch` is
 * incremented; they are compiled again on demand. So a rule's number is only valid within its
 * epoch.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_CFI_ROWS_H
#define RWALKER_REPORT_RESOLVE_UNWIND_CFI_ROWS_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/resolve/unwind/cfi_section.h"

enum cfi_rule_kind { /* DWARF 5 §6.4.1 */
	CFI_UNSPECIFIED,
	CFI_UNDEFINED,
	CFI_SAME,
	CFI_OFFSET,	    /* at CFA + value */
	CFI_VALUE_OFFSET,   /* is CFA + value */
	CFI_REGISTER,	    /* in another register */
	CFI_EXPRESSION,	    /* at the result of the expression */
	CFI_VALUE_EXPRESSION,
};

enum { /* flags of a rule */
	CFI_RULE_PLAIN = 1,	 /* the CFA is a register plus an offset, all registers are at offsets from it */
	CFI_RULE_SIGNAL = 2,	 /* the caller was interrupted, it did not make a call */
	CFI_RULE_DEBUG_FRAME = 4, /* expressions are in .debug_frame */
};

struct cfi_register_rule {
	int32_t value;	       /* offset; position of an expression's length in its section; other register */
	uint8_t reg, kind;     /* kind: enum cfi_rule_kind from CFI_OFFSET on */
	uint8_t zero[2];
};

enum cfi_shortcut {
	CFI_NO_SHORTCUT,
	CFI_CALLER_BY_SP, /* a plain rule that finds pc; the CFA is sp plus an offset, all slots are close together */
	CFI_CALLER_BY_FP, /* the same, from fp */
	CFI_OUTERMOST,	  /* a plain rule from sp without pc: there is no caller */
};

/* A summary of a plain rule. Computed when a rule is stored. */
struct cfi_short {
	uint64_t listed; /* bit n: register n is at an offset */
	int32_t first;	 /* CFA + first: the lowest slot */
	int32_t pc, fp;	 /* CFA + pc: the slot of the return address; CFA + fp: of the frame pointer, if it is listed */
	uint16_t span;	 /* bytes from the lowest slot to the end of the highest */
	uint8_t shortcut;
	uint8_t zero;
};

/* Registers that are neither in `same` nor listed are unknown in the caller, except that sp is the CFA. */
struct cfi_rule {
	struct cfi_short brief;
	uint64_t same;	  /* bit n: register n keeps its value */
	int32_t cfa_value; /* as for cfi_register_rule */
	uint8_t cfa_kind; /* CFI_VALUE_OFFSET or CFI_VALUE_EXPRESSION */
	uint8_t cfa_register;
	uint8_t flags;
	uint8_t count;
	struct cfi_register_rule registers[];
};

_Static_assert(sizeof(struct cfi_rule) == 40 && sizeof(struct cfi_register_rule) == 8,
	       "rules are compared as bytes");

/* No rule: numbers below CFI_RULE_FIRST. */
enum { CFI_RULE_NONE, CFI_RULE_FIRST };

struct cfi_row {
	uint32_t offset; /* from the FDE's start; the row is valid up to the next one */
	uint32_t rule;
};

struct cfi_block { /* one FDE's rows */
	uint64_t start, end;
	uint32_t first_row, row_count;
};

struct cfi_module {
	const struct cfi_section *section;
	uint32_t *blocks; /* by FDE: its block's number + 1, 0: not compiled */
};

struct cfi_program; /* the compiler's working state */

enum { CFI_RECENT = 1024 };

struct cfi_rows {
	ARRAY(struct cfi_module) modules; /* by the caller's module number */
	ARRAY(struct cfi_block) blocks;
	ARRAY(struct cfi_row) rows;
	ARRAY(uint64_t) rules; /* consecutive struct cfi_rule; the rule's number is the index */
	struct hash_map numbers; /* a rule's bytes after `brief` -> its number */
	uint32_t recent[CFI_RECENT]; /* the last rule with a cheap hash, to avoid lookups in the map */
	struct cfi_program *program;
	size_t budget;
	uint32_t epoch;
};

int cfi_rows_init(struct cfi_rows *rows, size_t budget);
void cfi_rows_deinit(struct cfi_rows *rows);

/*
 * The rule for a link-time address of a module: its number, CFI_RULE_NONE if there is none.
 * `module` is the caller's number for the section, dense from 0. -ENOMEM.
 */
int cfi_rows_find(struct cfi_rows *rows, uint32_t module, const struct cfi_section *section, uint64_t address,
		  uint32_t *ret_rule);

static inline const struct cfi_rule *cfi_rows_rule(const struct cfi_rows *rows, uint32_t number)
{
	return (const struct cfi_rule *)(const void *)&rows->rules.items[number];
}

/* For the compiler: appends a row to the current block, unless it equals the previous row. */
int cfi_rows_append(struct cfi_rows *rows, uint32_t block_first, uint32_t offset, uint32_t rule);
/* The number of a rule, ignoring `brief`; 1: the rule is new, and has no `brief` yet. -ENOMEM. */
int cfi_rows_intern(struct cfi_rows *rows, const struct cfi_rule *rule, uint32_t *ret_number);
void cfi_rows_set_brief(struct cfi_rows *rows, uint32_t number, const struct cfi_short *brief);

#endif
