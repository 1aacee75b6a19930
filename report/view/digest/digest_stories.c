/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The longest stories: who was held up, where, and by whom in the end. A story is a group of waits
 * of one comm at one place, as --chains=COMM prints it. In some of its waits, another task ended
 * it, or it was in D, or runnable for most of the time, or it had not ended and it is known who
 * owns what it is for, is its child, or has the other end. A kernel thread that sleeps waits for
 * work, and a server for connections, which is no story. A group on the path of a longer story gets
 * none of its own.
 */
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/view/digest/digest_parts.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"

enum {
	MOST_TRIED = 6,	 /* comms that are followed */
	WORTH_IT = 100, /* a story takes at least this fraction of the recording: 1 / WORTH_IT */
};

enum held {
	HELD,
	AWAITS_END, /* had not ended; it is known who uses the other end */
	AWAITS_CHILD,	  /* likewise: as any shell does */
	NOT_HELD
};

struct story_key { /* without padding */
	uint32_t comm, wait_class;
	struct place at;
};

struct story {
	struct story_key key;
	uint64_t weight; /* of the waits that count */
	uint32_t worst;	 /* the longest of these */
	enum held held;	 /* of the wait of which most is known */
};

struct followed { /* all waits of a comm */
	uint32_t comm;
	regex_t expression;
	struct chains_found found;
};

struct stories {
	struct digest *digest;
	struct hash_map known; /* key -> index of items */
	ARRAY(struct story) items;
	ARRAY(struct story_key) told; /* the groups printed, and those on their paths */
	struct followed followed[MOST_TRIED];
	size_t followed_count, count;
};

static void stories_deinit(struct stories *stories)
{
	for (size_t i = 0; i < stories->followed_count; i++) {
		chains_found_deinit(&stories->followed[i].found);
		regfree(&stories->followed[i].expression);
	}
	array_free(&stories->items);
	array_free(&stories->told);
	hash_map_deinit(&stories->known);
}

/* --- which groups there are --- */

static bool is_for_connections(const struct waits *waits, const struct profile_wait *wait)
{
	return (waits->objects[wait->object].flags | waits->objects[wait->ready].flags) & PROFILE_OBJECT_LISTENS;
}

static bool is_for_child(const struct waits *waits, const struct profile_wait *wait)
{
	return waits->objects[wait->object].kind == PROFILE_OBJECT_CHILD;
}

/* Whether a wait that lasted, or was not ended by a task, was held up by somebody: ret_by. 0, -ENOMEM. */
static int find_holder(const struct stories *stories, const struct profile_wait *wait, enum wait_next_by *ret_by)
{
	struct chains_ground *ground = &stories->digest->ground;
	struct wait_next next = {.by = WAIT_NEXT_WAKER};
	int r = wait_next_find(&ground->waits, &ground->places, wait, &next);

	*ret_by = next.by;
	return r;
}

static bool was_ended_by_task(const struct waits *waits, const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_NOT_ENDED) && wait->waker != PROFILE_NO_TASK &&
	       waits->tasks[wait->waker].tid &&
	       (wait->waker_context == PROFILE_WAKER_TASK || wait->waker_context == PROFILE_WAKER_UNKNOWN);
}

static int classify_wait(const struct stories *stories, const struct profile_wait *wait, enum held *ret_held)
{
	const struct waits *waits = &stories->digest->ground.waits;
	enum wait_next_by by;
	char state[24] = "";
	int r;

	*ret_held = NOT_HELD;
	if (wait->source != stories->digest->waits || !wait->weight || !wait_is_asked(waits, wait) ||
	    (wait->wait_class == PROFILE_BLOCKED && is_for_connections(waits, wait)))
		return 0;
	profile_wait_state(wait->state, state);
	*ret_held = HELD;
	if (state[0] == 'D' || (wait->run_queue && wait->run_queue >= wait_length(wait) / 2))
		return 0;
	*ret_held = NOT_HELD;
	if (waits->tasks[wait->task].kernel_thread)
		return 0;
	r = find_holder(stories, wait, &by);
	if (by == WAIT_NEXT_OWNER || was_ended_by_task(waits, wait))
		*ret_held = HELD;
	else if (by == WAIT_NEXT_AWAITED)
		*ret_held = is_for_child(waits, wait) ? AWAITS_CHILD : AWAITS_END;
	return r;
}

