/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A hand-made profile for the tests of the views: report/profile/seam/ from arrays that a test
 * fills, each of a fixed size. It defines the functions of the seam, so a test program includes it
 * once and does not link the real ones. A chain is written root first,
 * "main@app+0x10;do_syscall_64+0x82": a name, the module after '@' ("[kernel]" if omitted), the
 * offset in the symbol after '+'. A name that begins with '?' has no symbol.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "report/profile/seam/profile.h"
#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_apart.h"
#include "report/profile/seam/profile_dump.h"
#include "report/profile/seam/profile_events.h"
#include "report/profile/seam/profile_objects.h"
#include "report/profile/seam/profile_origin.h"
#include "report/profile/seam/profile_waits.h"
#include "report/view/text/view.h"
#include "tests/test.h"

enum { FAKE_MAX = 512, FAKE_TEXT = 8192 };

struct profile {
	struct profile *base; /* for views that compare */
	struct profile_source sources[8];
	struct profile_task tasks[FAKE_MAX];
	struct profile_module modules[16];
	struct profile_frame frames[FAKE_MAX];
	struct profile_symbol symbols[FAKE_MAX];
	struct profile_node nodes[FAKE_MAX];
	struct profile_entry entries[FAKE_MAX];
	struct profile_walk walks[8];
	struct profile_walk_task walk_tasks[FAKE_MAX];
	struct profile_wait waits[FAKE_MAX];
	struct profile_object objects[16];
	struct profile_operation operations[16];
	struct profile_task_sums sums[FAKE_MAX];
	struct profile_recording recordings[4];
	struct profile_wait_totals totals[8]; /* by source */
	struct profile_event events[FAKE_MAX];
	struct profile_probe probes[16];
	struct profile_origin origins[4];
	struct profile_losses losses;
	struct profile_set_apart set_apart;
	uint64_t realtime; /* of time 0 of every recording; 0: not known */
	struct profile_account_note notes[8];
	size_t source_count, task_count, module_count, frame_count, node_count, entry_count,
		walk_count, walk_task_count,
		wait_count, sum_count, recording_count, event_count, probe_count, note_count,
		origin_count, object_count, operation_count;
	bool lost;
	char text[FAKE_TEXT]; /* holds all names */
	size_t text_used;
};

size_t profile_objects(const struct profile *profile, const struct profile_object **ret_objects)
{
	*ret_objects = profile->objects;
	return profile->object_count;
}

size_t profile_operations(const struct profile *profile, const struct profile_operation **ret_operations)
{
	*ret_operations = profile->operations;
	return profile->operation_count;
}

bool profile_dump(const struct profile *profile, size_t number, struct profile_dump *ret_dump)
{
	(void)profile;
	(void)number;
	(void)ret_dump;
	return false;
}

size_t profile_origins(const struct profile *profile)
{
	return profile->origin_count;
}

/* Fake hosts are numbered like the origins. */
const char *profile_host_name(const struct profile *profile, uint32_t host)
{
	return host < profile->origin_count ? profile->origins[host].host : "";
}

void profile_origin(const struct profile *profile, size_t number, struct profile_origin *ret_origin)
{
	*ret_origin = profile->origins[number];
}

bool profile_unsure(const struct profile *profile, uint32_t recording, size_t number, struct profile_span *ret_span)
{
	(void)profile, (void)recording, (void)number, (void)ret_span;
	return false;
}

void profile_account(struct profile *profile, struct profile_account *ret_account)
{
	*ret_account = (struct profile_account){.notes = profile->notes, .count = profile->note_count};
}

void profile_account_of(struct profile *profile, unsigned int kinds, struct profile_account *ret_account)
{
	(void)kinds;
	profile_account(profile, ret_account);
}

bool profile_lost(struct profile *profile)
{
	return profile->lost;
}

enum profile_apart profile_task_apart(const struct profile *profile, uint32_t task)
{
	struct profile_kernel_time time = {0};
	bool throughout = false;

