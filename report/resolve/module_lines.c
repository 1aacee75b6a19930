/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module_lines.h"

#include "common/cleanup.h"
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

/* All that is read for a module is read here, but for what the traces hold. */
static int resolve(struct modules *modules, struct module *module)
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
	return line_cache_resolve(modules->files.cache, &owner, &job, &modules->texts, &module->lines);
}

int module_lines_resolve(struct modules *modules, uint32_t number, const uint64_t *addresses, size_t count)
{
	struct module *module = modules->items.items[number];
	int r;

	if (!count || module->lines.count)
		return 0;
	r = line_answers_init(&module->lines, addresses, count);
	if (r == 0)
		r = embedded_lines_add(module, &modules->texts, &module->lines);
	if (r == 0 && !is_complete(&module->lines))
		r = resolve(modules, module);
	if (r == -ENOMEM)
		return r;
	module->lines_error = r == -ENODATA ? 0 : r;
	return 0;
}

size_t module_lines_find(const struct modules *modules, uint32_t number, uint64_t address, const struct line_level **ret_levels)
{
	return line_answers_find(&modules->items.items[number]->lines, address, ret_levels);
}
