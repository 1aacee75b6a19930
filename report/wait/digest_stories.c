/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_account.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"
#include "report/wait/digest.h"

/*
 * The longest stories: who was held up, where, and by whom in the end. A story is a group of waits
 * of the threads of one process, or several of one name, at one place. In some of its waits, another task ended
 * it, or it was in D, or runnable for most of the time, or it had not ended and it is known who
 * owns what it is for, is its child, or has the other end. A kernel thread that sleeps waits for
 * work, and a server for connections, which is no story. A group on the path of a longer story gets
 * none of its own.
 */

enum {
	MOST_TRIED = 6,	 /* names of processes that are followed */
	MOST_PIDS = 8,	 /* that a line names */
	WORTH_IT = 100, /* a story takes at least this fraction of the recording: 1 / WORTH_IT */
};

enum held {
	HELD,
	AWAITS_END, /* had not ended; it is known who uses the other end */
	AWAITS_CHILD,	  /* likewise: as any shell does */
	NOT_HELD
};

struct story_key { /* without padding */
	uint32_t name, wait_class; /* name: of the process */
	struct place at;
};

struct story {
	struct story_key key;
	uint64_t weight; /* of the waits that count */
	uint32_t worst;	 /* the longest of these */
	enum held held;	 /* of the wait of which most is known */
};

struct followed { /* all waits of processes of one name */
	uint32_t name;
	struct chains_found found;
};

struct stories {
	struct digest *digest;
	struct hash_map known; /* key -> index of items */
	ARRAY(struct story) items;
	ARRAY(struct story_key) printed; /* the groups printed, and those on their paths */
	struct followed followed[MOST_TRIED];
	size_t followed_count, count;
};

static void stories_deinit(struct stories *stories)
{
	for (size_t i = 0; i < stories->followed_count; i++)
		chains_found_deinit(&stories->followed[i].found);
	array_free(&stories->items);
	array_free(&stories->printed);
	hash_map_deinit(&stories->known);
}

/* --- which groups there are --- */

static bool is_for_connections(const struct waits *waits, const struct profile_wait *wait)
{
	return (waits->objects[wait->object].flags | waits->objects[wait->ready].flags) & OBJECT_LISTENS;
}

static bool was_ended_by_task(const struct waits *waits, const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_NOT_ENDED) && wait->waker != PROFILE_NO_TASK &&
	       waits->tasks[wait->waker].tid &&
	       (wait->waker_context == WAKER_TASK || wait->waker_context == WAKER_UNKNOWN);
}

static int classify_wait(const struct stories *stories, const struct profile_wait *wait, enum held *ret_held)
{
	const struct waits *waits = &stories->digest->tables.waits;
	struct wait_next next;
	char state[24] = "";
	int r;

	*ret_held = NOT_HELD;
	if (wait->source != stories->digest->waits || !wait->weight || !wait_is_asked(waits, wait) ||
	    (wait->wait_class == WAIT_BLOCKED && is_for_connections(waits, wait)))
		return 0;
	profile_state_text(wait->state, 0, state);
	*ret_held = HELD;
	if (state[0] == 'D' || wait->wait_class == WAIT_THROTTLED ||
	    (wait->run_queue && wait->run_queue >= wait_length(wait) / 2))
		return 0;
	*ret_held = NOT_HELD;
	if (waits->tasks[wait->task].kernel_thread)
		return 0;
	r = wait_next_find(waits, &stories->digest->tables.places, wait, &next);
	if (next.by == WAIT_NEXT_OWNER || was_ended_by_task(waits, wait))
		*ret_held = HELD;
	else if (next.by == WAIT_NEXT_CHILD)
		*ret_held = AWAITS_CHILD;
	else if (next.by == WAIT_NEXT_OTHER_END && wait->flags & PROFILE_WAIT_NOT_ENDED)
		*ret_held = AWAITS_END;
	return r;
}

