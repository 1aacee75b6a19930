/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_layout.h"

#include "format/limits.h"

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

static const struct event_field meta[] = {TEXT(meta, key, RWK_MAX_STRING), TEXT(meta, value, RWK_MAX_STRING), END};
static const struct event_field clocks[] = {TIME(clock, time), U64(clock, realtime),
					    U64(clock, window), END};
static const struct event_field source[] = {
	ID(source, id, RWK_MAX_SOURCES), U32(source, kind), U32(source, weight), TEXT(source, name, RWK_MAX_STRING),
	U64(source, frequency), U64(source, period), TIME(source, start), TIME(source, stop), HEX(source, flags),
	U64(source, least), U64(source, most), END};
static const struct event_field module[] = {
	ID(module, id, RWK_MAX_MODULES), U32(module, kind), TEXT(module, path, RWK_MAX_STRING),
	FIELD(BYTES, module, build_id, RWK_MAX_BUILD_ID), U64(module, device), U64(module, inode),
	HEX(module, base), HEX(module, flags), END};
static const struct event_field mapping[] = {
	TIME(mapping, time), TASK(mapping, tgid), FIELD(START, mapping, start, 0), PAGES(mapping, length),
	PAGES(mapping, file_offset), ID(mapping, module, RWK_MAX_MODULES), HEX(mapping, flags), END};
static const struct event_field forks[] = {TIME(fork, time), TASK(fork, tgid), TASK(fork, tid),
					   TASK(fork, parent_tgid), END};
static const struct event_field comm[] = {TIME(comm, time), TASK(comm, tgid), TASK(comm, tid), HEX(comm, flags),
					  TEXT(comm, comm, RWK_MAX_COMM), END};
static const struct event_field exits[] = {TIME(exit, time), TASK(exit, tgid), TASK(exit, tid), END};
static const struct event_field kernel_symbol[] = {
	ID(kernel_symbol, module, RWK_MAX_MODULES), HEX(kernel_symbol, offset), HEX(kernel_symbol, size),
	TEXT(kernel_symbol, name, RWK_MAX_STRING), END};
static const struct event_field loss[] = {TIME(loss, time), ID(loss, source, RWK_MAX_SOURCES),
					  ID(loss, cpu, CPU_LIMIT), U32(loss, cause), U64(loss, total), END};
static const struct event_field cost[] = {TIME(cost, time), U64(cost, user_ns), U64(cost, system_ns),
					  U64(cost, bpf_ns), U64(cost, max_rss), U64(cost, ring_bytes),
					  U64(cost, written), END};
static const struct event_field maps_unavailable[] = {TIME(maps_unavailable, time), TASK(maps_unavailable, tgid),
						      U32(maps_unavailable, reason), END};
static const struct event_field probe[] = {ID(probe, id, RWK_MAX_PROBES), ID(probe, source, RWK_MAX_SOURCES),
					   U32(probe, hook), TEXT(probe, name, RWK_MAX_STRING), END};
static const struct event_field probe_hits[] = {TIME(probe_hits, time), ID(probe_hits, probe, RWK_MAX_PROBES),
						U64(probe_hits, hits), U64(probe_hits, skipped),
						U64(probe_hits, missed), END};
static const struct event_field unsure[] = {TIME(unsure, time), TIME(unsure, until), ID(unsure, cpu, CPU_LIMIT),
					    U32(unsure, cause), U64(unsure, missing), END};
static const struct event_field counter[] = {TIME(counter, time),
					     ID(counter, source, RWK_MAX_SOURCES),
					     ID(counter, cpu, CPU_LIMIT), U64(counter, counted),
					     U64(counter, seen), U64(counter, missed),
					     U64(counter, missed_idle), U64(counter, enabled),
					     U64(counter, running), U64(counter, throttled), END};
static const struct event_field task[] = {TASK(task, tgid), TASK(task, tid), U64(task, start), HEX(task, flags),
					  FIELD(COMM, task, comm, RWK_MAX_COMM), U64(task, cgroup), END};
static const struct event_field sample[] = {
	ID(sample, cpu, CPU_LIMIT), CLOCK(sample), OF_TASK(sample, task), ID(sample, source, RWK_MAX_SOURCES),
	HEX(sample, flags), ONLY(SAMPLE_USER_MISSING, U64, sample, missing, 0),
	ONLY(SAMPLE_HAS_PERIOD, U64, sample, period, 0), ONLY(SAMPLE_HAS_KERNEL, KERNEL, sample, kernel, 0),
	ONLY(SAMPLE_HAS_USER, USER, sample, user, 0), ONLY(SAMPLE_HAS_PROBE, U32, sample, probe, RWK_MAX_PROBES),
	ONLY(SAMPLE_HAS_SNAPSHOT, U32, sample, snapshot, UINT32_MAX), END};
