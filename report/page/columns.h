/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The columns of a page's payload (report/page/PAYLOAD.md): numbers as varints (LEB128), signed
 * ones as zigzag varints, or JSON. If memory runs out, the column remembers it, so writers need not
 * check each number: columns_status() reports it at the end.
 */
#ifndef RWALKER_REPORT_PAGE_COLUMNS_H
#define RWALKER_REPORT_PAGE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "report/export/export.h"
#include "report/view/functions.h"
#include "report/view/view.h"
#include "report/view/waits.h"

/* Their names in the page. */
#define COLUMN_LIST(X) \
	X(FUNCTIONS, functions) X(FUNCTION_MODULE, functionModule) X(FUNCTION_KIND, functionKind) \
	X(MODULES, modules) X(COMMS, comms) X(TASK_COMM, taskComm) X(TASK_TID, taskTid) \
	X(TASK_PROCESS, taskProcess) X(TASK_HOST, taskHost) X(TASK_FLAGS, taskFlags) \
	X(TASK_THREAD, taskThread) X(TASK_PROCESS_COMM, taskProcessComm) X(CGROUPS, cgroups) \
	X(TASK_CGROUP, taskCgroup) X(NODE_UP, nodeUp) X(NODE_FUNCTION, nodeFunction) \
	X(STACK_NODE, stackNode) X(PLACE_KERNEL, placeKernel) X(PLACE_USER, placeUser) \
	X(ENTRY_SOURCE, entrySource) X(ENTRY_STACK, entryStack) X(ENTRY_TASK, entryTask) \
	X(ENTRY_COUNT, entryCount) X(ENTRY_WEIGHT, entryWeight) \
	X(ENTRY_RUN_QUEUE, entryRunQueue) X(BASE_SOURCE, baseSource) X(BASE_STACK, baseStack) \
	X(BASE_COUNT, baseCount) X(BASE_WEIGHT, baseWeight) X(BASE_RUN_QUEUE, baseRunQueue) \
	X(SAMPLE_RUNS, sampleRuns) X(SAMPLE_TIME, sampleTime) X(SAMPLE_TASK, sampleTask) \
	X(SAMPLE_NEW_TASK, sampleNewTask) X(SAMPLE_STACK, sampleStack) X(SAMPLE_PROBE, sampleProbe) \
	X(SAMPLE_WEIGHT, sampleWeight) X(WAIT_RUNS, waitRuns) X(WAIT_GAP, waitGap) X(WAIT_SLEEP, waitSleep) \
	X(WAIT_RUN_QUEUE, waitRunQueue) X(WAIT_KIND, waitKind) X(WAIT_STACK, waitStack) \
	X(WAIT_CPU, waitCpu) X(WAIT_WAKER, waitWaker) X(WAIT_PURPOSE, waitPurpose) X(WAIT_NEXT, waitNext) \
	X(KINDS, kinds) X(PURPOSES, purposes) X(NEXT_TASK, nextTask) X(NEXT_BY, nextBy) \
	X(WAKER_TASK, wakerTask) X(WAKER_STACK, wakerStack) X(WAKER_STEP, wakerStep) \
	X(SUM_RECORDING, sumRecording) X(SUM_TASK, sumTask) X(SUM_FLAGS, sumFlags) X(SUM_FROM, sumFrom) \
	X(SUM_TO, sumTo) X(SUM_RUNNING, sumRunning) X(SUM_UNKNOWN, sumUnknown) X(SUM_COUNT, sumCount) \
	X(SUM_TOTAL, sumTotal) X(SUM_RUN_QUEUE, sumRunQueue) X(WALKS, walks) X(WALK_STATES, walkStates) \
	X(WALK_WALK, walkWalk) X(WALK_TASK, walkTask) X(WALK_STACK, walkStack) X(WALK_STATE, walkState) \
	X(WALK_WAIT, walkWait) X(WALK_BOUND, walkBound) \
	X(WALK_PURPOSES, walkPurposes) X(WALK_PURPOSE, walkPurpose) X(BIN_TASK, binTask) \
	X(BIN_RECORDING, binRecording) X(BIN_FIRST, binFirst) \
	X(BIN_BLOCKED, binBlocked) X(BIN_RUN_QUEUE, binRunQueue) X(BIN_OTHER, binOther)

#define COLUMN_NUMBER(number, name) COLUMN_##number,
enum column_number { COLUMN_LIST(COLUMN_NUMBER) COLUMNS };
#undef COLUMN_NUMBER

struct column {
	ARRAY(uint8_t) bytes;
	size_t count; /* numbers; 0 for JSON */
	bool failed;
};

struct columns {
	struct column items[COLUMNS];
};

extern const char *const column_names[COLUMNS];

/* Numbers up to this are exact in JavaScript; the figures of sound traces are far below. */
#define COLUMN_MOST ((UINT64_C(1) << 53) - 2)

