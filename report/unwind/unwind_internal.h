/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the parts of the unwinder share, and tests use: rows of call frame information, expressions, the walk over a snapshot. */
#ifndef RWALKER_REPORT_UNWIND_UNWIND_INTERNAL_H
#define RWALKER_REPORT_UNWIND_UNWIND_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/unwind/cfi.h"
#include "report/unwind/unwinder.h"

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

/*
 * Evaluates a DWARF expression of call frame information (DWARF 5 §2.5 and §6.4.2) with a frame's
 * registers and the bytes of its stack. Operations that §6.4.2 excludes from call frame information
 * are refused, and so are those that need a live process: calls, threads, typed values. Bounded: 64
 * values on the stack, and as many steps as the caller allows.
 */
enum { EXPRESSION_STACK = 64 };

struct expression_context {
	const uint64_t *registers;
	uint64_t known;		 /* bit n: registers[n] is valid */
	unsigned int register_count;
	uint64_t bias;		 /* added to link-time addresses */
	/* Reads up to 8 bytes, little-endian; 0, or a negative code that ends the expression and is returned. */
	int (*read)(void *memory, uint64_t address, size_t size, uint64_t *ret_value);
	void *memory;
	unsigned int *steps_left; /* counted down */
};

/*
 * The value on top of the stack at the end; the stack starts with `initial` if that is not NULL.
 * -EBADMSG: malformed, or an unsupported operation; -ENODATA: needs an unknown register; -ELOOP: no
 * steps left; or what `read` returned.
 */
int expression_evaluate(const struct expression_context *context, const uint8_t *bytes, size_t length,
			const uint64_t *initial, uint64_t *ret_value);

/* A walk over one snapshot, frame by frame. A step replaces the frame's registers by those of its caller. */
enum { UNWIND_EXPRESSION_STEPS = 16384 };

struct unwind_frame {
	uint64_t registers[UNWIND_REGISTERS];
	uint64_t known;
	bool exact;  /* pc is the next instruction, not a return address */
	uint8_t how; /* enum unwind_how, without UNWIND_EXACT */
};

enum unwind_place { /* what is at a frame's pc */
	PLACE_UNMAPPED,
	PLACE_NO_CFI,	   /* a mapping without call frame information */
	PLACE_GAP,	   /* no FDE there, but the module has others */
	PLACE_TRAMPOLINE, /* of signals, without an FDE */
	PLACE_RULE,
	PLACE_SWITCH, /* after a call made on another stack, which the rule there does not cover */
};

struct unwind_code {
	enum unwind_place place;
	uint32_t rule; /* number, with PLACE_RULE */
};

/*
 * What the unwinder remembers about the addresses of frames: what is there, and which caller it
 * found the last time. Both tables are direct-mapped caches: a new entry replaces the one in the
 * slot of its hash.
 */
enum { UNWIND_SPOT_BITS = 14, UNWIND_RETURN_BITS = 12 };

/* What is at an address of a space. */
struct unwind_spot {
	uint64_t generation; /* 0: free */
	uint64_t key;	     /* pc and exactness */
	uint32_t rule;
	uint32_t epoch;	 /* epoch of the rows, on which rule numbers depend */
	uint32_t caller; /* the spot of the last caller reached from here: a prediction for the next time */
	uint8_t place;	 /* enum unwind_place */
};

/* The last caller of a frame at that position, for code with several callers. */
struct unwind_return {
	uint64_t cfa;
	uint32_t from, to; /* spots */
};

static inline uint64_t unwind_key(uint64_t pc, bool exact)
{
	return pc << 1 | exact;
}

/* The only slot where the entry can be. */
static inline uint32_t unwind_spot_number(uint64_t generation, uint64_t key)
{
	return hash_slot(key ^ generation << 32, UNWIND_SPOT_BITS);
}

static inline uint32_t unwind_return_number(uint64_t cfa, uint32_t from)
{
	return hash_slot(cfa ^ (uint64_t)from << 32, UNWIND_RETURN_BITS);
}

static inline bool unwind_spot_is(const struct unwind_spot *spot, uint64_t generation, uint64_t key,
				  uint32_t epoch)
{
	return spot->key == key && spot->generation == generation && spot->epoch == epoch;
}

struct unwinder {
	const struct unwind_arch *arch;
	struct cfi_rows rows;
	_Alignas(64) struct unwind_spot spots[1 << UNWIND_SPOT_BITS]; /* by hash; none spans two cache lines */
	struct unwind_return returns[1 << UNWIND_RETURN_BITS];
};

