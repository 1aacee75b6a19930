/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/profile_waits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/profile_internal.h"

/* --- states of tasks --- */

enum state_bit {
	STATE_INTERRUPTIBLE = 0x1,
	STATE_UNINTERRUPTIBLE = 0x2,
	STATE_STOPPED = 0x4,
	STATE_TRACED = 0x8,
	STATE_EXIT_DEAD = 0x10,
	STATE_EXIT_ZOMBIE = 0x20,
	STATE_PARKED = 0x40,
	STATE_DEAD = 0x80,
	STATE_WAKEKILL = 0x100,
	STATE_WAKING = 0x200,
	STATE_NOLOAD = 0x400,
	STATE_NEW = 0x800,
	STATE_RTLOCK_WAIT = 0x1000,
	STATE_FROZEN = 0x8000,
};

/* The first row that has all of its bits set in the state wins. */
static const struct {
	uint64_t bits;
	const char *text;
} states[] = {
	{STATE_FROZEN, "F (frozen)"},
	{STATE_RTLOCK_WAIT, "D (RT lock)"},
	{STATE_STOPPED, "T"},
	{STATE_TRACED, "t"},
	{STATE_PARKED, "P"},
	{STATE_DEAD, "X"},
	{STATE_UNINTERRUPTIBLE | STATE_NOLOAD, "I"},
	{STATE_UNINTERRUPTIBLE | STATE_WAKEKILL, "D (killable)"},
	{STATE_UNINTERRUPTIBLE, "D"},
	{STATE_INTERRUPTIBLE, "S"},
	{STATE_WAKING, "R (waking)"},
	{STATE_NEW, "R (new)"},
};

static const char *find_state(uint64_t state, uint64_t exit_state)
{
	if (exit_state & STATE_EXIT_ZOMBIE)
		return "Z";
	if (exit_state & STATE_EXIT_DEAD)
		return "X";
	if (!state)
		return "R";
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if ((state & states[i].bits) == states[i].bits)
			return states[i].text;
	return NULL;
}

void profile_state_text(uint64_t state, uint64_t exit_state, char text[static PROFILE_STATE_TEXT])
{
	const char *found = find_state(state, exit_state);

	if (!found)
		snprintf(text, PROFILE_STATE_TEXT, "? (%#llx)", (unsigned long long)state);
	else
		snprintf(text, PROFILE_STATE_TEXT, "%s", found);
}

bool profile_state_matches(const char *text, const char *letters)
{
	if (strchr(letters, text[0]))
		return true;
	return strchr(letters, 'K') && !strcmp(text, "D (killable)");
}

/* --- what is set apart --- */

enum { BUSY_SHARE = 100 }; /* one part in this many of a kernel thread's time */

static char state_letter(const struct profile_wait *wait)
{
	char state[24] = "";

	profile_state_text(wait->state, 0, state);
	return state[0];
}

static bool is_whole(const struct profile_wait *wait)
{
	const uint8_t whole = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED;

	return (wait->flags & whole) == whole && wait->wait_class == WAIT_BLOCKED && !wait->run_queue;
}

bool profile_wait_is_throughout(const struct profile_task *tasks, const struct profile_wait *wait)
{
	return is_whole(wait) && !tasks[wait->task].kernel_thread && state_letter(wait) == 'S';
}

void profile_kernel_time_add_wait(struct profile_kernel_time *time, const struct profile_wait *wait)
{
	time->waited = true;
	time->ended |= !is_whole(wait);
	time->in_d |= state_letter(wait) == 'D';
	time->busy += wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
}

void profile_kernel_time_add_wakeup(struct profile_kernel_time *time, const struct profile_wait *wait)
{
	time->woke |= wait->waker_context == WAKER_TASK || wait->waker_context == WAKER_UNKNOWN;
}

