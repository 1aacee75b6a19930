/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The content of a section apart from its events: where and when it was recorded, its sources, modules, kernel
 * symbols, the timeline of its address spaces, losses and cost. Filled by one pass over the STATE, EMBED, NAMES and
 * END chunks; symbols of user modules stay in the file and are read on demand. Ids are those of the section. A STATE
 * chunk and its copy count once. Plain data; texts belong to `texts` and live as long as the file.
 */
#ifndef RWALKER_REPORT_READ_TRACE_MODEL_H
#define RWALKER_REPORT_READ_TRACE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"
#include "common/elf/elf_file.h"
#include "format/event.h"
#include "format/event_decoder.h"
#include "format/event_lines.h"
#include "format/limits.h"
#include "format/trace_reader.h"
#include "report/read/text_pool.h"
#include "report/read/timeline.h"

struct trace_file;
struct trace_model;

struct trace_cgroup { /* that tasks of the section were in */
	uint64_t id;
	uint64_t made, removed; /* times; removed 0: not removed, as far as is known */
	bool initial;		/* it existed before the recording */
	const char *path;	/* "": unknown */
};

/* NULL: unknown. */
const struct trace_cgroup *trace_model_cgroup(const struct trace_model *model, uint64_t id);

/*
 * The times in which names of a recording are unreliable, because records of any CPU were missing:
 * its UNSURE records as ascending, disjoint spans of time.
 */

struct unsure_span {
	uint64_t from, until; /* both inclusive */
};

struct unsure_times {
	ARRAY(struct unsure_span) spans;
};

/* Whether records are certainly missing, which is a loss. An offline CPU has no records, except for a moment. */
bool unsure_times_lack(const struct event_unsure *records, size_t count);

bool unsure_times_hold(const struct unsure_times *times, uint64_t time);

typedef ARRAY(uint32_t) chunk_list; /* numbers of chunks in the file, ascending */

struct kernel_symbol {
	uint32_t module;
	uint64_t offset, size;
	const char *name;
};

struct trace_module {
	uint32_t id, kind; /* enum module_kind */
	const char *path;
	struct build_id build_id;
	uint64_t device, inode, base, flags;
	uint32_t embed_status; /* enum embed_status, 0: not recorded */
	uint32_t machine;
	struct event_segment *segments;
	size_t segment_count;
	chunk_list symbol_chunks, unwind_chunks, mini_chunks, line_chunks;
};

struct trace_perf_map {
	uint32_t tgid;
	chunk_list chunks;
};

struct trace_source {
	struct event_source event; /* its name is invalid: use the next member */
	const char *name;
};

struct trace_probe { /* may be incomplete: the totals may be there without the rest, and vice versa */
	uint32_t id, source, hook; /* enum probe_hook */
	const char *name;	   /* "" */
	bool counted;
	struct event_probe_hits hits, before; /* the latest; what was counted before a dump */
};

struct trace_object { /* what waits were for */
	struct event_object about;
	const char *path; /* or the name of a socket, lock or block device; "" */
	bool has_addresses;
	uint8_t address[RWK_MAX_ADDRESS], peer_address[RWK_MAX_ADDRESS];
	uint32_t number; /* its number in the profile, plus 1; 0: none yet */
};

enum { MODEL_TABLES = 7 };
enum { CHUNK_TYPES = 9 }; /* types that are counted separately */

struct trace_meta { const char *key, *value; };
struct chunk_statistics {
	uint64_t chunks, stored_bytes, raw_bytes;
};

struct lost_range { /* span of time in which at least one EVENTS chunk, or one of unknown kind, is missing */
	uint64_t from, to;
	uint64_t chunks;
};

struct copied_code { /* a mapping of anonymous memory that replaced a module's code */
	uint32_t module, tgid;
	bool referred; /* a frame points into it */
};

struct trace_trigger {
	struct event_trigger about; /* its texts are invalid: use the next members */
	const char *rule, *comm;
};

struct trace_comm { /* that a first thread had from then on */
	uint64_t time;
	uint32_t tgid;
	const char *comm; /* NULL: the process began */
};