static int add_wait(struct stories *stories, uint32_t number, enum held held)
{
	struct chains_ground *ground = &stories->digest->ground;
	const struct profile_wait *wait = &ground->waits.items[number];
	struct story_key key = {.comm = ground->names.comm_of[wait->task], .wait_class = wait->wait_class};
	struct story *story;
	uint64_t *index;
	int r = places_find(&ground->places, wait->node, &key.at, NULL);

	if (!r)
		r = hash_map_add(&stories->known, &key, sizeof(key), stories->items.count, &index);
	if (r > 0)
		r = array_push(&stories->items, (struct story){.key = key, .worst = number, .held = held});
	if (r < 0)
		return r;
	story = &stories->items.items[*index];
	story->held = held < story->held ? held : story->held;
	story->weight = wait_add(story->weight, wait->weight);
	if (wait->weight > ground->waits.items[story->worst].weight)
		story->worst = number;
	return 0;
}

static bool was_blocked(const struct story *story)
{
	return story->key.wait_class == PROFILE_BLOCKED;
}

/*
 * Blocked waits come before those that only competed for a CPU, which the line on pressure shows,
 * too; of them, those that only wait for somebody come last. Then the heaviest comes first, then
 * the one whose worst wait has the lower number.
 */
static int compare_stories(const void *left, const void *right)
{
	const struct story *l = left, *r = right;

	if (was_blocked(l) != was_blocked(r))
		return was_blocked(l) ? -1 : 1;
	if (l->held != r->held)
		return l->held < r->held ? -1 : 1;
	if (l->weight != r->weight)
		return l->weight > r->weight ? -1 : 1;
	return (l->worst > r->worst) - (l->worst < r->worst);
}

static int collect(struct stories *stories)
{
	const struct waits *waits = &stories->digest->ground.waits;
	int r = hash_map_init(&stories->known);
	enum held held;

	for (size_t i = 0; i < waits->count && !r; i++) {
		r = classify_wait(stories, &waits->items[i], &held);
		if (!r && held != NOT_HELD)
			r = add_wait(stories, (uint32_t)i, held);
	}
	if (!r && stories->items.count)
		qsort(stories->items.items, stories->items.count, sizeof(*stories->items.items), compare_stories);
	return r;
}

/* --- what held them up --- */

static int compile_comm(const char *comm, regex_t *ret_expression)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int r;

	if (!out)
		return -ENOMEM;
	digest_write_comm(comm, out);
	if (fclose(out) != 0)
		return -ENOMEM;
	text[length - 1] = '\0'; /* without the quotes */
	r = regcomp(ret_expression, text + 1, REG_EXTENDED | REG_NOSUB);
	return r ? -ENOMEM : 0;
}

/* Follows all waits of a comm, once. *ret_found is NULL if enough was followed already. */
static int follow(struct stories *stories, uint32_t comm, const struct chains_found **ret_found)
{
	struct chains_ground *ground = &stories->digest->ground;
	struct followed *followed = stories->followed;
	struct chains_wanted wanted = {.source = stories->digest->waits, .named = true};
	size_t i = 0;
	int r;

	while (i < stories->followed_count && followed[i].comm != comm)
		i++;
	*ret_found = i < MOST_TRIED ? &followed[i].found : NULL;
	if (i < stories->followed_count || i == MOST_TRIED)
		return 0;
	r = compile_comm(ground->names.comms[comm], &followed[i].expression);
	if (r < 0)
		return r;
	wanted.comm = &followed[i].expression;
	followed[i].comm = comm;
	stories->followed_count++;
	return chains_found_init(&followed[i].found, ground, &wanted);
}

static bool is_same(const struct step *step, const struct story_key *key)
{
	return step->kind == STEP_TARGET && step->comm == key->comm && step->wait_class == key->wait_class &&
	       step->at.kernel == key->at.kernel && step->at.user == key->at.user;
}

/* The heaviest node of the group; 0 if there is none, because there was too much to follow. */
static uint32_t find_group(const struct chains_found *found, const struct story_key *key)
{
	const struct call_tree_node *root = &found->tree.nodes[0];

	for (uint32_t i = 0; i < root->child_count; i++) {
		uint32_t node = found->tree.children[root->first_child + i];

		if (is_same(&found->steps.steps.items[node], key))
			return node;
	}
	return 0;
}

static uint32_t heaviest_child(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes[node].child_count ? tree->children[tree->nodes[node].first_child] : 0;
}

/* What held most of them up: not a timer, nor what is not known, if there is anything else. */
static uint32_t first_child(const struct chains_found *found, uint32_t group)
{
	const struct call_tree_node *node = &found->tree.nodes[group];

	for (uint32_t i = 0; i < node->child_count; i++) {
		uint32_t child = found->tree.children[node->first_child + i];
		uint32_t kind = found->steps.steps.items[child].kind;

		if (kind != STEP_TIMER && kind != STEP_NOT_ENDED && kind != STEP_NO_WAKER)
			return child;
	}
	return heaviest_child(&found->tree, group);
}

/* --- telling one --- */