	for (size_t i = 0; i < profile->wait_count; i++) {
		if (profile->waits[i].waker == task && !profile->tasks[profile->waits[i].task].kernel_thread)
			profile_kernel_time_add_wakeup(&time, &profile->waits[i]);
		if (profile->waits[i].task != task)
			continue;
		profile_kernel_time_add_wait(&time, &profile->waits[i]);
		throughout |= profile_wait_is_throughout(profile->tasks, &profile->waits[i]);
	}
	for (size_t i = 0; i < profile->sum_count; i++)
		if (profile->sums[i].task == task)
			profile_kernel_time_add_sums(&time, &profile->sums[i]);
	if (profile->tasks[task].kernel_thread && profile_kernel_time_is_nothing_done(&time))
		return PROFILE_NOTHING_DONE;
	return throughout ? PROFILE_THROUGHOUT : PROFILE_NOT_APART;
}

struct profile_set_apart profile_set_apart(const struct profile *profile)
{
	return profile->set_apart;
}

void profile_events_begin(const struct profile *profile, struct profile_events *ret_events)
{
	*ret_events = (struct profile_events){.profile = profile};
}

bool profile_events_next(struct profile_events *events, struct profile_event *ret_event)
{
	if (events->samples == events->profile->event_count)
		return false;
	*ret_event = events->profile->events[events->samples++];
	return true;
}

/* All of it. */
void profile_recording_part(const struct profile *profile, uint32_t recording, uint64_t *ret_from, uint64_t *ret_to)
{
	*ret_from = profile->recordings[recording].start;
	*ret_to = profile->recordings[recording].stop;
}

size_t profile_probes(const struct profile *profile, const struct profile_probe **ret_probes)
{
	*ret_probes = profile->probes;
	return profile->probe_count;
}

size_t profile_sources(const struct profile *profile, const struct profile_source **ret_sources)
{
	*ret_sources = profile->sources;
	return profile->source_count;
}

size_t profile_entries(const struct profile *profile, const struct profile_entry **ret_entries)
{
	*ret_entries = profile->entries;
	return profile->entry_count;
}

const struct profile_node *profile_nodes(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->node_count;
	return profile->nodes;
}

const struct profile_frame *profile_frames(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->frame_count;
	return profile->frames;
}

const struct profile_module *profile_modules(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->module_count;
	return profile->modules;
}

const struct profile_task *profile_tasks(const struct profile *profile, size_t *ret_count)
{
	*ret_count = profile->task_count;
	return profile->tasks;
}

/* The last task of the first thread, else the thread. */
const char *profile_process_comm(const struct profile *profile, uint32_t task)
{
	const struct profile_task *thread = &profile->tasks[task];

	for (size_t i = profile->task_count; i-- > 0;)
		if (profile->tasks[i].tid == thread->tgid && profile->tasks[i].host == thread->host)
			return profile->tasks[i].comm;
	return thread->comm;
}

enum profile_cgroups_known profile_cgroups_known(const struct profile *profile)
{
	for (size_t i = 0; i < profile->task_count; i++)
		if (profile->tasks[i].cgroup)
			return PROFILE_CGROUPS_SOME;
	return PROFILE_CGROUPS_NONE;
}

size_t profile_walks(const struct profile *profile, const struct profile_walk **ret_walks)
{
	*ret_walks = profile->walks;
	return profile->walk_count;
}

size_t profile_walk_tasks(const struct profile *profile, const struct profile_walk_task **ret_rows)
{
	*ret_rows = profile->walk_tasks;
	return profile->walk_task_count;
}

size_t profile_waits(struct profile *profile, const struct profile_wait **ret_waits)
{
	*ret_waits = profile->waits;
	return profile->wait_count;
}

size_t profile_task_sums(const struct profile *profile, const struct profile_task_sums **ret_sums)
{
	*ret_sums = profile->sums;
	return profile->sum_count;
}

