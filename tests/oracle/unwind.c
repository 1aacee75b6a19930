/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * unwind [-n SAMPLES] [-s STACK_BYTES] [-i INTERVAL_US] [-v CHAINS] NAME COMMAND...: runs the
 * command, again if it ends early, stops its tasks at many points, and compares each step of our
 * unwinder with libdw's. Prints one line; exit 0 if nothing differed and there were as many
 * samples as requested; SIGALRM ends it if there is no new sample for 300 s. -v: shows that many of
 * the chains that ended badly.
 * unwind -f NAME FILE: compares every row of a file's call frame information instead.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "report/unwind/unwind_internal.h"
#include "tests/oracle/compare.h"
#include "tests/unwind_stop.h"

/* --- tracees --- */

enum { PATIENCE_US = 20000, LOOK_AGAIN_US = 50 };

struct tracee {
	pid_t task;
	bool asked; /* was asked to stop, and has not yet */
};

struct tracees {
	ARRAY(struct tracee) tasks;
	bool (*stopped)(void *context, pid_t task);
	void *context;
	bool enough;
};

static pid_t start(char *const *command)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	raise(SIGSTOP);
	(void)dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 0);
	(void)dup2(0, 1);
	(void)dup2(0, 2);
	execvp(command[0], command);
	_exit(127);
}

static void forget(struct tracees *tracees, pid_t task)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		if (tracees->tasks.items[i].task == task) {
			tracees->tasks.items[i] = tracees->tasks.items[--tracees->tasks.count];
			return;
		}
}

static struct tracee *find(struct tracees *tracees, pid_t task)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		if (tracees->tasks.items[i].task == task)
			return &tracees->tasks.items[i];
	if (array_push(&tracees->tasks, (struct tracee){.task = task}) < 0)
		abort();
	return &tracees->tasks.items[tracees->tasks.count - 1];
}

/* A stop that we asked for may coincide with one that was due anyway. */
static void handle_stop(struct tracees *tracees, pid_t task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;
	struct tracee *tracee = find(tracees, task);

	if (event == PTRACE_EVENT_STOP && tracee->asked) {
		tracee->asked = false;
		if (!tracees->enough)
			tracees->enough = !tracees->stopped(tracees->context, task);
	}
	(void)ptrace(PTRACE_CONT, task, NULL, (void *)(long)(event ? 0 : signal));
}

/* Handles all events so far. false: all tasks have exited. */
static bool drain(struct tracees *tracees)
{
	int status;
	pid_t task;

	while ((task = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
		if (WIFSTOPPED(status))
			handle_stop(tracees, task, status);
		else
			forget(tracees, task);
	}
	return task == 0 || errno != ECHILD;
}

static bool any_asked(const struct tracees *tracees)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		if (tracees->tasks.items[i].asked)
			return true;
	return false;
}

/* Waits for those that were asked to stop, but not forever: the first thread may have ended before the others. */
static bool take_in(struct tracees *tracees)
{
	for (int waited = 0; waited < PATIENCE_US; waited += LOOK_AGAIN_US) {
		if (!drain(tracees))
			return false;
		if (!any_asked(tracees))
			return true;
		usleep(LOOK_AGAIN_US);
	}
	return true;
}

static void interrupt_all(struct tracees *tracees)
{
	for (size_t i = 0; i < tracees->tasks.count; i++)
		tracees->tasks.items[i].asked = !ptrace(PTRACE_INTERRUPT, tracees->tasks.items[i].task, NULL, NULL);
}

/* A task that was just created is stopped, and not in the list yet. */
static void kill_all(struct tracees *tracees)
{
	int status;
	pid_t task;

	for (size_t i = 0; i < tracees->tasks.count; i++)
		kill(tracees->tasks.items[i].task, SIGKILL);
	while ((task = waitpid(-1, &status, __WALL)) > 0)
		if (WIFSTOPPED(status))
			kill(task, SIGKILL);
	array_free(&tracees->tasks);
}

