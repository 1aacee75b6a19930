/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "tests/oracle/snapshot.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "common/cleanup.h"

enum { MAPS_MAX_BYTES = 4 << 20, VDSO_BYTES = 8192 };

/* --- modules --- */

static void open_both(struct oracle_module *module, int fd)
{
	if (elf_file_create(fd, &module->elf) < 0)
		return;
	(void)cfi_file_open(module->elf, NULL, 0, &module->cfi);
	module->libelf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	module->eh_frame = dwarf_getcfi_elf(module->libelf);
	module->dwarf = dwarf_begin_elf(module->libelf, DWARF_C_READ, NULL);
	module->debug_frame = module->dwarf ? dwarf_getcfi(module->dwarf) : NULL;
}

/* The vDSO is not in a file, so it is copied from our own process. It is the same in all processes. */
static int copy_vdso(pid_t pid, uint64_t start, uint64_t end)
{
	uint64_t own = pid == getpid() ? getauxval(AT_SYSINFO_EHDR) : 0;
	size_t size = own ? VDSO_BYTES : end - start;
	_cleanup_free_ char *bytes = malloc(size);
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (own)
		start = own;
	if (!bytes || fd < 0 ||
	    process_vm_readv(pid, &(struct iovec){bytes, size}, 1,
			     &(struct iovec){(void *)start, size}, 1, 0) != (ssize_t)size)
		return -1;
	return write(fd, bytes, size) == (ssize_t)size ? fd : -1;
}

uint32_t oracle_module_find(struct oracle_modules *modules, pid_t pid, const char *path, uint64_t start, uint64_t end)
{
	char opened[4200];
	struct oracle_module *module;
	int fd;

	if (path[0] != '/' && strcmp(path, "[vdso]") != 0)
		return UINT32_MAX;
	for (size_t i = 0; i < modules->items.count; i++)
		if (!strcmp(modules->items.items[i]->path, path))
			return (uint32_t)i;
	module = calloc(1, sizeof(*module));
	module->path = strdup(path);
	(void)snprintf(opened, sizeof(opened), "/proc/%d/root%s", pid, path);
	fd = path[0] == '/' ? open(opened, O_RDONLY | O_CLOEXEC) : copy_vdso(pid, start, end);
	if (fd >= 0)
		open_both(module, fd); /* keep it open: libelf may read later */
	if (array_push(&modules->items, module) < 0)
		return UINT32_MAX;
	return (uint32_t)modules->items.count - 1;
}

const struct oracle_module *oracle_module_open(struct oracle_modules *modules, const char *path)
{
	uint32_t number = oracle_module_find(modules, getpid(), path, 0, 0);

	return number == UINT32_MAX ? NULL : modules->items.items[number];
}

uint64_t oracle_bias(const struct oracle_module *module, const struct oracle_mapping *map)
{
	const struct elf_segment *segments;
	size_t count = module->elf ? elf_file_segments(module->elf, &segments) : 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t first = segments[i].file_offset & ~UINT64_C(4095);

		if (segments[i].flags & PF_X && map->file_offset >= first &&
		    map->file_offset < segments[i].file_offset + segments[i].file_size)
			return map->start - map->file_offset + segments[i].file_offset - segments[i].address;
	}
	return map->start - map->file_offset;
}

/* --- address spaces --- */

static char *read_maps(pid_t pid)
{
	char path[64];
	char *text = malloc(MAPS_MAX_BYTES);
	size_t length = 0;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && text && (n = read(fd, text + length, MAPS_MAX_BYTES - 1 - length)) > 0)
		length += (size_t)n;
	if (fd >= 0)
		close(fd);
	if (!text || !length) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

static void add_line(struct oracle_modules *modules, struct oracle_space *space, pid_t pid, const char *line)
{
	struct oracle_mapping map;
	char mode[8], path[4096] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &map.start, &map.end, mode,
		   &map.file_offset, path) < 4 ||
	    mode[2] != 'x')
		return;
	map.module = oracle_module_find(modules, pid, path, map.start, map.end);
	map.bias = map.module == UINT32_MAX ? 0 : oracle_bias(modules->items.items[map.module], &map);
	(void)array_push(&space->maps, map);
}

