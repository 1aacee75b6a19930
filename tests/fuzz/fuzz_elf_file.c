/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The ELF reader on any bytes: it ends soon, stays within memory, and its results are consistent. */
#include "common/elf/elf_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/elf/cfi_functions.h"
#include "common/elf/elf_plt.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_symbols(const struct elf_file *file)
{
	struct elf_symbols symbols;
	size_t name_bytes = 0;

	if (elf_file_symbols(file, &symbols) < 0)
		return;
	require(!symbols.count || symbols.names[symbols.names_size - 1] == '\0');
	for (size_t i = 0; i < symbols.count; i++) {
		require(symbols.items[i].name < symbols.names_size);
		name_bytes += strlen(symbols.names + symbols.items[i].name);
	}
	require(name_bytes <= 16 * symbols.names_size);
	elf_symbols_deinit(&symbols);
}

static void check_unwind(const struct elf_file *file)
{
	struct elf_unwind unwind;

	if (elf_file_unwind(file, &unwind) < 0)
		return;
	require(!unwind.eh_frame.size == !unwind.eh_frame.bytes);
	elf_unwind_deinit(&unwind);
}

static void check_stubs(const struct elf_file *file)
{
	struct elf_symbols symbols;

	if (elf_file_plt_symbols(file, &symbols) < 0)
		return;
	for (size_t i = 0; i < symbols.count; i++) {
		require(symbols.items[i].name < symbols.names_size && symbols.items[i].size);
		require(symbols.names[symbols.items[i].name]);
	}
	require(!symbols.count || symbols.names[symbols.names_size - 1] == '\0');
	elf_symbols_deinit(&symbols);
}

static void check_functions(const struct elf_file *file)
{
	struct cfi_functions functions;

	if (cfi_functions_of_file(file, &functions) < 0)
		return;
	for (size_t i = 0; i < functions.list.count; i++)
		require(functions.list.items[i].start < functions.list.items[i].end);
	require(!cfi_functions_find(&functions, 0));
	cfi_functions_deinit(&functions);
}

static void check_rest(const struct elf_file *file)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);
	uint64_t sum = elf_file_machine(file);
	struct build_id id;

	require(count <= ELF_MAX_SEGMENTS);
	for (size_t i = 0; i < count; i++)
		sum += segments[i].address + segments[i].flags;
	__asm__ volatile("" : : "r"(sum)); /* read, for the sanitizer to see */
	elf_file_build_id(file, &id);
	require(id.length <= BUILD_ID_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file *file;
	struct build_id id;

	require(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	elf_notes_build_id(bytes, length, &id);
	require(id.length <= BUILD_ID_MAX);
	if (elf_file_create(fd, &file) == 0) {
		check_symbols(file);
		check_unwind(file);
		check_stubs(file);
		check_functions(file);
		check_rest(file);
		elf_file_destroy(file);
	}
	(void)close(fd);
	return 0;
}