typedef ARRAY(struct event_counter) counter_list;

struct trace_model {
	struct trace_file *file;
	uint32_t section, first_chunk, end_chunk; /* its number, and the range of its chunks in the file */
	uint32_t chunk; /* that is being read */
	uint64_t first_time, last_time; /* of all chunks; 0,0: no chunk has a time */
	uint64_t start, stop;		/* of the recording: the first start and last stop of its sources */
	const char *host, *boot_id;	/* "" if the trace does not have it */
	ARRAY(struct trace_meta) metas;
	ARRAY(struct event_clock) clocks;
	ARRAY(struct trace_source) sources;
	uint16_t source_places[RWK_MAX_SOURCES + 1]; /* by id: index in sources, plus 1 */
	ARRAY(struct trace_probe) probes;
	ARRAY(struct trace_module) modules;
	ARRAY(struct kernel_symbol) kernel_symbols;
	ARRAY(struct trace_perf_map) perf_maps;
	ARRAY(struct trace_object) objects;
	ARRAY(struct trace_cgroup) cgroups;
	ARRAY(struct trace_comm) comms; /* of first threads */
	ARRAY(struct event_loss) losses;
	ARRAY(uint64_t) losses_before; /* for each of these: what was counted before a dump */
	counter_list counters, counters_before; /* the last record of each source and CPU */
	ARRAY(struct event_maps_unavailable) maps_unavailable;
	ARRAY(struct copied_code) copied; /* the note of such a mapping is its index here, plus 1 */
	ARRAY(struct event_unsure) unsure; /* each span once, as last recorded */
	struct unsure_times unsure_times;	 /* of these spans */
	ARRAY(struct lost_range) lost_ranges;
	struct event_window window; /* dump 0: the section is not a dump */
	ARRAY(struct trace_trigger) triggers;
	ARRAY(struct event_budget) budgets; /* in time order, each another step than the last */
	struct event_cost cost, cost_before;
	struct timeline timeline;
	struct chunk_statistics statistics[CHUNK_TYPES]; /* by type; [0]: all other types */
	uint64_t unknown_records, malformed_chunks;
	struct text_pool texts;
	struct index_table tables[MODEL_TABLES]; /* of trace_records.c */
};

int trace_model_init(struct trace_model *model, struct trace_file *file, uint32_t section);
void trace_model_deinit(struct trace_model *model);

/* Adds a chunk of the section; `payload` is NULL for kinds that are only counted. */
int trace_model_add_chunk(struct trace_model *model, uint32_t number, const void *payload,
			  struct event_decoder *decoder);
int trace_model_finish(struct trace_model *model);
/* Adds names of JIT code, and missing build-ids (by path, device, inode), from another section. 0, -ENOMEM. */
int trace_model_add_section(struct trace_model *model, const struct trace_model *addition);

struct trace_module *trace_model_module(const struct trace_model *model, uint32_t id); /* NULL: unknown */
struct trace_perf_map *trace_model_perf_map(const struct trace_model *model, uint32_t tgid);
const struct trace_source *trace_model_source(const struct trace_model *model, uint32_t id);
const struct trace_probe *trace_model_probe(const struct trace_model *model, uint32_t id);
struct trace_object *trace_model_object(const struct trace_model *model, uint32_t number); /* NULL: unknown */
/* The function that begins there; NULL: unknown. */
const char *trace_model_kernel_function(const struct trace_model *model, uint32_t module, uint64_t offset);
/* The name of the system call in event_wait.call, not terminated. Returns its length; 0: no call, or unknown name. */
size_t trace_model_call_name(const struct trace_model *model, uint64_t call, const char **ret_name);
const char *trace_model_meta(const struct trace_model *model, const char *key); /* NULL: unknown */
const struct trace_trigger *trace_model_reason(const struct trace_model *model); /* of a dump; NULL: unknown */
/* Wall-clock ns since 1970 at a time of the trace, according to the last clock readings before it; 0: unknown. */
uint64_t trace_model_realtime(const struct trace_model *model, uint64_t time);

#endif
