/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind [-n SAMPLES] [-s STACK_BYTES] [-i INTERVAL_US] [-v CHAINS] [-b] NAME COMMAND...: runs the
 * command, again if it ends early, stops its tasks at many points, and compares each step of our
 * unwinder with libdw's. Prints one line; exit 0 if nothing differed and there were as many
 * samples as requested; SIGALRM ends it if there is no new sample for 300 s. -v: shows that many of
 * the chains that ended badly. -b: measures frames per second on the same snapshots.
 * unwind -f NAME FILE: compares every row of a file's call frame information instead.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/oracle/compare.h"
#include "tests/oracle/every_row.h"
#include "tests/oracle/tracees.h"
#include "tests/unwind_stop.h"

enum { RUNS_MAX = 200, BENCH_KEPT = 4000, BENCH_ROUNDS = 20, SAME_TASKS = 64, PATIENCE_SECONDS = 300 };

struct run {
	const char *name;
	unsigned long wanted;
	size_t stack_size;
	unsigned int interval_us;
	bool bench, every_row;
	struct unwinder *unwinder;
	struct oracle_modules modules;
	struct oracle_tally tally;
	uint8_t *stack;
	ARRAY(struct oracle_snapshot) kept; /* -b; each with a stack of its own */
	struct {
		pid_t task;
		uint64_t pc, sp;
	} last[SAME_TASKS]; /* so that a sleeping task counts once */
	int error;
};

static bool is_new(struct run *run, pid_t task, const struct oracle_snapshot *snapshot)
{
	size_t slot = (size_t)task % SAME_TASKS;
	uint64_t pc = snapshot->registers[16], sp = snapshot->registers[7];
	bool same = run->last[slot].task == task && run->last[slot].pc == pc && run->last[slot].sp == sp;

	run->last[slot].task = task;
	run->last[slot].pc = pc;
	run->last[slot].sp = sp;
	return !same;
}

static void keep(struct run *run, const struct oracle_snapshot *snapshot)
{
	struct oracle_snapshot copy = *snapshot;

	copy.stack = malloc(snapshot->stack_size);
	if (!copy.stack)
		return;
	memcpy(copy.stack, snapshot->stack, snapshot->stack_size);
	(void)array_push(&run->kept, copy);
}

static bool stopped(void *context, pid_t task)
{
	struct oracle_snapshot snapshot;
	struct run *run = context;

	if (!oracle_snapshot_take(&run->modules, task, run->stack, run->stack_size, &snapshot))
		return true;
	if (!is_new(run, task, &snapshot))
		return true;
	alarm(PATIENCE_SECONDS);
	run->error = oracle_compare(run->unwinder, &snapshot, &run->tally);
	if (run->bench && run->kept.count < BENCH_KEPT)
		keep(run, &snapshot);
	return !run->error && run->tally.samples < run->wanted;
}

/* --- speed --- */

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Millions of frames per second over all kept snapshots. */
static double one_round(struct unwinder *unwinder, const struct run *run)
{
	struct unwind_chain *chain = malloc(sizeof(*chain));
	double start = seconds_now();
	unsigned long frames = 0;

	for (size_t i = 0; chain && i < run->kept.count; i++) {
		struct unwind_snapshot input;
		struct unwind_space space;

		oracle_input(&run->kept.items[i], &space, &input);
		if (unwinder_run(unwinder, &space, &input, chain) == 0)
			frames += chain->count;
	}
	free(chain);
	return (double)frames / (seconds_now() - start) / 1e6;
}

static void measure(const struct run *run)
{
	struct unwinder *unwinder;
	double cold, warm = 0;

	if (unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder) < 0)
		return;
	cold = one_round(unwinder, run);
	for (int i = 0; i < BENCH_ROUNDS; i++) {
		double rate = one_round(unwinder, run);

		warm = rate > warm ? rate : warm;
	}
	printf("# %s: %zu snapshots, %.1f frames each; million frames/s: cold %.2f, warm %.2f\n",
	       run->name, run->kept.count, (double)run->tally.frames / (double)run->tally.samples,
	       cold, warm);
	unwinder_destroy(unwinder);
}

/* --- the account --- */

static int print_account(const struct run *run)
{
	const struct oracle_tally *tally = &run->tally;
	bool good = !run->error && !tally->different && tally->judged && tally->samples >= run->wanted;

	printf("# %s: %lu samples, %lu frames, %lu judged, %lu different, %lu not judged, "
	       "%lu by frame pointer;",
	       run->name, tally->samples, tally->frames, tally->judged, tally->different,
	       tally->unjudged, tally->by_pointer);
	for (enum unwind_stop stop = UNWIND_CLEAN; stop <= UNWIND_TOO_DEEP; stop++)
		if (tally->stops[stop])
			printf(" %s %lu", unwind_stop_name(stop), tally->stops[stop]);
	printf("\n%s unwind_%s", good ? "ok" : "not ok", run->name);
	printf(good ? "\n" : " - see above: %lu of %lu samples, %lu differences\n", tally->samples,
	       run->wanted, tally->different);
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct run run = {.wanted = 1000, .stack_size = 65536, .interval_us = 300};
	int option;

	while ((option = getopt(argc, argv, "+n:s:i:v:bf")) >= 0)
		switch (option) {
		case 'n':
			run.wanted = strtoul(optarg, NULL, 10);
			break;
		case 's':
			run.stack_size = strtoul(optarg, NULL, 10);
			break;
		case 'i':
			run.interval_us = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'v':
			run.tally.ends = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'f':
			run.every_row = true;
			break;
		case 'b':
			run.bench = true;
			break;
		default:
			return 2;
		}
	if (argc - optind < 2)
		return 2;
	run.name = argv[optind];
	run.stack = malloc(run.stack_size);
	elf_version(EV_CURRENT);
	if (!run.stack || unwinder_create(unwind_arch_find(EM_X86_64), 0, &run.unwinder) < 0)
		return 1;
	if (run.every_row) {
		run.wanted = 1;
		run.error = oracle_every_row(&run.modules, argv[optind + 1], &run.tally);
		return print_account(&run);
	}
	alarm(PATIENCE_SECONDS);
	for (int i = 0; i < RUNS_MAX && run.tally.samples < run.wanted && !run.error; i++)
		if (tracees_run(argv + optind + 1, run.interval_us, stopped, &run) < 0)
			break;
	alarm(0);
	if (run.bench)
		measure(&run);
	return print_account(&run);
}