size_t profile_recordings(const struct profile *profile, const struct profile_recording **ret_recordings)
{
	*ret_recordings = profile->recordings;
	return profile->recording_count;
}

const struct profile_wait_totals *profile_wait_totals(const struct profile *profile, uint32_t source)
{
	return profile->sources[source].kind == PROFILE_OFFCPU ? &profile->totals[source] : NULL;
}

uint64_t profile_realtime(const struct profile *profile, uint32_t recording, uint64_t time)
{
	(void)recording;
	return profile->realtime ? profile->realtime + time : 0;
}

bool profile_moment_time(const struct profile *profile, uint32_t recording, const struct profile_moment *moment,
			 uint64_t *ret_time)
{
	const struct profile_recording *place = &profile->recordings[recording];

	switch (moment->kind) {
	case PROFILE_MOMENT_OFFSET:
		*ret_time = place->start + moment->ns;
		return true;
	case PROFILE_MOMENT_WALL:
		*ret_time = moment->ns - profile->realtime;
		return profile->realtime && moment->ns >= profile->realtime;
	default:
		return false;
	}
}

/* The state letters that the tests use. */
void profile_wait_state(uint32_t state, char text[24])
{
	text[0] = state & 2 ? 'D' : state & 1 ? 'S' : state & 4 ? 'T' : state & 8 ? 't' : 'R';
	text[1] = '\0';
}

void profile_losses(const struct profile *profile, struct profile_losses *ret_losses)
{
	*ret_losses = profile->losses;
}

const struct profile_symbol *profile_symbol(struct profile *profile, uint32_t frame)
{
	return &profile->symbols[frame];
}

static inline struct profile *fake_profile(void)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		abort();
	profile->node_count = 1; /* the root */
	return profile;
}

static const char *fake_text(struct profile *profile, const char *text, size_t length)
{
	char *copy = profile->text + profile->text_used;

	if (profile->text_used + length + 1 > FAKE_TEXT)
		abort();
	memcpy(copy, text, length);
	profile->text_used += length + 1;
	return copy;
}

static inline uint32_t fake_module(struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->module_count; i++)
		if (!strcmp(profile->modules[i].name, name))
			return (uint32_t)i;
	profile->modules[profile->module_count] =
		(struct profile_module){.name = name, .path = name, .build_id = "", .kernel = name[0] == '['};
	return (uint32_t)profile->module_count++;
}

/* One word of a chain; frames are never shared here, and the views must not depend on that. */
static inline uint32_t fake_frame(struct profile *profile, const char *word, size_t length)
{
	size_t name = strcspn(word, "@+;"), end = strcspn(word, "+;");
	const char *module = name < end ? fake_text(profile, word + name + 1, end - name - 1) : "[kernel]";
	uint64_t offset = end < length ? strtoull(word + end + 1, NULL, 16) : 0;
	uint32_t frame = (uint32_t)profile->frame_count++;

	profile->frames[frame] = (struct profile_frame){
		.module = fake_module(profile, module), .address = 0x1000 + offset, .kernel = module[0] == '['};
	profile->symbols[frame] = (struct profile_symbol){
		.name = word[0] == '?' ? NULL : fake_text(profile, word, name), .offset = offset, .start = 0x1000};
	return frame;
}

static inline uint32_t fake_chain(struct profile *profile, const char *chain)
{
	uint32_t node = 0;

	while (*chain) {
		size_t length = strcspn(chain, ";");

		profile->nodes[profile->node_count] =
			(struct profile_node){.parent = node, .frame = fake_frame(profile, chain, length)};
		node = (uint32_t)profile->node_count++;
		chain += length + (chain[length] == ';');
	}
	return node;
}

static inline uint32_t fake_task(struct profile *profile, const char *comm, uint32_t tgid, uint32_t tid)
{
	for (size_t i = 0; i < profile->task_count; i++)
		if (profile->tasks[i].tid == tid && !strcmp(profile->tasks[i].comm, comm))
			return (uint32_t)i;
	profile->tasks[profile->task_count] = (struct profile_task){.tgid = tgid, .tid = tid, .comm = comm};
	return (uint32_t)profile->task_count++;
}

