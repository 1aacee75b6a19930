/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which waits a profile is about: what is set apart, filters, and what is kept for views that follow wakers. */
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>

#include "report/profile/seam/profile_apart.h"
#include "report/profile/tables/profile_processes.h"
#include "tests/make_events.h"
#include "tests/test.h"

enum { START = 1000, STOP = 9000, POOL = 20, OTHER_POOL, WORKER = 30, HUNG = 40, VICTIM = 50, HOLDER = 60 };

static const struct profile_names no_files = {0};
static const uint64_t chain[] = {1ULL << 32 | 0x110, 0};

static const struct thread {
	uint32_t tid;
	const char *comm;
	bool kernel;
} threads[] = {
	{POOL, "pool", false}, {OTHER_POOL, "pool", false}, {WORKER, "kworker/0:1", true},
	{HUNG, "hung", false}, {VICTIM, "victim", false},   {HOLDER, "kholder", true},
};

static struct event_task task_of(uint32_t tid)
{
	struct event_task task;

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		if (threads[i].tid == tid) {
			task = made_task(tid, tid, 5, threads[i].comm);
			task.flags = threads[i].kernel ? TASK_KERNEL_THREAD : 0;
			return task;
		}
	abort();
}

static void add_wait(struct made_trace *trace, uint32_t tid, struct event_wait wait)
{
	struct event_task task = task_of(tid), waker = task_of(HOLDER);
	struct event_stacks stacks = {.kernel = chain, .kernel_count = 1};

	wait.source = 3;
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, &waker, &stacks), "wait");
}

static void add_sums(struct made_trace *trace, uint32_t tid, uint64_t running)
{
	struct event_wait_sums sums = {.time = STOP, .source = 3, .span = STOP - START, .running = running};
	struct event_task task = task_of(tid);

	sums.kinds[WAIT_SUM_PREEMPTED] = (struct event_wait_sum){.count = running > 0, .total = 7, .run_queue = 7};
	made_trace_check(event_log_add_wait_sums(trace->log, &sums, &task), "sums");
}

static const struct event_wait whole = {.time = STOP, .length = STOP, .state = 1,
					.flags = WAIT_BEGAN_BEFORE | WAIT_NOT_ENDED};

/*
 * Two threads of a pool and one of the kernel do nothing. One hangs in D. The victim waits twice
 * for a thread of the kernel, which slept nearly all the time, but is held up by it.
 */
static void make(const char *path)
{
	struct made_trace *trace = made_trace_begin(path);
	struct event_wait hung = whole;

	made_trace_meta(trace, "hostname", "here");
	made_trace_source(trace, &(struct event_source){.id = 3, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
							.start = START, .stop = STOP, .least = 100}, "sched_switch");
	made_trace_source(trace, &(struct event_source){.id = 4, .kind = SOURCE_WAKERS, .weight = WEIGHT_NS,
							.start = START, .stop = STOP, .least = 100}, "sched_waking");
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "aabb");
	made_trace_kernel_symbol(trace, 1, 0x100, 0x100, "schedule");
	add_wait(trace, VICTIM, (struct event_wait){.time = 3000, .length = 500, .state = 1, .context = WAKER_TASK});
	add_wait(trace, WORKER, (struct event_wait){.time = 4000, .length = 3000, .state = 0x402});
	add_wait(trace, HOLDER, (struct event_wait){.time = 4500, .length = 3500, .state = 0x402});
	add_wait(trace, VICTIM, (struct event_wait){.time = 5000, .length = 500, .state = 1, .context = WAKER_TASK});
	add_wait(trace, WORKER, (struct event_wait){.time = 8000, .length = 3990, .state = 0x402});
	hung.state = 2;
	add_wait(trace, POOL, whole);
	add_wait(trace, OTHER_POOL, whole);
	add_wait(trace, HUNG, hung);
	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		add_sums(trace, threads[i].tid, threads[i].kernel || threads[i].tid == VICTIM ? 10 : 0);
	made_trace_end(trace);
}

static struct profile *load(struct test *t, struct profile_filter filter, const char *comm)
{
	struct profile *profile = NULL;
	char path[] = "/tmp/rwalker-test-XXXXXX";
	const char *paths[] = {path};
	regex_t expression;

