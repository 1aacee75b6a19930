/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module_lines.h"

#include <sched.h>

#include "common/cleanup.h"
#include "report/read/progress.h"
#include "report/resolve/embedded_lines.h"
#include "report/resolve/line_cache.h"
#include "report/resolve/module_symbols.h"
#include "report/resolve/unpack_sections.h"

struct module_files { /* that may have the module's DWARF */
	struct local_elf binary, debug;
	uint64_t bias; /* what module addresses lack to be those of the files */
};

static void module_files_deinit(struct module_files *files)
{
	local_elf_close(&files->binary);
	local_elf_close(&files->debug);
}

/* Kernel offsets count from _text. */
static void open_kernel(const struct modules *modules, const struct module *module, struct module_files *files)
{
	int r = -ENOENT;

	if (modules->files.vmlinux)
		r = local_elf_open_named(modules->files.vmlinux, &module->id, &files->binary);
	if (r < 0)
		r = local_elf_open_debug(&modules->files, &module->id, &files->binary);
	if (r == 0 && !module_symbols_find_text(files->binary.elf, &files->bias))
		local_elf_close(&files->binary);
}

/* Addresses that are no link-time ones mean nothing to DWARF. */
static void open_user(const struct modules *modules, const struct module *module, struct module_files *files)
{
	if (!module->link_time || !module->id.length)
		return;
	(void)local_elf_open(&modules->files, module->path, &module->id, &files->binary);
	if (files->binary.fd < 0 || !unpack_sections_has_dwarf(files->binary.fd))
		(void)local_elf_open_debug_for(&modules->files, module->path, &module->id, files->binary.elf, NULL,
					       &files->debug);
}

/* Most files have no DWARF, and then no child is worth its start. */
static int wanted_file(const struct local_elf *local)
{
	return local->fd >= 0 && unpack_sections_has_dwarf(local->fd) ? local->fd : -1;
}

static bool is_complete(const struct line_answers *answers)
{
	for (size_t i = 0; i < answers->count; i++)
		if (!answers->places[i].count)
			return false;
	return true;
}

/* --- several modules at a time --- */

struct running { /* a child that reads a module's DWARF */
	struct module *module;
	struct line_query query;
	size_t addresses;
};

struct crowd {
	struct modules *modules;
	struct running running[LINE_CHILDREN_MAX];
	size_t count, limit;
	uint64_t done, whole; /* addresses */
};

static void crowd_deinit(struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++)
		line_query_deinit(&crowd->running[i].query);
}

/* The CPUs that this process may use. */
static size_t count_cpus(void)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : (int)sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (size_t)count : 1;
}

/* What became of a module's question; only what is wrong with this process ends the others. */
static int note(struct modules *modules, struct module *module, int r)
{
	if (r == -ENOMEM)
		return r;
	modules->lines_cut += r == -ECANCELED;
	module->lines_error = r == -ENODATA || r == -ECANCELED ? 0 : r;
	return 0;
}

/* Asks what need not be waited for; 1: a child is asked, too. All files that are read for a module are opened here. */
static int ask(struct modules *modules, struct module *module, bool reading, struct line_query *query)
{
	_cleanup_(module_files_deinit) struct module_files files = {.binary.fd = -1, .debug.fd = -1};
	const struct line_owner owner = {.id = &module->id, .name = module->name};
	struct line_job job = {.local = &modules->files};

	if (module->kind == MODULE_KERNEL)
		open_kernel(modules, module, &files);
	else if (module->kind == MODULE_FILE || module->kind == MODULE_VDSO)
		open_user(modules, module, &files);
	job.files[0] = wanted_file(&files.binary);
	job.files[1] = wanted_file(&files.debug);
	job.bias = files.bias;
	if (job.files[0] < 0 && job.files[1] < 0)
		return -ENODATA;
	modules->lines_asked++;
	return line_query_start(query, modules->files.cache, &owner, &job, reading, &module->lines);
}

/* True: it is enough. */
static bool show(const struct crowd *crowd, const struct module *module)
{
	return progress_step(crowd->modules->progress, "lines of", module->name, crowd->done, crowd->whole);
}

static int begin(struct crowd *crowd, const struct line_request *request)
{
	struct modules *modules = crowd->modules;
	struct module *module = modules->items.items[request->module];
	struct running next = {.module = module, .addresses = request->count};
	bool reading = !show(crowd, module);
	int r = line_answers_init(&module->lines, request->addresses, request->count);

	if (r == 0)
		r = embedded_lines_add(module, &modules->texts, &module->lines);
	if (r == 0 && !is_complete(&module->lines))
		r = ask(modules, module, reading, &next.query);
	if (r > 0) {
		crowd->running[crowd->count++] = next;
		return 0;
	}
	line_query_deinit(&next.query);
	crowd->done += request->count;
	return note(modules, module, r);
}

static int end(struct crowd *crowd, size_t number)
{
	struct running *running = &crowd->running[number];
	struct modules *modules = crowd->modules;
	int r = line_query_finish(&running->query, &modules->texts, &running->module->lines);

	r = note(modules, running->module, r);
	line_query_deinit(&running->query);
	crowd->done += running->addresses;
	*running = crowd->running[--crowd->count];
	return r;
}

/* Until a place is free, or nobody is left: those that are over end; all do when it is enough. */
static int wait_below(struct crowd *crowd, size_t most)
{
	enum { LOOK_MS = 100 };
	int r = 0;

	while (crowd->count > most && r == 0) {
		struct line_child *children[LINE_CHILDREN_MAX];
		bool stop;

		for (size_t i = 0; i < crowd->count; i++)
			children[i] = &crowd->running[i].query.child;
		(void)line_children_wait(children, crowd->count, LOOK_MS);
		stop = show(crowd, crowd->running[0].module);
		for (size_t i = crowd->count; i-- > 0 && r == 0;)
			if (stop || crowd->running[i].query.child.state <= 0)
				r = end(crowd, i);
	}
	return r;
}

int module_lines_resolve(struct modules *modules, const struct line_request *requests, size_t count)
{
	_cleanup_(crowd_deinit) struct crowd crowd = {.modules = modules, .limit = count_cpus()};
	int r = 0;

	if (crowd.limit > LINE_CHILDREN_MAX)
		crowd.limit = LINE_CHILDREN_MAX;
	for (size_t i = 0; i < count; i++)
		crowd.whole += requests[i].count;
	for (size_t i = 0; i < count && r == 0; i++) {
		r = wait_below(&crowd, crowd.limit - 1);
		if (r == 0)
			r = begin(&crowd, &requests[i]);
	}
	return r < 0 ? r : wait_below(&crowd, 0);
}

size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address, const struct line_level **ret_levels)
{
	return line_answers_find(&modules->items.items[number]->lines, address, ret_levels);
}
