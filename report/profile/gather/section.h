/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One section while its events are added to the profile. Maps its sources, and the tasks and nodes
 * of each open chunk, to numbers of the profile, and knows what is requested. On top of this, each
 * kind of event has a file of its own: section_samples.c, section_waits.c, section_walks.c.
 * section_read.c puts them together.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_H

#include "report/profile/gather/chain.h"

struct source_binding {
	uint32_t source; /* in the profile */
	enum profile_source_kind kind;
	uint64_t period; /* for samples without one */
	bool wanted;
	uint64_t middle; /* of the requested part of it */
	uint32_t origin; /* for its samples without a probe; NO_NUMBER: none yet */
};

struct probe_binding {
	uint32_t source; /* in the section: its id */
	uint32_t probe;	 /* in the profile */
	uint32_t origin; /* NO_NUMBER: none yet */
};

struct task_binding { /* a chunk's task */
	uint32_t task;	  /* in the profile */
	uint32_t process; /* in the timeline */
	bool known, wanted;
};

struct section_slot { /* state of one open chunk */
	uint64_t serial;
	const struct stack_node *nodes;
	struct chain_cache chains;
	struct task_binding *tasks;
	size_t task_room;
};

struct section_walk {
	uint32_t number; /* in the section */
	uint32_t walk;	 /* in the profile */
	uint32_t source;
};

struct section_waits;

struct section {
	struct chain_context context;
	ARRAY(struct source_binding) sources; /* in the order of the model */
	ARRAY(struct probe_binding) probes;   /* likewise; filled by section_probes.c */
	uint32_t recording; /* number in the profile; NO_NUMBER: not needed */
	uint32_t ordinal;   /* of the sections that were read */
	struct section_slot slots[STREAM_OPEN_MAX];
	struct section_walk walk; /* the latest */
	struct section_waits *waits; /* of section_waits.c; NULL: the section has no such source */
	size_t first_walk;	  /* of the section, in the profile */
	struct {
		uint64_t id; /* of a task's cgroup, 0: none was looked up */
		const struct profile_cgroup *cgroup;
	} last; /* cache: the next task is mostly in the same */
	uint64_t from, to;	  /* requested times */
};

/*
 * Sets up everything but probes, recording and waits. Must be deinited on failure, too. -EINVAL
 * after reporting that the trace has no time of day; -ENOMEM.
 */
int section_init(struct section *section, struct profile *profile, struct trace_model *model);
/* Does not free the waits. */
void section_deinit(struct section *section);

/* NULL if the section does not describe the source. */
const struct source_binding *section_source(const struct section *section, uint32_t id);
/* The slot of the event's chunk; switches the context to that chunk. */
int section_slot(struct section *section, const struct stream_event *event, struct section_slot **ret_slot);
/* The recording, if one is needed; else a number that no recording and no other section has. */
uint32_t section_scope(const struct section *section);
/* *ret_binding is NULL if the chunk does not define the task. */
int section_task(struct section *section, struct section_slot *slot,
		 const struct stream_event *event, uint32_t number,
		 const struct task_binding **ret_binding);
/*
 * The owner of what a task waited for: task `number` of the event's chunk. reads: the owner held it for reading. Sets
 * *owner and adds to *held (enum profile_wait_held); does neither if the number is 0 or not that of a task. -errno.
 */
int section_owner(struct section *section, struct section_slot *slot, const struct stream_event *event,
		  uint32_t number, bool reads, uint32_t *owner, uint8_t *held);
bool section_wants(const struct section *section, uint64_t time, uint32_t cpu);
bool section_wants_cpu(const struct section *section, uint64_t cpu);

/* Selects the quality that the current event counts in, by kind. PROFILE_SOURCE_KINDS: unknown. */
void section_judge(const struct section *section, enum profile_source_kind kind);
/* Counts a requested event. */
void section_count(const struct section *section, uint64_t time);

/* The binding of the section's first source of that kind; NULL if there is none. */
const struct source_binding *section_source_of(const struct section *section, enum profile_source_kind kind);

#endif