struct unwind_walk {
	struct unwinder *unwinder;
	const struct unwind_arch *arch;
	struct cfi_rows *rows;
	const struct unwind_space *space;
	const struct unwind_snapshot *snapshot;
	uint64_t address_mask;
	unsigned int steps_left;
	struct unwind_frame frame;
	struct unwind_code code; /* the frame's pc */
	uint64_t missing; /* with UNWIND_TRUNCATED: the missing address */
	bool written; /* the frame's address: unwind_settle_at_begin() */
};

/* --- the memory in a snapshot: the stack, and another stack that the task switched to --- */

/* `size` bytes at an address; NULL if they are not in the snapshot. */
static inline const uint8_t *unwind_bytes(const struct unwind_snapshot *snapshot, uint64_t address,
					  size_t size)
{
	uint64_t offset = address - snapshot->stack_address, other = address - snapshot->other_address;

	if (snapshot->stack_size >= size && offset <= snapshot->stack_size - size)
		return snapshot->stack + offset;
	return snapshot->other_size >= size && other <= snapshot->other_size - size ?
	       snapshot->other + other : NULL;
}

/* The 8 bytes at an address; false if they are not in the snapshot. */
static inline bool unwind_read(const struct unwind_snapshot *snapshot, uint64_t address, uint64_t *ret_value)
{
	const uint8_t *bytes = unwind_bytes(snapshot, address, sizeof(*ret_value));

	if (!bytes)
		return false;
	memcpy(ret_value, bytes, sizeof(*ret_value)); /* little-endian, as both machines are */
	return true;
}

/* --- the walk --- */

/* Starts at the leaf. 0 or -ENOMEM. */
int unwind_walk_begin(struct unwind_walk *walk, struct unwinder *unwinder, const struct unwind_space *space,
		      const struct unwind_snapshot *snapshot);
/* Goes to the caller. UNWIND_GOES_ON; else a reason to stop or -ENOMEM: the walk is over and its frame invalid. */
int unwind_walk_next(struct unwind_walk *walk);

/*
 * A hand-made return address may point to a function's first instruction, as if the function had
 * been interrupted there: Go's cgocallback() and coroutines make such addresses. The byte before it
 * belongs to no function. If the walk's frame, which is the last of the chain, has such an address,
 * marks both as exact. Call it for each frame before the next step. UNWIND_GOES_ON, or -ENOMEM.
 */
int unwind_settle_at_begin(struct unwind_walk *walk, struct unwind_chain *chain);

/* The reason why the chain's walk stopped, as shown to people. */
enum unwind_stop unwind_reason(const struct unwind_walk *walk, enum unwind_stop stop);

/* What the name of the function at an address says. NAMED_PLAIN without a name. */
enum unwind_named_kind unwind_kind(const struct unwind_walk *walk, uint64_t address);

/* Finds what is at a pc. 0 or -ENOMEM. */
int unwind_find_code(struct unwind_walk *walk, uint64_t pc, bool exact, struct unwind_code *ret_code);

/*
 * Makes steps as long as the rules are plain and appends their frames; the first that is not plain
 * is left to unwind_walk_next(). UNWIND_GOES_ON, or UNWIND_CLEAN at the last frame.
 */
enum unwind_stop unwind_plain_steps(struct unwind_walk *walk, struct unwind_chain *chain);

/* Each is like unwind_walk_next, for a frame whose code is known to be of that kind. */
int unwind_step_rule(struct unwind_walk *walk, uint32_t rule, struct unwind_frame *frame);
int unwind_step_trampoline(struct unwind_walk *walk, struct unwind_frame *frame);
int unwind_step_without_cfi(struct unwind_walk *walk, enum unwind_place place, struct unwind_frame *frame);

/* Appends the frames of the recorded chain beyond the walk's last frame, up to the first that is not code. */
void unwind_append_tail(const struct unwind_walk *walk, struct unwind_chain *chain);

/* How far beyond the end of the copied bytes an address is assumed to be on the same stack. */
#define UNWIND_STACK_REACH ((uint64_t)8 << 20)

/* Whether the missing address is beyond the copied bytes of a stack, so that a larger copy would have contained it. */
static inline bool unwind_is_cut(const struct unwind_walk *walk)
{
	const struct unwind_snapshot *snapshot = walk->snapshot;
	uint64_t end = snapshot->stack_address + snapshot->stack_size,
		 other_end = snapshot->other_address + snapshot->other_size;

	return (snapshot->cut && walk->missing - (end - 15) < UNWIND_STACK_REACH) ||
	       (snapshot->other_cut && snapshot->other_size &&
		walk->missing - (other_end - 15) < UNWIND_STACK_REACH);
}

#endif
