/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an ELF file has besides its symbol tables: a link, packed symbols, Go's table, the start of
 * a kernel module's text.
 */
#include "report/resolve/module/mini_symbols.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/elf/elf_go.h"
#include "report/resolve/file/debug_link.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_list(struct symbol_list *list)
{
	for (size_t i = 0; i < list->symbols.count; i++)
		require(list->symbols.items[i].name < list->names.count &&
			memchr(list->names.items + list->symbols.items[i].name, 0,
			       list->names.count - list->symbols.items[i].name));
	symbol_list_deinit(list);
}

static void check_file(const struct elf_file *elf, int fd)
{
	struct symbol_list list = {0};
	struct elf_symbols symbols;
	struct debug_link link;
	struct build_id id;
	uint16_t section;
	uint64_t size;
	int inner;

	if (!debug_link_read(elf, &link)) {
		require(link.name[0] && !strchr(link.name, '/') && strlen(link.name) < DEBUG_LINK_NAME);
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
		require(section);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct elf_file *elf;

	require(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	if (!elf_file_create(fd, &elf) || !elf_file_create_relocatable(fd, &elf)) {
		check_file(elf, fd);
		elf_file_destroy(elf);
	}
	(void)close(fd);
	return 0;
}
