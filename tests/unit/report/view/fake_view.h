/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A profile whose tables a test fills by hand, for the views and what they read with. A chain is written root first,
 * "main@app+0x10;do_syscall_64+0x82": a name, the module after '@' ("[kernel]" if omitted), the offset in the symbol
 * after '+'. A name that begins with '?' has no symbol.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "report/profile/profile_internal.h"
#include "report/profile/profile_waits.h"
#include "report/view/view.h"
#include "tests/test.h"

enum { FAKE_MAX = 512, FAKE_FEW = 16, FAKE_TEXT = 8192 };

#define MS MILLISECOND
#define BOOT (1000 * SECOND)			    /* the monotonic clock at the recording's start */
#define WALL_CLOCK (UINT64_C(1795262400) * SECOND) /* date -u -d "2026-11-21 12:00:00" +%s */

struct fake { /* with room for what a test adds, so that nothing moves */
	struct profile profile;
	struct trace_model model;
	struct event_clock clock; /* of that model */
	struct profile_source sources[FAKE_FEW];
	struct profile_wait_totals totals[FAKE_FEW]; /* by source */
	struct profile_recording recordings[FAKE_FEW];
	struct recording_notes notes[FAKE_FEW]; /* by recording */
	struct profile_module modules[FAKE_FEW];
	struct profile_object objects[FAKE_FEW];
	struct profile_operation operations[FAKE_FEW];
	struct profile_walk walks[FAKE_FEW];
	struct profile_walk_task walk_tasks[FAKE_FEW];
	struct profile_task tasks[FAKE_MAX];
	struct profile_kernel_time times[FAKE_MAX]; /* by task */
	bool throughout[FAKE_MAX];		    /* by task */
	struct profile_frame frames[FAKE_MAX];
	struct profile_symbol symbols[FAKE_MAX]; /* by frame */
	uint8_t known[FAKE_MAX];		 /* by frame */
	struct profile_node nodes[FAKE_MAX];
	struct profile_entry entries[FAKE_MAX];
	struct profile_wait waits[FAKE_MAX];
	struct profile_task_sums sums[FAKE_MAX];
	char text[FAKE_TEXT]; /* holds all names */
	size_t text_used;
};

static inline struct profile *fake_profile(void)
{
	struct fake *fake = calloc(1, sizeof(*fake));

	if (!fake)
		abort();
	fake->profile = (struct profile){
		.sources.items = fake->sources, .wait_totals.items = fake->totals, .recordings.items = fake->recordings,
		.recording_notes.items = fake->notes, .module_list.items = fake->modules,
		.objects.items = fake->objects, .operations.items = fake->operations, .walks.items = fake->walks,
		.walk_tasks.items = fake->walk_tasks, .tasks.items = fake->tasks, .kernel_times.items = fake->times,
		.throughout_of = fake->throughout, .frames.items = fake->frames, .symbols = fake->symbols,
		.symbol_known = fake->known, .nodes = {.items = fake->nodes, .count = 1 /* the root */},
		.entries.items = fake->entries, .waits.items = fake->waits, .sums.items = fake->sums,
		.waits_ordered = true, .ends_joined = true};
	fake->model.clocks.items = &fake->clock;
	memset(fake->known, true, sizeof(fake->known));
	return &fake->profile;
}

static inline void fake_free(struct profile *profile)
{
	account_notes_destroy(profile->notes);
	free(profile); /* the first member */
}

static inline const char *fake_text(struct profile *profile, const char *text, size_t length)
{
	struct fake *fake = (struct fake *)profile;
	char *copy = fake->text + fake->text_used;

	if (fake->text_used + length + 1 > FAKE_TEXT)
		abort();
	memcpy(copy, text, length);
	fake->text_used += length + 1;
	return copy;
}

static inline uint32_t fake_module(struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->module_list.count; i++)
		if (!strcmp(profile->module_list.items[i].name, name))
			return (uint32_t)i;
	profile->module_list.items[profile->module_list.count] =
		(struct profile_module){.name = name, .path = name, .build_id = "", .kernel = name[0] == '['};
	return (uint32_t)profile->module_list.count++;
}

/* One word of a chain; frames are never shared here, and the views must not depend on that. */
static inline uint32_t fake_frame(struct profile *profile, const char *word, size_t length)
{
	size_t name = strcspn(word, "@+;"), end = strcspn(word, "+;");
	const char *module = name < end ? fake_text(profile, word + name + 1, end - name - 1) : "[kernel]";
	uint64_t offset = end < length ? strtoull(word + end + 1, NULL, 16) : 0;
	uint32_t frame = (uint32_t)profile->frames.count++;

	profile->frames.items[frame] = (struct profile_frame){
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

		profile->nodes.items[profile->nodes.count] =
			(struct profile_node){.parent = node, .frame = fake_frame(profile, chain, length)};
		node = (uint32_t)profile->nodes.count++;
		chain += length + (chain[length] == ';');
	}
	return node;
}

