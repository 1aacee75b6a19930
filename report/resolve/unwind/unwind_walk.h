/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A walk over one snapshot, frame by frame: shared by the parts of the unwinder, and used by tests.
 * A step replaces the frame's registers by those of its caller. Included by the unwinder only.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_WALK_H
#define RWALKER_REPORT_RESOLVE_UNWIND_UNWIND_WALK_H

#include <string.h>

#include "common/hash_map.h"
#include "report/resolve/unwind/cfi_rows.h"
#include "report/resolve/unwind/unwinder.h"

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