static int add_wait(struct stories *stories, uint32_t number, enum held held)
{
	struct chains_tables *tables = &stories->digest->tables;
	const struct profile_wait *wait = &tables->waits.items[number];
	struct story_key key = {.name = tables->names.name_of[wait->task], .wait_class = wait->wait_class};
	struct story *story;
	uint64_t *index;
	int r = places_find(&tables->places, wait->node, &key.at, NULL) ?:
		hash_map_add(&stories->known, &key, sizeof(key), stories->items.count, &index);

	if (r > 0)
		r = array_push(&stories->items, (struct story){.key = key, .worst = number, .held = held});
	if (r < 0)
		return r;
	story = &stories->items.items[*index];
	story->held = held < story->held ? held : story->held;
	story->weight = wait_add(story->weight, wait->weight);
	if (wait->weight > tables->waits.items[story->worst].weight)
		story->worst = number;
	return 0;
}

static bool was_blocked(const struct story *story)
{
	return story->key.wait_class == WAIT_BLOCKED;
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
	return COMPARE(l->held, r->held) ?: COMPARE(r->weight, l->weight) ?: COMPARE(l->worst, r->worst);
}

static int collect(struct stories *stories)
{
	const struct waits *waits = &stories->digest->tables.waits;
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

/* Follows all waits of processes of a name, once. *ret_found is NULL if enough was followed already. */
static int follow(struct stories *stories, uint32_t name, const struct chains_found **ret_found)
{
	struct followed *followed = stories->followed;
	struct chains_wanted wanted = {.source = stories->digest->waits, .named = true, .by_name = true, .name = name};
	size_t i = 0;

	while (i < stories->followed_count && followed[i].name != name)
		i++;
	*ret_found = i < MOST_TRIED ? &followed[i].found : NULL;
	if (i < stories->followed_count || i == MOST_TRIED)
		return 0;
	followed[i].name = name;
	stories->followed_count++;
	return chains_found_init(&followed[i].found, &stories->digest->tables, &wanted);
}

static bool is_same(const struct step *step, const struct story_key *key)
{
	return step->kind == STEP_TARGET && step->name == key->name && step->wait_class == key->wait_class &&
	       step->at.kernel == key->at.kernel && step->at.user == key->at.user;
}

struct group { /* the nodes of a story: one for each comm of its threads */
	uint32_t nodes, comm; /* the last one's */
	uint32_t way; /* below them: the heaviest child */
	uint64_t weight, waits;
};

static uint32_t heaviest_child(const struct call_tree *tree, uint32_t node)
{
	return tree->nodes[node].child_count ? tree->children[tree->nodes[node].first_child] : 0;
}

static bool is_known(uint32_t kind)
{
	return kind != STEP_TIMER && kind != STEP_NOT_ENDED && kind != STEP_NO_WAKER;
}

/*
 * What held them up: what is known goes before timers and what is not known, then the heavier one. But a moment on a run
 * queue is not what held up a wait of which the waker was not recorded.
 */
static uint32_t better_way(const struct chains_found *found, uint32_t one, uint32_t other)
{
	const struct step *steps = found->steps.steps.items;
	const struct call_tree_node *nodes = found->tree.nodes;

	if (!one || !other)
		return one ? one : other;
	if (is_known(steps[other].kind) && !is_known(steps[one].kind))
		return better_way(found, other, one);
	if (is_known(steps[one].kind) && !is_known(steps[other].kind))
		return steps[other].kind == STEP_NO_WAKER && nodes[other].weight / 16 > nodes[one].weight ? other : one;
	return nodes[other].weight > nodes[one].weight ? other : one;
}

/* No nodes: there was too much to follow. */
static struct group find_group(const struct chains_found *found, const struct story_key *key)
{
	const struct call_tree *tree = &found->tree;
	struct group group = {0};

	for (uint32_t i = 0; i < tree->nodes[0].child_count; i++) {
		uint32_t number = tree->children[tree->nodes[0].first_child + i];
		const struct call_tree_node *node = &tree->nodes[number];

		if (!is_same(&found->steps.steps.items[number], key))
			continue;
		group.nodes++;
		group.comm = found->steps.steps.items[number].comm;
		group.weight = wait_add(group.weight, node->weight);
		group.waits += found->steps.counts.items[number];
		for (uint32_t k = 0; k < node->child_count; k++)
			group.way = better_way(found, group.way, tree->children[node->first_child + k]);
	}
	return group;
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
	[STEP_WAS_THROTTLED] = {" throttled by its cgroup's quota", true, false},
	[STEP_NOT_BORN] = {" before it was started", true, false},
	[STEP_UNSEEN] = {" of which nothing is recorded", true, false},
	[STEP_IDLE] = {"an idle CPU", false, false},
	[STEP_ODD_CONTEXT] = {" or an interrupt", true, false},
	[STEP_TIMER] = {"a timer", false, false},
	[STEP_SOFTIRQ] = {"a softirq", false, false},
	[STEP_IRQ] = {"an irq", false, false},
	[STEP_RUN_QUEUE] = {"want of a CPU", false, false},
	[STEP_THROTTLED] = {"the quota of its cgroup", false, false},
	[STEP_NO_WAKER] = {"unknown: waker not recorded", false, false},
	[STEP_NOT_ENDED] = {"unknown: it had not ended", false, false},
	[STEP_CYCLE] = {"a cycle", false, false},
	[STEP_TOO_DEEP] = {"more hops", false, false},
	[STEP_TOO_MUCH] = {"more than was followed", false, false},
};

static void write_step(const struct stories *stories, const struct step *step, FILE *out)
{
	const struct step_end *end = &ends[step->kind];
	const char *comm = stories->digest->tables.names.comms[step->comm];

	if (end->comm)
		printable_write(out, comm, strlen(comm));
	(void)fputs(end->text, out);
	if (end->at)
		place_write(&stories->digest->tables.places, " in ", step->at, out);
}

/* --- where all ways end --- */

struct end_key { /* without padding */
	uint32_t kind, blocked, name;
	struct place at;
};

struct end_sum {
	struct end_key key;
	uint64_t weight;
};

/* What a node with a weight of its own says: who did what in the end, by the name of the process. */
static struct end_key end_of(const struct chains_found *found, uint32_t node)
{
	const struct step *step = &found->steps.steps.items[node], *who = step;
	struct end_key key = {.kind = step->kind};

	if (!ends[step->kind].comm)
		who = &found->steps.steps.items[found->tree.nodes[node].parent];
	if (who->kind == STEP_TARGET || !ends[who->kind].comm)
		return key;
	key.blocked = who->kind == STEP_BLOCKED;
	key.name = who->name;
	key.at = who->at;
	return key;
}

/* Not a timer, or nothing, that ended the wait itself. */
static bool is_known_end(const struct chains_found *found, uint32_t node)
{
	uint32_t parent = found->tree.nodes[node].parent;

	return is_known(found->steps.steps.items[node].kind) ||
	       found->steps.steps.items[parent].kind != STEP_TARGET;
}

/*
 * The heaviest end of all nodes below the group's, and how much of its weight has it; not through the other end of a
 * connection, whose user need not be the cause. 0, -ENOMEM.
 */
static int find_end(const struct chains_found *found, const struct story_key *story, struct end_sum *ret_end)
{
	_cleanup_(hash_map_deinit) struct hash_map known = {0};
	_cleanup_free_ bool *below = calloc(found->tree.count + 1, sizeof(*below));
	ARRAY(struct end_sum) sums = {0};
	int r = below ? hash_map_init(&known) : -ENOMEM;

	*ret_end = (struct end_sum){0};
	for (uint32_t i = 1; i < found->tree.count && !r; i++) { /* parents have lower numbers */
		const struct call_tree_node *node = &found->tree.nodes[i];
		const struct step *step = &found->steps.steps.items[i];
		struct end_key key;
		uint64_t *number;

		below[i] = node->parent ? below[node->parent] && step->by != WAIT_NEXT_OTHER_END : is_same(step, story);
		if (!below[i] || !node->self || !is_known_end(found, i))
			continue;
		key = end_of(found, i);
		r = hash_map_add(&known, &key, sizeof(key), sums.count, &number);
		if (r > 0)
			r = array_push(&sums, (struct end_sum){.key = key});
		if (r < 0)
			break;
		r = 0;
		sums.items[*number].weight = wait_add(sums.items[*number].weight, node->self);
		if (sums.items[*number].weight > ret_end->weight)
			*ret_end = sums.items[*number];
	}
	array_free(&sums);
	return r;
}

/* "; in the end, on all ways: jam blocked in hrtimer_nanosleep (main) <- a timer: 20.1 s (97.20%)" */
static void write_end(const struct stories *stories, const struct end_sum *sum, uint64_t whole, FILE *out)
{
	const struct step who = {.kind = sum->key.blocked ? STEP_BLOCKED : sum->key.kind, .comm = sum->key.name,
				 .at = sum->key.at};

	(void)fputs("; in the end, on all ways: ", out);
	write_step(stories, &who, out);
	if (sum->key.blocked)
		(void)fprintf(out, " <- %s", ends[sum->key.kind].text);
	(void)fprintf(out, ": %s (%s%%)", wait_figure(sum->weight).text, figure_percent(sum->weight, whole).text);
}

/* Why a step follows the one before; what used the other end of a connection need not be the cause. */
static void write_between(const struct step *step, bool first, FILE *out)
{
	const char *word = step->by == WAIT_NEXT_CHILD ? "waits for " : "held by ";

	(void)fputs(first ? "" : " <- ", out);
	if (step->by == WAIT_NEXT_OTHER_END)
		(void)fputs("its other end was used by ", out);
	else if (first)
		(void)fputs(word, out);
}

/* "held by B blocked in pipe_read (main) <- C running: 230.0 ms (71.88%)". Its waits need no story of their own. */
static int add_way(struct stories *stories, const struct chains_found *found, const struct group *group,
		   const struct story_key *story, enum digest_rank rank)
{
	struct digest_lines *lines = &stories->digest->lines;
	uint32_t node = group->way, last = group->way;
	struct end_sum end = {0};
	int r = 0;

	digest_line_begin(lines, "", rank, "");
	for (; node && !r; node = heaviest_child(&found->tree, node)) {
		const struct step *step = &found->steps.steps.items[node];

		write_between(step, node == group->way, lines->text);
		write_step(stories, step, lines->text);
		last = node;
		if (step->kind == STEP_BLOCKED)
			r = array_push(&stories->printed,
				       (struct story_key){step->name, WAIT_BLOCKED, step->at});
	}
	if (!r)
		r = find_end(found, story, &end);
	if (r < 0)
		return r;
	(void)fprintf(lines->text, ": %s (%s%%)", wait_figure(found->tree.nodes[last].weight).text,
		      figure_percent(found->tree.nodes[last].weight, group->weight).text);
	if (end.weight > found->tree.nodes[last].weight / 10 * 11)
		write_end(stories, &end, group->weight, lines->text);
	return digest_line_end(lines);
}

/* "app blocked in pipe_read (main)" */
static void write_head(const struct stories *stories, const struct story *story, uint32_t comm, FILE *out)
{
	const char *name = stories->digest->tables.names.comms[comm];

	printable_write(out, name, strlen(name));
	(void)fprintf(out, " %s", wait_class_name(story->key.wait_class));
	place_write(&stories->digest->tables.places, " in ", story->key.at, out);
}

/* The processes of the name that the report is about. */
static void write_pids(const struct stories *stories, uint32_t name, FILE *out)
{
	const struct chains_tables *tables = &stories->digest->tables;
	uint32_t pids[MOST_PIDS];
	size_t count = 0, known;

	(void)fputs("--chains --pid ", out);
	for (size_t i = 0; i < tables->waits.count && count < MOST_PIDS; i++) {
		const struct profile_wait *wait = &tables->waits.items[i];
		uint32_t pid = tables->waits.tasks[wait->task].tgid;

		if (tables->names.name_of[wait->task] != name || !wait_is_asked(&tables->waits, wait))
			continue;
		for (known = 0; known < count && pids[known] != pid;)
			known++;
		if (known < count)
			continue;
		pids[count] = pid;
		(void)fprintf(out, "%s%" PRIu32, count++ ? "," : "", pid);
	}
}

static int add_head(struct stories *stories, const struct chains_found *found, const struct group *group,
		    const struct story *story, enum digest_rank rank)
{
	static const char *const labels[DIGEST_STORIES] = {"story 1", "story 2", "story 3"};
	const struct task_names *names = &found->tables->names;
	const bool one = group->nodes == 1;
	const uint32_t comm = one ? group->comm : story->key.name;
	struct digest_lines *lines = &stories->digest->lines;

	digest_line_begin(lines, labels[stories->count], rank, "");
	write_head(stories, story, comm, lines->text);
	(void)fprintf(lines->text, ": %s in %" PRIu64 " wait%s", wait_figure(group->weight).text, group->waits,
		      plural(group->waits));
	if (!one) {
		(void)fprintf(lines->text, " of threads with %" PRIu32 " names", group->nodes);
		write_pids(stories, story->key.name, lines->proof);
		return digest_line_end(lines);
	}
	(void)fputs("--chains=", lines->proof);
	digest_write_comm(names->comms[comm], lines->proof);
	return digest_line_end(lines);
}

/* "--at +2.503123s"; the recording's start if the wait began before it. */
static void write_moment(const struct stories *stories, const struct profile_wait *wait, FILE *out)
{
	const struct waits *waits = &stories->digest->tables.waits;
	uint64_t start = waits->recordings[wait->recording].start;
	struct figure at = wait_offset(waits, wait->recording, wait->out > start ? wait->out : start);

	at.text[strcspn(at.text, " ")] = '\0';
	(void)fprintf(out, "--at %ss%s", at.text, wait->flags & PROFILE_WAIT_APART ? " --throughout" : "");
}

/* "worst: tid 605 pid 599 for 93.101 ms from +0.512345 s, woken by ..." */
static int add_worst(struct stories *stories, const struct story *story, enum digest_rank rank)
{
	const struct waits *waits = &stories->digest->tables.waits;
	const struct profile_wait *wait = &waits->items[story->worst];
	const struct profile_task *task = &waits->tasks[wait->task];
	struct digest_lines *lines = &stories->digest->lines;

	digest_line_begin(lines, "", rank, "");
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

static bool was_printed(const struct stories *stories, const struct story_key *key)
{
	for (size_t i = 0; i < stories->printed.count; i++)
		if (!memcmp(&stories->printed.items[i], key, sizeof(*key)))
			return true;
	return false;
}

static int add_story(struct stories *stories, const struct story *story)
{
	static const enum digest_rank ranks[DIGEST_STORIES] = {DIGEST_FIRST, DIGEST_MORE, DIGEST_LEAST};
	enum digest_rank rank = ranks[stories->count];
	const struct chains_found *found;
	struct group group = {0};
	int r;

	if (was_printed(stories, &story->key))
		return 0;
	r = follow(stories, story->key.name, &found);
	if (!r && found)
		group = find_group(found, &story->key);
	if (!group.nodes)
		return r;
	r = array_push(&stories->printed, story->key) ?:
	    add_head(stories, found, &group, story, rank) ?:
	    add_way(stories, found, &group, &story->key, rank) ?:
	    add_worst(stories, story, rank);
	if (!stories->count++)
		stories->digest->victim = found->tables->waits.items[story->worst].task;
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
	const struct waits *waits = &digest->tables.waits;
	size_t count = 0;

	for (size_t i = 0; i < waits->count; i++)
		count += waits->items[i].source == digest->waits && wait_is_asked(waits, &waits->items[i]);
	(void)fprintf(digest->lines.text,
		      "none: of %zu wait%s, none was in D or ended by a thread, and no owner, child or other end is "
		      "known",
		      count, plural(count));
	(void)fputs("--waits-on", digest->lines.proof);
}

/* "stories    none of 1% of the recording or longer; the longest of 3: cc1 blocked in do_wait: 2.8 ms" */
static int add_no_story(struct stories *stories)
{
	struct digest_lines *lines = &stories->digest->lines;
	const struct story *longest = stories->items.items;
	const struct task_names *names = &stories->digest->tables.names;
	const struct waits *waits = &stories->digest->tables.waits;

	digest_line_begin(lines, "stories", DIGEST_MORE, "");
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
	write_head(stories, longest, names->comm_of[waits->items[longest->worst].task], lines->text);
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
			r = add_story(&stories, &stories.items.items[i]);
	return r < 0 || stories.count ? r : add_no_story(&stories);
}