static void profile_kernel_time_add_sums(struct profile_kernel_time *time, const struct profile_task_sums *sums)
{
	time->span += sums->to - sums->from;
	time->busy += sums->running;
	for (size_t i = 0; i < WAIT_SUM_KINDS; i++)
		time->busy += i == WAIT_SUM_UNINTERRUPTIBLE ? sums->kinds[i].total : sums->kinds[i].run_queue;
}

/* Of a thread that ran, it must be known for how long. */
static bool profile_kernel_time_is_nothing_done(const struct profile_kernel_time *time)
{
	return time->waited && !time->in_d && !time->woke && (time->span || !time->ended) &&
	       time->busy <= time->span / BUSY_SHARE;
}

/* --- owners that held a lock for all of a wait --- */

struct hand_over { /* a wait for a lock that ended */
	uint32_t object, wait;
	uint64_t time;
};

struct hand_overs {
	const struct profile *profile;
	ARRAY(struct hand_over) items; /* by object, time */
};

static void hand_overs_deinit(struct hand_overs *overs)
{
	array_free(&overs->items);
}

static int compare(const void *left, const void *right)
{
	const struct hand_over *l = left, *r = right;

	return COMPARE(l->object, r->object) ?: COMPARE(l->time, r->time);
}

static bool has_owner(const struct profile_wait *wait)
{
	return wait->held & HELD_BY_OWNER && wait->held & HELD_AT_END && wait->object &&
	       !(wait->held & HELD_BY_READER);
}

static uint64_t end_of(const struct profile_wait *wait)
{
	return wait->woken ? wait->woken : wait->in;
}

static int find_hand_overs(struct hand_overs *overs)
{
	const struct profile *profile = overs->profile;
	_cleanup_free_ bool *owned = calloc(profile->objects.count + 1, sizeof(*owned));

	if (!owned)
		return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count; i++)
		if (has_owner(&profile->waits.items[i]))
			owned[profile->waits.items[i].object] = true;
	for (size_t i = 0; i < profile->waits.count; i++) {
		const struct profile_wait *wait = &profile->waits.items[i];
		const struct hand_over over = {wait->object, (uint32_t)i, end_of(wait)};

		if (owned[wait->object] && !(wait->flags & PROFILE_WAIT_NOT_ENDED) &&
		    array_push(&overs->items, over) < 0)
			return -ENOMEM;
	}
	if (overs->items.count)
		qsort(overs->items.items, overs->items.count, sizeof(*overs->items.items), compare);
	return 0;
}

/* The last wait for the same lock, of another thread, that ended within the wait; NULL: none. */
static const struct profile_wait *last_within(const struct hand_overs *overs, const struct profile_wait *wait)
{
	const struct hand_over *items = overs->items.items, key = {.object = wait->object, .time = end_of(wait)};
	size_t next = SORTED_FIRST(i, overs->items.count, compare(&items[i], &key) >= 0);

	if (!next || items[next - 1].object != wait->object || items[next - 1].time <= wait->out)
		return NULL;
	return &overs->profile->waits.items[items[next - 1].wait];
}

static bool is_same_thread(const struct profile *profile, uint32_t left, uint32_t right)
{
	const struct profile_task *l = &profile->tasks.items[left], *r = &profile->tasks.items[right];

	return left == right || (l->host == r->host && l->tid == r->tid && l->start == r->start);
}

static bool held_all(const struct hand_overs *overs, const struct profile_wait *wait)
{
	const struct profile_wait *last = last_within(overs, wait);

	if (!last)
		return !(wait->held & HELD_CHANGED);
	return last->out <= wait->out && is_same_thread(overs->profile, last->task, wait->owner);
}

int profile_mark_held_all(struct profile *profile)
{
	_cleanup_(hand_overs_deinit) struct hand_overs overs = {.profile = profile};
	int r = find_hand_overs(&overs);

	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		if (has_owner(wait) && held_all(&overs, wait))
			wait->held |= PROFILE_HELD_ALL;
	}
	return r;
}

/* --- weights --- */

