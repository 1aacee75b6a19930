/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/debug_pick.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/pick/symbol_pick.h"

static const char FOLDER[] = "/usr/lib/debug/.build-id/";
_Static_assert(DEBUG_PICK_PATH >= sizeof(FOLDER) + 2 * BUILD_ID_MAX + sizeof("/.debug"), "room for the longest id");

bool debug_pick_path(const struct build_id *id, char path[DEBUG_PICK_PATH])
{
	int at = snprintf(path, DEBUG_PICK_PATH, "%s", FOLDER);

	if (id->length < 2 || id->length > BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < id->length; i++)
		at += snprintf(path + at, (size_t)(DEBUG_PICK_PATH - at), "%s%02x", i == 1 ? "/" : "", id->bytes[i]);
	(void)snprintf(path + at, (size_t)(DEBUG_PICK_PATH - at), ".debug");
	return true;
}

/* Keeps only those that hold a hit. */
static int keep_hit(struct elf_symbols *symbols, const uint64_t *hits, size_t hit_count)
{
	_cleanup_free_ bool *keep = calloc(symbols->count + 1, sizeof(*keep));
	size_t kept = 0;

	if (!keep)
		return -ENOMEM;
	symbol_pick_drop_lesser(symbols);
	symbol_pick_prepare(symbols->items, symbols->count);
	symbol_pick_mark(symbols->items, symbols->count, hits, hit_count, keep);
	for (size_t i = 0; i < hit_count; i++)
		if (hits[i] != UINT64_MAX)
			symbol_pick_mark(symbols->items, symbols->count, &(uint64_t){hits[i] + 1}, 1, keep);
	for (size_t i = 0; i < symbols->count; i++)
		if (keep[i])
			symbols->items[kept++] = symbols->items[i];
	symbols->count = kept;
	return 0;
}

/* Puts the remaining names next to each other, so that the rest of a large table is not kept. */
static int pack_names(struct elf_symbols *symbols)
{
	_cleanup_free_ char *names = NULL;
	size_t size = 1, at = 0;

	for (size_t i = 0; i < symbols->count; i++)
		size += strlen(symbols->names + symbols->items[i].name) + 1;
	names = calloc(size, 1);
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++) {
		const char *name = symbols->names + symbols->items[i].name;
		size_t length = strlen(name) + 1;

		memcpy(names + at, name, length);
		symbols->items[i].name = (uint32_t)at;
		at += length;
	}
	free(symbols->names);
	symbols->names = steal_ptr(names);
	symbols->names_size = size;
	return 0;
}

int debug_pick_add(int fd, const struct build_id *id, const uint64_t *hits, size_t hit_count,
		   struct elf_symbols *symbols)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols more = {0};
	_cleanup_(elf_file_cleanup) struct elf_file *file = NULL;
	int r = elf_file_create(fd, &file);

	if (r || !id->length || !elf_file_has_build_id(file, id) || !elf_file_has_symtab(file) ||
	    elf_file_symbols(file, &more))
		return r == -ENOMEM ? r : 0;
	r = keep_hit(&more, hits, hit_count);
	if (!r)
		r = pack_names(&more);
	return r ? r : elf_symbols_append(symbols, &more);
}
