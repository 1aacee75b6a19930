/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/profile/profile.h"
#include "report/profile/profile_waits.h"
#include "report/view/leaf_groups.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/wait_text.h"
#include "report/wait/digest.h"

/* Where the time of all threads went, and the pressure that shows in it. */

struct sums { /* ns, of all threads */
	uint64_t wall, running, run_queue, throttled, blocked, in_d, unknown;
	size_t threads, threads_in_d, threads_throttled;
	bool running_known; /* of some of them */
};

static uint64_t blocked_of(const struct thread_time *row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < THREAD_BLOCKED_STATES; i++)
		sum = wait_add(sum, row->blocked[i]);
	return sum;
}

static void sum_up(const struct digest *digest, struct sums *sums)
{
	*sums = (struct sums){.threads = digest->threads};
	for (size_t i = 0; i < digest->tables.index.thread_count; i++) {
		const struct thread_time *row = &digest->times.rows[i];
		uint64_t known, wall;

		if (profile_task_apart(digest->context->profile, row->task) == PROFILE_NOTHING_DONE)
			continue;
		known = thread_time_accounted(row);
		wall = row->whole ? row->wall : known;
		sums->wall = wait_add(sums->wall, wall);
		sums->unknown = wait_add(sums->unknown, wall > known ? wall - known : 0);
		sums->running = wait_add(sums->running, row->running);
		sums->running_known |= row->whole;
		sums->run_queue = wait_add(sums->run_queue, row->run_queue);
		sums->throttled = wait_add(sums->throttled, row->throttled);
		sums->threads_throttled += row->throttled > 0;
		sums->blocked = wait_add(sums->blocked, blocked_of(row));
		sums->in_d = wait_add(sums->in_d, row->blocked[THREAD_BLOCKED_D]);
		sums->threads_in_d += row->blocked[THREAD_BLOCKED_D] > 0;
	}
}

static void write_part(const struct sums *sums, uint64_t part, const char *what, FILE *out)
{
	(void)fprintf(out, "%s %s%% (%s)", what, figure_percent(part, sums->wall).text, wait_figure(part).text);
}

/* "6 threads, 11.801 s: running 0.81% (95.0 ms), ..." */
static int add_waited(struct digest *digest)
{
	struct digest_lines *lines = &digest->lines;
	struct sums sums;

	digest_line_begin(lines, "time", DIGEST_FIRST, "");
	sum_up(digest, &sums);
	(void)fprintf(lines->text, "%zu thread%s, %s:", sums.threads, plural(sums.threads),
		      wait_figure(sums.wall).text);
	if (sums.running_known)
		write_part(&sums, sums.running, " running", lines->text);
	else
		(void)fputs(" running unknown", lines->text);
	write_part(&sums, sums.run_queue, ", run queue", lines->text);
	if (sums.throttled)
		write_part(&sums, sums.throttled, ", throttled", lines->text);
	write_part(&sums, sums.blocked, ", blocked", lines->text);
	if (sums.unknown > sums.wall / 100)
		write_part(&sums, sums.unknown, ", unknown", lines->text);
	if (digest->kernel_threads)
		(void)fprintf(lines->text, "; without %zu kernel thread%s that did nothing", digest->kernel_threads,
			      plural(digest->kernel_threads));
	(void)fputs(digest->throughout.threads ? "--summary --throughout" : "--summary", lines->proof);
	return digest_line_end(lines);
}

/* "waited     all the time, 63 threads: 8 postgres in do_epoll_wait (WaitLatch), ..." */
static int add_throughout(struct digest *digest)
{
	enum { MOST = 6 };
	struct digest_lines *lines = &digest->lines;

	if (!digest->throughout.threads)
		return 0;
	digest_line_begin(lines, "waited", DIGEST_MAIN, "--tree --throughout");
	(void)fprintf(lines->text, "all the time, %zu thread%s: ", digest->throughout.threads,
		      plural(digest->throughout.threads));
	throughout_write(&digest->throughout, MOST, lines->text);
	return digest_line_end(lines);
}