static inline uint32_t fake_task(struct profile *profile, const char *comm, uint32_t tgid, uint32_t tid)
{
	for (size_t i = 0; i < profile->tasks.count; i++)
		if (profile->tasks.items[i].tid == tid && !strcmp(profile->tasks.items[i].comm, comm))
			return (uint32_t)i;
	profile->tasks.items[profile->tasks.count] = (struct profile_task){.tgid = tgid, .tid = tid, .comm = comm};
	return (uint32_t)profile->tasks.count++;
}

static inline uint32_t fake_source(struct profile *profile, enum profile_source_kind kind,
				   const char *name, const char *unit)
{
	profile->sources.items[profile->sources.count] = (struct profile_source){
		.kind = kind, .name = name, .weight_unit = unit, .duration = 5000000000, .user_stacks = true};
	return (uint32_t)profile->sources.count++;
}

/* Entries must be added source by source. */
static inline void fake_entry(struct profile *profile, uint32_t source, const char *comm,
			      uint32_t tid, const char *chain, uint64_t weight)
{
	uint32_t node = fake_chain(profile, chain), task = fake_task(profile, comm, tid, tid);

	profile->entries.items[profile->entries.count++] =
		(struct profile_entry){.source = source, .node = node, .task = task,
				       .samples = weight, .weight = weight};
	profile->sources.items[source].samples += weight;
	profile->sources.items[source].weight += weight;
}

static inline struct profile_walk_task *fake_walked(struct profile *profile, uint32_t walk,
						    const char *comm, uint32_t tid,
						    const char *state, const char *chain)
{
	uint32_t node = fake_chain(profile, chain), task = fake_task(profile, comm, tid, tid);
	struct profile_walk_task *row = &profile->walk_tasks.items[profile->walk_tasks.count++];

	*row = (struct profile_walk_task){.walk = walk, .task = task, .node = node, .bound = WAIT_NONE};
	memcpy(row->state, state, strlen(state));
	return row;
}

static inline uint32_t fake_recording(struct profile *profile, uint64_t start, uint64_t stop)
{
	struct fake *fake = (struct fake *)profile;

	fake->recordings[profile->recordings.count] = (struct profile_recording){.start = start, .stop = stop};
	fake->notes[profile->recordings.count] = (struct recording_notes){.model = &fake->model, .from = start, .to = stop};
	return (uint32_t)profile->recordings.count++;
}

/* A blocked wait without a waker, of the source added last; with its entry, source and totals. */
static inline struct profile_wait *fake_wait(struct profile *profile, const char *comm, uint32_t tid, const char *chain,
					     uint64_t out, uint64_t in)
{
	uint32_t source = (uint32_t)profile->sources.count - 1;
	struct profile_class_total *total = &profile->wait_totals.items[source].classes[WAIT_BLOCKED];
	struct profile_wait *wait = &profile->waits.items[profile->waits.count++];
	struct profile_entry *entry = &profile->entries.items[profile->entries.count++];

	*wait = (struct profile_wait){
		.out = out,
		.in = in,
		.weight = in - out,
		.source = source,
		.task = fake_task(profile, comm, tid, tid),
		.node = fake_chain(profile, chain),
		.waker = PROFILE_NO_TASK,
		.state = 1,
		.wait_class = WAIT_BLOCKED,
	};
	*entry = (struct profile_entry){
		.source = source, .node = wait->node, .task = wait->task, .samples = 1, .weight = wait->weight};
	profile->sources.items[source].samples++;
	profile->sources.items[source].weight += wait->weight;
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
	wait->waker_context = WAKER_TASK;
	wait->woken = woken;
	wait->run_queue = wait->in - woken;
}

/* A profile with one recording of five seconds and one source of waits. */
static inline struct profile *fake_recorded(void)
{
	struct profile *profile = fake_profile();
	struct fake *fake = (struct fake *)profile;

	(void)fake_recording(profile, BOOT, BOOT + 5 * SECOND);
	(void)fake_source(profile, PROFILE_OFFCPU, "offcpu", "ns");
	fake->clock = (struct event_clock){.time = BOOT, .realtime = WALL_CLOCK};
	fake->model.clocks.count = 1;
	return profile;
}