	close(mkstemp(path));
	make(path);
	filter.to = filter.to ? filter.to : UINT64_MAX;
	if (comm && regcomp(&expression, comm, REG_EXTENDED | REG_NOSUB))
		abort();
	filter.comm = comm ? &expression : NULL;
	CHECK(t, profile_create(paths, 1, &filter, &no_files, &profile) == 0);
	unlink(path);
	if (comm)
		regfree(&expression);
	return profile;
}

/* The threads with waits that are shown, or with others: "20 40". */
static void list(struct profile *profile, bool beside, char text[64])
{
	const struct profile_task *tasks;
	const struct profile_wait *waits;
	size_t count = profile_waits(profile, &waits), task_count, used = 0;
	uint32_t last = PROFILE_NO_TASK;

	tasks = profile_tasks(profile, &task_count);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (waits[i].task == last || !!(waits[i].flags & PROFILE_WAIT_BESIDE) != beside)
			continue;
		last = waits[i].task;
		used += (size_t)snprintf(text + used, 64 - used, "%s%u", used ? " " : "", tasks[last].tid);
	}
}

struct expected {
	const char *shown, *beside;
	uint64_t waits, weight; /* of the source */
	uint64_t brief;
	size_t throughout, kernel; /* set apart */
};

static void expect(struct test *t, struct profile *profile, const struct expected *want)
{
	const struct profile_wait_totals *totals = profile_wait_totals(profile, 0);
	struct profile_set_apart apart = profile_set_apart(profile);
	const struct profile_source *sources;
	char shown[64], beside[64];

	(void)profile_sources(profile, &sources);
	list(profile, false, shown);
	list(profile, true, beside);
	CHECK_STR(t, shown, want->shown);
	CHECK_STR(t, beside, want->beside);
	CHECK_INT(t, sources[0].samples, want->waits);
	CHECK_INT(t, sources[0].weight, want->weight);
	CHECK_INT(t, totals->classes[PROFILE_BLOCKED].count, want->waits);
	CHECK_INT(t, totals->brief.count, want->brief);
	CHECK_INT(t, apart.throughout_count, want->throughout);
	CHECK_INT(t, apart.kernel_threads, want->kernel);
	profile_destroy(profile);
}

enum { WHOLE = STOP - START, APART = 2 * WHOLE + 3000 + 3990, BUSY = WHOLE + 1000 + 3500 };

static void sets_apart(struct test *t)
{
	const struct profile_filter apart = {.apart = true};

	expect(t, load(t, (struct profile_filter){0}, NULL),
	       &(struct expected){"50 60 30 20 21 40", "", 8, APART + BUSY, 3, 0, 0});
	expect(t, load(t, apart, NULL), &(struct expected){"50 60 40", "", 4, BUSY, 2, 2, 1});
}

/* Filters do not change what is set apart; if nothing else is left, it is shown. */
static void knows_them_under_filters(struct test *t)
{
	const struct profile_filter apart = {.apart = true},
				    kernel = {.apart = true, .kernel_threads = true},
				    user = {.apart = true, .user_threads = true},
				    part = {.apart = true, .from = 4000, .to = 5000};

	expect(t, load(t, apart, "^(pool|hung)$"), &(struct expected){"40", "", 1, WHOLE, 0, 2, 0});
	expect(t, load(t, apart, "kholder"), &(struct expected){"60", "", 1, 3500, 1, 0, 0});
	expect(t, load(t, apart, "pool"), &(struct expected){"20 21", "", 2, 2 * WHOLE, 0, 0, 0});
	expect(t, load(t, kernel, NULL), &(struct expected){"60", "", 1, 3500, 1, 0, 1});
	expect(t, load(t, user, NULL), &(struct expected){"50 40", "", 3, WHOLE + 1000, 1, 2, 0});
	expect(t, load(t, part, NULL), &(struct expected){"50 40", "", 2, 1000, 0, 2, 1});
}