static inline void column_raw(struct column *column, const void *bytes, size_t length)
{
	if (!length)
		return;
	if (array_reserve(&column->bytes, column->bytes.count + length) < 0) {
		column->failed = true;
		return;
	}
	__builtin_memcpy(column->bytes.items + column->bytes.count, bytes, length);
	column->bytes.count += length;
}

static inline void column_add(struct column *column, uint64_t value)
{
	uint8_t bytes[10];
	size_t length = 0;

	value = value < COLUMN_MOST ? value : COLUMN_MOST;
	for (; value >= 0x80; value >>= 7)
		bytes[length++] = (uint8_t)(value | 0x80);
	bytes[length++] = (uint8_t)value;
	column_raw(column, bytes, length);
	column->count++;
}

static inline void column_add_signed(struct column *column, int64_t value)
{
	column_add(column, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

/* A column of JSON, an array or an object, which is written to a stream first. */
struct column_text {
	struct json json;
	char *text, end;
	size_t length;
	struct hash_map known; /* key: its number in the array */
};

/* bracket: '[' or '{'. 0, -ENOMEM. Closing it puts the text into the column; does nothing if it was not opened. */
int column_text_open(struct column_text *text, char bracket);
int column_text_close(struct column_text *text, struct column *column);
/* The number of a key's value in the array. 1: it is new, and the caller writes it; 0; -ENOMEM. */
int column_text_find(struct column_text *text, const void *key, size_t length, uint64_t *ret_number);
/* The number of a text, which is written if it is new; `is_name`: it is from a trace. 0, -ENOMEM. */
int column_text_add(struct column_text *text, const char *value, bool is_name, uint64_t *ret_number);

/* Appends all of `from` to `to`, and empties `from`. */
void column_move(struct column *to, struct column *from);

/* Empties columns [first, end). */
void columns_clear(struct columns *columns, enum column_number first, enum column_number end);
/* 0, or -ENOMEM if any column is incomplete. */
int columns_status(const struct columns *columns);
size_t columns_bytes(const struct columns *columns, enum column_number first, enum column_number end);
void columns_deinit(struct columns *columns);

/*
 * The chains of a profile, and of one that it is compared with, as one tree of functions. Nodes of
 * the second profile are numbered after those of the first. Functions that read the same are one,
 * and so are nodes whose chains read the same. Like struct readings, for two profiles.
 */

enum { MERGE_SIDES = 2 };

struct merge_function {
	const struct functions *functions; /* of the first profile that has it */
	uint32_t number;		   /* in `functions` */
	uint32_t side, frame;		   /* an example of its frames */
};

struct merge_side {
	struct profile *profile;     /* NULL if there is no second one */
	struct functions *functions; /* of all wanted nodes, after they were read */
	uint32_t *function_of;	     /* by function of the profile: its number in `functions` below, plus 1; 0: none */
	size_t first, nodes, frames; /* its node 1 is node first + 1 of the merged tree */
};

struct merge {
	struct merge_side sides[MERGE_SIDES];
	struct readings readings;      /* of all nodes; readings_want() before they are read */
	struct profile_node *nodes;    /* of both profiles, if there are two; frames are those of their side */
	uint32_t *function_of;	       /* by node: a number of `functions` */
	ARRAY(struct merge_function) functions;
	struct hash_map known;	       /* text of a function -> its number; only with two profiles */
};

/* The number in the merged tree of a node of a side. */
static inline uint32_t merge_node(const struct merge *merge, size_t side, uint32_t node)
{
	return node ? (uint32_t)merge->sides[side].first + node : 0;
}

/*
 * The call chains of a page: one tree of functions, root first, in which chains that read the same
 * are one stack. Functions are numbered by name, then module; nodes in preorder, siblings by
 * function. Stacks are numbered by how often they are referred to, within a power of two, most
 * first, then by node; stack 0 is the empty chain.
 */

struct stacks {
	struct merge merge;
	uint32_t *number_of; /* by function of the merged profiles: its number in the page */
	uint32_t *function;  /* by number: the function */
	size_t function_count;
	uint64_t *uses;	     /* by node; NULL after stacks_init() */
	bool *waited;	     /* by node that represents others: a wait or wakeup was there */
	uint32_t *place;     /* by node that represents others: its number in preorder */
	uint32_t *stack_of;  /* by node that ends a stack: the number of the stack */
	uint32_t *nodes;     /* by stack: the node that represents it */
	size_t count, tree_count;
};

/* Takes all chains of both profiles' entries, of waits and walked tasks; writes the tree. 0, -ENOMEM, -EBADMSG. */
int stacks_init(struct stacks *stacks, const struct waits *waits, const struct view_context *context,
		struct columns *columns);
void stacks_deinit(struct stacks *stacks);

/* The stack of a node, whose chain must be one of these. */
static inline uint32_t stacks_find(const struct stacks *stacks, uint32_t node)
{
	return stacks->stack_of[stacks->merge.readings.as[node]];
}

/* The functions of the profile itself. */
static inline struct functions *stacks_functions(const struct stacks *stacks)
{
	return stacks->merge.sides[0].functions;
}

#endif