/* What a task on the path was doing. */
static const struct step_end {
	const char *text;
	bool comm, at;
} ends[STEP_KINDS] = {
	[STEP_BLOCKED] = {" blocked", true, true},
	[STEP_RAN] = {" running", true, false},
	[STEP_RAN_OR_BRIEF] = {" running or in brief waits", true, false},
	[STEP_WAITED_FOR_CPU] = {" waiting for a CPU", true, false},
	[STEP_NOT_BORN] = {" before it was started", true, false},
	[STEP_UNSEEN] = {" of which nothing is recorded", true, false},
	[STEP_IDLE] = {"an idle CPU", false, false},
	[STEP_ODD_CONTEXT] = {" or an interrupt", true, false},
	[STEP_TIMER] = {"a timer", false, false},
	[STEP_SOFTIRQ] = {"a softirq", false, false},
	[STEP_IRQ] = {"an irq", false, false},
	[STEP_RUN_QUEUE] = {"want of a CPU", false, false},
	[STEP_NO_WAKER] = {"unknown: waker not recorded", false, false},
	[STEP_NOT_ENDED] = {"unknown: it had not ended", false, false},
	[STEP_CYCLE] = {"a cycle", false, false},
	[STEP_TOO_DEEP] = {"more hops", false, false},
	[STEP_TOO_MUCH] = {"more than was followed", false, false},
};

static void write_at(const struct stories *stories, struct place place, FILE *out)
{
	(void)fputs(place.kernel || place.user ? " in " : "", out);
	place_write(&stories->digest->ground.places, place, out);
}

static void write_step(const struct stories *stories, const struct step *step, FILE *out)
{
	const struct step_end *end = &ends[step->kind];
	const char *comm = stories->digest->ground.names.comms[step->comm];

	if (end->comm)
		printable_write(out, comm, strlen(comm));
	(void)fputs(end->text, out);
	if (end->at)
		write_at(stories, step->at, out);
}

/* "held by B blocked in pipe_read (main) <- C running: 230.0 ms (71.88%)". Its waits need no story of their own. */
static int add_way(struct stories *stories, const struct chains_found *found, uint32_t group, enum digest_rank rank)
{
	struct digest_lines *lines = &stories->digest->lines;
	uint32_t node = first_child(found, group), last = group;
	const char *between = found->steps.steps.items[node].by == WAIT_NEXT_AWAITED ? "waits for " : "held by ";
	int r = digest_line_begin(lines, "", rank);

	for (; node && !r; node = heaviest_child(&found->tree, node)) {
		const struct step *step = &found->steps.steps.items[node];

		(void)fputs(between, lines->text);
		between = " <- ";
		write_step(stories, step, lines->text);
		last = node;
		if (step->kind == STEP_BLOCKED)
			r = array_push(&stories->told,
				       (struct story_key){step->comm, PROFILE_BLOCKED, step->at});
	}
	if (r < 0)
		return r;
	(void)fprintf(lines->text, ": %s (%s%%)", wait_figure(found->tree.nodes[last].weight).text,
		      figure_percent(found->tree.nodes[last].weight, found->tree.nodes[group].weight).text);
	return digest_line_end(lines);
}

/* "app blocked in pipe_read (main)" */
static void write_head(const struct stories *stories, const struct story *story, FILE *out)
{
	const char *comm = stories->digest->ground.names.comms[story->key.comm];

	printable_write(out, comm, strlen(comm));
	(void)fprintf(out, " %s", wait_class_name(story->key.wait_class));
	write_at(stories, story->key.at, out);
}

static int add_head(struct stories *stories, const struct chains_found *found, uint32_t group,
		    const struct story *story, enum digest_rank rank)
{
	static const char *const labels[DIGEST_STORIES] = {"story 1", "story 2", "story 3"};
	const char *comm = found->ground->names.comms[story->key.comm];
	uint64_t count = found->steps.counts.items[group];
	struct digest_lines *lines = &stories->digest->lines;
	int r = digest_line_begin(lines, labels[stories->count], rank);

	if (r < 0)
		return r;
	write_head(stories, story, lines->text);
	(void)fprintf(lines->text, ": %s in %" PRIu64 " wait%s",
		      wait_figure(found->tree.nodes[group].weight).text, count, plural(count));
	(void)fputs("--chains=", lines->proof);
	digest_write_comm(comm, lines->proof);
	return digest_line_end(lines);
}

/* "--at +2.503123s"; the recording's start if the wait began before it. */
static void write_moment(const struct stories *stories, const struct profile_wait *wait, FILE *out)
{
	const struct waits *waits = &stories->digest->ground.waits;
	uint64_t start = waits->recordings[wait->recording].start;
	struct figure at = wait_offset(waits, wait->recording, wait->out > start ? wait->out : start);

	at.text[strcspn(at.text, " ")] = '\0';
	(void)fprintf(out, "--at %ss%s", at.text, wait->flags & PROFILE_WAIT_APART ? " --throughout" : "");
}

