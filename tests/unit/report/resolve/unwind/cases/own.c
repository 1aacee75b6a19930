/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#if defined(__x86_64__)

#include "tests/unit/report/resolve/unwind/cases/own.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/cleanup.h"

enum { OWN_VDSO_BYTES = 8192, OWN_PAGE = 4096 };

/* What a signal handler reaches; there is one test per program. */
static struct own_process *own_handled;

/* Byte by byte, because a sanitizer would object to reading across the variables of live frames. */
__attribute__((no_sanitize("address"))) static void own_copy(uint8_t *to, const volatile uint8_t *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = from[i];
}

static size_t stack_left(const struct own_process *own, uint64_t sp)
{
	uint64_t on_signal_stack = sp - (uint64_t)own->signal_stack;

	return on_signal_stack < OWN_SIGNAL_STACK ? OWN_SIGNAL_STACK - on_signal_stack : own->stack_end - sp;
}

static void own_take(int signal, siginfo_t *info, void *context)
{
	static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
				    REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	struct own_process *own = own_handled;
	struct own_snapshot *snapshot = &own->taken[own->count];
	ucontext_t *user = context;

	(void)signal;
	(void)info;
	if (own->count == OWN_SNAPSHOTS || (own->count + 1) * own->stack_bytes > (size_t)OWN_SNAPSHOTS * OWN_STEP_BYTES)
		return;
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		snapshot->registers[i] = (uint64_t)user->uc_mcontext.gregs[order[i]];
	snapshot->size = stack_left(own, snapshot->registers[7]);
	if (snapshot->size > own->stack_bytes)
		snapshot->size = own->stack_bytes;
	snapshot->stack = own->stacks + own->count++ * own->stack_bytes;
	own_copy(snapshot->stack, (const volatile uint8_t *)snapshot->registers[7], snapshot->size);
}

static struct elf_file *own_elf(const char *path, uint64_t vdso)
{
	_cleanup_close_ int fd = vdso ? memfd_create("vdso", MFD_CLOEXEC) : open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *elf;

	if (vdso && write(fd, (void *)vdso, OWN_VDSO_BYTES) < 0)
		return NULL;
	return fd < 0 || elf_file_create(dup(fd), &elf) < 0 ? NULL : elf;
}

/* X.so may have an X.debug beside it. */
static struct elf_file *own_debug(const char *path)
{
	size_t length = strlen(path);
	char debug[4300];

	if (length < 3 || strcmp(path + length - 3, ".so") != 0)
		return NULL;
	(void)snprintf(debug, sizeof(debug), "%.*s.debug", (int)length - 3, path);
	return own_elf(debug, 0);
}

static uint32_t own_module(struct own_process *own, const char *path, uint64_t start)
{
	struct own_module module = {.path = strdup(path), .elf = own_elf(path, strcmp(path, "[vdso]") ? 0 : start)};
	struct elf_file *debug;
	int r;

	for (size_t i = 0; i < own->modules.count; i++)
		if (!strcmp(own->modules.items[i].path, path)) {
			elf_file_destroy(module.elf);
			free(module.path);
			return (uint32_t)i;
		}
	debug = module.elf ? own_debug(path) : NULL;
	r = module.elf ? cfi_file_open(module.elf, debug, 0, &module.cfi) : -ENOEXEC;
	if (!r)
		(void)elf_file_symbols(module.elf, &module.symbols);
	elf_file_destroy(debug);
	if (r < 0 || array_push(&own->modules, module) < 0) {
		elf_file_destroy(module.elf);
		free(module.path);
		return UINT32_MAX;
	}
	return (uint32_t)own->modules.count - 1;
}

/* From the segment that holds the mapping's file offset. */
static uint64_t own_bias(const struct own_module *module, uint64_t start, uint64_t offset)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(module->elf, &segments);

	for (size_t i = 0; i < count; i++)
		if (segments[i].flags & PF_X && offset <= segments[i].file_offset &&
		    segments[i].file_offset - offset < OWN_PAGE)
			return start + (segments[i].file_offset - offset) - segments[i].address;
	return start - offset;
}

