/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/dwfl_walk.h"

#include <elfutils/libdwfl.h>
#include <string.h>

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

struct dwfl_walk *dwfl_walk_create(const struct oracle_modules *modules)
{
	struct dwfl_walk *walk = calloc(1, sizeof(*walk));

	walk->modules = modules;
	walk->of_space = calloc(modules->spaces.count + 1, sizeof(*walk->of_space));
	return walk;
}

void dwfl_walk_destroy(struct dwfl_walk *walk)
{
	for (size_t i = 0; i <= walk->modules->spaces.count; i++)
		if (walk->of_space[i])
			dwfl_end(walk->of_space[i]);
	free(walk->of_space);
	free(walk);
}

size_t dwfl_walk_run(struct dwfl_walk *walk, const struct oracle_snapshot *snapshot, uint64_t *addresses, size_t max)
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