static void keeps_everyone_who_may_be_followed(struct test *t)
{
	const struct profile_filter all = {.everyone = true}, apart = {.everyone = true, .apart = true},
				    cpu = {.everyone = true, .least_wait = 600};

	expect(t, load(t, all, NULL), &(struct expected){"50 60 30 20 21 40", "", 8, APART + BUSY, 3, 0, 0});
	expect(t, load(t, apart, NULL), &(struct expected){"50 60 40", "30 20 21", 4, BUSY, 2, 2, 1});
	expect(t, load(t, apart, "victim"), &(struct expected){"50", "60 30 20 21 40", 2, 1000, 1, 0, 0});
	expect(t, load(t, cpu, NULL), &(struct expected){"60 30 20 21 40", "50", 6, APART + BUSY - 1000, 0, 0, 0});
}

/* Sums of threads that are only followed are marked. */
static void marks_sums(struct test *t)
{
	struct profile *profile = load(t, (struct profile_filter){.everyone = true}, "victim");
	const struct profile_task_sums *sums;
	const struct profile_task *tasks;
	size_t count = profile_task_sums(profile, &sums), task_count;

	tasks = profile_tasks(profile, &task_count);
	CHECK_INT(t, count, sizeof(threads) / sizeof(threads[0]));
	for (size_t i = 0; i < count; i++)
		CHECK_INT(t, sums[i].unasked, tasks[sums[i].task].tid != VICTIM);
	profile_destroy(profile);
}

/* --- profile processes --- */

/* What processes are called. */

enum { PID = 100, OTHER = 200 };

static void note(struct profile *p, uint32_t scope, uint32_t tgid, uint32_t tid, const char *comm, uint64_t time)
{
	const struct profile_task task = {.tgid = tgid, .tid = tid, .comm = comm};

	if (array_push(&p->tasks, task) < 0 ||
	    profile_note_comm(p, scope, &task, (uint32_t)p->tasks.count - 1, time) < 0)
		abort();
}

static const char *name_of(const struct profile *p, uint32_t scope, uint32_t tgid)
{
	const struct profile_process *process = profile_find_process(p, scope, tgid);

	return process ? process->comm : "nobody";
}

/* The first thread's last comm, in whatever order events come; the kernel's records count, too. */
static void follows_the_first_thread(struct test *t)
{
	struct profile p = {0};
	const struct profile_task main = {.tgid = PID, .tid = PID, .comm = "java"};

	REQUIRE(t, hash_map_init(&p.process_numbers) == 0);
	CHECK_STR(t, name_of(&p, 0, PID), "nobody");
	note(&p, 0, PID, PID + 1, "cruncher", 90);
	CHECK_STR(t, name_of(&p, 0, PID), "cruncher");
	CHECK(t, profile_note_comm(&p, 0, &main, PROFILE_NO_TASK, 10) == 0);
	CHECK_STR(t, name_of(&p, 0, PID), "java");
	CHECK_STR(t, profile_process_comm(&p, 0), "java");
	note(&p, 0, PID, PID + 2, "worker", 99);
	note(&p, 0, OTHER, OTHER, "cc1", 50);
	note(&p, 0, OTHER, OTHER, "gcc", 40);
	CHECK_STR(t, profile_process_comm(&p, 1), "java");
	CHECK_STR(t, profile_process_comm(&p, 2), "cc1");
	CHECK_STR(t, profile_process_comm(&p, 3), "cc1");
	CHECK_INT(t, profile_find_process(&p, 0, OTHER)->task, 2);
	CHECK_INT(t, profile_find_process(&p, 0, PID)->task, PROFILE_NO_TASK);
	note(&p, 1, OTHER, OTHER, "later", 10); /* another recording has another process with this number */
	CHECK_STR(t, name_of(&p, 0, OTHER), "cc1");
	CHECK_STR(t, name_of(&p, 1, OTHER), "later");
	array_free(&p.tasks);
	array_free(&p.processes);
	array_free(&p.process_of);
	hash_map_deinit(&p.process_numbers);
}

TEST_MAIN(TEST(sets_apart), TEST(knows_them_under_filters),
	  TEST(keeps_everyone_who_may_be_followed), TEST(marks_sums),
	  TEST(follows_the_first_thread))