/* A waker's share is the time until its wakeup call; it is not charged with what came after. */
uint64_t profile_waker_weight(const struct profile_wait *wait)
{
	uint64_t blocked = wait->in - wait->out - wait->run_queue;

	return wait->weight < blocked ? wait->weight : blocked;
}

/* The part of the weight in which the thread was runnable. */
static uint64_t profile_run_queue_weight(const struct profile_wait *wait)
{
	return wait->run_queue < wait->weight ? wait->run_queue : wait->weight;
}

/* --- order --- */

static int compare_waits(const void *one, const void *two)
{
	const struct profile_wait *a = one, *b = two;

	return COMPARE(a->recording, b->recording) ?: COMPARE(a->task, b->task) ?: COMPARE(a->out, b->out);
}

/*
 * A thread's waits are in the order of their ends, which is also the order of their starts except
 * for a few (one that had not ended is recorded last): these are moved by insertion. If there are
 * many, the whole trace is out of order.
 */
static void straighten(struct profile_wait *waits, size_t count)
{
	enum { STEPS_PER_WAIT = 8 };
	size_t steps = count * STEPS_PER_WAIT;

	for (size_t i = 1; i < count; i++) {
		struct profile_wait wait = waits[i];
		size_t at = i;

		for (; at && compare_waits(&wait, &waits[at - 1]) < 0 && steps; at--, steps--)
			waits[at] = waits[at - 1];
		waits[at] = wait;
		if (!steps) {
			qsort(waits, count, sizeof(*waits), compare_waits);
			return;
		}
	}
}

/* By recording, task, out. -ENOMEM. */
static int profile_sort_waits(struct profile *profile)
{
	size_t count = profile->waits.count;
	const struct profile_wait *waits = profile->waits.items;
	_cleanup_free_ struct radix_key *keys = calloc(count + 1, sizeof(*keys));
	_cleanup_free_ struct profile_wait *ordered = calloc(count + 1, sizeof(*ordered));
	int r;

	if (!keys || !ordered || count >= NO_NUMBER)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct radix_key){
			.key = (uint64_t)waits[i].recording << 32 | waits[i].task,
			.number = (uint32_t)i,
		};
	r = radix_sort(&keys, count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++)
		ordered[i] = waits[keys[i].number];
	straighten(ordered, count);
	free(profile->waits.items);
	profile->waits.items = steal_ptr(ordered);
	profile->waits.capacity = count + 1;
	return 0;
}

static int compare_sums(const void *one, const void *two)
{
	const struct profile_task_sums *a = one, *b = two;

	return COMPARE(a->recording, b->recording) ?: COMPARE(a->task, b->task);
}

/* --- totals --- */

static void add_total(struct profile_class_total *total, uint64_t count, uint64_t weight, uint64_t run_queue)
{
	total->count += count;
	total->weight += weight;
	total->run_queue += run_queue;
}

static void add_sum(struct profile_class_total *total, const struct profile_wait_sum *sum)
{
	add_total(total, sum->count, sum->total, sum->run_queue);
	total->throttled += sum->throttled;
}

static void add_to_totals(struct profile_wait_totals *totals, const struct profile_wait *wait)
{
	uint64_t run_queue = profile_run_queue_weight(wait);

	add_total(&totals->classes[wait->wait_class], 1, wait->weight, run_queue);
	if (wait->wait_class == WAIT_THROTTLED)
		totals->classes[WAIT_THROTTLED].throttled += wait->weight - run_queue;
	if (wait->flags & (PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED))
		add_total(&totals->open, 1, wait->weight, run_queue);
}

static enum wait_class class_of(enum wait_sum_kind kind)
{
	static const enum wait_class classes[WAIT_SUM_KINDS] = {
		[WAIT_SUM_PREEMPTED] = WAIT_PREEMPTED,
		[WAIT_SUM_YIELDED] = WAIT_YIELDED,
		[WAIT_SUM_CANCELLED] = WAIT_CANCELLED,
		[WAIT_SUM_STARTED] = WAIT_STARTED,
	};

