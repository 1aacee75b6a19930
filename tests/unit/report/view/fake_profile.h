/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A hand-made profile for the tests of the views: report/profile/seam/profile.h from arrays that
 * a test fills. A chain is written root first, "main@app+0x10;do_syscall_64+0x82": a name, the
 * module after '@' ("[kernel]" if omitted), the offset in the symbol after '+'. A name that
 * begins with '?' has no symbol. Included once by a test program; everything has a fixed size
 * and is never freed.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "report/view/text/view.h"
#include "tests/test.h"
#include "tests/unit/report/view/fake_seam.h"

static struct profile *fake_profile(void)
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

static uint32_t fake_module(struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->module_count; i++)
		if (!strcmp(profile->modules[i].name, name))
			return (uint32_t)i;
	profile->modules[profile->module_count] =
		(struct profile_module){.name = name, .path = name, .build_id = "", .kernel = name[0] == '['};
	return (uint32_t)profile->module_count++;
}

/* One word of a chain; frames are never shared here, and the views must not depend on that. */
static uint32_t fake_frame(struct profile *profile, const char *word, size_t length)
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

static uint32_t fake_chain(struct profile *profile, const char *chain)
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

static uint32_t fake_task(struct profile *profile, const char *comm, uint32_t tgid, uint32_t tid)
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
static char *fake_print(struct profile *profile, const struct view *view, const struct view_settings *settings)
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
