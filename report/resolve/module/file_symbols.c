/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/file_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/elf/elf_go.h"
#include "common/elf/elf_plt.h"
#include "report/resolve/module/mini_symbols.h"

void file_symbols_deinit(struct file_symbols *symbols)
{
	symbol_list_deinit(&symbols->list);
	free(symbols->path);
	free(symbols->refused);
	*symbols = (struct file_symbols){0};
}

/* Adds the file's symbols and takes over its path. */
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

/* The symbols that a stripped binary still has. Malformed sections are ignored. */
static int take_rest(struct name_cache *cache, const struct build_id *id, struct local_elf *own,
		     struct file_symbols *symbols)
{
	int r = mini_symbols_add_file(own, id, cache, &symbols->list);

	symbols->origin = SYMBOLS_FROM_DYNSYM;
	if (!r)
		symbols->origin = SYMBOLS_FROM_MINI_DEBUG_INFO;
	else if (r != -ENOMEM && !(r = add_go(own->elf, &symbols->list)))
		symbols->origin = SYMBOLS_FROM_GO;
	if (r == -ENOMEM)
		return r;
	symbols->path = steal_ptr(own->path);
	return symbol_list_add_elf(&symbols->list, own->elf, 0);
}

int file_symbols_collect_debug(const struct local_files *files, const char *path, const struct build_id *id,
			       struct file_symbols *ret_symbols)
{
	*ret_symbols = (struct file_symbols){0};
	return take_debug(files, path, id, NULL, ret_symbols);
}

/* A malformed table is ignored. */
static int add_plt(const struct elf_file *elf, struct symbol_list *list)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols symbols = {0};
	int r = elf_file_plt_symbols(elf, &symbols);

	if (!r)
		r = symbol_list_add_symbols(list, &symbols, 0);
	return r == -ENOMEM ? r : 0;
}

int file_symbols_collect(const struct local_files *files, const char *path,
			 const struct build_id *id, bool debug, struct file_symbols *ret_symbols)
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
	return !r && own.elf ? add_plt(own.elf, &ret_symbols->list) : r;
}
