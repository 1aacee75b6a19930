/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A thread sleeps from before the first look on, and no program runs when it gets a CPU again, as if the kernel hid
 * the thread that gave way. Its wait is written when it leaves that CPU, with its true length.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/types.h>

#include "bpf/ring_regime.h"
#include "bpf/ring_wait.h"
#include "record/machine/clocks.h"
#include "record/machine/cpus.h"
#include "record/perf/ring.h"
#include "record/plan/filter.h"
#include "record/plan/record_options.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/waits.h"

enum { RING_BYTES = 1 << 20, LEAST = 1000000, CLOSE = 20000000 /* ns */ };

struct shared {
	_Atomic uint64_t asleep, ran; /* when it went to sleep, and when it had a CPU again, ns */
	atomic_bool leave;
	uint64_t left; /* when it was seen to sleep again, ns */
};

static void pause_ms(long ms)
{
	(void)nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void sleeper(struct shared *shared, int from)
{
	char byte;

	shared->asleep = clocks_now();
	if (read(from, &byte, 1) == 1)
		shared->ran = clocks_now();
	while (!shared->leave)
		;
	for (;;)
		(void)pause();
}

/* Whether the process sleeps, by its stat. */
static bool sleeps(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (file)
		(void)fclose(file);
	return state == 'S';
}

/* The sleeper's waits in the rings; *ret_wait: the latest. */
static unsigned int waits_of(const struct probe *probe, pid_t pid, struct ring_wait *ret_wait)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < probe_rings(probe); i++) {
		struct ring ring;
		const struct ring_wait *wait;
		size_t length;

		if (ring_open(&ring, probe_ring_fd(probe, i), RING_BYTES) < 0)
			exit(2);
		(void)ring_aim(&ring);
		while ((wait = ring_next(&ring, &length)))
			if (wait->head.kind == RING_WAIT && wait->task.tid == (uint32_t)pid) {
				*ret_wait = *wait;
				count++;
			}
		ring_close(&ring);
	}
	return count;
}

/* The sleeper gets a CPU while no program looks, and then leaves it. */
static void wake_unseen(struct probe *probe, struct shared *shared, int to)
{
	(void)probe_set_regime(probe, &(struct ring_regime){.lacks = RING_LACKS_WAITS, .least = LEAST});
	if (write(to, "x", 1) != 1)
		exit(2);
	while (!shared->ran)
		pause_ms(1);
	(void)probe_set_regime(probe, &(struct ring_regime){.least = LEAST});
	shared->leave = true;
}

static void start(struct waits *waits, struct filter *filter, struct cpus *cpus)
{
	static const struct ring_wait_knobs knobs = {
		.least = LEAST, .most = UINT64_MAX, .states = RING_STATES_ALL, .source = 3, .wakers_source = 4,
		.clock = RING_CLOCK_EXACT,
	};
	const struct record_who who = {.user_threads = true};
	const struct probe_settings settings = {
		.cpus = cpus, .filter = filter, .waits = &knobs, .max_frames = probe_max_frames(),
		.ring_bytes = RING_BYTES, .regime = true,
	};

	if (cpus_open(cpus, NULL) < 0 || filter_init(filter, &who, false) < 0 ||
	    probe_create(&settings, &waits->probe) < 0 || waits_open(waits) < 0)
		exit(2);
	waits_start(waits);
}

/* While the programs were off, the sleeper may have been preempted, which nobody saw either. */
static bool is_true(const struct shared *shared, const struct ring_wait *wait)
{
	return wait->flags & RING_WAIT_BEGAN_BEFORE && !(wait->flags & RING_WAIT_NOT_ENDED) &&
	       wait->out + CLOSE > shared->asleep &&
	       (wait->out < shared->asleep + CLOSE || wait->flags & RING_WAIT_OUT_LATEST) &&
	       wait->head.time + CLOSE > shared->ran && wait->head.time < shared->left;
}

int main(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct recording recording = {0};
	struct waits waits = {.recording = &recording};
	struct filter filter;
	struct cpus cpus;
	struct ring_wait wait = {0};
	unsigned int count = 0;
	char buffer[1 << 16];
	int ends[2];
	pid_t pid;

	if (shared == MAP_FAILED || pipe(ends) < 0 || (pid = fork()) < 0)
		return 2;
	if (!pid)
		sleeper(shared, ends[0]);
	waits.buffer = buffer;
	while (!shared->asleep || !sleeps(pid))
		pause_ms(1);
	start(&waits, &filter, &cpus);
	wake_unseen(waits.probe, shared, ends[1]);
	while (!sleeps(pid))
		pause_ms(1);
	shared->left = clocks_now();
	for (int i = 0; i < 1000 && !(count = waits_of(waits.probe, pid, &wait)); i++)
		pause_ms(1);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	probe_destroy(waits.probe);
	if (count == 1 && is_true(shared, &wait))
		puts("yes a wait from before the start, the end of which nobody saw");
	else
		printf("no a wait from before the start, the end of which nobody saw: %u waits, asleep %llu, ran %llu, "
		       "left %llu, out %llu, in %llu, flags %x\n", count, (unsigned long long)shared->asleep,
		       (unsigned long long)shared->ran, (unsigned long long)shared->left, (unsigned long long)wait.out,
		       (unsigned long long)wait.head.time, wait.flags);
	return 0;
}
