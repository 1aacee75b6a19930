/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_layout.h"

#include "format/event_rows.h"

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

#define LAYOUT(kind, special, name, rows, flags)                                                            \
	[EVENT_##kind] = &(const struct event_layout)                                                       \
	{                                                                                                   \
		EVENT_##kind, special, name, ROWS(rows), 0, 0, flags                                              \
	}
#define PLAIN(kind, name, rows) LAYOUT(kind, false, name, rows, 0)
#define SPECIAL(kind, name, rows) LAYOUT(kind, true, name, rows, 0)
#define FLAGGED(kind, name, rows) LAYOUT(kind, true, name, rows, offsetof(struct event_##rows, flags))
static const struct event_layout *const layouts[] = {
	PLAIN(META, "meta", meta),
	PLAIN(CLOCK, "clock", clocks),
	PLAIN(SOURCE, "source", source),
	PLAIN(MODULE, "module", module),
	PLAIN(MAPPING, "mapping", mapping),
	PLAIN(FORK, "fork", forks),
	PLAIN(COMM, "comm", comm),
	PLAIN(EXIT, "exit", exits),
	PLAIN(KERNEL_SYMBOL, "kernel-symbol", kernel_symbol),
	PLAIN(LOSS, "loss", loss),
	PLAIN(COST, "cost", cost),
	PLAIN(MAPS_UNAVAILABLE, "maps-unavailable", maps_unavailable),
	PLAIN(PROBE, "probe", probe),
	PLAIN(PROBE_HITS, "probe-hits", probe_hits),
	PLAIN(UNSURE, "unsure", unsure),
	PLAIN(COUNTER, "counter", counter),
	PLAIN(OBJECT, "object", object),
	PLAIN(WINDOW, "window", window),
	PLAIN(TRIGGER, "trigger", trigger),
	PLAIN(CGROUP, "cgroup", cgroup),
	PLAIN(BUDGET, "budget", budget),
	SPECIAL(TASK, "task", task),
	[EVENT_SAMPLE] = &event_layout_sample,
	PLAIN(WALK, "walk", walk),
	FLAGGED(WALK_TASK, "walk-task", walk_task),
	[EVENT_WAIT] = &event_layout_wait,
	[EVENT_WAKE] = &event_layout_wake,
	[EVENT_USER_STACK] = &event_layout_user_stack,
	FLAGGED(WAIT_SUMS, "wait-sums", wait_sums),
	SPECIAL(EMBED_MODULE, "embed-module", embed_module),
	SPECIAL(EMBED_SYMBOLS, "embed-symbols", embed_symbols),
	SPECIAL(PERF_MAP, "perf-map", perf_map),
	SPECIAL(EMBED_LINES, "embed-lines", embed_lines),
	PLAIN(EMBED_UNWIND, "embed-unwind", embed_unwind),
	PLAIN(SNAPSHOT, "snapshot", snapshot),
	PLAIN(OBJECT_NAME, "object-name", object_name),
};

const struct event_layout *event_layout_find(uint64_t kind)
{
	return kind < sizeof(layouts) / sizeof(*layouts) ? layouts[kind] : NULL;
}
