/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where the time of all threads went, and the pressure that shows in it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_apart.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/digest/digest_parts.h"
#include "report/view/text/object_text.h"
#include "report/view/text/wait_text.h"

struct sums { /* ns, of all threads */
	uint64_t wall, running, run_queue, throttled, blocked, in_d, unknown;
	size_t threads, threads_in_d, threads_throttled;
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
	for (size_t i = 0; i < digest->ground.index.thread_count; i++) {
		const struct thread_time *row = &digest->times.rows[i];
		uint64_t known, wall;

		if (profile_task_apart(digest->context->profile, row->task) == PROFILE_NOTHING_DONE)
			continue;
		known = thread_time_accounted(row);
		wall = row->whole ? row->wall : known;
		sums->wall = wait_add(sums->wall, wall);
		sums->unknown = wait_add(sums->unknown, wall > known ? wall - known : 0);
		sums->running = wait_add(sums->running, row->running);
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
	int r = digest_line_begin(lines, "time", DIGEST_FIRST);

	if (r < 0)
		return r;
	sum_up(digest, &sums);
	(void)fprintf(lines->text, "%zu thread%s, %s:", sums.threads, plural(sums.threads),
		      wait_figure(sums.wall).text);
	write_part(&sums, sums.running, " running", lines->text);
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
	int r = digest->throughout.threads ? digest_line_begin(lines, "waited", DIGEST_MAIN) : 0;

	if (r < 0 || !digest->throughout.threads)
		return r;
	(void)fprintf(lines->text, "all the time, %zu thread%s: ", digest->throughout.threads,
		      plural(digest->throughout.threads));
	throughout_write(&digest->throughout, MOST, lines->text);
	(void)fputs("--tree --throughout", lines->proof);
	return digest_line_end(lines);
}

/* "on CPUs 2330.3 ms in 2.03 s of 2 CPUs (57.4%); waits were not recorded" */
static int add_sampled(struct digest *digest)
{
	const struct profile_source *source = &digest->sources[digest->cpu];
	struct digest_lines *lines = &digest->lines;
	struct profile_origin origin = {0};
	int r = digest_line_begin(lines, "time", DIGEST_FIRST);

	if (r < 0)
		return r;
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
	(void)fputs("--tree --source cpu", lines->proof);
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
	int r = digest_line_begin(lines, "pressure", DIGEST_FIRST);

	if (r < 0)
		return r;
	(void)fprintf(lines->text, "CPU: runnable threads waited for %s%% of their time (%s; %s running)",
		      figure_percent(sums->run_queue, wait_add(sums->run_queue, sums->running)).text,
		      wait_figure(sums->run_queue).text, wait_figure(sums->running).text);
	(void)fputs("--summary", lines->proof);
	return digest_line_end(lines);
}

struct in_state { /* waits that began in the given state */
	uint64_t weight; /* ns */
	size_t threads, longest; /* the number of a wait, or SIZE_MAX */
};

static bool is_state(uint32_t state, char letter)
{
	char text[24] = "";

	profile_wait_state(state, text);
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
	const struct waits *waits = &digest->ground.waits;
	FILE *out = digest->lines.text;
	struct place place;
	int r = places_find(&digest->ground.places, waits->items[longest].node, &place, NULL);

	if (r < 0)
		return r;
	(void)fputs(", the longest ", out);
	wait_write_length(out, wait_length(&waits->items[longest]), wait_length_bound(&waits->items[longest]));
	(void)fputs(": ", out);
	wait_write_task(out, &waits->tasks[waits->items[longest].task]);
	(void)fputs(place.kernel || place.user ? " in " : "", out);
	place_write(&digest->ground.places, place, out);
	(void)fputs(proof, digest->lines.proof);
	return 0;
}

static int add_in_d(struct digest *digest, const struct sums *sums)
{
	struct digest_lines *lines = &digest->lines;
	struct in_state found;
	int r;

	if (!sums->in_d)
		return digest_line_add(lines, "", DIGEST_LEAST,
				       has_vfork_parents(&digest->ground.waits) ?
					       "D: no thread waited uninterruptibly, but in vfork()" :
					       "D: no thread waited uninterruptibly",
				       "--summary");
	found = find_in_state(&digest->ground.waits, 'D');
	r = digest_line_begin(lines, "", DIGEST_MAIN);
	if (r < 0)
		return r;
	(void)fprintf(lines->text, "D: %s in %zu thread%s", wait_figure(sums->in_d).text, sums->threads_in_d,
		      plural(sums->threads_in_d));
	(void)fputs("--summary", lines->proof);
	digest->stuck = found.longest != SIZE_MAX;
	if (digest->stuck)
		r = write_longest(digest, found.longest, ", --top-waits --state D");
	return r < 0 ? r : digest_line_end(lines);
}

/* A thread that waits for a stopped one, as for an answer, looks like a thread that has nothing to do. */
static int add_kept(struct digest *digest, char letter, const char *why)
{
	struct digest_lines *lines = &digest->lines;
	struct in_state found = find_in_state(&digest->ground.waits, letter);
	int r;

	if (found.longest == SIZE_MAX)
		return 0;
	r = digest_line_begin(lines, "", DIGEST_MAIN);
	if (r < 0)
		return r;
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
	const struct waits *waits = &digest->ground.waits;
	uint32_t most;
	int r;

	if (!sums->throttled)
		return 0;
	r = find_throttler(waits, &most);
	if (!r)
		r = digest_line_begin(lines, "", DIGEST_MAIN);
	if (r < 0)
		return r;
	(void)fprintf(lines->text, "throttled: %s in %zu thread%s by quotas of cgroups",
		      wait_figure(sums->throttled).text, sums->threads_throttled, plural(sums->threads_throttled));
	if (most) {
		(void)fputs(", most by ", lines->text);
		object_write(lines->text, &waits->objects[most]);
	}
	(void)fputs("--summary, --top-waits --class throttled", lines->proof);
	return digest_line_end(lines);
}

static int add_losses(struct digest *digest, const char *label)
{
	struct digest_lines *lines = &digest->lines;
	struct profile_losses losses;
	int r;

	profile_losses(digest->context->profile, &losses);
	r = digest_line_begin(lines, label, losses.lost ? DIGEST_FIRST : DIGEST_LEAST);
	if (r < 0)
		return r;
	if (losses.lost)
		(void)fprintf(lines->text, "lost: %" PRIu64 " of %" PRIu64 " events (%s%%)", losses.lost,
			      wait_add(losses.lost, losses.recorded),
			      figure_percent(losses.lost, wait_add(losses.lost, losses.recorded)).text);
	else
		(void)fputs("lost: no event", lines->text);
	(void)fputs("--info", lines->proof);
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
