/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * steal [-f TIMES] [-l US] [-m US] [-c PERMILLE] COMMAND...: takes CPU time away from all tasks, as
 * a busy host takes it from a virtual machine, while COMMAND runs. Prints how much, and exits with
 * COMMAND's exit code.
 *
 *   -f TIMES     times per second on each CPU, on average, at random times (25)
 *   -l, -m US    least and most time taken at once (200, 8000)
 *   -c PERMILLE  in addition, before and after that share of all system calls of COMMAND and its children (0): there, a
 *                thread reads its clock around a wait
 *
 * The kernel does not know of this time (steal.bpf.c): it charges it to the thread that was
 * interrupted.
 */
#include "tests/company/steal.skel.h"

#include <errno.h>
#include <getopt.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

struct wishes {
	unsigned long times, least_us, most_us, permille;
};

_Noreturn static void fault(const char *what)
{
	fprintf(stderr, "steal: %s: %s\n", what, strerror(errno));
	exit(125);
}

static struct wishes read_wishes(int argc, char **argv)
{
	struct wishes wishes = {.times = 25, .least_us = 200, .most_us = 8000};
	int option;

	while ((option = getopt(argc, argv, "+f:l:m:c:")) != -1) {
		unsigned long *wish = option == 'f' ? &wishes.times : option == 'l' ? &wishes.least_us
			: option == 'm' ? &wishes.most_us : option == 'c' ? &wishes.permille : NULL;

		if (!wish)
			exit(125);
		*wish = strtoul(optarg, NULL, 10);
	}
	if (!argv[optind] || !wishes.times || wishes.least_us > wishes.most_us) {
		fprintf(stderr, "usage: steal [-f TIMES] [-l US] [-m US] [-c PERMILLE] COMMAND...\n");
		exit(125);
	}
	return wishes;
}

static void on_cpu(struct bpf_program *program, int cpu, unsigned long times)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
		.sample_period = 1000000000 / (2 * times),
	};
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0 && errno == ENODEV) /* offline */
		return;
	if (event < 0 || !bpf_program__attach_perf_event(program, event))
		fault("cannot attach to a CPU's clock");
}

static struct steal *start(const struct wishes *wishes)
{
	struct steal *skeleton = steal__open();

	if (!skeleton)
		fault("cannot open the programs");
	skeleton->rodata->least_ns = wishes->least_us * 1000;
	skeleton->rodata->most_ns = wishes->most_us * 1000;
	skeleton->rodata->permille = (unsigned int)wishes->permille;
	skeleton->rodata->own = getpid();
	bpf_program__set_autoload(skeleton->progs.on_enter, wishes->permille);
	bpf_program__set_autoload(skeleton->progs.on_exit, wishes->permille);
	if (steal__load(skeleton))
		fault("cannot load the programs");
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		on_cpu(skeleton->progs.on_clock, cpu, wishes->times);
	if (wishes->permille && (!bpf_program__attach(skeleton->progs.on_enter) ||
				 !bpf_program__attach(skeleton->progs.on_exit)))
		fault("cannot attach to system calls");
	return skeleton;
}

static int run(char **command)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		fault("fork");
	if (pid == 0) {
		execvp(command[0], command);
		fault(command[0]);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fault("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct wishes wishes = read_wishes(argc, argv);
	struct steal *skeleton = start(&wishes);
	int code = run(argv + optind);

	fprintf(stderr, "steal: took %.3f s in %lu times\n", (double)skeleton->bss->stolen_ns / 1e9,
		(unsigned long)skeleton->bss->times);
	return code;
}
