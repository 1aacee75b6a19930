/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/unconst.h"
#include "tests/oracle/compare.h"
#include "tests/oracle/measure.h"
#include "tests/oracle/snapshot.h"

/* --- a walk by libdwfl --- */

enum { THREAD = 1, REGISTERS = 17 };

struct dwfl_walk {
	const struct oracle_modules *modules;
	Dwfl **of_space; /* by generation */
	const struct oracle_snapshot *snapshot;
	uint64_t *addresses;
	size_t count, max;
};

static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread_argument)
{
	bool first = !*thread_argument;

	(void)dwfl;
	*thread_argument = first ? argument : NULL;
	return first ? THREAD : 0;
}

static bool get_thread(Dwfl *dwfl, pid_t thread, void *argument, void **thread_argument)
{
	(void)dwfl;
	(void)thread;
	*thread_argument = argument;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *argument)
{
	const struct oracle_snapshot *snapshot = ((struct dwfl_walk *)argument)->snapshot;
	uint64_t offset = address - snapshot->stack_address;

	(void)dwfl;
	if (snapshot->stack_size < sizeof(*result) || offset > snapshot->stack_size - sizeof(*result))
		return false;
	memcpy(result, snapshot->stack + offset, sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
	return dwfl_thread_state_registers(thread, 0, REGISTERS, ((struct dwfl_walk *)argument)->snapshot->registers);
}

static int take_frame(Dwfl_Frame *frame, void *argument)
{
	struct dwfl_walk *walk = argument;

	if (walk->count == walk->max || !dwfl_frame_pc(frame, &walk->addresses[walk->count], NULL))
		return DWARF_CB_ABORT;
	walk->count++;
	return DWARF_CB_OK;
}

static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **debug_name)
{
	(void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)debug_name;
	return -1;
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = no_debug_file, .find_elf = dwfl_build_id_find_elf};
static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static Dwfl *make(struct dwfl_walk *walk, const struct oracle_space *space)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);

	dwfl_report_begin(dwfl);
	for (size_t i = 0; i < space->maps.count; i++) {
		const struct oracle_mapping *map = &space->maps.items[i];
		const char *path = map->module == UINT32_MAX ? "" : walk->modules->items.items[map->module]->path;

		if (path[0] == '/')
			(void)dwfl_report_elf(dwfl, path, path, -1, map->bias, true);
	}
	(void)dwfl_report_end(dwfl, NULL, NULL);
	(void)dwfl_attach_state(dwfl, NULL, THREAD, &thread_callbacks, walk);
	return dwfl;
}

static struct dwfl_walk *dwfl_walk_create(const struct oracle_modules *modules)
{
	struct dwfl_walk *walk = calloc(1, sizeof(*walk));

	walk->modules = modules;
	walk->of_space = calloc(modules->spaces.count + 1, sizeof(*walk->of_space));
	return walk;
}

static void dwfl_walk_destroy(struct dwfl_walk *walk)
{
	for (size_t i = 0; i <= walk->modules->spaces.count; i++)
		if (walk->of_space[i])
			dwfl_end(walk->of_space[i]);
	free(walk->of_space);
	free(walk);
}

static size_t dwfl_walk_run(struct dwfl_walk *walk, const struct oracle_snapshot *snapshot, uint64_t *addresses, size_t max)
{
	Dwfl **dwfl = &walk->of_space[snapshot->space->generation];

	if (!*dwfl)
		*dwfl = make(walk, snapshot->space);
	walk->snapshot = snapshot;
	walk->addresses = addresses;
	walk->max = max;
	walk->count = 0;
	(void)dwfl_getthread_frames(*dwfl, THREAD, take_frame, walk);
	return walk->count;
}

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
		double cold, warm, dwfl_cold, dwfl_warm;

		if (measure_ours(measure, &cold, &warm) < 0 || measure_dwfl(measure, &dwfl_cold, &dwfl_warm) < 0)
			return 1;
		printf("%s{\"cold\": %.6f, \"warm\": %.6f, \"dwfl_cold\": %.6f, \"dwfl_warm\": %.6f}",
		       i ? ", " : "", cold, warm, dwfl_cold, dwfl_warm);
	}
	printf("], \"dwfl\": %lu, \"equal_dwfl\": %lu}\n", measure->dwfl_frames, measure->dwfl_equal);
	return 0;
}
