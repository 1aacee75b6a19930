/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One walk over one snapshot, frame by frame: what the parts of the unwinder share, and what tests look at. A step replaces the
 * frame's registers by its caller's. Included by the unwinder only.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWIND_WALK_H
#define RWALKER_REPORT_RESOLVE_UNWIND_WALK_H

#include <string.h>

#include "report/resolve/cfi_rows.h"
#include "report/resolve/unwinder.h"

enum { UNWIND_EXPRESSION_STEPS = 16384, UNWIND_SEARCHES = 4, UNWIND_SEARCH_WORDS = 512 };

struct unwind_frame {
	uint64_t registers[UNWIND_REGISTERS];
	uint64_t known;
	bool exact;  /* pc is the next instruction's, not a return address */
	uint8_t how; /* enum unwind_how, without UNWIND_EXACT */
};

enum unwind_place { /* what lies at a frame's pc */
	PLACE_UNMAPPED,
	PLACE_NO_CFI,	   /* a mapping without call frame information */
	PLACE_GAP,	   /* no FDE there, but the module has some */
	PLACE_TRAMPOLINE, /* of signals, without an FDE */
	PLACE_RULE,
};

struct unwind_code {
	enum unwind_place place;
	uint32_t rule; /* number, with PLACE_RULE */
};

enum { UNWIND_SPOT_BITS = 14, UNWIND_RETURN_BITS = 12 };

/* What lies at an address of a space: found once, then found here. */
struct unwind_spot {
	uint64_t generation; /* 0: free */
	uint64_t key;	     /* pc and exactness */
	uint32_t rule;
	uint32_t epoch;	 /* of the rows, which rules' numbers depend on */
	uint32_t caller; /* the spot of the caller that was come to from here last: what is expected the next time */
	uint8_t place;	 /* enum unwind_place */
};

/* What a frame's caller was the last time that it lay there, for code that is called from more than one place. */
struct unwind_return {
	uint64_t cfa;
	uint32_t from, to; /* spots */
};

struct unwinder {
	const struct unwind_arch *arch;
	struct cfi_rows rows;
	_Alignas(64) struct unwind_spot spots[1 << UNWIND_SPOT_BITS]; /* by a hash; none lies across two cache lines */
	struct unwind_return returns[1 << UNWIND_RETURN_BITS];
};

struct unwind_walk {
	struct unwinder *unwinder;
	const struct unwind_arch *arch;
	struct cfi_rows *rows;
	const struct unwind_space *space;
	const struct unwind_snapshot *snapshot;
	uint64_t address_mask;
	unsigned int steps_left, searches_left;
	struct unwind_frame frame;
	struct unwind_code code; /* of the frame's pc */
	uint64_t last_sp, last_fp; /* of the frame that was left last */
};

/* At the leaf. 0 or -ENOMEM. */
int unwind_walk_begin(struct unwind_walk *walk, struct unwinder *unwinder, const struct unwind_space *space,
		      const struct unwind_snapshot *snapshot);
/* To the caller: UNWIND_GOES_ON; or a reason not to, or -ENOMEM, and the walk is over and its frame worth nothing. */
int unwind_walk_next(struct unwind_walk *walk);

/* What lies at a pc. 0 or -ENOMEM. */
int unwind_find_code(struct unwind_walk *walk, uint64_t pc, bool exact, struct unwind_code *ret_code);

/*
 * Takes as many steps as there are plain ones and appends their frames, leaving the first that is none to unwind_walk_next().
 * UNWIND_GOES_ON, or UNWIND_CLEAN where the last frame is reached.
 */
enum unwind_stop unwind_plain_steps(struct unwind_walk *walk, struct unwind_chain *chain);

/* Each as unwind_walk_next, on a frame whose code is known to be of that kind. */
int unwind_step_rule(struct unwind_walk *walk, uint32_t rule, struct unwind_frame *frame);
int unwind_step_trampoline(struct unwind_walk *walk, struct unwind_frame *frame);
int unwind_step_without_cfi(struct unwind_walk *walk, enum unwind_place place, struct unwind_frame *frame);

/* Appends what the recorded chain has beyond the last frame, which lay at `sp` and had the frame pointer `fp`. */
void unwind_append_tail(const struct unwind_tail *tail, uint64_t sp, uint64_t fp, uint64_t address_mask,
			struct unwind_chain *chain);

/* `size` bytes at an address; NULL where the snapshot does not hold them. */
static inline const uint8_t *unwind_bytes(const struct unwind_snapshot *snapshot, uint64_t address, size_t size)
{
	uint64_t offset = address - snapshot->stack_address, other = address - snapshot->other_address;

	if (snapshot->stack_size >= size && offset <= snapshot->stack_size - size)
		return snapshot->stack + offset;
	return snapshot->other_size >= size && other <= snapshot->other_size - size ? snapshot->other + other : NULL;
}

/* The 8 bytes at an address; false where the snapshot does not hold them. */
static inline bool unwind_read(const struct unwind_snapshot *snapshot, uint64_t address, uint64_t *ret_value)
{
	const uint8_t *bytes = unwind_bytes(snapshot, address, sizeof(*ret_value));

	if (!bytes)
		return false;
	memcpy(ret_value, bytes, sizeof(*ret_value)); /* little-endian, as both machines are */
	return true;
}

static inline uint64_t unwind_key(uint64_t pc, bool exact)
{
	return pc << 1 | exact;
}

/* Where it is, if it is there. */
static inline uint32_t unwind_spot_number(uint64_t generation, uint64_t key)
{
	return (uint32_t)((key ^ generation << 32) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - UNWIND_SPOT_BITS));
}

static inline uint32_t unwind_return_number(uint64_t cfa, uint32_t from)
{
	return (uint32_t)((cfa ^ (uint64_t)from << 32) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - UNWIND_RETURN_BITS));
}

static inline bool unwind_spot_is(const struct unwind_spot *spot, uint64_t generation, uint64_t key, uint32_t epoch)
{
	return spot->key == key && spot->generation == generation && spot->epoch == epoch;
}

#endif