static struct oracle_space *make_space(struct oracle_modules *modules, pid_t pid, char *text)
{
	struct oracle_space *space = calloc(1, sizeof(*space));

	space->text = text;
	space->modules = modules;
	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		add_line(modules, space, pid, line);
	if (array_push(&modules->spaces, space) < 0)
		return NULL;
	space->generation = modules->spaces.count;
	return space;
}

/* Only executable mappings count: heaps grow all the time. */
static char *only_executable(char *text)
{
	char *out = text;

	for (char *line = text, *next; *line; line = next) {
		char *space = strchr(line, ' ');

		next = strchrnul(line, '\n');
		next += *next == '\n';
		if (space && space[3] == 'x') {
			memmove(out, line, (size_t)(next - line));
			out += next - line;
		}
	}
	*out = '\0';
	return text;
}

static bool find_stack_end(const char *text, uint64_t sp, uint64_t *ret_end)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		uint64_t start, end;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && sp >= start && sp < end) {
			*ret_end = end;
			return true;
		}
	}
	return false;
}

static const struct oracle_space *space_find(struct oracle_modules *modules, pid_t pid, char *text)
{
	only_executable(text);
	for (size_t i = modules->spaces.count; i-- > 0;)
		if (modules->spaces.items[i]->text && !strcmp(modules->spaces.items[i]->text, text)) {
			free(text);
			return modules->spaces.items[i];
		}
	return make_space(modules, pid, text);
}

/* --- snapshots --- */

static void take_registers(const struct user_regs_struct *user, struct oracle_snapshot *snapshot)
{
	const uint64_t values[] = {user->rax, user->rdx, user->rcx, user->rbx, user->rsi, user->rdi,
				   user->rbp, user->rsp, user->r8, user->r9,  user->r10, user->r11,
				   user->r12, user->r13, user->r14, user->r15, user->rip};

	memcpy(snapshot->registers, values, sizeof(values));
	snapshot->known = (UINT64_C(1) << 17) - 1;
}

bool oracle_snapshot_take(struct oracle_modules *modules, pid_t pid, uint8_t *stack, size_t size,
			  struct oracle_snapshot *ret_snapshot)
{
	struct oracle_snapshot snapshot = {.stack = stack};
	struct user_regs_struct user;
	uint64_t end;
	ssize_t n;
	char *text;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &user) < 0)
		return false;
	text = read_maps(pid);
	if (!text)
		return false;
	take_registers(&user, &snapshot);
	snapshot.stack_address = user.rsp;
	if (find_stack_end(text, user.rsp, &end) && end - user.rsp < size)
		size = end - user.rsp;
	snapshot.space = space_find(modules, pid, text);
	n = process_vm_readv(pid, &(struct iovec){stack, size}, 1, &(struct iovec){(void *)user.rsp, size}, 1, 0);
	if (n <= 0 || !snapshot.space)
		return false;
	snapshot.stack_size = (size_t)n;
	*ret_snapshot = snapshot;
	return true;
}

/* --- questions --- */

const struct oracle_mapping *oracle_mapping_at(const struct oracle_space *space, uint64_t address)
{
	size_t low = 0, high = space->maps.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (address >= space->maps.items[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == space->maps.count || address < space->maps.items[low].start)
		return NULL;
	return &space->maps.items[low];
}

bool oracle_find(void *context, uint64_t address, struct unwind_mapping *ret_mapping)
{
	const struct oracle_space *space = context;
	const struct oracle_mapping *map = oracle_mapping_at(space, address);

	if (!map)
		return false;
	*ret_mapping = (struct unwind_mapping){
		.bias = map->bias,
		.module = map->module,
		.cfi = map->module == UINT32_MAX ? NULL : space->modules->items.items[map->module]->cfi.section,
	};
	return true;
}