	return classes[kind];
}

/* Sums know only the class and the thread, so they cannot pass filters for anything else. */
static bool sums_are_wanted(const struct profile_filter *filter, size_t kind)
{
	const uint32_t both = PROFILE_WAITS_OPEN | PROFILE_WAITS_ENDED;
	uint32_t classes = filter->classes & ~both;

	if (filter->states || filter->cpus || filter->least_wait || filter->on.passes ||
	    (filter->classes & both) == PROFILE_WAITS_OPEN)
		return false;
	return !classes || (classes >> class_of((enum wait_sum_kind)kind) & 1);
}

/* The sums of a thread that never ran are empty. */
static bool profile_sums_are_apart(const struct profile *profile, const struct profile_task_sums *sums)
{
	if (!profile->sets_apart)
		return false;
	return profile_task_apart(profile, sums->task) == PROFILE_NOTHING_DONE ||
	       (profile->throughout_of[sums->task] && !sums->running);
}

static void add_brief(struct profile *profile, struct profile_wait_totals *totals)
{
	for (size_t i = 0; i < profile->sums.count; i++) {
		const struct profile_task_sums *sums = &profile->sums.items[i];

		if (sums->unasked || profile_sums_are_apart(profile, sums))
			continue;
		for (size_t kind = 0; kind < WAIT_SUM_KINDS; kind++)
			if (sums_are_wanted(profile->filter, kind))
				add_sum(&totals->brief, &sums->kinds[kind]);
	}
}

static int make_totals(struct profile *profile)
{
	bool told = false;

	for (size_t i = 0; i < profile->sources.count; i++)
		if (array_push(&profile->wait_totals, (struct profile_wait_totals){0}) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count && !profile->waits_hidden; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_BESIDE))
			add_to_totals(&profile->wait_totals.items[profile->waits.items[i].source],
				      &profile->waits.items[i]);
	for (size_t i = 0; i < profile->sources.count; i++) {
		struct profile_wait_totals *totals = &profile->wait_totals.items[i];

		if (profile->sources.items[i].kind != PROFILE_OFFCPU || told)
			continue;
		told = true; /* each recording has one such source; together they are one source of the profile */
		add_brief(profile, totals);
		for (size_t k = 0; k < profile->recordings.count; k++)
			if (profile->recordings.items[k].least_wait > totals->least_wait)
				totals->least_wait = profile->recordings.items[k].least_wait;
	}
	return 0;
}

int profile_order_waits(struct profile *profile)
{
	for (size_t i = 0; i < profile->waits.count; i++)
		profile->waits.items[i].source = profile->places[profile->waits.items[i].source];
	if (profile->sums.count)
		qsort(profile->sums.items, profile->sums.count, sizeof(*profile->sums.items), compare_sums);
	profile->waits_ordered = profile->filter->needs & PROFILE_EACH_EVENT; /* it has lists of positions */
	if (profile->waits_ordered && profile_sort_waits(profile) < 0)
		return -ENOMEM;
	return make_totals(profile);
}

/* --- access --- */

size_t profile_waits(struct profile *profile, const struct profile_wait **ret_waits)
{
	if (!profile->waits_ordered && profile_sort_waits(profile) < 0)
		return SIZE_MAX;
	profile->waits_ordered = true;
	if (!profile->ends_joined && (profile_join_ends(profile) < 0 || profile_mark_held_all(profile) < 0))
		return SIZE_MAX;
	profile->ends_joined = true;
	*ret_waits = profile->waits.items;
	return profile->waits_hidden ? 0 : profile->waits.count;
}

size_t profile_task_sums(const struct profile *profile, const struct profile_task_sums **ret_sums)
{
	*ret_sums = profile->sums.items;
	return profile->sums.count;
}

size_t profile_recordings(const struct profile *profile, const struct profile_recording **ret_recordings)
{
	*ret_recordings = profile->recordings.items;
	return profile->recordings.count;
}

