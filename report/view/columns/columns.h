/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The columns of a page's payload (report/page/PAYLOAD.md): numbers as varints (LEB128), signed
 * ones as zigzag varints, or JSON. If memory runs out, the column remembers it, so writers need not
 * check each number: columns_status() reports it at the end.
 */
#ifndef RWALKER_REPORT_VIEW_COLUMNS_COLUMNS_H
#define RWALKER_REPORT_VIEW_COLUMNS_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/array.h"
#include "report/view/export/json.h"

enum column_number {
	COLUMN_FUNCTIONS, COLUMN_FUNCTION_MODULE, COLUMN_FUNCTION_KIND, COLUMN_MODULES, COLUMN_COMMS,
	COLUMN_TASK_COMM, COLUMN_TASK_TID, COLUMN_TASK_PROCESS, COLUMN_TASK_HOST, COLUMN_TASK_FLAGS, COLUMN_TASK_THREAD,
	COLUMN_TASK_PROCESS_COMM,
	COLUMN_CGROUPS, COLUMN_TASK_CGROUP,
	COLUMN_NODE_UP, COLUMN_NODE_FUNCTION, COLUMN_STACK_NODE, COLUMN_PLACE_KERNEL, COLUMN_PLACE_USER,
	COLUMN_ENTRY_SOURCE, COLUMN_ENTRY_STACK, COLUMN_ENTRY_TASK, COLUMN_ENTRY_FLAGS, COLUMN_ENTRY_COUNT,
	COLUMN_ENTRY_WEIGHT, COLUMN_ENTRY_RUN_QUEUE,
	COLUMN_BASE_SOURCE, COLUMN_BASE_STACK, COLUMN_BASE_COUNT, COLUMN_BASE_WEIGHT, COLUMN_BASE_RUN_QUEUE,
	COLUMN_SAMPLE_RUNS, COLUMN_SAMPLE_TIME, COLUMN_SAMPLE_TASK, COLUMN_SAMPLE_NEW_TASK, COLUMN_SAMPLE_STACK,
	COLUMN_SAMPLE_PROBE, COLUMN_SAMPLE_WEIGHT,
	COLUMN_WAIT_RUNS, COLUMN_WAIT_GAP, COLUMN_WAIT_SLEEP, COLUMN_WAIT_RUN_QUEUE, COLUMN_WAIT_KIND,
	COLUMN_WAIT_STACK, COLUMN_WAIT_CPU, COLUMN_WAIT_WAKER, COLUMN_WAIT_PURPOSE, COLUMN_WAIT_NEXT, COLUMN_KINDS,
	COLUMN_PURPOSES, COLUMN_NEXT_TASK, COLUMN_NEXT_BY,
	COLUMN_WAKER_TASK, COLUMN_WAKER_STACK, COLUMN_WAKER_STEP,
	COLUMN_SUM_RECORDING, COLUMN_SUM_TASK, COLUMN_SUM_FLAGS, COLUMN_SUM_FROM, COLUMN_SUM_TO, COLUMN_SUM_RUNNING,
	COLUMN_SUM_UNKNOWN,
	COLUMN_SUM_COUNT, COLUMN_SUM_TOTAL, COLUMN_SUM_RUN_QUEUE,
	COLUMN_WALKS, COLUMN_WALK_STATES, COLUMN_WALK_WALK, COLUMN_WALK_TASK, COLUMN_WALK_STACK, COLUMN_WALK_STATE,
	COLUMN_WALK_WAIT, COLUMN_WALK_BOUND, COLUMN_WALK_CPU, COLUMN_WALK_FLAGS, COLUMN_WALK_PURPOSES,
	COLUMN_WALK_PURPOSE,
	COLUMN_BIN_TASK, COLUMN_BIN_RECORDING, COLUMN_BIN_FIRST, COLUMN_BIN_COUNT, COLUMN_BIN_BLOCKED,
	COLUMN_BIN_RUN_QUEUE, COLUMN_BIN_OTHER,
	COLUMNS
};

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

/* A column of JSON, which is written to a stream first. */
struct column_text {
	struct json json;
	char *text;
	size_t length;
};

/* 0, -ENOMEM. If it was opened, close it: that puts the text into the column. */
int column_text_open(struct column_text *text);
int column_text_close(struct column_text *text, struct column *column);

/* Appends all of `from` to `to`, and empties `from`. */
void column_take(struct column *to, struct column *from);

/* Empties columns [first, end). */
void columns_clear(struct columns *columns, enum column_number first, enum column_number end);
/* 0, or -ENOMEM if any column is incomplete. */
int columns_status(const struct columns *columns);
size_t columns_bytes(const struct columns *columns, enum column_number first, enum column_number end);
void columns_deinit(struct columns *columns);

#endif
