/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/columns/columns.h"

#include <errno.h>
#include <stdio.h>

const char *const column_names[COLUMNS] = {
	[COLUMN_FUNCTIONS] = "functions",
	[COLUMN_FUNCTION_MODULE] = "functionModule",
	[COLUMN_FUNCTION_KIND] = "functionKind",
	[COLUMN_MODULES] = "modules",
	[COLUMN_COMMS] = "comms",
	[COLUMN_TASK_COMM] = "taskComm",
	[COLUMN_TASK_TID] = "taskTid",
	[COLUMN_TASK_PROCESS] = "taskProcess",
	[COLUMN_TASK_HOST] = "taskHost",
	[COLUMN_TASK_FLAGS] = "taskFlags",
	[COLUMN_TASK_THREAD] = "taskThread",	[COLUMN_TASK_PROCESS_COMM] = "taskProcessComm",
	[COLUMN_CGROUPS] = "cgroups",
	[COLUMN_TASK_CGROUP] = "taskCgroup",
	[COLUMN_NODE_UP] = "nodeUp",
	[COLUMN_NODE_FUNCTION] = "nodeFunction",
	[COLUMN_STACK_NODE] = "stackNode",
	[COLUMN_PLACE_KERNEL] = "placeKernel",
	[COLUMN_PLACE_USER] = "placeUser",
	[COLUMN_ENTRY_SOURCE] = "entrySource",
	[COLUMN_ENTRY_STACK] = "entryStack",
	[COLUMN_ENTRY_TASK] = "entryTask",
	[COLUMN_ENTRY_FLAGS] = "entryFlags",
	[COLUMN_ENTRY_COUNT] = "entryCount",
	[COLUMN_ENTRY_WEIGHT] = "entryWeight",
	[COLUMN_ENTRY_RUN_QUEUE] = "entryRunQueue",
	[COLUMN_BASE_SOURCE] = "baseSource",
	[COLUMN_BASE_STACK] = "baseStack",
	[COLUMN_BASE_COUNT] = "baseCount",
	[COLUMN_BASE_WEIGHT] = "baseWeight",
	[COLUMN_BASE_RUN_QUEUE] = "baseRunQueue",
	[COLUMN_SAMPLE_RUNS] = "sampleRuns",
	[COLUMN_SAMPLE_TIME] = "sampleTime",
	[COLUMN_SAMPLE_TASK] = "sampleTask",
	[COLUMN_SAMPLE_NEW_TASK] = "sampleNewTask",
	[COLUMN_SAMPLE_STACK] = "sampleStack",
	[COLUMN_SAMPLE_PROBE] = "sampleProbe",
	[COLUMN_SAMPLE_WEIGHT] = "sampleWeight",
	[COLUMN_WAIT_RUNS] = "waitRuns",
	[COLUMN_WAIT_GAP] = "waitGap",
	[COLUMN_WAIT_SLEEP] = "waitSleep",
	[COLUMN_WAIT_RUN_QUEUE] = "waitRunQueue",
	[COLUMN_WAIT_KIND] = "waitKind",
	[COLUMN_WAIT_STACK] = "waitStack",
	[COLUMN_WAIT_CPU] = "waitCpu",
	[COLUMN_WAIT_WAKER] = "waitWaker",
	[COLUMN_WAIT_PURPOSE] = "waitPurpose",
	[COLUMN_WAIT_NEXT] = "waitNext",
	[COLUMN_KINDS] = "kinds",
	[COLUMN_PURPOSES] = "purposes",
	[COLUMN_NEXT_TASK] = "nextTask",
	[COLUMN_NEXT_BY] = "nextBy",
	[COLUMN_WAKER_TASK] = "wakerTask",
	[COLUMN_WAKER_STACK] = "wakerStack",
	[COLUMN_WAKER_STEP] = "wakerStep",
	[COLUMN_SUM_RECORDING] = "sumRecording",
	[COLUMN_SUM_TASK] = "sumTask",
	[COLUMN_SUM_FLAGS] = "sumFlags",
	[COLUMN_SUM_FROM] = "sumFrom",
	[COLUMN_SUM_TO] = "sumTo",
	[COLUMN_SUM_RUNNING] = "sumRunning",
	[COLUMN_SUM_UNKNOWN] = "sumUnknown",
	[COLUMN_SUM_COUNT] = "sumCount",
	[COLUMN_SUM_TOTAL] = "sumTotal",
	[COLUMN_SUM_RUN_QUEUE] = "sumRunQueue",
	[COLUMN_WALKS] = "walks",
	[COLUMN_WALK_STATES] = "walkStates",
	[COLUMN_WALK_WALK] = "walkWalk",
	[COLUMN_WALK_TASK] = "walkTask",
	[COLUMN_WALK_STACK] = "walkStack",
	[COLUMN_WALK_STATE] = "walkState",
	[COLUMN_WALK_WAIT] = "walkWait",
	[COLUMN_WALK_BOUND] = "walkBound",
	[COLUMN_WALK_CPU] = "walkCpu",
	[COLUMN_WALK_FLAGS] = "walkFlags",
	[COLUMN_WALK_PURPOSES] = "walkPurposes",
	[COLUMN_WALK_PURPOSE] = "walkPurpose",
	[COLUMN_BIN_TASK] = "binTask",
	[COLUMN_BIN_RECORDING] = "binRecording",
	[COLUMN_BIN_FIRST] = "binFirst",
	[COLUMN_BIN_COUNT] = "binCount",
	[COLUMN_BIN_BLOCKED] = "binBlocked",
	[COLUMN_BIN_RUN_QUEUE] = "binRunQueue",
	[COLUMN_BIN_OTHER] = "binOther",
};

int column_text_open(struct column_text *text)
{
	FILE *stream;

	*text = (struct column_text){0};
	stream = open_memstream(&text->text, &text->length);
	if (!stream)
		return -ENOMEM;
	json_init(&text->json, stream);
	return 0;
}

int column_text_close(struct column_text *text, struct column *column)
{
	int r = fclose(text->json.out) || text->json.failed ? -ENOMEM : 0;

	if (!r)
		column_raw(column, text->text, text->length);
	free(text->text);
	return r;
}

void column_take(struct column *to, struct column *from)
{
	column_raw(to, from->bytes.items, from->bytes.count);
	to->count += from->count;
	to->failed |= from->failed;
	array_free(&from->bytes);
	*from = (struct column){0};
}

void columns_clear(struct columns *columns, enum column_number first, enum column_number end)
{
	for (unsigned int i = first; i < end; i++) {
		columns->items[i].bytes.count = columns->items[i].count = 0;
		columns->items[i].failed = false;
	}
}

int columns_status(const struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns->items[i].failed)
			return -ENOMEM;
	return 0;
}

size_t columns_bytes(const struct columns *columns, enum column_number first, enum column_number end)
{
	size_t bytes = 0;

	for (unsigned int i = first; i < end; i++)
		bytes += columns->items[i].bytes.count;
	return bytes;
}

void columns_deinit(struct columns *columns)
{
	for (size_t i = 0; i < COLUMNS; i++)
		array_free(&columns->items[i].bytes);
}
