/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Threads that sleep from before the first look on, and are switched while no program looks.
 *
 * unseen end: nobody sees that it gets a CPU again, as if the kernel hid the thread that gave way. Its wait is written
 * when it leaves that CPU, with its true length.
 * unseen begin: it is born when new threads are seen, and switches are not yet. It did not wait for its first run.
 */
#include <linux/types.h>

#include "bpf/ring.h"
#include "record/host/clocks.h"
#include "record/host/cpus.h"
#include "record/perf/ring.h"
#include "record/plan/filter.h"
#include "record/plan/record_options.h"
#include "record/plan/recording.h"
#include "record/probe/probe.h"
#include "record/source/waits.h"
#include "tests/live/workloads/workload.h"

enum { RING_BYTES = 1 << 20, LEAST = 1000000, CLOSE = 20000000 /* ns */ };

struct shared {
	_Atomic uint64_t asleep, ran; /* when it went to sleep, and when it had a CPU again, ns */
	atomic_bool leave;
	uint64_t left; /* when it was seen to sleep again, ns */
};

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

/* The sleeper's waits in the rings that began before it ran: on a busy machine it also waits later. *ret_wait: the latest. */
static unsigned int waits_of(const struct probe *probe, pid_t pid, uint64_t ran, struct ring_wait *ret_wait)
{
	unsigned int count = 0;

	for (uint32_t i = 0; i < probe_rings(probe); i++) {
		struct ring ring;
		const struct ring_wait *wait;
		size_t length;

		must(ring_open(&ring, probe_ring_fd(probe, i), RING_BYTES) >= 0, "a ring");
		(void)ring_aim(&ring);
		while ((wait = ring_next(&ring, &length)))
			if (wait->head.kind == RING_WAIT && wait->task.tid == (uint32_t)pid && wait->out < ran) {
				*ret_wait = *wait;
				count++;
			}
		ring_close(&ring);
	}
	return count;
}

static void set_paused(struct probe *probe, bool paused)
{
	(void)probe_set_budget(probe, &(struct ring_budget){.paused = paused, .least = LEAST});
}

struct trial {
	struct shared *shared;
	struct waits waits;
	struct cpus cpus;
	struct filter filter;
	struct recording recording;
	int ends[2];
	pid_t pid;
};

static void make_sleeper(struct trial *trial)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	must(shared != MAP_FAILED && !pipe(trial->ends), "mmap");
	trial->pid = fork();
	trial->shared = shared;
	if (!trial->pid)
		sleeper(shared, trial->ends[0]);
	while (!shared->asleep || state_of(trial->pid) != 'S')
		rest_us(1000);
}

static void attach(struct trial *trial)
{
	static const struct ring_wait_knobs knobs = {
		.least = LEAST, .most = UINT64_MAX, .states = RING_STATES_ALL, .source = 3, .wakers_source = 4,
		.clock = RING_CLOCK_EXACT,
	};
	const struct record_who who = {.user_threads = true};
	const struct probe_settings settings = {
		.cpus = &trial->cpus, .filter = &trial->filter, .wants[PROBE_WAITS] = true, .waits = &knobs, .max_frames = probe_max_frames(),
		.ring_bytes = RING_BYTES, .budget = true,
	};

	trial->waits.recording = &trial->recording;
	must(cpus_open(&trial->cpus, NULL) >= 0 && filter_init(&trial->filter, &who, false) >= 0 &&
		     probe_create(&settings, &trial->waits.probe) >= 0 && probe_waits_attach(trial->waits.probe) >= 0, "a recorder");
}

static void look(struct trial *trial)
{
	char bytes[4096];
	int fd = waits_look_open(&trial->waits, RING_LOOK_FIRST);

	must(fd >= 0, "a look");
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	(void)close(fd);
	waits_start(&trial->waits);
}

static void wake(struct trial *trial)
{
	must(write(trial->ends[1], "x", 1) == 1, "write");
	while (!trial->shared->ran)
		rest_us(1000);
}

/* The programs may have missed that the sleeper was preempted, too. */
static bool is_true(const struct shared *shared, const struct ring_wait *wait)
{
	return wait->flags & RING_WAIT_BEGAN_BEFORE && !(wait->flags & RING_WAIT_NOT_ENDED) &&
	       wait->wait_class == WAIT_BLOCKED && wait->out + CLOSE > shared->asleep &&
	       (wait->out < shared->asleep + CLOSE || wait->flags & RING_WAIT_OUT_LATEST) &&
	       wait->head.time + CLOSE > shared->ran && wait->head.time < shared->left;
}

static void judge(struct trial *trial, const char *what)
{
	const struct shared *shared = trial->shared;
	struct ring_wait wait = {0};
	unsigned int count = 0;

	trial->shared->leave = true;
	while (state_of(trial->pid) != 'S')
		rest_us(1000);
	trial->shared->left = clocks_now();
	for (int i = 0; i < 1000 && !(count = waits_of(trial->waits.probe, trial->pid, shared->ran, &wait)); i++)
		rest_us(1000);
	(void)kill(trial->pid, SIGKILL);
	(void)waitpid(trial->pid, NULL, 0);
	probe_destroy(trial->waits.probe);
	if (count == 1 && is_true(shared, &wait))
		printf("yes %s\n", what);
	else
		printf("no %s: %u waits, class %u, asleep %lu, ran %lu, left %lu, out %llu, in %llu, %x\n", what, count,
		       wait.wait_class, shared->asleep, shared->ran, shared->left, (unsigned long long)wait.out,
		       (unsigned long long)wait.head.time, wait.flags);
}

static void unseen_end(void)
{
	struct trial trial = {0};

	make_sleeper(&trial);
	attach(&trial);
	look(&trial);
	set_paused(trial.waits.probe, true);
	wake(&trial);
	set_paused(trial.waits.probe, false);
	judge(&trial, "a wait whose end nobody saw");
}

static void unseen_begin(void)
{
	struct trial trial = {0};

	attach(&trial);
	set_paused(trial.waits.probe, true);
	make_sleeper(&trial);
	set_paused(trial.waits.probe, false);
	look(&trial);
	wake(&trial);
	judge(&trial, "a wait of a thread whose first run nobody saw");
}

int main(void)
{
	unseen_end();
	unseen_begin();
	return 0;
}
