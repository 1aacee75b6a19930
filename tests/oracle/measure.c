/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/measure.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "common/unconst.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/dwfl_walk.h"

struct measure {
	struct perf_data *data;
	const struct oracle_space *space; /* of the sample that is being unwound */
	bool *opened;			  /* by module */
	struct unwind_chain chain;
	uint64_t theirs[UNWIND_DEPTH];
	unsigned long dwfl_frames, dwfl_equal;
};

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* --- ours --- */

static void open_module(struct oracle_module *module)
{
	int fd = open(module->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!elf_file_create(fd, &module->elf))
		(void)cfi_file_open(module->elf, NULL, 0, &module->cfi);
	close(fd);
}

/* Like oracle_find(), but opens a module when it is first needed. */
static bool find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	struct measure *measure = context;
	const struct oracle_mapping *map = oracle_mapping_at(measure->space, address);

	if (map && map->module != UINT32_MAX && !measure->opened[map->module]) {
		measure->opened[map->module] = true;
		open_module(measure->data->modules.items.items[map->module]);
	}
	return oracle_find(unconst(measure->space), address, ret_mapping);
}

static void close_modules(struct measure *measure)
{
	for (size_t i = 0; i < measure->data->modules.items.count; i++) {
		struct oracle_module *module = measure->data->modules.items.items[i];

		measure->opened[i] = module->path[0] != '/'; /* the vDSO stays */
		if (measure->opened[i])
			continue;
		cfi_file_close(&module->cfi);
		elf_file_destroy(module->elf);
		module->elf = NULL;
	}
}

static void unwind_one(struct measure *measure, struct unwinder *unwinder, const struct perf_sample *sample)
{
	struct unwind_snapshot input;
	struct unwind_space space;

	oracle_input(&sample->snapshot, &space, &input);
	measure->space = sample->snapshot.space;
	space.context = measure;
	space.find = find;
	(void)unwinder_run(unwinder, &space, &input, &measure->chain);
}

static double unwind_all(struct measure *measure, struct unwinder *unwinder)
{
	double start = seconds_now();

	for (size_t i = 0; i < measure->data->samples.count; i++)
		unwind_one(measure, unwinder, &measure->data->samples.items[i]);
	return seconds_now() - start;
}

static int measure_ours(struct measure *measure, double *ret_cold, double *ret_warm)
{
	struct unwinder *unwinder;
	double start;

	close_modules(measure);
	start = seconds_now();
	if (unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder) < 0)
		return -1;
	*ret_cold = seconds_now() - start + unwind_all(measure, unwinder);
	*ret_warm = unwind_all(measure, unwinder);
	unwinder_destroy(unwinder);
	return 0;
}

/* --- several threads: each has an unwinder of its own, all share the modules --- */

enum { THREADS_MOST = 2 };

struct share { /* every `step`th sample from `first` on */
	_Alignas(128) struct measure measure; /* no cache line is shared by two threads */
	pthread_barrier_t *warm;
	size_t first, step;
	bool failed;
};

static void unwind_share(struct share *share, struct unwinder *unwinder)
{
	const struct perf_data *data = share->measure.data;

	for (size_t i = share->first; i < data->samples.count; i += share->step)
		unwind_one(&share->measure, unwinder, &data->samples.items[i]);
}

static void *work(void *argument)
{
	struct share *share = argument;
	struct unwinder *unwinder = NULL;

	share->failed = unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder) < 0;
	if (!share->failed)
		unwind_share(share, unwinder);
	(void)pthread_barrier_wait(share->warm);
	if (!share->failed)
		unwind_share(share, unwinder);
	unwinder_destroy(unwinder);
	return NULL;
}

