/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From a snapshot (registers and stack bytes) to a call chain. The unwinder knows neither traces nor files: it asks which
 * module is mapped at an address and reads that module's call frame information; code without any (JIT, Go) is walked by
 * frame pointers, and what is neither is guessed, and marked. Every chain ends with a reason.
 *
 * One unwinder per thread; sections (cfi_section.h) are shared. Bounded whatever the snapshot or the modules hold: 1024 frames,
 * 16384 steps of expressions and 4 searches of 4 KiB for one chain, a budget of memory for compiled rows.
 */
#ifndef RWALKER_REPORT_RESOLVE_UNWINDER_H
#define RWALKER_REPORT_RESOLVE_UNWINDER_H

#include "report/resolve/cfi_section.h"

enum { UNWIND_DEPTH = 1024 };

struct unwind_mapping {
	uint64_t bias;			/* address in the process = link-time address + bias, modulo 2^64 */
	uint32_t module;		/* the caller's number for `cfi`, dense from 0 */
	const struct cfi_section *cfi;	/* NULL: JIT code, or a module without any */
};

/* The address space a snapshot was taken in. */
struct unwind_space {
	void *context;
	/* The executable mapping that holds an address; false where there is none. */
	bool (*find)(void *context, uint64_t address, struct unwind_mapping *ret_mapping);
	/* Whether a call ends right before the address; NULL where the code is not at hand. */
	bool (*after_call)(void *context, uint64_t address);
	/* Names the content: answers are kept for it. 0: they are not kept. */
	uint64_t generation;
};

/* Return addresses found by following frame pointers when the snapshot was taken, leaf first. */
struct unwind_tail {
	const uint64_t *addresses;
	const uint64_t *frames; /* where each frame record lay; NULL: not recorded */
	size_t count;
};

struct unwind_snapshot {
	const uint64_t *registers; /* UNWIND_REGISTERS, by DWARF number; pc as unwind_arch says */
	uint64_t known;		   /* bit n: registers[n] was recorded; pc and sp must be */
	const uint8_t *stack;
	uint64_t stack_address; /* of the first byte; at or below sp */
	size_t stack_size;
	const uint8_t *other; /* another stack of the thread: of a signal handler, or what it interrupted */
	uint64_t other_address;
	size_t other_size; /* 0: none */
	uint64_t address_mask; /* what may be set in a code address; 0: the architecture's */
	struct unwind_tail tail;
};

enum unwind_how { /* how a frame was found; the leaf is UNWIND_BY_REGISTERS */
	UNWIND_BY_REGISTERS,
	UNWIND_BY_CFI,
	UNWIND_BY_FRAME_POINTER,
	UNWIND_BY_GUESS,
	UNWIND_BY_TAIL, /* behind the end of the snapshot; frames before it may be missing */
	UNWIND_HOW_MASK = 0x7f,
	UNWIND_EXACT = 0x80, /* the address is that of the next instruction, not a return address */
};

enum unwind_stop {
	UNWIND_GOES_ON, /* never at the end of a chain */
	UNWIND_CLEAN,	/* the last frame says it has no caller */
	UNWIND_TRUNCATED,
	UNWIND_NO_CFI,
	UNWIND_BAD_RETURN, /* not in executable code, or the stack does not grow */
	UNWIND_TOO_DEEP,
};

struct unwind_chain {
	uint64_t addresses[UNWIND_DEPTH]; /* leaf first, as found: not moved back to the call */
	uint8_t how[UNWIND_DEPTH];	  /* enum unwind_how */
	size_t count;
	enum unwind_stop stop;
};

struct unwinder;

/* `budget`: bytes of compiled rows, 0: 64 MiB. -ENOMEM. */
int unwinder_create(const struct unwind_arch *arch, size_t budget, struct unwinder **ret_unwinder);
void unwinder_destroy(struct unwinder *unwinder);

/* 0, or -ENOMEM. The chain has at least one frame. */
int unwinder_run(struct unwinder *unwinder, const struct unwind_space *space, const struct unwind_snapshot *snapshot,
		 struct unwind_chain *ret_chain);

const char *unwind_stop_name(enum unwind_stop stop);

#endif