/* "on CPUs 2330.3 ms in 2.03 s of 2 CPUs (57.4%); waits were not recorded" */
static int add_sampled(struct digest *digest)
{
	const struct profile_source *source = &digest->sources[digest->cpu];
	struct digest_lines *lines = &digest->lines;
	struct profile_origin origin = {0};

	digest_line_begin(lines, "time", DIGEST_FIRST, "--tree --source cpu");
	if (profile_origins(digest->context->profile) == 1)
		profile_origin(digest->context->profile, 0, &origin);
	if (source->weight_unit[0] == 'n')
		(void)fprintf(lines->text, "on CPUs %s ms in %s s", figure_milliseconds(source->weight).text,
			      figure_seconds(source->duration).text);
	else
		(void)fprintf(lines->text, "on CPUs %" PRIu64 " %s", source->weight, source->weight_unit);
	if (source->weight_unit[0] == 'n' && origin.cpus && source->duration)
		(void)fprintf(lines->text, " of %" PRIu64 " CPU%s (%s%%)", origin.cpus, plural(origin.cpus),
			      figure_percent(source->weight, origin.cpus * source->duration).text);
	(void)fputs(", by samples; waits were not recorded", lines->text);
	return digest_line_end(lines);
}

int digest_add_times(struct digest *digest)
{
	if (digest->threads) {
		int r = add_waited(digest);

		return r < 0 ? r : add_throughout(digest);
	}
	return digest->cpu == DIGEST_NO_SOURCE ? 0 : add_sampled(digest);
}

/* --- pressure --- */

static int add_run_queue(struct digest *digest, const struct sums *sums)
{
	struct digest_lines *lines = &digest->lines;

	digest_line_begin(lines, "pressure", DIGEST_FIRST, "--summary");
	if (sums->running_known)
		(void)fprintf(lines->text, "CPU: runnable threads waited for %s%% of their time (%s; %s running)",
			      figure_percent(sums->run_queue, wait_add(sums->run_queue, sums->running)).text,
			      wait_figure(sums->run_queue).text, wait_figure(sums->running).text);
	else
		(void)fprintf(lines->text, "CPU: runnable threads waited for %s; how long they ran is unknown",
			      wait_figure(sums->run_queue).text);
	return digest_line_end(lines);
}

struct in_state { /* waits that began in the given state */
	uint64_t weight; /* ns */
	size_t threads, longest; /* the number of a wait, or SIZE_MAX */
};

static bool is_state(uint32_t state, char letter)
{
	char text[24] = "";

	profile_state_text(state, 0, text);
	return text[0] == letter;
}

static bool has_vfork_parents(const struct waits *waits)
{
	for (size_t i = 0; i < waits->count; i++)
		if (wait_is_shown(&waits->items[i]) && wait_is_of_vfork(waits, &waits->items[i]))
			return true;
	return false;
}

static struct in_state find_in_state(const struct waits *waits, char letter)
{
	struct in_state found = {.longest = SIZE_MAX};
	const struct profile_wait *before = NULL;
	uint32_t state = UINT32_MAX; /* of the previous wait; most waits are in the same one */
	bool wanted = false;

	for (size_t i = 0; i < waits->count; i++) {
		const struct profile_wait *wait = &waits->items[i];

		if (!wait_is_shown(wait) || wait->wait_class != WAIT_BLOCKED || !wait->weight)
			continue;
		if (wait->state != state) {
			state = wait->state;
			wanted = is_state(state, letter);
		}
		if (!wanted || wait_is_of_vfork(waits, wait))
			continue;
		found.weight = wait_add(found.weight, wait->weight);
		/* Waits are ordered by task. */
		found.threads += !before || before->task != wait->task || before->recording != wait->recording;
		before = wait;
		if (found.longest == SIZE_MAX || wait->weight > waits->items[found.longest].weight)
			found.longest = i;
	}
	return found;
}