const struct profile_wait_totals *profile_wait_totals(const struct profile *profile, uint32_t source)
{
	bool waits = source < profile->sources.count && profile->sources.items[source].kind == PROFILE_OFFCPU;

	return waits ? &profile->wait_totals.items[source] : NULL;
}

/* --- which waits are wanted by what they were for --- */

/* The functions of wakers tell who is at the other end of an object. Frames may be renumbered later. */
static int join_ends_first(struct profile *profile)
{
	int r = profile_begin_symbols(profile);

	if (!r)
		r = profile_sort_waits(profile);
	if (!r)
		r = profile_join_ends(profile);
	profile_forget_symbols(profile);
	profile->ends_joined = !r;
	return r;
}

static int passes(struct profile *profile, const struct profile_wait *wait)
{
	const struct profile_wait_test *on = &profile->filter->on;
	int r;

	if (profile->objects.count)
		profile->chosen.kinds |=
			1U << profile->objects.items[wait->object].kind;
	r = on->passes(on->context, profile, wait);
	if (r < 0)
		return r;
	profile->chosen.waits += r > 0;
	profile->chosen.left_out += !r;
	return r;
}

static int choose_walked(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->walk_tasks.count; i++) {
		const struct profile_walk_task row = profile->walk_tasks.items[i];
		const struct profile_wait wait = profile_walk_wait(&row);
		int r = passes(profile, &wait);

		if (r < 0)
			return r;
		if (r)
			profile->walk_tasks.items[kept++] = row;
	}
	profile->walk_tasks.count = kept;
	return 0;
}

/* Drops the waits with the flag. */
static void drop_waits(struct profile *profile, uint8_t flag)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & flag))
			profile->waits.items[kept++] = profile->waits.items[i];
	profile->waits.count = kept;
}

int profile_choose_waits(struct profile *profile)
{
	int r = 0;

	if (!profile->filter->on.passes)
		return 0;
	if (profile->objects.count)
		r = join_ends_first(profile);
	for (size_t i = 0; i < profile->waits.count && r >= 0; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		r = wait->flags & PROFILE_WAIT_UNASKED ? 1 : passes(profile, wait);
		wait->flags |= r ? 0 : PROFILE_WAIT_UNASKED;
	}
	if (r >= 0 && !(profile->filter->needs & PROFILE_EVERYONE))
		drop_waits(profile, PROFILE_WAIT_UNASKED);
	return r < 0 ? r : choose_walked(profile);
}

struct profile_chosen profile_chosen(const struct profile *profile)
{
	return profile->chosen;
}

/* --- times of kernel threads --- */

bool profile_wants_kernel_times(const struct profile *profile)
{
	return profile->filter->apart || profile->filter->needs & PROFILE_EVERYONE;
}

/* They are by task. */
static int make_room(struct profile *profile)
{
	size_t before = profile->kernel_times.count, tasks = profile->tasks.count;

	if (array_reserve(&profile->kernel_times, tasks) < 0)
		return -ENOMEM;
	if (tasks > before)
		memset(profile->kernel_times.items + before, 0,
		       (tasks - before) * sizeof(*profile->kernel_times.items));
	profile->kernel_times.count = tasks;
	return 0;
}

static bool has_kernel_time(const struct profile *profile, uint32_t task)
{
	return profile_wants_kernel_times(profile) && profile->tasks.items[task].kernel_thread &&
	       profile->tasks.items[task].tid;
}

int profile_add_kernel_wait(struct profile *profile, const struct profile_wait *wait)
{
	const bool own = has_kernel_time(profile, wait->task);
	const bool wakers = !own && wait->waker != PROFILE_NO_TASK && has_kernel_time(profile, wait->waker);
	int r = own || wakers ? make_room(profile) : 0;

	if (!r && own)
		profile_kernel_time_add_wait(&profile->kernel_times.items[wait->task], wait);
	else if (!r && wakers)
		profile_kernel_time_add_wakeup(&profile->kernel_times.items[wait->waker], wait);
	return r;
}