static void own_read_maps(struct own_process *own)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4500], mode[8], path[4200];
	uint64_t offset;

	while (maps && fgets(line, sizeof(line), maps)) {
		struct own_mapping map = {.module = UINT32_MAX};

		path[0] = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4199[^\n]",
			   &map.start, &map.end, mode, &offset, path) < 4)
			continue;
		if (!strcmp(path, "[stack]"))
			own->stack_end = map.end;
		if (mode[2] != 'x')
			continue;
		if (path[0])
			map.module = own_module(own, path, map.start);
		if (map.module != UINT32_MAX)
			map.bias = own_bias(&own->modules.items[map.module], map.start, offset);
		(void)array_push(&own->maps, map);
	}
	if (maps)
		(void)fclose(maps);
}

static bool own_find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct own_process *own = context;

	for (size_t i = 0; i < own->maps.count; i++) {
		const struct own_mapping *map = &own->maps.items[i];

		if (address < map->start || address >= map->end)
			continue;
		*ret_mapping = (struct unwind_mapping){
			.bias = map->bias,
			.module = map->module,
			.cfi = map->module == UINT32_MAX ? NULL : own->modules.items[map->module].cfi.section,
		};
		return true;
	}
	return false;
}

void own_begin(struct own_process *own, size_t bytes)
{
	own->count = 0;
	own->stack_bytes = bytes;
	array_free(&own->maps);
	own_read_maps(own);
}

static bool own_find_name(void *context, uint64_t address, struct unwind_named *ret_named)
{
	const struct own_process *own = context;
	const struct elf_symbols *symbols;
	struct unwind_mapping mapping;

	if (!own_find(context, address, &mapping) || !mapping.cfi)
		return false;
	symbols = &own->modules.items[mapping.module].symbols;
	for (size_t i = 0; i < symbols->count; i++) {
		const struct elf_symbol *symbol = &symbols->items[i];

		if (address - mapping.bias - symbol->address >= symbol->size)
			continue;
		ret_named->start = symbol->address + mapping.bias;
		ret_named->kind = unwind_named_kind(symbols->names + symbol->name);
		return true;
	}
	return false;
}

int own_create(struct own_process *own)
{
	struct sigaction action = {.sa_sigaction = own_take, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t alternate = {.ss_size = OWN_SIGNAL_STACK};

	*own = (struct own_process){.signal_stack = malloc(OWN_SIGNAL_STACK)};
	alternate.ss_sp = own->signal_stack;
	own->taken = calloc(OWN_SNAPSHOTS, sizeof(*own->taken));
	own->stacks = malloc((size_t)OWN_SNAPSHOTS * OWN_STEP_BYTES);
	if (!own->taken || !own->stacks || !own->signal_stack ||
	    unwinder_create(unwind_arch_find(EM_X86_64), 0, &own->unwinder) < 0)
		return -ENOMEM;
	own_handled = own;
	sigaltstack(&alternate, NULL);
	return sigaction(SIGTRAP, &action, NULL);
}

void own_destroy(struct own_process *own)
{
	(void)signal(SIGTRAP, SIG_DFL);
	(void)sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
	free(own->signal_stack);
	for (size_t i = 0; i < own->modules.count; i++) {
		cfi_file_close(&own->modules.items[i].cfi);
		elf_symbols_deinit(&own->modules.items[i].symbols);
		elf_file_destroy(own->modules.items[i].elf);
		free(own->modules.items[i].path);
	}
	array_free(&own->modules);
	array_free(&own->maps);
	free(own->taken);
	free(own->stacks);
	unwinder_destroy(own->unwinder);
}

void own_unwind(struct own_process *own, const struct own_snapshot *snapshot, size_t size,
		const struct unwind_tail *tail, struct unwind_chain *chain)
{
	const struct unwind_space space = {.context = own,
					   .find = own_find,
					   .find_name = own_find_name};
	const struct unwind_snapshot input = {
		.registers = snapshot->registers,
		.known = (UINT64_C(1) << 17) - 1,
		.stack = snapshot->stack,
		.stack_address = snapshot->registers[7],
		.stack_size = size < snapshot->size ? size : snapshot->size,
		.cut = size < snapshot->size || snapshot->size == own->stack_bytes,
		.tail = tail ? *tail : (struct unwind_tail){0},
	};

	chain->count = 0;
	(void)unwinder_run(own->unwinder, &space, &input, chain);
}

#endif
