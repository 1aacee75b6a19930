/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/elf_go.h"
#include "report/resolve/cached_sources.h"
#include "report/resolve/unpack.h"

void file_symbols_deinit(struct file_symbols *symbols)
{
	symbol_list_deinit(&symbols->list);
	free(symbols->path);
	free(symbols->refused);
	*symbols = (struct file_symbols){0};
}

static void cleanup_elf(struct elf_file **elf)
{
	elf_file_destroy(*elf);
}

static bool has_id(const struct elf_file *elf, const struct build_id *id)
{
	struct build_id own;

	elf_file_build_id(elf, &own);
	return !own.length || (own.length == id->length && !memcmp(own.bytes, id->bytes, id->length));
}

int file_symbols_add_packed(const void *bytes, size_t size, const struct build_id *id, struct symbol_list *list)
{
	_cleanup_(cleanup_elf) struct elf_file *inner = NULL;
	_cleanup_close_ int fd = -1;
	int r = unpack_xz(bytes, size, UNPACK_MAX_BYTES, &fd);

	if (r == 0)
		r = elf_file_create(fd, &inner);
	if (r == 0 && !has_id(inner, id))
		r = -ESTALE;
	return r < 0 ? r : symbol_list_add_elf(list, inner, 0);
}

int file_symbols_add_mini(const struct elf_file *elf, struct symbol_list *list)
{
	struct elf_section_bytes packed = {0};
	struct build_id id;
	int r = elf_file_section(elf, ".gnu_debugdata", UNPACK_MAX_INPUT, &packed);

	elf_file_build_id(elf, &id);
	if (r == 0)
		r = file_symbols_add_packed(packed.bytes, packed.size, &id, list);
	free(packed.bytes);
	return r;
}

/* Takes the file's path along with its functions. */
static int take(struct file_symbols *symbols, struct local_elf *local, enum symbol_origin origin)
{
	int r = symbol_list_add_elf(&symbols->list, local->elf, 0);

	if (r < 0 || !symbols->list.symbols.count)
		return r < 0 ? r : -ENOENT;
	symbols->origin = origin;
	symbols->path = steal_ptr(local->path);
	return 0;
}

static int take_debug(const struct local_files *files, const char *path, const struct build_id *id,
		      const struct elf_file *binary, struct file_symbols *symbols)
{
	static const enum symbol_origin origins[] = {[LOCAL_BUILD_ID] = SYMBOLS_FROM_BUILD_ID,
						     [LOCAL_DEBUG_LINK] = SYMBOLS_FROM_DEBUG_LINK,
						     [LOCAL_SERVER] = SYMBOLS_FROM_SERVER};
	_cleanup_(local_elf_close) struct local_elf debug = {.fd = -1};
	int r = local_elf_open_debug_for(files, path, id, binary, &symbols->refused, &debug);

	return r < 0 ? r : take(symbols, &debug, origins[debug.source]);
}

static int add_go(const struct elf_file *elf, struct symbol_list *list)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_go_symbols(elf, &symbols);

	return r < 0 ? r : symbol_list_add_symbols(list, &symbols, 0);
}

/* What a stripped binary still has. Sections that make no sense are as good as none. */
static int take_rest(struct name_cache *cache, const struct build_id *id, struct local_elf *own, struct file_symbols *symbols)
{
	int r = cached_sources_add_mini(cache, id, own, &symbols->list);

	symbols->origin = SYMBOLS_FROM_DYNSYM;
	if (r == 0)
		symbols->origin = SYMBOLS_FROM_MINI_DEBUG_INFO;
	else if (r != -ENOMEM && (r = add_go(own->elf, &symbols->list)) == 0)
		symbols->origin = SYMBOLS_FROM_GO;
	if (r == -ENOMEM)
		return r;
	symbols->path = steal_ptr(own->path);
	return symbol_list_add_elf(&symbols->list, own->elf, 0);
}

int file_symbols_collect(const struct local_files *files, const char *path, const struct build_id *id, bool debug,
			 struct file_symbols *ret_symbols)
{
	_cleanup_(local_elf_close) struct local_elf own = {.fd = -1};
	int missing = local_elf_open(files, path, id, &own), r = -ENOENT;

	*ret_symbols = (struct file_symbols){0};
	if (missing == -ENOMEM)
		return missing;
	if (own.elf && elf_file_has_symtab(own.elf))
		r = take(ret_symbols, &own, SYMBOLS_FROM_SYMTAB);
	if (r < 0 && r != -ENOMEM && debug)
		r = take_debug(files, path, id, own.elf, ret_symbols);
	if (r < 0 && r != -ENOMEM && !own.elf && local_elf_open_fetched(files, id, &own) == -ENOMEM)
		r = -ENOMEM;
	if (r < 0 && r != -ENOMEM)
		r = own.elf ? take_rest(files->cache, id, &own, ret_symbols) : missing;
	return r;
}