static inline uint32_t fake_source(struct profile *profile, enum profile_source_kind kind,
				   const char *name, const char *unit)
{
	profile->sources[profile->source_count] = (struct profile_source){
		.kind = kind, .name = name, .weight_unit = unit, .duration = 5000000000, .user_stacks = true};
	return (uint32_t)profile->source_count++;
}

/* Entries must be added source by source. */
static inline void fake_entry(struct profile *profile, uint32_t source, const char *comm,
			      uint32_t tid, const char *chain, uint64_t weight)
{
	uint32_t node = fake_chain(profile, chain), task = fake_task(profile, comm, tid, tid);

	profile->entries[profile->entry_count++] =
		(struct profile_entry){.source = source, .node = node, .task = task,
				       .samples = weight, .weight = weight};
	profile->sources[source].samples += weight;
	profile->sources[source].weight += weight;
}

static inline void fake_note(struct profile *profile, const char *text, unsigned int about)
{
	profile->notes[profile->note_count++] =
		(struct profile_account_note){.text = text, .about = about};
}

static inline struct profile_walk_task *fake_walked(struct profile *profile, uint32_t walk,
						    const char *comm, uint32_t tid,
						    const char *state, const char *chain)
{
	uint32_t node = fake_chain(profile, chain), task = fake_task(profile, comm, tid, tid);
	struct profile_walk_task *row = &profile->walk_tasks[profile->walk_task_count++];

	*row = (struct profile_walk_task){.walk = walk, .task = task, .node = node, .bound = PROFILE_WAIT_NONE};
	memcpy(row->state, state, strlen(state));
	return row;
}

/* What a view prints. The caller frees the text. */
static inline char *fake_print(struct profile *profile, const struct view *view, const struct view_settings *settings)
{
	struct view_context context = {.profile = profile, .base = profile->base, .settings = settings};
	char *text = NULL;
	size_t length;

	context.out = open_memstream(&text, &length);
	if (!context.out || views_print(&context, view) < 0 || fclose(context.out) != 0)
		abort();
	return text;
}

static inline void fake_check(struct test *t, struct profile *profile, enum view_kind kind,
			      const struct view_settings *settings, const char *want)
{
	char *got = fake_print(profile, &views[kind], settings);

	if (!test_check(t, !strcmp(got, want), "another text than expected"))
		printf("# got:\n%s# want:\n%s", got, want);
	free(got);
}

static inline uint32_t fake_recording(struct profile *profile, uint64_t start, uint64_t stop)
{
	profile->recordings[profile->recording_count] = (struct profile_recording){.start = start, .stop = stop};
	return (uint32_t)profile->recording_count++;
}

/* A blocked wait without a waker, of the source added last; with its entry, source and totals. */
static inline struct profile_wait *fake_wait(struct profile *profile, const char *comm, uint32_t tid, const char *chain,
					     uint64_t out, uint64_t in)
{
	uint32_t source = (uint32_t)profile->source_count - 1;
	struct profile_class_total *total = &profile->totals[source].classes[PROFILE_BLOCKED];
	struct profile_wait *wait = &profile->waits[profile->wait_count++];
	struct profile_entry *entry = &profile->entries[profile->entry_count++];

	*wait = (struct profile_wait){
		.out = out,
		.in = in,
		.weight = in - out,
		.source = source,
		.task = fake_task(profile, comm, tid, tid),
		.node = fake_chain(profile, chain),
		.waker = PROFILE_NO_TASK,
		.state = 1,
		.wait_class = PROFILE_BLOCKED,
	};
	*entry = (struct profile_entry){
		.source = source, .node = wait->node, .task = wait->task, .samples = 1, .weight = wait->weight};
	profile->sources[source].samples++;
	profile->sources[source].weight += wait->weight;
	total->count++;
	total->weight += wait->weight;
	return wait;
}

