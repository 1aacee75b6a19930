/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Private to scrub*.c. */
#ifndef RWALKER_REPORT_SCRUB_SCRUB_INTERNAL_H
#define RWALKER_REPORT_SCRUB_SCRUB_INTERNAL_H

#include "report/scrub/scrub.h"
#include "report/scrub/scrub_numbers.h"
#include "report/scrub/scrub_places.h"

struct scrub_hit { /* an address in a user stack; compared byte by byte */
	uint32_t module; /* id in the section */
	uint32_t number; /* number in the profile */
	uint64_t address, mapped; /* address in the module; address in the trace */
	uint64_t caller;
};

struct scrub {
	const struct scrub_settings *settings;
	struct pseudonyms *names;
	struct text_pool texts; /* texts that consist of several pseudonyms */
	struct scrub_numbers pids, starts, devices, inodes, futexes, ports, cgroups;
	/* Of the section: */
	const struct chain_context *context;
	const struct trace_model *model;
	struct scrub_places places;
	struct hash_map hit_table;
	ARRAY(struct scrub_hit) hits;
	uint64_t start; /* CLOCK_MONOTONIC at the start of the recording, or of the first one of the same boot */
	ARRAY(struct event_line_level) levels; /* of the record being written */
	uint64_t stack[RWK_MAX_PATH];	       /* likewise */
};

static inline bool scrub_wants(const struct scrub *scrub, enum scrub_class class)
{
	return scrub->settings->classes & class;
}

/*
 * scrub_names.c: each returns 0, -ENOMEM, -EEXIST. The given text may be any bytes; as in reports,
 * a name ends at a NUL. *ret_text is valid as long as the scrubber, or is the given text.
 */
int scrub_comm(struct scrub *scrub, const char *comm, size_t length, struct event_text *ret_text);
int scrub_host(struct scrub *scrub, const struct event_text *host, struct event_text *ret_text);
/* Replaces the last component of a path, and what is before it, separately. */
int scrub_path(struct scrub *scrub, enum pseudonym_class class, const struct event_text *path,
	       struct event_text *ret_text);
/* A function of a module that is private or belongs to the kernel. */
int scrub_function(struct scrub *scrub, const struct trace_module *module, const struct event_text *name,
		   struct event_text *ret_text);
int scrub_variable(struct scrub *scrub, const struct event_text *name, struct event_text *ret_text);
int scrub_probe_name(struct scrub *scrub, const struct event_text *name, bool common, struct event_text *ret_text);
int scrub_build_id(struct scrub *scrub, const struct event_text *id, struct event_text *ret_text);
/* Whether a module's names say nothing about the host: it is the kernel, or a file of a distribution. */
bool scrub_is_public(const struct scrub *scrub, const struct trace_module *module);
/* Whether the kernel is a distribution's, judging by its release. */
bool scrub_is_common_kernel(const struct scrub *scrub);
bool scrub_is_kept(const struct scrub *scrub, const char *name);

/* A time of the section, counted from a start that is the same in all traces. 0 stays 0: it is no time. */
uint64_t scrub_time(const struct scrub *scrub, uint64_t time);
/* The time of day that stands for this time. */
uint64_t scrub_realtime(uint64_t time);
int scrub_pid(struct scrub *scrub, uint32_t pid, uint32_t *ret_pid);

/* scrub_objects.c: 0, -ENOMEM; whether the name may be written. */
int scrub_object(struct scrub *scrub, struct event *event);
bool scrub_object_name(struct event *event);

enum { SCRUB_LEAVE_OUT, SCRUB_WRITE }; /* what to do with a record */

/* scrub_cgroups.c: SCRUB_WRITE; 0; -ENOMEM, -EEXIST. */
int scrub_cgroup(struct scrub *scrub, struct event *event);
int scrub_cgroup_id(struct scrub *scrub, uint64_t given, uint64_t *ret_id);

/* scrub_symbols.c: notes a frame of a user stack, by its recorded address. */
int scrub_note_hit(struct scrub *scrub, uint32_t process, const struct mapping *mapping, uint64_t address, bool caller);

#endif
