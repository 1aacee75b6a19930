/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/symbol/mini_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/file/unpack.h"

/* Whether the build-ids match. The embedded file need not have one. */
static bool may_be_of(const struct elf_file *elf, const struct build_id *id)
{
	struct build_id own;

	elf_file_build_id(elf, &own);
	return !own.length || build_id_equal(&own, id);
}

int mini_symbols_add(int fd, const struct build_id *id, struct symbol_list *list)
{
	_cleanup_(elf_file_cleanup) struct elf_file *inner = NULL;
	int r = elf_file_create(fd, &inner);

	if (!r && !may_be_of(inner, id))
		r = -ESTALE;
	return r < 0 ? r : symbol_list_add_elf(list, inner, 0);
}

int mini_symbols_add_packed(const void *bytes, size_t size, const struct build_id *id, uint64_t *left,
			    struct symbol_list *list)
{
	_cleanup_close_ int fd = -1;
	int r = unpack_xz_from(bytes, size, left, &fd);

	return r < 0 ? r : mini_symbols_add(fd, id, list);
}

int mini_symbols_unpack(const struct elf_file *elf, int *ret_fd)
{
	struct elf_section_bytes packed = {0};
	int r = elf_file_section(elf, ".gnu_debugdata", UNPACK_MAX_INPUT, &packed);

	if (!r)
		r = unpack_xz(packed.bytes, packed.size, UNPACK_MAX_BYTES, ret_fd);
	free(packed.bytes);
	return r;
}
