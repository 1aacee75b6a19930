/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Unwinds a snapshot (registers and stack bytes) into a call chain. The unwinder knows neither
 * traces nor files: it asks which module is mapped at an address and reads that module's call frame
 * information; code without any (JIT) is walked by frame pointers. No caller is guessed: where code
 * has neither, the chain ends. Every chain ends with a reason.
 *
 * One unwinder per thread; sections (cfi.h) are shared. The work is bounded, whatever the
 * snapshot or the modules contain: 1024 frames and 16384 steps of expressions per chain, and a
 * memory budget for compiled rows.
 */
#ifndef RWALKER_REPORT_UNWIND_UNWINDER_H
#define RWALKER_REPORT_UNWIND_UNWINDER_H

#include "report/unwind/cfi.h"

struct unwinder;

enum { UNWIND_DEPTH = 1024 };

struct unwind_mapping {
	uint64_t bias;			/* address in the process = link-time address + bias, modulo 2^64 */
	uint32_t module;		/* the user's number for `cfi`, dense from 0 */
	const struct cfi_section *cfi;	/* NULL: JIT code, or a module without any */
	bool made;   /* it is code made at run time */
	bool linker; /* it is glibc's dynamic linker: what has no call frame information there begins a process */
};

enum unwind_named_kind {
	NAMED_PLAIN,
	NAMED_FIRST,  /* has no caller: a process begins in it */
	NAMED_CHILD,  /* has a caller, but a thread begins at its return address: clone() */
	NAMED_SWITCH, /* calls functions on another stack than its own */
};

/* Of a function's name: those of C libraries and of Go's runtime. */
enum unwind_named_kind unwind_named_kind(const char *name);

struct unwind_named { /* a function, from its symbol */
	uint64_t start;
	enum unwind_named_kind kind;
};

/* The address space in which a snapshot was taken. `find_name` may be NULL. */
struct unwind_space {
	void *context;
	/* The executable mapping that contains an address; false if there is none. */
	bool (*find)(void *context, uint64_t address, struct unwind_mapping *ret_mapping);
	/* The function that contains an address; false: it has no name. */
	bool (*find_name)(void *context, uint64_t address, struct unwind_named *ret_named);
	/* Identifies the content: results are cached by it. 0: they are not cached. */
	uint64_t generation;
};

/* Return addresses found by following frame pointers when the snapshot was taken, leaf first. */
struct unwind_tail {
	const uint64_t *addresses;
	size_t count;
};

struct unwind_snapshot {
	const uint64_t *registers; /* UNWIND_REGISTERS, by DWARF number; for pc see unwind_arch */
	uint64_t known;		   /* bit n: registers[n] was recorded; pc and sp must be */
	const uint8_t *stack;
	uint64_t stack_address; /* of the first byte; at or below sp */
	size_t stack_size;
	bool cut; /* the stack continues after the last byte */
	bool other_cut;
	const uint8_t *other; /* another stack of the thread: that of a signal handler, or the interrupted one */
	uint64_t other_address;
	size_t other_size; /* 0: none */
	uint64_t address_mask; /* bits that may be set in a code address; 0: the architecture's */
	struct unwind_tail tail;
};

enum unwind_how { /* how a frame was found; the leaf is UNWIND_BY_REGISTERS */
	UNWIND_BY_REGISTERS,
	UNWIND_BY_CFI,
	UNWIND_BY_FRAME_POINTER,
	UNWIND_BY_OUTER_RECORD, /* by frame pointer, from a function that may have none: its caller may be missing */
	UNWIND_BY_TAIL, /* beyond the end of the snapshot; frames before it may be missing */
	UNWIND_HOW_MASK = 0x7f,
	UNWIND_EXACT = 0x80, /* the address is the next instruction, not a return address */
};

enum unwind_stop {
	UNWIND_GOES_ON, /* never at the end of a chain */
	UNWIND_CLEAN,	/* at the first function of a thread */
	UNWIND_TRUNCATED, /* the stack continues beyond the copied bytes */
	UNWIND_NO_CFI,
	UNWIND_BAD_RETURN, /* not in executable code, or the stack does not grow */
	UNWIND_TOO_DEEP,
	UNWIND_SWITCHED, /* on a stack that was not copied, or at a hand-made one (a coroutine's) */
	UNWIND_NO_MEMORY, /* none of the stack was copied; set by callers that know it */
};

struct unwind_chain {
	uint64_t addresses[UNWIND_DEPTH]; /* leaf first, as found: not moved back to the call */
	uint8_t how[UNWIND_DEPTH];	  /* enum unwind_how */
	size_t count;
	enum unwind_stop stop;
};

/* `budget`: bytes of compiled rows, 0: 64 MiB. -ENOMEM. */
int unwinder_create(const struct unwind_arch *arch, size_t budget, struct unwinder **ret_unwinder);
void unwinder_destroy(struct unwinder *unwinder);

/* 0, or -ENOMEM. The chain has at least one frame. */
int unwinder_run(struct unwinder *unwinder, const struct unwind_space *space,
		 const struct unwind_snapshot *snapshot, struct unwind_chain *ret_chain);

/* --- stacks by frame pointers --- */

enum { UNWIND_TOP_WORDS = 48 };
#define UNWIND_NO_FRAME UINT64_MAX

/* What is known of the top of such a stack. Bit n of the masks: of the word at the stack pointer + 8 n. */
struct unwind_top {
	uint64_t words[UNWIND_TOP_WORDS], link;
	uint64_t known; /* the word is in `words`: an address of code */
	uint64_t saved; /* the word equals the frame pointer */
	uint64_t frame; /* the frame pointer points to this word, which need not be one of these; UNWIND_NO_FRAME */
	uint64_t next;	/* the first return address of the chain by frame pointers; 0: there is none */
};

enum unwind_joined {
	UNWIND_JOINED,	    /* the chain by frame pointers goes on from the last caller, or from the leaf */
	UNWIND_JOINED_LATER, /* it goes on from one of its callers: those between are unknown */
	UNWIND_JOINED_NEVER, /* it is not one: the frame pointer had another value */
};

struct unwind_callers {
	uint64_t addresses[UNWIND_TOP_WORDS + 1]; /* leaf first, without the leaf */
	size_t count;
	enum unwind_joined joined;
};

/*
 * The callers of the leaf at `pc` that no chain by frame pointers has, because the leaf, or they, have no frame record:
 * by call frame information, which says where each return address is, or not at all. Code made at run time is taken to
 * keep frame records. 0 or -ENOMEM.
 */
int unwinder_callers(struct unwinder *unwinder, const struct unwind_space *space, uint64_t pc,
		     const struct unwind_top *top, struct unwind_callers *ret_callers);

#endif
