/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "format/event_layout.h"

#include "format/limits.h"

#define FIELD(type, record, member, limit)                                                         \
	{                                                                                          \
		#member, FIELD_##type, offsetof(struct event_##record, member), limit              \
	}
#define U32(record, member) FIELD(U32, record, member, UINT32_MAX)
#define ID(record, member, limit) FIELD(U32, record, member, limit)
#define TASK(record, member) FIELD(TASK, record, member, UINT32_MAX)
#define PAGES(record, member) FIELD(PAGES, record, member, 0)
#define U64(record, member) FIELD(U64, record, member, 0)
#define HEX(record, member) FIELD(HEX, record, member, 0)
#define TIME(record, member) FIELD(TIME, record, member, 0)
#define TEXT(record, member, limit) FIELD(TEXT, record, member, limit)
#define SPECIAL(type, record, member) FIELD(SPECIAL_##type, record, member, UINT32_MAX)
#define END                                                                                        \
	{                                                                                          \
		.type = FIELD_END                                                                  \
	}

enum { CPU_LIMIT = RWK_MAX_CPUS - 1 };

static const struct event_field meta[] = {TEXT(meta, key, RWK_MAX_STRING), TEXT(meta, value, RWK_MAX_STRING), END};
static const struct event_field clocks[] = {TIME(clock, time), U64(clock, boottime), U64(clock, realtime),
					    U64(clock, tai), U64(clock, window), END};
static const struct event_field source[] = {
	ID(source, id, RWK_MAX_SOURCES), U32(source, kind), U32(source, weight), TEXT(source, name, RWK_MAX_STRING),
	U64(source, frequency), U64(source, period), TIME(source, start), TIME(source, stop), HEX(source, flags), END};
static const struct event_field module[] = {
	ID(module, id, RWK_MAX_MODULES), U32(module, kind), TEXT(module, path, RWK_MAX_STRING),
	FIELD(BYTES, module, build_id, RWK_MAX_BUILD_ID), U64(module, device), U64(module, inode),
	HEX(module, base), HEX(module, flags), END};
static const struct event_field mapping[] = {
	TIME(mapping, time), TASK(mapping, tgid), FIELD(START, mapping, start, 0), PAGES(mapping, length),
	PAGES(mapping, file_offset), ID(mapping, module, RWK_MAX_MODULES), HEX(mapping, flags), END};
static const struct event_field forks[] = {TIME(fork, time), TASK(fork, tgid), TASK(fork, tid),
					   TASK(fork, parent_tgid), TASK(fork, parent_tid), END};
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
static const struct event_field task[] = {TASK(task, tgid), TASK(task, tid), U64(task, start), HEX(task, flags),
					  FIELD(COMM, task, comm, RWK_MAX_COMM), END};
static const struct event_field sample[] = {
	SPECIAL(TIME, sample, time), SPECIAL(U32, sample, cpu), SPECIAL(U32, sample, task),
	SPECIAL(U32, sample, source), SPECIAL(HEX, sample, flags), SPECIAL(U64, sample, missing),
	SPECIAL(U64, sample, period), SPECIAL(U32, sample, kernel), SPECIAL(U32, sample, user), END};
static const struct event_field walk[] = {TIME(walk, time), U32(walk, number), ID(walk, source, RWK_MAX_SOURCES),
					  HEX(walk, flags), U64(walk, seen), U64(walk, kept), END};
static const struct event_field walk_task[] = {
	TIME(walk_task, time), U32(walk_task, walk), U32(walk_task, task), HEX(walk_task, state),
	HEX(walk_task, exit_state), U64(walk_task, wait), U32(walk_task, bound), ID(walk_task, cpu, CPU_LIMIT),
	HEX(walk_task, flags), SPECIAL(U32, walk_task, kernel), END};
static const struct event_field embed_module[] = {
	ID(embed_module, module, RWK_MAX_MODULES), U32(embed_module, status), U32(embed_module, machine),
	SPECIAL(U32, embed_module, segment_count), END};
static const struct event_field embed_symbols[] = {ID(embed_symbols, module, RWK_MAX_MODULES),
						   SPECIAL(U64, embed_symbols, count), END};
static const struct event_field perf_map[] = {U32(perf_map, tgid), SPECIAL(U64, perf_map, count), END};

static const struct event_layout layouts[] = {
	[EVENT_META] = {EVENT_META, false, "meta", meta},
	[EVENT_CLOCK] = {EVENT_CLOCK, false, "clock", clocks},
	[EVENT_SOURCE] = {EVENT_SOURCE, false, "source", source},
	[EVENT_MODULE] = {EVENT_MODULE, false, "module", module},
	[EVENT_MAPPING] = {EVENT_MAPPING, false, "mapping", mapping},
	[EVENT_FORK] = {EVENT_FORK, false, "fork", forks},
	[EVENT_COMM] = {EVENT_COMM, false, "comm", comm},
	[EVENT_EXIT] = {EVENT_EXIT, false, "exit", exits},
	[EVENT_KERNEL_SYMBOL] = {EVENT_KERNEL_SYMBOL, false, "kernel-symbol", kernel_symbol},
	[EVENT_LOSS] = {EVENT_LOSS, false, "loss", loss},
	[EVENT_COST] = {EVENT_COST, false, "cost", cost},
	[EVENT_MAPS_UNAVAILABLE] = {EVENT_MAPS_UNAVAILABLE, false, "maps-unavailable", maps_unavailable},
	[EVENT_TASK] = {EVENT_TASK, true, "task", task},
	[EVENT_SAMPLE] = {EVENT_SAMPLE, true, "sample", sample},
	[EVENT_WALK] = {EVENT_WALK, false, "walk", walk},
	[EVENT_WALK_TASK] = {EVENT_WALK_TASK, true, "walk-task", walk_task},
	[EVENT_EMBED_MODULE] = {EVENT_EMBED_MODULE, true, "embed-module", embed_module},
	[EVENT_EMBED_SYMBOLS] = {EVENT_EMBED_SYMBOLS, true, "embed-symbols", embed_symbols},
	[EVENT_PERF_MAP] = {EVENT_PERF_MAP, true, "perf-map", perf_map},
};

const struct event_layout *event_layout_find(uint64_t kind)
{
	bool known = kind < sizeof(layouts) / sizeof(*layouts) && layouts[kind].name;

	return known ? &layouts[kind] : NULL;
}