/* ", the longest 5.000 s: stat tid 1 pid 1 in request_wait_answer (main)" */
static int write_longest(struct digest *digest, size_t longest, const char *proof)
{
	const struct waits *waits = &digest->tables.waits;
	FILE *out = digest->lines.text;
	struct place place;
	int r = places_find(&digest->tables.places, waits->items[longest].node, &place, NULL);

	if (r < 0)
		return r;
	(void)fputs(", the longest ", out);
	wait_write_length(out, wait_length(&waits->items[longest]), wait_length_bound(&waits->items[longest]));
	(void)fputs(": ", out);
	wait_write_task(out, &waits->tasks[waits->items[longest].task]);
	place_write(&digest->tables.places, " in ", place, out);
	(void)fputs(proof, digest->lines.proof);
	return 0;
}

static int add_in_d(struct digest *digest, const struct sums *sums)
{
	struct digest_lines *lines = &digest->lines;
	struct in_state found;
	int r = 0;

	if (!sums->in_d)
		return digest_line_add(lines, "", DIGEST_LEAST,
				       has_vfork_parents(&digest->tables.waits) ?
					       "D: no thread waited uninterruptibly, but in vfork()" :
					       "D: no thread waited uninterruptibly",
				       "--summary");
	found = find_in_state(&digest->tables.waits, 'D');
	digest_line_begin(lines, "", DIGEST_MAIN, "--summary");
	(void)fprintf(lines->text, "D: %s in %zu thread%s", wait_figure(sums->in_d).text, sums->threads_in_d,
		      plural(sums->threads_in_d));
	digest->stuck = found.longest != SIZE_MAX;
	if (digest->stuck)
		r = write_longest(digest, found.longest, ", --top-waits --state D");
	return r < 0 ? r : digest_line_end(lines);
}

/* A thread that waits for a stopped one, as for an answer, looks like a thread that has nothing to do. */
static int add_kept(struct digest *digest, char letter, const char *why)
{
	struct digest_lines *lines = &digest->lines;
	struct in_state found = find_in_state(&digest->tables.waits, letter);
	int r;

	if (found.longest == SIZE_MAX)
		return 0;
	digest_line_begin(lines, "", DIGEST_MAIN, "");
	(void)fprintf(lines->text, "%c: %s in %zu thread%s that %s", letter, wait_figure(found.weight).text,
		      found.threads, plural(found.threads), why);
	r = write_longest(digest, found.longest, letter == 'T' ? "--top-waits --state T" : "--top-waits --state F");
	return r < 0 ? r : digest_line_end(lines);
}

/* The group that took most of the time; 0: none is known. -ENOMEM. */
static int find_throttler(const struct waits *waits, uint32_t *ret_object)
{
	const struct profile_object *objects;
	_cleanup_free_ uint64_t *sums = calloc(profile_objects(waits->profile, &objects) + 1, sizeof(*sums));
	uint32_t most = 0;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < waits->count; i++) {
		const struct profile_wait *wait = &waits->items[i];

		if (wait->wait_class != WAIT_THROTTLED || !wait->object || !wait_is_shown(wait))
			continue;
		sums[wait->object] = wait_add(sums[wait->object], wait->weight);
		most = sums[wait->object] > sums[most] ? wait->object : most;
	}
	*ret_object = most;
	return 0;
}