int profile_add_kernel_sums(struct profile *profile, const struct profile_task_sums *sums)
{
	int r = has_kernel_time(profile, sums->task) ? make_room(profile) : 0;

	if (!r && has_kernel_time(profile, sums->task))
		profile_kernel_time_add_sums(&profile->kernel_times.items[sums->task], sums);
	return r;
}

/* --- what is set apart --- */

enum profile_apart profile_task_apart(const struct profile *profile, uint32_t task)
{
	if (task < profile->kernel_times.count &&
	    profile_kernel_time_is_nothing_done(&profile->kernel_times.items[task]))
		return PROFILE_NOTHING_DONE;
	return profile->throughout_of && profile->throughout_of[task] ? PROFILE_THROUGHOUT : PROFILE_NOT_APART;
}

struct profile_set_apart profile_set_apart(const struct profile *profile)
{
	return (struct profile_set_apart){profile->throughout.items, profile->throughout.count,
					  profile->kernel_threads_apart};
}

static bool is_apart(const struct profile *profile, const struct profile_wait *wait)
{
	return profile->tasks.items[wait->task].kernel_thread ?
		       profile_task_apart(profile, wait->task) == PROFILE_NOTHING_DONE :
		       profile_wait_is_throughout(profile->tasks.items, wait);
}

/* A report about nothing else would be empty: then they are what was asked for. */
static bool are_all_apart(const struct profile *profile)
{
	for (size_t i = 0; i < profile->waits.count; i++)
		if (!(profile->waits.items[i].flags & PROFILE_WAIT_UNASKED) &&
		    !is_apart(profile, &profile->waits.items[i]))
			return false;
	return true;
}

static int mark_apart(struct profile *profile)
{
	_cleanup_free_ bool *counted = calloc(profile->tasks.count + 1, sizeof(*counted));
	int r = counted ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		if (!is_apart(profile, wait))
			continue;
		wait->flags |= PROFILE_WAIT_APART;
		if (wait->flags & PROFILE_WAIT_UNASKED)
			continue;
		if (!profile->tasks.items[wait->task].kernel_thread)
			r = array_push(&profile->throughout, *wait);
		else
			profile->kernel_threads_apart += !counted[wait->task];
		counted[wait->task] = true;
	}
	return r;
}

static int set_apart(struct profile *profile)
{
	size_t sums = 0;
	int r;

	if (!profile->waits.count || !profile_wants_kernel_times(profile))
		return 0;
	profile->throughout_of = calloc(profile->tasks.count + 1, sizeof(*profile->throughout_of));
	if (!profile->throughout_of)
		return -ENOMEM;
	for (size_t i = 0; i < profile->waits.count; i++)
		profile->throughout_of[profile->waits.items[i].task] |=
			profile_wait_is_throughout(profile->tasks.items, &profile->waits.items[i]);
	profile->sets_apart = profile->filter->apart && !are_all_apart(profile);
	if (!profile->sets_apart)
		return 0;
	r = mark_apart(profile);
	if (r < 0 || profile->filter->needs & PROFILE_EVERYONE)
		return r;
	drop_waits(profile, PROFILE_WAIT_APART);
	for (size_t i = 0; i < profile->sums.count; i++)
		if (!profile_sums_are_apart(profile, &profile->sums.items[i]))
			profile->sums.items[sums++] = profile->sums.items[i];
	profile->sums.count = sums;
	return 0;
}

/* --- entries --- */

static int add_entry(struct profile *profile, const struct profile_entry *entry)
{
	profile->sources.items[entry->source].samples++;
	profile->sources.items[entry->source].weight += entry->weight;
	return profile_add_entry(profile, entry);
}