static const struct event_field walk[] = {TIME(walk, time), U32(walk, number), ID(walk, source, RWK_MAX_SOURCES),
					  HEX(walk, flags), U64(walk, seen), U64(walk, kept), END};
static const struct event_field walk_task[] = {
	TIME(walk_task, time), U32(walk_task, walk), OF_TASK(walk_task, task), HEX(walk_task, state),
	HEX(walk_task, exit_state), U64(walk_task, wait), U32(walk_task, bound), ID(walk_task, cpu, CPU_LIMIT),
	HEX(walk_task, flags), KERNEL(walk_task), ONLY(WALK_TASK_HAS_USER, USER, walk_task, user, 0),
	ONLY(WALK_TASK_USER_MISSING, U64, walk_task, missing, 0),
	ONLY(WALK_TASK_HAS_SNAPSHOT, U32, walk_task, snapshot, UINT32_MAX),
	ONLY(WALK_TASK_HAS_CALL, U64, walk_task, call, 0),
	ONLY(WALK_TASK_HAS_CALL, U32, walk_task, object, RWK_MAX_OBJECTS),
	ONLY(WALK_TASK_HAS_ASKED, U64, walk_task, asked, 0),
	ONLY(WALK_TASK_HAS_OWNER, OF_TASK, walk_task, owner, 0), END};
