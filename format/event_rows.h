/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the rows of event_layout.c are written, and those of the records that come by the million: encoder and decoder see
 * them, and are compiled for each of these kinds, as a loop over its rows that is unrolled.
 */
#ifndef RWALKER_FORMAT_EVENT_ROWS_H
#define RWALKER_FORMAT_EVENT_ROWS_H

#include "format/event_layout.h"
#include "format/limits.h"

/* Of functions that are compiled for a constant row or layout. */
#define ROW_INLINE static inline __attribute__((always_inline))

#define FIELD(type, record, member, limit)                                                         \
	{                                                                                          \
		#member, FIELD_##type, offsetof(struct event_##record, member), limit, 0           \
	}
/* The same, present only where one of the bits is in the record's flags. */
#define ONLY(bits, type, record, member, limit)                                                    \
	{                                                                                          \
		#member, FIELD_##type, offsetof(struct event_##record, member), limit, bits        \
	}
#define U32(record, member) FIELD(U32, record, member, UINT32_MAX)
#define ID(record, member, limit) FIELD(U32, record, member, limit)
#define TASK(record, member) FIELD(TASK, record, member, UINT32_MAX)
#define PAGES(record, member) FIELD(PAGES, record, member, 0)
#define U64(record, member) FIELD(U64, record, member, 0)
#define HEX(record, member) FIELD(HEX, record, member, 0)
#define TIME(record, member) FIELD(TIME, record, member, 0)
#define TEXT(record, member, limit) FIELD(TEXT, record, member, limit)
#define CLOCK(record) FIELD(CLOCK, record, time, 0)
#define LENGTH(record) FIELD(LENGTH, record, length, 0)
#define KERNEL(record) FIELD(KERNEL, record, kernel, UINT32_MAX)
#define USER(record) FIELD(USER, record, user, UINT32_MAX)
#define OF_TASK(record, member) FIELD(OF_TASK, record, member, UINT32_MAX)
#define END                                                                                        \
	{                                                                                          \
		.type = FIELD_END                                                                  \
	}

enum { CPU_LIMIT = RWK_MAX_CPUS - 1 };

static const struct event_field event_rows_sample[] = {
	ID(sample, cpu, CPU_LIMIT), CLOCK(sample), OF_TASK(sample, task), ID(sample, source, RWK_MAX_SOURCES),
	HEX(sample, flags), ONLY(SAMPLE_USER_MISSING, U64, sample, missing, 0),
	ONLY(SAMPLE_HAS_PERIOD, U64, sample, period, 0), ONLY(SAMPLE_HAS_KERNEL, KERNEL, sample, kernel, 0),
	ONLY(SAMPLE_HAS_USER, USER, sample, user, 0), ONLY(SAMPLE_HAS_PROBE, U32, sample, probe, RWK_MAX_PROBES),
	ONLY(SAMPLE_HAS_SNAPSHOT, U32, sample, snapshot, UINT32_MAX), END};
static const struct event_field event_rows_wait[] = {
	ID(wait, cpu, CPU_LIMIT), OF_TASK(wait, task), ID(wait, source, RWK_MAX_SOURCES),
	HEX(wait, flags), U32(wait, wait_class), HEX(wait, state),
	ONLY(WAIT_USER_MISSING, U64, wait, missing, 0),
	ONLY(WAIT_HAS_KERNEL, KERNEL, wait, kernel, 0),
	ONLY(WAIT_HAS_USER, USER, wait, user, 0), CLOCK(wait), LENGTH(wait),
	ONLY(WAIT_HAS_THROTTLED, U64, wait, throttled, 0),
	ONLY(WAIT_HAS_THROTTLED, U32, wait, throttler, RWK_MAX_OBJECTS),
	ONLY(WAIT_HAS_RUN_QUEUE, U64, wait, run_queue, 0), ONLY(WAIT_MOVED, U32, wait, out_cpu, CPU_LIMIT),
	ONLY(WAIT_HAS_WAKER, U32, wait, context, UINT32_MAX), ONLY(WAIT_HAS_WAKER, OF_TASK, wait, waker, 0),
	ONLY(WAIT_HAS_WAKER, U64, wait, woken, 0), ONLY(WAIT_HAS_SNAPSHOT, U32, wait, snapshot, UINT32_MAX),
	ONLY(WAIT_HAS_CALL, U64, wait, call, 0), ONLY(WAIT_HAS_CALL, U32, wait, object, RWK_MAX_OBJECTS),
	ONLY(WAIT_HAS_ASKED, U64, wait, asked, 0), ONLY(WAIT_HAS_OWNER, OF_TASK, wait, owner, 0),
	ONLY(WAIT_HAS_READY, U32, wait, ready, UINT32_MAX),
	ONLY(WAIT_HAS_READY, U32, wait, ready_object, RWK_MAX_OBJECTS), END};
static const struct event_field event_rows_wake[] = {
	ID(wake, cpu, CPU_LIMIT), OF_TASK(wake, task), ID(wake, source, RWK_MAX_SOURCES),
	HEX(wake, flags), OF_TASK(wake, target), U32(wake, context),
	ONLY(SAMPLE_USER_MISSING, U64, wake, missing, 0),
	ONLY(SAMPLE_HAS_KERNEL, KERNEL, wake, kernel, 0),
	ONLY(SAMPLE_HAS_USER, USER, wake, user, 0), CLOCK(wake),
	ONLY(SAMPLE_HAS_SNAPSHOT, U32, wake, snapshot, UINT32_MAX), END};
static const struct event_field event_rows_user_stack[] = {
	ID(user_stack, cpu, CPU_LIMIT), OF_TASK(user_stack, task), ID(user_stack, source, RWK_MAX_SOURCES),
	HEX(user_stack, flags), ONLY(SAMPLE_USER_MISSING, U64, user_stack, missing, 0),
	ONLY(SAMPLE_HAS_USER, USER, user_stack, user, 0), CLOCK(user_stack), U64(user_stack, since),
	ONLY(SAMPLE_HAS_SNAPSHOT, U32, user_stack, snapshot, UINT32_MAX), END};

#define ROWS(rows) rows, sizeof(rows) / sizeof(*(rows)) - 1
#define HOT(clock, kind, name, record)                                                                      \
	static const struct event_layout event_layout_##record = {                                          \
		kind, true, name, ROWS(event_rows_##record), clock, offsetof(struct event_##record, cpu),   \
		offsetof(struct event_##record, flags)}
HOT(1, EVENT_SAMPLE, "sample", sample);
HOT(2, EVENT_WAIT, "wait", wait);
HOT(3, EVENT_WAKE, "wake", wake);
HOT(4, EVENT_USER_STACK, "user-stack", user_stack);

#endif