/* The waker that ended it, called for the wakeup at `woken`; chain "" is no stack. */
static inline void fake_waker(struct profile *profile, struct profile_wait *wait, const char *comm, uint32_t tid,
			      const char *chain, uint64_t woken)
{
	wait->waker = fake_task(profile, comm, tid, tid);
	wait->waker_node = fake_chain(profile, chain);
	wait->waker_context = PROFILE_WAKER_TASK;
	wait->woken = woken;
	wait->run_queue = wait->in - woken;
}

#define MS MILLISECOND
#define BOOT (1000 * SECOND)			    /* the monotonic clock at the recording's start */
#define WALL_CLOCK (UINT64_C(1795262400) * SECOND) /* date -u -d "2026-11-21 12:00:00" +%s */

/* A profile with one recording of five seconds and one source of waits. */
static inline struct profile *fake_recorded(void)
{
	struct profile *profile = fake_profile();

	(void)fake_recording(profile, BOOT, BOOT + 5 * SECOND);
	(void)fake_source(profile, PROFILE_OFFCPU, "offcpu", "ns");
	profile->realtime = WALL_CLOCK - BOOT;
	return profile;
}

/* What the view returned; the caller frees the text. */
static inline int fake_view(struct profile *profile, view_print *print,
		     const struct view_settings *settings, char **ret_text)
{
	struct view_context context = {.profile = profile, .settings = settings};
	size_t length;
	int r;

	context.out = open_memstream(ret_text, &length);
	if (!context.out)
		abort();
	r = print(&context, 0, &profile->sources[0]);
	if (fclose(context.out) != 0)
		abort();
	return r;
}

static inline void fake_check_printed(struct test *t, struct profile *profile, view_print *print,
			       const struct view_settings *settings, const char *want)
{
	char *got;
	int r = fake_view(profile, print, settings, &got);

	CHECK_INT(t, r, 0);
	if (!test_check(t, !strcmp(got, want), "another text than expected"))
		printf("# got:\n%s# want:\n%s", got, want);
	free(got);
}

/* What a check of the seam returns for a copy of the profile whose last wait was corrupted. */
static inline void fake_check_refused(struct test *t, struct profile *profile, view_print *print,
				      const struct view_settings *settings,
				      struct profile_wait spoilt, const char *what)
{
	struct profile_wait *last = &profile->waits[profile->wait_count - 1], sound = *last;
	char *text;

	*last = spoilt;
	test_check(t, fake_view(profile, print, settings, &text) == -EBADMSG, "%s is taken", what);
	free(text);
	*last = sound;
}

/* A probe of the source added last. */
static inline uint32_t fake_probe(struct profile *profile, const char *name, uint64_t hits)
{
	profile->probes[profile->probe_count] = (struct profile_probe){.source = (uint32_t)profile->source_count - 1,
								       .name = name,
								       .hits = hits,
								       .duration = 5 * SECOND,
								       .counted = true};
	return (uint32_t)profile->probe_count++;
}

/* A sample of weight 1 in recording 0, of one thread; events must be added in time order. */
static inline struct profile_event *fake_event(struct profile *profile, uint32_t source,
					       uint32_t probe, const char *comm, uint32_t tid,
					       uint64_t time, const char *chain)
{
	struct profile_event *event = &profile->events[profile->event_count++];

	fake_entry(profile, source, comm, tid, chain, 1);
	*event = (struct profile_event){
		.kind = PROFILE_EVENT_SAMPLE,
		.time = time,
		.weight = 1,
		.source = source,
		.probe = probe,
		.task = profile->entries[profile->entry_count - 1].task,
		.node = profile->entries[profile->entry_count - 1].node,
		.cpu = 1,
	};
	if (probe != PROFILE_NO_PROBE) {
		profile->probes[probe].events++;
		profile->probes[probe].samples++;
	}
	return event;
}