/* As it is done for a trace that was read. */
static inline void fake_set_apart(struct profile *profile)
{
	struct fake *fake = (struct fake *)profile;

	memset(fake->times, 0, sizeof(fake->times));
	memset(fake->throughout, 0, sizeof(fake->throughout));
	profile->kernel_times.count = profile->tasks.count;
	for (size_t i = 0; i < profile->waits.count; i++) {
		const struct profile_wait *wait = &fake->waits[i];

		if (wait->task >= profile->tasks.count)
			continue;
		if (fake->tasks[wait->task].kernel_thread)
			profile_kernel_time_add_wait(&fake->times[wait->task], wait);
		else if (wait->waker < profile->tasks.count)
			profile_kernel_time_add_wakeup(&fake->times[wait->waker], wait);
		fake->throughout[wait->task] |= profile_wait_is_throughout(fake->tasks, wait);
	}
	for (size_t i = 0; i < profile->tasks.count; i++)
		if (!fake->tasks[i].kernel_thread)
			fake->times[i] = (struct profile_kernel_time){0};
}

/* What the view returned; the caller frees the text. */
static inline int fake_view(struct profile *profile, view_print *print,
		     const struct view_settings *settings, char **ret_text)
{
	struct view_context context = {.profile = profile, .settings = settings};
	size_t length;
	int r;

	fake_set_apart(profile);
	context.out = open_memstream(ret_text, &length);
	if (!context.out)
		abort();
	r = print(&context, 0, &profile->sources.items[0]);
	if (fclose(context.out) != 0)
		abort();
	return r;
}

static inline void fake_check_text(struct test *t, const char *got, const char *want)
{
	if (!test_check(t, !strcmp(got, want), "another text than expected"))
		printf("# got:\n%s# want:\n%s", got, want);
}

static inline void fake_check_printed(struct test *t, struct profile *profile, view_print *print,
			       const struct view_settings *settings, const char *want)
{
	char *got;
	int r = fake_view(profile, print, settings, &got);

	CHECK_INT(t, r, 0);
	fake_check_text(t, got, want);
	free(got);
}

/* What a check of the seam returns for a copy of the profile whose last wait was corrupted. */
static inline void fake_check_refused(struct test *t, struct profile *profile, view_print *print,
				      const struct view_settings *settings,
				      struct profile_wait spoilt, const char *what)
{
	struct profile_wait *last = &profile->waits.items[profile->waits.count - 1], sound = *last;
	char *text;

	*last = spoilt;
	test_check(t, fake_view(profile, print, settings, &text) == -EBADMSG, "%s is taken", what);
	free(text);
	*last = sound;
}

/* What a view prints. The caller frees the text. */
static inline char *fake_print(struct profile *profile, const struct view *view, const struct view_settings *settings)
{
	struct view_context context = {.profile = profile, .settings = settings};
	char *text = NULL;
	size_t length;

	fake_set_apart(profile);
	context.out = open_memstream(&text, &length);
	if (!context.out || views_print(&context, view) < 0 || fclose(context.out) != 0)
		abort();
	return text;
}

/* --- which thread waits for which --- */

/* From `out` to `in`, in ms of the recording. */
static inline struct profile_wait *add_wait(struct profile *p, const char *comm, uint32_t tid, const char *chain, uint64_t out,
				     uint64_t in)
{
	return fake_wait(p, comm, tid, chain, BOOT + out * MS, BOOT + in * MS);
}

static inline void add_waker(struct profile *p, struct profile_wait *wait, const char *comm, uint32_t tid, const char *chain,
		      uint64_t woken)
{
	fake_waker(p, wait, comm, tid, chain, BOOT + woken * MS);
}

#define LOCK "main@app;lock@app;do_futex;futex_wait_queue;schedule"
#define UNLOCK "main@app;unlock@app;futex_wake;wake_up_q;try_to_wake_up"
#define READ "main@app;consume@app;read@libc.so.6;vfs_read;pipe_read;schedule"
#define WRITE "main@c;produce@c;write@libc.so.6;vfs_write;pipe_write;__wake_up_sync_key;try_to_wake_up"
#define SLEEP "main@c;snooze@c;clock_nanosleep@libc.so.6;do_nanosleep;schedule"
#define TIMER "burn@x;asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;" \
	      "hrtimer_wakeup;try_to_wake_up"

/* A waits for B's lock, B for C's pipe, C for a timer; all wait for a CPU for the last 10 ms. */
static inline struct profile *three_hops(void)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	wait = add_wait(p, "A", 1, LOCK, 100, 400);
	add_waker(p, wait, "B", 2, UNLOCK, 390);
	wait = add_wait(p, "B", 2, READ, 50, 360);
	add_waker(p, wait, "C", 3, WRITE, 350);
	wait = add_wait(p, "C", 3, SLEEP, 20, 340);
	add_waker(p, wait, "idler", 4, TIMER, 330);
	wait->waker_context = WAKER_IRQ;
	return p;
}
