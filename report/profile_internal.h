/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the files profile*.c share and nobody else sees: the profile while it is built. Everything lent out by profile.h
 * lies in one of the arrays here; beside each stands the table by which equal items are found and kept once.
 */
#ifndef RWALKER_REPORT_PROFILE_INTERNAL_H
#define RWALKER_REPORT_PROFILE_INTERNAL_H

#include "report/profile.h"
#include "report/profile_events.h"
#include "report/profile_partial.h"
#include "report/read/event_stream.h"
#include "report/read/trace_file.h"
#include "report/resolve/modules.h"

enum { NO_NUMBER = UINT32_MAX };

struct profile_host {
	const char *boot_id, *name; /* of profile->texts; where both are empty, each section is a host of its own */
};

struct profile_quality { /* samples, after filters */
	uint64_t samples;
	uint64_t kernel_truncated, user_truncated;
	uint64_t user_fault, user_exiting; /* user stack missing, why */
	uint64_t trimmed;		   /* with frames cut off at the root end */
	uint64_t no_maps;		   /* user stack of a process of which no mapping is known */
	uint64_t stripped;		   /* with BPF frames taken off the leaf */
	uint64_t unknown_source;
	uint64_t user_changed, user_no_room, user_not_returned; /* waits: user stack missing, why */
	uint64_t user_busy, user_ran, user_refused; /* walks, waits that had not ended: likewise */
	uint64_t unwound, snapshots_missing; /* user stacks; snapshots that events refer to */
	uint64_t stops[NOTES];		     /* of unwound: by what is noted at the root; NOTE_NONE: clean */
	uint64_t tails, guessed;	     /* of unwound */
	bool machine_unknown;		     /* there are snapshots of a machine that is not unwound */
};

enum overhead {
	OVERHEAD_UNKNOWN,
	OVERHEAD_NONE,
	OVERHEAD_ENTRY,
	OVERHEAD_PLUMBING, /* of tracepoints and kprobes, whoever uses them: only where that is how the sample was made */
	OVERHEAD_WALK,
};

struct kept_sample { /* for profile_events.h; there are many */
	uint64_t time, weight;
	uint32_t node, task;
	uint32_t origin;
	uint16_t cpu;
	uint8_t flags;
};

struct event_origin { /* what many samples have in common */
	uint32_t recording, source, probe;
};

struct event_numbers { /* of waits, in the order of some moment of theirs */
	uint32_t *items;
	size_t count;
};

struct recording_notes { /* beside each profile_recording */
	const struct trace_model *model;
	uint64_t from, to; /* what was asked for of it */
	uint32_t wakers;   /* the source of its wakeups; NO_NUMBER: none, or not wanted */
};

struct source_notes { /* beside each profile_source */
	bool periods;	      /* weights came from the trace, not from counting */
	const char *unit;     /* then */
};

struct profile {
	const struct profile_filter *filter; /* while it is built */
	struct profile_names names;
	struct trace_file **files;
	size_t file_count;
	struct stream_totals stream_totals;
	struct profile_reading reading;
	struct modules modules;
	struct debug_server *server; /* NULL: nobody is asked for files */
	struct text_pool texts;
	ARRAY(struct profile_host) hosts;
	ARRAY(struct profile_source) sources;
	ARRAY(struct source_notes) source_notes;
	ARRAY(struct profile_task) tasks;
	ARRAY(bool) task_wanted;
	ARRAY(struct profile_node) nodes;
	ARRAY(struct profile_frame) frames;
	ARRAY(uint8_t) overhead; /* by frame, enum overhead */
	ARRAY(struct profile_entry) entries;
	ARRAY(struct profile_module) module_list;
	ARRAY(struct profile_walk) walks;
	ARRAY(struct profile_walk_task) walk_tasks;
	ARRAY(struct profile_wait) waits;
	ARRAY(struct profile_task_sums) sums;
	ARRAY(struct profile_recording) recordings;
	ARRAY(struct recording_notes) recording_notes;
	bool waits_hidden; /* only the wakeups that ended them are wanted */
	ARRAY(struct profile_probe) probes;
	ARRAY(bool) probe_wanted;
	ARRAY(struct kept_sample) kept;
	ARRAY(struct event_origin) origins;
	struct event_numbers wakeups, ends;
	ARRAY(struct profile_wait_totals) wait_totals; /* by source */
	struct index_table host_table, source_table, task_table, node_table, frame_table, entry_table, probe_table;
	struct profile_symbol *symbols; /* by frame, once a view asks */
	uint8_t *symbol_known;
	struct profile_quality quality;
	ARRAY(char *) lines; /* of the account */
	bool account_made, lost, waits_ordered;
};

/* profile.c: as profile_create, but no event is read: what their addresses mean can be asked. The filter must live as long. */
int profile_open(const char *const *paths, size_t count, const struct profile_filter *filter, const struct profile_names *names,
		 struct profile **ret_profile);

/* profile_intern.c: each finds the item or adds it. -ENOMEM. */
int profile_intern_host(struct profile *profile, const struct trace_model *model, uint32_t *ret_host);
int profile_intern_source(struct profile *profile, const struct trace_model *model, const struct trace_source *source,
			  uint32_t *ret_source);
int profile_intern_task(struct profile *profile, uint32_t host, const struct event_task *task, uint32_t *ret_task);
int profile_intern_frame(struct profile *profile, const struct profile_frame *frame, uint32_t *ret_frame);
int profile_intern_node(struct profile *profile, uint32_t parent, uint32_t frame, uint32_t *ret_node);
int profile_intern_probe(struct profile *profile, uint32_t source, const char *name, uint32_t *ret_probe);
/* ns that the section recorded it. */
uint64_t profile_duration_of(const struct trace_model *model, const struct event_source *source);
/* Adds the weight to the entry with this source, node, task and flags. */
int profile_add_entry(struct profile *profile, const struct profile_entry *entry);

/* profile_read.c: all events of one section. */
int profile_read_section(struct profile *profile, struct trace_file *file, struct trace_model *model);

/* profile_moment.c: a moment as a time of the section; false where its clocks do not tell. */
bool profile_moment_of(const struct trace_model *model, const struct profile_moment *moment, uint64_t *ret_time);

/* profile_waits.c: a waker's share of the wait that it ended. */
uint64_t profile_waker_weight(const struct profile_wait *wait);

/* profile_account.c */
int profile_make_account(struct profile *profile);

#endif