static const struct event_field wait[] = {
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
static const struct event_field wake[] = {
	ID(wake, cpu, CPU_LIMIT), OF_TASK(wake, task), ID(wake, source, RWK_MAX_SOURCES),
	HEX(wake, flags), OF_TASK(wake, target), U32(wake, context),
	ONLY(SAMPLE_USER_MISSING, U64, wake, missing, 0),
	ONLY(SAMPLE_HAS_KERNEL, KERNEL, wake, kernel, 0),
	ONLY(SAMPLE_HAS_USER, USER, wake, user, 0), CLOCK(wake),
	ONLY(SAMPLE_HAS_SNAPSHOT, U32, wake, snapshot, UINT32_MAX), END};
static const struct event_field user_stack[] = {
	ID(user_stack, cpu, CPU_LIMIT), OF_TASK(user_stack, task), ID(user_stack, source, RWK_MAX_SOURCES),
	HEX(user_stack, flags), ONLY(SAMPLE_USER_MISSING, U64, user_stack, missing, 0),
	ONLY(SAMPLE_HAS_USER, USER, user_stack, user, 0), CLOCK(user_stack), U64(user_stack, since),
	ONLY(SAMPLE_HAS_SNAPSHOT, U32, user_stack, snapshot, UINT32_MAX), END};
static const struct event_field object[] = {
	ID(object, number, RWK_MAX_OBJECTS), U32(object, kind), HEX(object, flags), U32(object, tgid),
	U32(object, descriptor), U64(object, device), U64(object, inode), HEX(object, place),
	ID(object, module, RWK_MAX_MODULES), U32(object, state), U32(object, port),
	U32(object, peer_port), U64(object, peer), U32(object, lock), TEXT(object, name, RWK_MAX_STRING),
	U32(object, mapping), HEX(object, offset), U64(object, net), END};
static const struct event_field window[] = {
	TIME(window, since), TIME(window, until), U64(window, before), U64(window, dump),
	U64(window, asked), U64(window, room), END};
static const struct event_field trigger[] = {
	TIME(trigger, time), U64(trigger, dump), TEXT(trigger, rule, RWK_MAX_STRING), TASK(trigger, tgid),
	TASK(trigger, tid), TEXT(trigger, comm, RWK_MAX_STRING), U64(trigger, value), U64(trigger, more), END};
static const struct event_field budget[] = {
	TIME(budget, time), U64(budget, step), U64(budget, least), U64(budget, frequency), U64(budget, used),
	U64(budget, budget), END};
static const struct event_field object_name[] = {
	ID(object_name, number, RWK_MAX_OBJECTS), TEXT(object_name, path, RWK_MAX_STRING),
	FIELD(BYTES, object_name, address, RWK_MAX_ADDRESS), FIELD(BYTES, object_name, peer_address, RWK_MAX_ADDRESS),
	END};
static const struct event_field cgroup[] = {TIME(cgroup, time), U64(cgroup, id), HEX(cgroup, flags),
					    TEXT(cgroup, path, RWK_MAX_STRING), END};
#define SUM(kind, name)                                                                                       \
	{#name "_count", FIELD_U64, offsetof(struct event_wait_sums, kinds[kind].count), 0, 1 << (kind)},     \
	{#name "_total", FIELD_U64, offsetof(struct event_wait_sums, kinds[kind].total), 0, 1 << (kind)},     \
	{#name "_run_queue", FIELD_U64, offsetof(struct event_wait_sums, kinds[kind].run_queue), 0, 1 << (kind)}
#define THROTTLED(kind, name)                                                                                      \
	{#name "_throttled", FIELD_U64, offsetof(struct event_wait_sums, kinds[kind].throttled), 0, 256 << (kind)}
static const struct event_field wait_sums[] = {
	TIME(wait_sums, time), OF_TASK(wait_sums, task), ID(wait_sums, source, RWK_MAX_SOURCES), U64(wait_sums, span),
	U64(wait_sums, running), HEX(wait_sums, flags), SUM(WAIT_SUM_INTERRUPTIBLE, interruptible),
	SUM(WAIT_SUM_UNINTERRUPTIBLE, uninterruptible), SUM(WAIT_SUM_OTHER_BLOCKED, other_blocked),
	SUM(WAIT_SUM_PREEMPTED, preempted), SUM(WAIT_SUM_YIELDED, yielded), SUM(WAIT_SUM_CANCELLED, cancelled),
	SUM(WAIT_SUM_STARTED, started),
	THROTTLED(WAIT_SUM_INTERRUPTIBLE, interruptible), THROTTLED(WAIT_SUM_UNINTERRUPTIBLE, uninterruptible),
	THROTTLED(WAIT_SUM_OTHER_BLOCKED, other_blocked), THROTTLED(WAIT_SUM_PREEMPTED, preempted),
	THROTTLED(WAIT_SUM_YIELDED, yielded), THROTTLED(WAIT_SUM_CANCELLED, cancelled),
	THROTTLED(WAIT_SUM_STARTED, started), END};
static const struct event_field embed_module[] = {
	ID(embed_module, module, RWK_MAX_MODULES), U32(embed_module, status), U32(embed_module, machine),
	ID(embed_module, segment_count, RWK_MAX_SEGMENTS), END};
static const struct event_field embed_symbols[] = {ID(embed_symbols, module, RWK_MAX_MODULES),
						   U64(embed_symbols, count), END};
static const struct event_field embed_unwind[] = {
	ID(embed_unwind, module, RWK_MAX_MODULES), U32(embed_unwind, section), HEX(embed_unwind, address),
	ID(embed_unwind, size, RWK_MAX_UNWIND_SECTION), ID(embed_unwind, offset, RWK_MAX_UNWIND_SECTION),
	HEX(embed_unwind, text), HEX(embed_unwind, data), FIELD(BYTES, embed_unwind, bytes, RWK_MAX_UNWIND_PIECE), END};
static const struct event_field snapshot[] = {
	TIME(snapshot, time), U32(snapshot, number), U32(snapshot, key), HEX(snapshot, flags), HEX(snapshot, known),
	FIELD(BYTES, snapshot, registers, RWK_MAX_REGISTERS * 10), HEX(snapshot, address),
	ID(snapshot, size, RWK_MAX_SNAPSHOT), FIELD(BYTES, snapshot, stack, RWK_MAX_SNAPSHOT_CODED),
	U32(snapshot, more), END};
static const struct event_field embed_lines[] = {ID(embed_lines, module, RWK_MAX_MODULES),
						 U64(embed_lines, count), END};
static const struct event_field perf_map[] = {U32(perf_map, tgid), U64(perf_map, count), END};

#define TIMED(clock, kind, name, record)                                                            \
	{                                                                                    \
		kind, true, name, record, clock, offsetof(struct event_##record, cpu),        \
			offsetof(struct event_##record, flags)                               \
	}
static const struct event_layout layouts[] = {
	[EVENT_META] = {EVENT_META, false, "meta", meta, 0, 0, 0},
	[EVENT_CLOCK] = {EVENT_CLOCK, false, "clock", clocks, 0, 0, 0},
	[EVENT_SOURCE] = {EVENT_SOURCE, false, "source", source, 0, 0, 0},
	[EVENT_MODULE] = {EVENT_MODULE, false, "module", module, 0, 0, 0},
	[EVENT_MAPPING] = {EVENT_MAPPING, false, "mapping", mapping, 0, 0, 0},
	[EVENT_FORK] = {EVENT_FORK, false, "fork", forks, 0, 0, 0},
	[EVENT_COMM] = {EVENT_COMM, false, "comm", comm, 0, 0, 0},
	[EVENT_EXIT] = {EVENT_EXIT, false, "exit", exits, 0, 0, 0},
	[EVENT_KERNEL_SYMBOL] = {EVENT_KERNEL_SYMBOL, false, "kernel-symbol", kernel_symbol, 0, 0, 0},
	[EVENT_LOSS] = {EVENT_LOSS, false, "loss", loss, 0, 0, 0},
	[EVENT_COST] = {EVENT_COST, false, "cost", cost, 0, 0, 0},
	[EVENT_MAPS_UNAVAILABLE] = {EVENT_MAPS_UNAVAILABLE, false, "maps-unavailable", maps_unavailable, 0, 0, 0},
	[EVENT_PROBE] = {EVENT_PROBE, false, "probe", probe, 0, 0, 0},
	[EVENT_PROBE_HITS] = {EVENT_PROBE_HITS, false, "probe-hits", probe_hits, 0, 0, 0},
	[EVENT_UNSURE] = {EVENT_UNSURE, false, "unsure", unsure, 0, 0, 0},
	[EVENT_COUNTER] = {EVENT_COUNTER, false, "counter", counter, 0, 0, 0},
	[EVENT_OBJECT] = {EVENT_OBJECT, false, "object", object, 0, 0, 0},
	[EVENT_WINDOW] = {EVENT_WINDOW, false, "window", window, 0, 0, 0},
	[EVENT_TRIGGER] = {EVENT_TRIGGER, false, "trigger", trigger, 0, 0, 0},
	[EVENT_CGROUP] = {EVENT_CGROUP, false, "cgroup", cgroup, 0, 0, 0},
	[EVENT_BUDGET] = {EVENT_BUDGET, false, "budget", budget, 0, 0, 0},
	[EVENT_TASK] = {EVENT_TASK, true, "task", task, 0, 0, 0},
	[EVENT_SAMPLE] = TIMED(1, EVENT_SAMPLE, "sample", sample),
	[EVENT_WALK] = {EVENT_WALK, false, "walk", walk, 0, 0, 0},
	[EVENT_WALK_TASK] = {EVENT_WALK_TASK, true, "walk-task", walk_task, 0, 0,
			     offsetof(struct event_walk_task, flags)},
	[EVENT_WAIT] = TIMED(2, EVENT_WAIT, "wait", wait),
	[EVENT_WAKE] = TIMED(3, EVENT_WAKE, "wake", wake),
	[EVENT_USER_STACK] = TIMED(4, EVENT_USER_STACK, "user-stack", user_stack),
	[EVENT_WAIT_SUMS] = {EVENT_WAIT_SUMS, true, "wait-sums", wait_sums, 0, 0,
			     offsetof(struct event_wait_sums, flags)},
	[EVENT_EMBED_MODULE] = {EVENT_EMBED_MODULE, true, "embed-module", embed_module, 0, 0, 0},
	[EVENT_EMBED_SYMBOLS] = {EVENT_EMBED_SYMBOLS, true, "embed-symbols", embed_symbols, 0, 0, 0},
	[EVENT_PERF_MAP] = {EVENT_PERF_MAP, true, "perf-map", perf_map, 0, 0, 0},
	[EVENT_EMBED_LINES] = {EVENT_EMBED_LINES, true, "embed-lines", embed_lines, 0, 0, 0},
	[EVENT_EMBED_UNWIND] = {EVENT_EMBED_UNWIND, false, "embed-unwind", embed_unwind, 0, 0, 0},
	[EVENT_SNAPSHOT] = {EVENT_SNAPSHOT, false, "snapshot", snapshot, 0, 0, 0},
	[EVENT_OBJECT_NAME] = {EVENT_OBJECT_NAME, false, "object-name", object_name, 0, 0, 0},
};

const struct event_layout *event_layout_find(uint64_t kind)
{
	bool known = kind < sizeof(layouts) / sizeof(*layouts) && layouts[kind].name;

	return known ? &layouts[kind] : NULL;
}