/* The part of the weight that is in the second half of what was requested. */
static uint64_t late_weight(const struct profile *profile, const struct profile_wait *wait)
{
	const struct recording_notes *notes = &profile->recording_notes.items[wait->recording];
	uint64_t middle = notes->from + (notes->to > notes->from ? (notes->to - notes->from) / 2 : 0);
	uint64_t from = wait->out > middle ? wait->out : middle, to = wait->in < notes->to ? wait->in : notes->to;
	uint64_t late = to > from ? to - from : 0;

	return late < wait->weight ? late : wait->weight;
}

/* A wait is counted in the half in which it ended, but its time is split between both. */
static int add_halves(struct profile *profile, const struct profile_wait *wait, struct profile_entry *entry)
{
	struct profile_entry early = *entry;
	uint64_t late = late_weight(profile, wait);

	if (!late)
		return profile_add_entry(profile, entry);
	entry->flags |= CHAIN_LATE;
	entry->weight = late;
	entry->run_queue = early.run_queue < late ? early.run_queue : late;
	entry->throttled = early.throttled ? late - entry->run_queue : 0;
	early.samples = 0;
	early.weight -= late;
	early.run_queue -= entry->run_queue;
	early.throttled -= early.throttled < entry->throttled ? early.throttled : entry->throttled;
	return profile_add_entry(profile, entry) < 0 || (early.weight && profile_add_entry(profile, &early) < 0) ?
		       -ENOMEM : 0;
}

static int add_wait(struct profile *profile, const struct profile_wait *wait)
{
	struct profile_entry entry = {.source = wait->source,
				      .node = wait->node,
				      .task = wait->task,
				      .flags = (uint16_t)wait->chain_flags,
				      .cpu = profile->filter->needs & PROFILE_EACH_CPU ? wait->in_cpu : PROFILE_NO_CPU,
				      .samples = 1,
				      .weight = wait->weight,
				      .run_queue = profile_run_queue_weight(wait)};

	if (wait->wait_class == WAIT_THROTTLED)
		entry.throttled = entry.weight - entry.run_queue;
	if (!(profile->filter->needs & PROFILE_EACH_HALF))
		return add_entry(profile, &entry);
	profile->sources.items[entry.source].samples++;
	profile->sources.items[entry.source].weight += entry.weight;
	return add_halves(profile, wait, &entry);
}

/* The CPU of the waker was not recorded. */
static int add_wakeup(struct profile *profile, const struct profile_wait *wait)
{
	uint32_t source = profile->recording_notes.items[wait->recording].wakers;

	if (source == NO_NUMBER || wait->waker == PROFILE_NO_TASK)
		return 0;
	return add_entry(profile, &(struct profile_entry){
					  .source = source,
					  .node = wait->waker_node,
					  .task = wait->waker,
					  .flags = (uint16_t)((profile->filter->needs & PROFILE_EACH_HALF) && late_weight(profile, wait) ?
								      CHAIN_LATE : 0),
					  .cpu = PROFILE_NO_CPU,
					  .samples = 1,
					  .weight = profile_waker_weight(wait),
				  });
}

int profile_add_walk_entries(struct profile *profile)
{
	int r = 0;

	for (size_t i = 0; i < profile->walk_tasks.count && !r; i++) {
		const struct profile_walk_task *row = &profile->walk_tasks.items[i];

		if (row->source != PROFILE_NO_SOURCE)
			r = add_entry(profile, &(struct profile_entry){
						       .source = row->source, .node = row->node, .task = row->task,
						       .flags = (uint16_t)row->flags, .cpu = PROFILE_NO_CPU,
						       .samples = 1, .weight = 1});
	}
	return r;
}

int profile_add_wait_entries(struct profile *profile)
{
	int r = set_apart(profile);

	for (size_t i = 0; i < profile->waits.count && !r; i++) {
		const struct profile_wait *wait = &profile->waits.items[i];

		if (wait->flags & PROFILE_WAIT_BESIDE)
			continue;
		r = profile->waits_hidden ? 0 : add_wait(profile, wait);
		if (!r)
			r = add_wakeup(profile, wait);
	}
	return r;
}
