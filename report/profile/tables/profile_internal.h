/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Private to the rooms of the profile: the profile while it is built. Everything returned through
 * profile.h is in one of these arrays. The tables by which items are interned are below the arrays.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_INTERNAL_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_INTERNAL_H

#include "common/hash_map.h"
#include "report/profile/seam/profile.h"
#include "report/profile/seam/profile_events.h"
#include "report/profile/seam/profile_apart.h"
#include "report/profile/seam/profile_objects.h"
#include "report/profile/tables/missing_user.h"
#include "report/read/event_stream.h"
#include "report/read/trace_file.h"
#include "report/resolve/module/modules.h"

enum { NO_NUMBER = UINT32_MAX };

struct profile_process { /* profile_processes.h */
	const char *comm;
	uint64_t seen;
	uint32_t task; /* its first thread, by that comm; PROFILE_NO_TASK: that had no event */
	bool first;    /* the comm is that of its first thread */
};

struct profile_scope { /* the modules of a section */
	const struct trace_model *model;
	struct modules_place place;
	uint64_t from, to; /* the requested part of the section, whether or not it was recorded */
};

struct profile_host {
	const char *boot_id, *name; /* of profile->texts; if both are empty, each section is a separate host */
};

struct profile_quality { /* of events of one kind of source, after filters */
	uint64_t samples;
	uint64_t kernel_truncated, user_truncated;
	uint64_t missing_user[MISSING_USER_REASONS];
	uint64_t trimmed;		   /* with frames cut off at the root end */
	uint64_t no_maps;		   /* user stack of a process without known mappings */
	uint64_t stripped;		   /* with BPF frames removed from the leaf */
	uint64_t unknown_source;
	uint64_t unsure; /* from times when records of processes were missing */
	uint64_t unwound, snapshots_missing; /* user stacks; snapshots that events refer to but the trace lacks */
	uint64_t stops[NOTES];		     /* of unwound stacks, by the note at the root; NOTE_NONE: clean */
	uint64_t tails, callers_missing;     /* of unwound stacks; the latter: perhaps */
	uint64_t callers_unknown;	     /* of stacks by frame pointers */
};

enum overhead {
	OVERHEAD_UNKNOWN,
	OVERHEAD_NONE,
	OVERHEAD_ENTRY,
	OVERHEAD_PLUMBING, /* of tracepoints and kprobes in general: counts only if the sample was made by one */
	OVERHEAD_WALK,
};

struct kept_sample { /* for profile_events.h; there are many */
	uint64_t time, weight;
	uint32_t node, task;
	uint32_t origin;
	uint16_t cpu;
	uint8_t flags;
};

struct event_origin { /* shared by many samples */
	uint32_t recording, source, probe;
};

struct event_numbers { /* waits sorted by one of their times */
	uint32_t *items;
	size_t count;
};

struct recording_notes { /* parallel to the profile_recordings */
	const struct trace_model *model;
	uint64_t from, to; /* the requested part of it */
	uint32_t wakers;   /* the source of its wakeups; NO_NUMBER: none, or not requested */
};

struct source_notes { /* parallel to the profile_sources */
	bool periods;	      /* weights came from the trace, not from counting events */
	const char *unit;     /* the unit of those */
};

struct profile_reading { /* of the events of all traces */
	uint64_t done, whole; /* bytes */
	bool cut;
};

struct profile {
	const struct profile_filter *filter; /* while it is built */
	struct profile_names names;
	struct trace_file **files;
	size_t file_count;
	struct stream_totals stream_totals;
	struct profile_reading reading;
	struct modules modules;
	ARRAY(struct profile_scope) scopes; /* one for each section of all files */
	struct debug_server *server; /* NULL: no servers are asked */
	struct text_pool texts;
	ARRAY(struct profile_host) hosts;
	ARRAY(struct profile_source) sources;
	ARRAY(struct source_notes) source_notes;
	ARRAY(struct profile_task) tasks;
	ARRAY(bool) task_wanted;
	ARRAY(struct profile_process) processes;
	struct hash_map process_numbers; /* (recording, tgid): number of a process */
	ARRAY(uint32_t) process_of; /* by task; may be shorter */
	uint32_t sections_read;
	ARRAY(struct profile_cgroup *) cgroups;
	ARRAY(struct profile_node) nodes;
	ARRAY(struct profile_frame) frames;
	ARRAY(uint8_t) overhead; /* by frame, enum overhead */
	ARRAY(struct profile_entry) entries;
	ARRAY(struct profile_module) module_list;
	ARRAY(struct profile_walk) walks;
	ARRAY(struct profile_walk_task) walk_tasks;
	ARRAY(struct profile_wait) waits;
	ARRAY(struct profile_object) objects;
	ARRAY(uint32_t) object_recordings; /* the recordings of the objects */
	ARRAY(struct profile_operation) operations;
	ARRAY(uint64_t) operation_keys; /* parallel to operations: what they are in a trace */
	ARRAY(struct profile_task_sums) sums;
	ARRAY(struct profile_kernel_time) kernel_times; /* by task, whatever the filters; may be shorter */
	bool *throughout_of; /* by task: has a wait that lasted throughout; NULL: unknown */
	bool sets_apart;     /* such waits, and those of kernel threads that did nothing */
	ARRAY(struct profile_wait) throughout; /* copies of those that were set apart */
	size_t kernel_threads_apart;
	ARRAY(struct profile_recording) recordings;
	ARRAY(struct recording_notes) recording_notes;
	bool waits_hidden; /* only the wakeups that ended the waits are requested */
	ARRAY(struct profile_probe) probes;
	ARRAY(bool) probe_wanted;
	ARRAY(struct kept_sample) kept;
	ARRAY(struct event_origin) origins;
	struct event_numbers wakeups, ends;
	ARRAY(struct profile_wait_totals) wait_totals; /* by source */
	struct index_table host_table, source_table, task_table, node_table, frame_table,
		entry_table, probe_table, cgroup_table, moved_table;
	struct profile_symbol *symbols; /* by frame; made when a view first asks */
	uint8_t *symbol_known;
	/* By kind of source; the last one is for unknown kinds. `quality` is the one for the current event. */
	struct profile_quality qualities[PROFILE_SOURCE_KINDS + 1], *quality;
	bool machine_unknown; /* there are snapshots from an unsupported machine */
	struct account_notes *notes; /* for the account of `account_kinds`; NULL: not made yet */
	unsigned int account_kinds;
	struct profile_chosen chosen;
	bool lost, waits_ordered, ends_joined;
	bool names_lack_memory; /* some names are missing for lack of memory only */
};

/* Symbols are made for the frames that exist at that time. -ENOMEM. */
int profile_begin_symbols(struct profile *profile);
void profile_forget_symbols(struct profile *profile);

#endif