static int tracees_run(char *const *command, unsigned int interval_us,
		bool (*stopped)(void *context, pid_t task), void *context)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
	struct tracees tracees = {.stopped = stopped, .context = context};
	pid_t pid = start(command);
	int status;

	if (pid < 0 || waitpid(pid, &status, WUNTRACED) < 0 || ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) < 0)
		return -1;
	(void)find(&tracees, pid);
	kill(pid, SIGCONT);
	while (!tracees.enough && take_in(&tracees)) {
		usleep(interval_us);
		interrupt_all(&tracees);
	}
	kill_all(&tracees);
	return 0;
}

/* --- every row --- */

enum { STACK_BYTES = 1 << 20, PC = 16, SP = 7, COUNT = 17 };

static const uint64_t STACK = 0x7ff000000000;

/* All of memory is one mapping of the module, so that any word is a valid return address. */
static struct oracle_space *space_of(struct oracle_modules *modules)
{
	struct oracle_space *space = calloc(1, sizeof(*space));

	if (!space || array_push(&space->maps, (struct oracle_mapping){.end = UINT64_MAX}) < 0)
		abort();
	space->modules = modules;
	space->generation = 1;
	return space;
}

/* Registers point into the stack above sp, each to a different place; no word of the stack is 0. */
static void make_up(struct oracle_snapshot *snapshot)
{
	uint64_t random = 88172645463325252;

	for (int i = 0; i < COUNT; i++)
		snapshot->registers[i] = STACK + STACK_BYTES / 2 + 4096 * (uint64_t)i;
	snapshot->registers[SP] = STACK + STACK_BYTES / 4;
	snapshot->known = (UINT64_C(1) << COUNT) - 1;
	for (size_t i = 0; i < STACK_BYTES / 8; i++) {
		random ^= random << 13; /* Marsaglia, "Xorshift RNGs", 2003 */
		random ^= random >> 7;
		random ^= random << 17;
		((uint64_t *)(void *)snapshot->stack)[i] = STACK + random % STACK_BYTES;
	}
	snapshot->stack_address = STACK;
	snapshot->stack_size = STACK_BYTES;
}

static int compare_fde(struct unwinder *unwinder, const struct cfi_section *section, uint32_t number,
		       struct oracle_snapshot *snapshot, struct oracle_tally *tally)
{
	struct cfi_rows rows;
	struct cfi_fde fde;
	uint32_t rule;
	int r;

	if (cfi_section_fde(section, number, &fde) < 0)
		return 0;
	r = cfi_rows_init(&rows, 1 << 20);
	if (!r)
		r = cfi_rows_find(&rows, 0, section, fde.start, &rule);
	for (size_t i = 0; !r && i < rows.rows.count; i++) {
		snapshot->registers[PC] = fde.start + rows.rows.items[i].offset;
		r = oracle_compare_step(unwinder, snapshot, tally);
		if (!r && i + 1 < rows.rows.count) {
			snapshot->registers[PC] = fde.start + rows.rows.items[i + 1].offset - 1;
			r = oracle_compare_step(unwinder, snapshot, tally);
		}
	}
	cfi_rows_deinit(&rows);
	return r;
}

static int oracle_every_row(struct oracle_modules *modules, const char *path, struct oracle_tally *tally)
{
	const struct oracle_module *module = oracle_module_open(modules, path);
	struct oracle_snapshot snapshot = {.stack = malloc(STACK_BYTES)};
	struct unwinder *unwinder = NULL;
	int r = module && module->cfi.section && snapshot.stack ? 0 : -ENOEXEC;

	if (!r)
		r = unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder);
	if (!r) {
		snapshot.space = space_of(modules);
		make_up(&snapshot);
	}
	for (uint32_t i = 0; !r && i < cfi_section_count(module->cfi.section); i++)
		r = compare_fde(unwinder, module->cfi.section, i, &snapshot, tally);
	unwinder_destroy(unwinder);
	free(snapshot.stack);
	return r;
}

/* --- the comparison --- */

enum { RUNS_MAX = 200, SAME_TASKS = 64, PATIENCE_SECONDS = 300 };

struct run {
	const char *name;
	unsigned long wanted;
	size_t stack_size;
	unsigned int interval_us;
	bool every_row;
	struct unwinder *unwinder;
	struct oracle_modules modules;
	struct oracle_tally tally;
	uint8_t *stack;
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
	return !run->error && run->tally.samples < run->wanted;
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

	while ((option = getopt(argc, argv, "+n:s:i:v:f")) >= 0)
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
	return print_account(&run);
}
