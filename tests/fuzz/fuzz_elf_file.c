/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ELF files of any bytes: reading them ends soon and stays within memory, and the results are consistent. Bytes after a
 * 'G' are Go's function table, after a 'Z' a compressed section.
 */
#include "common/elf/elf_file.h"

#include <elf.h>

#include "common/elf/elf_cfi.h"
#include "report/file/local_files.h"
#include "report/symbol/modules_internal.h"
#include "tests/fuzz/fuzz.h"

enum { UNPACKED_MOST = 1 << 20 };

static void check_symbols(const struct elf_file *file)
{
	struct elf_symbols symbols;
	size_t name_bytes = 0;

	if (elf_file_symbols(file, &symbols) < 0)
		return;
	fuzz_require(!symbols.count || symbols.names[symbols.names_size - 1] == '\0');
	for (size_t i = 0; i < symbols.count; i++) {
		fuzz_require(symbols.items[i].name < symbols.names_size);
		name_bytes += strlen(symbols.names + symbols.items[i].name);
	}
	fuzz_require(name_bytes <= 16 * symbols.names_size);
	elf_symbols_deinit(&symbols);
}

static void check_unwind(const struct elf_file *file)
{
	struct elf_unwind unwind;

	if (elf_file_unwind(file, &unwind) < 0)
		return;
	fuzz_require(!unwind.eh_frame.size == !unwind.eh_frame.bytes);
	elf_unwind_deinit(&unwind);
}

static void check_stubs(const struct elf_file *file)
{
	struct elf_symbols symbols;

	if (elf_file_plt_symbols(file, &symbols) < 0)
		return;
	for (size_t i = 0; i < symbols.count; i++) {
		fuzz_require(symbols.items[i].name < symbols.names_size && symbols.items[i].size);
		fuzz_require(symbols.names[symbols.items[i].name]);
	}
	fuzz_require(!symbols.count || symbols.names[symbols.names_size - 1] == '\0');
	elf_symbols_deinit(&symbols);
}

static void check_functions(const struct elf_file *file)
{
	struct cfi_functions functions;

	if (cfi_functions_of_file(file, &functions) < 0)
		return;
	for (size_t i = 0; i < functions.list.count; i++)
		fuzz_require(functions.list.items[i].start < functions.list.items[i].end);
	fuzz_require(!cfi_functions_find(&functions, 0));
	cfi_functions_deinit(&functions);
}

static void check_rest(const struct elf_file *file)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments);
	uint64_t sum = elf_file_machine(file);
	struct build_id id;

	fuzz_require(count <= ELF_MAX_SEGMENTS);
	for (size_t i = 0; i < count; i++)
		sum += segments[i].address + segments[i].flags;
	__asm__ volatile("" : : "r"(sum)); /* read, for the sanitizer to see */
	elf_file_build_id(file, &id);
	fuzz_require(id.length <= BUILD_ID_MAX);
}

/* What a file has besides: a link, packed symbols, Go's table, the start of a kernel module's text. */
static void check_list(struct symbol_list *list)
{
	for (size_t i = 0; i < list->symbols.count; i++)
		fuzz_require(list->symbols.items[i].name < list->names.count &&
			memchr(list->names.items + list->symbols.items[i].name, 0,
			       list->names.count - list->symbols.items[i].name));
	symbol_list_deinit(list);
}

static void check_additions(const struct elf_file *elf, int fd)
{
	struct symbol_list list = {0};
	struct elf_symbols symbols;
	struct debug_link link;
	struct build_id id;
	uint16_t section;
	uint64_t size;
	int inner;

	if (!debug_link_read(elf, &link)) {
		fuzz_require(link.name[0] && !strchr(link.name, '/') && strlen(link.name) < DEBUG_LINK_NAME);
		(void)debug_link_check(&link, fd);
	}
	elf_file_build_id(elf, &id);
	if (!mini_symbols_unpack(elf, &inner)) {
		(void)mini_symbols_add(inner, &id, &list);
		(void)close(inner);
	}
	check_list(&list);
	if (!elf_file_go_symbols(elf, &symbols)) {
		(void)symbol_list_add_symbols(&list, &symbols, 0);
		elf_symbols_deinit(&symbols);
	}
	check_list(&list);
	if (!elf_file_module_text(elf, &section, &size))
		fuzz_require(section);
}

static void check_go_table(const uint8_t *bytes, size_t length)
{
	struct elf_symbols symbols;
	struct elf_go_table table = {0};
	size_t name_bytes = 0;

	if (length < 2)
		return;
	table.text = bytes[0] & 1 ? 0 : 0x1000;
	table.text_end = table.text + bytes[1];
	table.bytes = bytes + 2;
	table.size = length - 2;
	if (elf_go_parse(&table, &symbols) < 0)
		return;
	fuzz_require(symbols.names_size && !symbols.names[symbols.names_size - 1]);
	for (size_t i = 0; i < symbols.count; i++) {
		fuzz_require(symbols.items[i].name < symbols.names_size && symbols.items[i].size);
		fuzz_require(!i || symbols.items[i].address >= symbols.items[i - 1].address);
		name_bytes += strlen(symbols.names + symbols.items[i].name);
	}
	fuzz_require(name_bytes <= 4 * table.size);
	elf_symbols_deinit(&symbols);
}

static void check_section(const uint8_t *bytes, size_t length)
{
	struct elf_section_bytes section = {.bytes = fuzz_copy(bytes, length), .size = length, .compressed = true};
	Elf64_Chdr header;

	if (!elf_section_unpack(&section, UNPACKED_MOST)) {
		memcpy(&header, bytes, sizeof(header));
		fuzz_require(section.size == header.ch_size && section.size <= UNPACKED_MOST);
	}
	free(section.bytes);
}

static void check_file(const uint8_t *bytes, size_t length)
{
	const int fd = fuzz_file(bytes, length);
	struct elf_file *file;
	struct build_id id;

	elf_notes_build_id(bytes, length, &id);
	fuzz_require(id.length <= BUILD_ID_MAX);
	if (elf_file_create(fd, &file) == 0) {
		check_symbols(file);
		check_unwind(file);
		check_stubs(file);
		check_functions(file);
		check_rest(file);
		check_additions(file, fd);
		elf_file_destroy(file);
	} else if (elf_file_create_relocatable(fd, &file) == 0) {
		check_additions(file, fd);
		elf_file_destroy(file);
	}
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	if (length && *bytes == 'G')
		check_go_table(bytes + 1, length - 1);
	else if (length && *bytes == 'Z')
		check_section(bytes + 1, length - 1);
	else
		check_file(bytes, length);
	return 0;
}