/* "worst: tid 605 pid 599 for 93.101 ms from +0.512345 s, woken by ..." */
static int add_worst(struct stories *stories, const struct story *story, enum digest_rank rank)
{
	const struct waits *waits = &stories->digest->ground.waits;
	const struct profile_wait *wait = &waits->items[story->worst];
	const struct profile_task *task = &waits->tasks[wait->task];
	struct digest_lines *lines = &stories->digest->lines;
	int r = digest_line_begin(lines, "", rank);

	if (r < 0)
		return r;
	(void)fprintf(lines->text, "worst: tid %" PRIu32 " pid %" PRIu32 " for ", task->tid, task->tgid);
	wait_write_length(lines->text, wait_length(wait), wait_length_bound(wait));
	(void)fprintf(lines->text, " from %s", wait_offset(waits, wait->recording, wait->out).text);
	wait_write_recording(lines->text, waits, wait->recording);
	wait_write_object(lines->text, ", ", waits, wait);
	(void)fputs(", ", lines->text);
	wait_write_end(lines->text, waits, wait);
	write_moment(stories, wait, lines->proof);
	return digest_line_end(lines);
}

static bool was_told(const struct stories *stories, const struct story_key *key)
{
	for (size_t i = 0; i < stories->told.count; i++)
		if (!memcmp(&stories->told.items[i], key, sizeof(*key)))
			return true;
	return false;
}

static int tell(struct stories *stories, const struct story *story)
{
	static const enum digest_rank ranks[DIGEST_STORIES] = {DIGEST_FIRST, DIGEST_MORE, DIGEST_LEAST};
	enum digest_rank rank = ranks[stories->count];
	const struct chains_found *found;
	uint32_t group;
	int r;

	if (was_told(stories, &story->key))
		return 0;
	r = follow(stories, story->key.comm, &found);
	group = !r && found ? find_group(found, &story->key) : 0;
	if (!group)
		return r;
	r = array_push(&stories->told, story->key);
	if (!r)
		r = add_head(stories, found, group, story, rank);
	if (!r)
		r = add_way(stories, found, group, rank);
	if (!r)
		r = add_worst(stories, story, rank);
	if (!stories->count++)
		stories->digest->victim = found->ground->waits.items[story->worst].task;
	return r;
}

static bool has_wakers(const struct digest *digest)
{
	for (size_t i = 0; i < digest->source_count; i++)
		if (digest->sources[i].kind == PROFILE_WAKERS)
			return true;
	return false;
}

/* Nobody waited for anybody, as far as that was recorded. */
static void write_none(const struct digest *digest)
{
	const struct waits *waits = &digest->ground.waits;
	size_t count = 0;

	for (size_t i = 0; i < waits->count; i++)
		count += waits->items[i].source == digest->waits && wait_is_asked(waits, &waits->items[i]);
	(void)fprintf(digest->lines.text, "none: of %zu wait%s, no thread ended one, none was in D, or for what has "
					  "an owner, or for a child or other end that is known", count, plural(count));
	(void)fputs("--waits-on", digest->lines.proof);
}

/* "stories    none of 1% of the recording or longer; the longest of 3: cc1 blocked in do_wait: 2.8 ms" */
static int add_no_story(struct stories *stories)
{
	struct digest_lines *lines = &stories->digest->lines;
	const struct story *longest = stories->items.items;
	int r = digest_line_begin(lines, "stories", DIGEST_MORE);

	if (r < 0)
		return r;
	if (!has_wakers(stories->digest)) {
		(void)fputs("unknown: who ended the waits was not recorded (rwalker-record --wakers)", lines->text);
		return digest_line_end(lines);
	}
	if (!stories->items.count) {
		write_none(stories->digest);
		return digest_line_end(lines);
	}
	(void)fprintf(lines->text, "none of 1%% of the recording or longer; the longest of %zu: ",
		      stories->items.count);
	write_head(stories, longest, lines->text);
	(void)fprintf(lines->text, ": %s", wait_figure(longest->weight).text);
	(void)fputs("--chains", lines->proof);
	return digest_line_end(lines);
}

int digest_add_stories(struct digest *digest)
{
	_cleanup_(stories_deinit) struct stories stories = {.digest = digest};
	uint64_t least;
	int r;

	if (digest->waits == DIGEST_NO_SOURCE)
		return 0;
	least = digest->sources[digest->waits].duration / WORTH_IT;
	r = collect(&stories);
	for (size_t i = 0; i < stories.items.count && stories.count < DIGEST_STORIES && !r; i++)
		if (stories.items.items[i].weight >= least)
			r = tell(&stories, &stories.items.items[i]);
	return r < 0 || stories.count ? r : add_no_story(&stories);
}