/* "throttled: 2.701 s in 1 thread by quotas of cgroups, most by cgroup /web (quota 10 %)" */
static int add_throttled(struct digest *digest, const struct sums *sums)
{
	struct digest_lines *lines = &digest->lines;
	const struct waits *waits = &digest->tables.waits;
	uint32_t most;
	int r;

	if (!sums->throttled)
		return 0;
	r = find_throttler(waits, &most);
	if (r < 0)
		return r;
	digest_line_begin(lines, "", DIGEST_MAIN, "--summary, --top-waits --class throttled");
	(void)fprintf(lines->text, "throttled: %s in %zu thread%s by quotas of cgroups",
		      wait_figure(sums->throttled).text, sums->threads_throttled, plural(sums->threads_throttled));
	if (most) {
		(void)fputs(", most by ", lines->text);
		object_write(lines->text, &waits->objects[most]);
	}
	return digest_line_end(lines);
}

static int add_losses(struct digest *digest, const char *label)
{
	struct digest_lines *lines = &digest->lines;
	struct profile_losses losses;

	profile_losses(digest->context->profile, &losses);
	digest_line_begin(lines, label, losses.lost ? DIGEST_FIRST : DIGEST_LEAST, "--info");
	if (losses.lost)
		(void)fprintf(lines->text, "lost: %" PRIu64 " of %" PRIu64 " events (%s%%)", losses.lost,
			      wait_add(losses.lost, losses.recorded),
			      figure_percent(losses.lost, wait_add(losses.lost, losses.recorded)).text);
	else
		(void)fputs("lost: no event", lines->text);
	return digest_line_end(lines);
}

int digest_add_pressure(struct digest *digest)
{
	bool waited = digest->threads;
	struct sums sums;
	int r = 0;

	sum_up(digest, &sums);
	if (waited)
		r = add_run_queue(digest, &sums);
	if (!r && waited)
		r = add_throttled(digest, &sums);
	if (!r && waited)
		r = add_in_d(digest, &sums);
	if (!r && waited)
		r = add_kept(digest, 'T', "a signal had stopped");
	if (!r && waited)
		r = add_kept(digest, 'F', "were frozen");
	return r < 0 ? r : add_losses(digest, waited ? "" : "pressure");
}

/* --- digest walks --- */

/* Tasks that were walked: how many in each state, and the one that had waited longest in D. */

struct walk_states {
	size_t running, in_d, others;
	const struct profile_walk_task *longest; /* in D; NULL: none */
};

static bool waited_longer(const struct profile_walk_task *row, const struct profile_walk_task *longest)
{
	return !longest || row->wait > longest->wait;
}

static void count_states(const struct profile_walk_task *rows, size_t count, struct walk_states *ret_states)
{
	struct walk_states states = {0};

	for (size_t i = 0; i < count; i++) {
		if (rows[i].state[0] == 'R')
			states.running++;
		else if (rows[i].state[0] != 'D')
			states.others++;
		else if (states.in_d++, waited_longer(&rows[i], states.longest))
			states.longest = &rows[i];
	}
	*ret_states = states;
}

static int add_longest(struct digest *digest, const struct profile_walk_task *row)
{
	const struct profile_wait wait = profile_walk_wait(row);
	struct digest_lines *lines = &digest->lines;
	struct place place;
	int r = places_find(&digest->tables.places, row->node, &place, NULL);

	if (r < 0)
		return r;
	digest_line_begin(lines, "", DIGEST_FIRST, "--tasks --state D");
	(void)fputs("longest in D: ", lines->text);
	wait_write_task(lines->text, &digest->tables.waits.tasks[row->task]);
	(void)fputs(", ", lines->text);
	wait_write_length(lines->text, row->wait, row->bound);
	place_write(&digest->tables.places, ", in ", place, lines->text);
	wait_write_object(lines->text, ", ", &digest->tables.waits, &wait);
	return digest_line_end(lines);
}

