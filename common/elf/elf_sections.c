/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/elf/elf_file.h"
#include "common/elf/elf_internal.h"

enum { SECTION_NAMES_MAX_BYTES = 16 << 20 };

int elf_file_section_names(const struct elf_file *file, char **ret_names, size_t *ret_size)
{
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *section;
	int r;

	if (file->name_section >= file->section_count)
		return -EBADMSG;
	section = &file->sections[file->name_section];
	if (section->sh_type != SHT_STRTAB || !section->sh_size || section->sh_size > SECTION_NAMES_MAX_BYTES)
		return -EBADMSG;
	r = elf_file_read_table(file, section->sh_offset, section->sh_size, 1, (void **)&names);
	if (r < 0)
		return r;
	names[section->sh_size - 1] = '\0';
	*ret_names = steal_ptr(names);
	*ret_size = section->sh_size;
	return 0;
}

static const Elf64_Shdr *find_section(const struct elf_file *file, const char *names,
				      size_t names_size, const char *name)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].sh_name < names_size && !strcmp(names + file->sections[i].sh_name, name))
			return &file->sections[i];
	return NULL;
}

int elf_file_section(const struct elf_file *file, const char *name, uint64_t most, struct elf_section_bytes *ret_bytes)
{
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *section;
	size_t names_size;
	void *bytes;
	int r = elf_file_section_names(file, &names, &names_size);

	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	section = find_section(file, names, names_size, name);
	if (!section || section->sh_type == SHT_NOBITS || !section->sh_size)
		return -ENOENT;
	if (section->sh_size > most)
		return -E2BIG;
	r = elf_file_read_table(file, section->sh_offset, section->sh_size, 1, &bytes);
	if (r < 0)
		return r;
	*ret_bytes = (struct elf_section_bytes){.bytes = bytes,
						.size = section->sh_size,
						.address = section->sh_addr,
						.compressed = section->sh_flags & SHF_COMPRESSED};
	return 0;
}

bool elf_file_has_dwarf(const struct elf_file *file)
{
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *section;
	size_t size;

	if (elf_file_section_names(file, &names, &size) < 0)
		return false;
	section = find_section(file, names, size, ".debug_info");
	if (!section)
		section = find_section(file, names, size, ".zdebug_info");
	return section && section->sh_type != SHT_NOBITS;
}

int elf_file_module_text(const struct elf_file *file, uint16_t *ret_section, uint64_t *ret_size)
{
	_cleanup_free_ char *names = NULL;
	size_t names_size;
	int r = elf_file_section_names(file, &names, &names_size);

	/* Number 0 is not a section, whatever its header says. */
	for (size_t i = 1; !r && i < file->section_count && i <= UINT16_MAX; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		const char *name = section->sh_name < names_size ? names + section->sh_name : "";

		if (~section->sh_flags & (SHF_ALLOC | SHF_EXECINSTR) || !strncmp(name, ".init", 5))
			continue;
		if (strcmp(name, ".text") != 0)
			return -ENOTSUP;
		*ret_section = (uint16_t)i;
		*ret_size = section->sh_size;
		return 0;
	}
	return r < 0 ? r : -ENOENT;
}

bool elf_file_has_symtab(const struct elf_file *file)
{
	for (size_t i = 0; i < file->section_count; i++)
		if (file->sections[i].sh_type == SHT_SYMTAB)
			return true;
	return false;
}