static double wall_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Wall-clock seconds, warm. All modules are open. */
static int measure_threads(const struct measure *measure, unsigned int count, double *ret_seconds)
{
	static struct share shares[THREADS_MOST];
	pthread_t threads[THREADS_MOST];
	pthread_barrier_t warm;
	bool failed = false;
	double start;

	if (pthread_barrier_init(&warm, NULL, count + 1))
		return -1;
	for (unsigned int i = 0; i < count; i++) {
		shares[i] = (struct share){.measure = *measure, .warm = &warm, .first = i, .step = count};
		if (pthread_create(&threads[i], NULL, work, &shares[i]))
			return -1;
	}
	(void)pthread_barrier_wait(&warm);
	start = wall_now();
	for (unsigned int i = 0; i < count; i++) {
		(void)pthread_join(threads[i], NULL);
		failed |= shares[i].failed;
	}
	*ret_seconds = wall_now() - start;
	(void)pthread_barrier_destroy(&warm);
	return failed ? -1 : 0;
}

/* --- libdwfl --- */

static double dwfl_all(struct measure *measure, struct dwfl_walk *walk)
{
	double start = seconds_now();

	for (size_t i = 0; i < measure->data->samples.count; i++)
		(void)dwfl_walk_run(walk, &measure->data->samples.items[i].snapshot, measure->theirs, UNWIND_DEPTH);
	return seconds_now() - start;
}

/* Number of frames, from the leaf on, that are the same in both. */
static void count_dwfl(struct measure *measure, struct dwfl_walk *walk, struct unwinder *unwinder)
{
	measure->dwfl_frames = measure->dwfl_equal = 0;
	for (size_t i = 0; i < measure->data->samples.count; i++) {
		const struct perf_sample *sample = &measure->data->samples.items[i];
		size_t count = dwfl_walk_run(walk, &sample->snapshot, measure->theirs, UNWIND_DEPTH), equal = 0;

		unwind_one(measure, unwinder, sample);
		while (equal < count && equal < measure->chain.count &&
		       measure->chain.addresses[equal] == measure->theirs[equal])
			equal++;
		measure->dwfl_frames += count;
		measure->dwfl_equal += equal;
	}
}

static int measure_dwfl(struct measure *measure, double *ret_cold, double *ret_warm)
{
	struct unwinder *unwinder;
	struct dwfl_walk *walk;
	double start = seconds_now();

	walk = dwfl_walk_create(&measure->data->modules);
	*ret_cold = seconds_now() - start + dwfl_all(measure, walk);
	*ret_warm = dwfl_all(measure, walk);
	if (unwinder_create(unwind_arch_find(EM_X86_64), 0, &unwinder) < 0)
		return -1;
	count_dwfl(measure, walk, unwinder);
	unwinder_destroy(unwinder);
	dwfl_walk_destroy(walk);
	return 0;
}

int measure_rounds(struct perf_data *data, const struct oracle_frames *frames, unsigned int rounds)
{
	struct measure *measure = calloc(1, sizeof(*measure));

	measure->data = data;
	measure->opened = calloc(data->modules.items.count + 1, sizeof(*measure->opened));
	printf("{\"samples\": %zu, \"spaces\": %zu, \"ours\": %lu, \"perf\": %lu, \"equal_perf\": %lu, \"rounds\": [",
	       data->samples.count, data->modules.spaces.count, frames->ours, frames->perf, frames->equal);
	for (unsigned int i = 0; i < rounds; i++) {
		double cold, warm, dwfl_cold, dwfl_warm, one, two;

		if (measure_ours(measure, &cold, &warm) < 0 || measure_threads(measure, 1, &one) < 0 ||
		    measure_threads(measure, 2, &two) < 0 || measure_dwfl(measure, &dwfl_cold, &dwfl_warm) < 0)
			return 1;
		printf("%s{\"cold\": %.6f, \"warm\": %.6f, \"dwfl_cold\": %.6f, "
		       "\"dwfl_warm\": %.6f, \"one\": %.6f, \"two\": %.6f}",
		       i ? ", " : "", cold, warm, dwfl_cold, dwfl_warm, one, two);
	}
	printf("], \"dwfl\": %lu, \"equal_dwfl\": %lu}\n", measure->dwfl_frames, measure->dwfl_equal);
	return 0;
}