/* The task that holds up most others and is not held up itself. */
static int add_holder(struct digest *digest)
{
	_cleanup_(walk_holders_deinit) struct walk_holders holders;
	struct digest_lines *lines = &digest->lines;
	uint32_t most = 0, number = WALK_NO_HOLDER;
	int r = walk_holders_init(&holders, digest->context->profile);

	for (uint32_t i = 0; !r && i < holders.row_count + holders.outsider_count; i++)
		if (holders.held[i] > most && !walk_is_held(&holders, i)) {
			most = holders.held[i];
			number = i;
		}
	if (r < 0 || !most)
		return r;
	digest_line_begin(lines, "", DIGEST_FIRST, "--chains");
	(void)fprintf(lines->text, "%" PRIu32 " task%s held up by ", most, plural(most));
	walk_write_task(lines->text, &digest->tables.waits, &holders, number);
	return digest_line_end(lines);
}

int digest_add_walks(struct digest *digest)
{
	const struct profile_walk_task *rows;
	const struct profile_walk *walks;
	size_t count = profile_walk_tasks(digest->context->profile, &rows);
	size_t walk_count = profile_walks(digest->context->profile, &walks);
	struct digest_lines *lines = &digest->lines;
	struct walk_states states;
	int r;

	if (!count)
		return 0;
	count_states(rows, count, &states);
	digest_line_begin(lines, "walked", DIGEST_FIRST, "--tasks");
	(void)fprintf(lines->text, "%zu task%s in %zu walk%s: %zu running or runnable, %zu in D, %zu in other states",
		      count, plural(count), walk_count, plural(walk_count), states.running, states.in_d,
		      states.others);
	r = digest_line_end(lines);
	if (r < 0 || !states.longest)
		return r;
	digest->stuck = true;
	r = add_longest(digest, states.longest);
	return r < 0 ? r : add_holder(digest);
}

/* --- digest heaviest --- */

/* The heaviest functions, processes and comms: by CPU samples, else by the running time of the threads. */

enum { SHOWN = 3 };

/* --- functions --- */

struct heaviest_functions {
	struct functions *functions;
	struct rows rows;
	struct leaf_groups groups;
};

static void heaviest_functions_deinit(struct heaviest_functions *heaviest)
{
	leaf_groups_deinit(&heaviest->groups);
	rows_deinit(&heaviest->rows);
	functions_destroy(heaviest->functions);
}

static int find_functions(struct digest *digest, struct heaviest_functions *heaviest)
{
	const struct view_context *context = digest->context;

	return functions_create(context->profile, FUNCTIONS_BY_LEAF, page_no_frames(context->settings),
				&heaviest->functions) ?:
	       rows_init(&heaviest->rows, context->profile, digest->cpu, NULL) ?:
	       leaf_groups_init(&heaviest->groups, &heaviest->rows, heaviest->functions, &digest->tables.names,
				false);
}

/* "96.05% crunch, 0.56% memcpy, 0.30% free" */
static int add_functions(struct digest *digest)
{
	_cleanup_(heaviest_functions_deinit) struct heaviest_functions heaviest = {0};
	const struct profile_source *source = &digest->sources[digest->cpu];
	struct digest_lines *lines = &digest->lines;
	int r = find_functions(digest, &heaviest);

	if (r < 0)
		return r;
	digest_line_begin(lines, "functions", DIGEST_FIRST, "--tree --source cpu");
	for (size_t i = 0; i < heaviest.groups.count && i < SHOWN; i++) {
		(void)fputs(i ? ", " : "", lines->text);
		digest_write_share(heaviest.groups.items[i].tally.weight, page_total(source), lines->text);
		functions_write(heaviest.functions, heaviest.groups.items[i].function, lines->text);
	}
	return digest_line_end(lines);
}

/* --- processes and comms --- */

struct owner { /* a process or a comm */
	uint64_t weight, samples;
	uint32_t number;
};

struct owners {
	const struct digest *digest;
	const uint32_t *number_of; /* by task */
	struct owner *items;
	size_t count;
	uint64_t total;
	bool sampled;
};

static void add_weight(struct owners *owners, uint32_t task, uint64_t samples, uint64_t weight)
{
	struct owner *owner = &owners->items[owners->number_of[task]];

	owner->weight = wait_add(owner->weight, weight);
	owner->samples += samples;
	owners->total = wait_add(owners->total, weight);
}

/* Heaviest first. */
static int compare_owners(const void *left, const void *right)
{
	const struct owner *l = left, *r = right;

	return COMPARE(r->weight, l->weight) ?: COMPARE(l->number, r->number);
}

static void collect(struct owners *owners)
{
	const struct digest *digest = owners->digest;
	const struct profile_entry *entries;
	size_t count = profile_entries(digest->context->profile, &entries);

	for (size_t i = 0; i < owners->count; i++)
		owners->items[i].number = (uint32_t)i;
	for (size_t i = 0; i < count && owners->sampled; i++)
		if (entries[i].source == digest->cpu)
			add_weight(owners, entries[i].task, entries[i].samples, entries[i].weight);
	for (size_t i = 0; i < digest->tables.index.thread_count && !owners->sampled; i++)
		if (digest->times.rows[i].asked)
			add_weight(owners, digest->times.rows[i].task, 1, digest->times.rows[i].running);
	qsort(owners->items, owners->count, sizeof(*owners->items), compare_owners);
}

/* The figure that the view of this one owner prints: " (1900.1 ms)", " (1900 samples)". */
static void write_figure(const struct owners *owners, const struct owner *owner, FILE *out)
{
	const struct digest *digest = owners->digest;

	if (!owners->sampled || digest->sources[digest->cpu].weight_unit[0] == 'n')
		(void)fprintf(out, " (%s ms)", figure_milliseconds(owner->weight).text);
	else
		(void)fprintf(out, " (%" PRIu64 " sample%s)", owner->samples, plural(owner->samples));
}

/* The name alone, or "shop 599" for a process. */
static void write_owner(const struct owners *owners, const struct owner *owner, bool process, FILE *out)
{
	const struct task_names *names = &owners->digest->tables.names;
	const char *comm = process ? names->processes[owner->number].comm : names->comms[owner->number];

	printable_write(out, comm, strlen(comm));
	if (!process)
		return;
	(void)fputc(' ', out);
	task_names_write_process(names, owner->number, out);
}

static void write_proof(const struct owners *owners, const struct owner *owner, bool process, FILE *out)
{
	const struct task_names *names = &owners->digest->tables.names;

	(void)fputs(owners->sampled ? "--tree --source cpu " : "--summary ", out);
	if (process) {
		(void)fprintf(out, "--pid %" PRIu32, names->processes[owner->number].tgid);
		return;
	}
	(void)fputs("-c ", out);
	digest_write_comm(names->comms[owner->number], out);
}

static int add_owners(struct digest *digest, bool process)
{
	const struct task_names *names = &digest->tables.names;
	struct digest_lines *lines = &digest->lines;
	struct owners owners = {.digest = digest,
				.number_of = process ? names->process_of : names->comm_of,
				.count = process ? names->process_count : names->comm_count,
				.sampled = digest->cpu != DIGEST_NO_SOURCE};
	_cleanup_free_ struct owner *items = owners.items = calloc(owners.count + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	collect(&owners);
	if (!owners.total)
		return 0;
	digest_line_begin(lines, process ? "processes" : "comms", DIGEST_MAIN, "");
	for (size_t i = 0; i < owners.count && i < SHOWN && items[i].weight; i++) {
		(void)fputs(i ? ", " : "", lines->text);
		digest_write_share(items[i].weight, owners.total, lines->text);
		write_owner(&owners, &items[i], process, lines->text);
		write_figure(&owners, &items[i], lines->text);
	}
	write_proof(&owners, &items[0], process, lines->proof);
	return digest_line_end(lines);
}

int digest_add_heaviest(struct digest *digest)
{
	int r = digest->cpu == DIGEST_NO_SOURCE ? 0 : add_functions(digest);

	if (!r)
		r = add_owners(digest, true);
	return r < 0 ? r : add_owners(digest, false);
}
