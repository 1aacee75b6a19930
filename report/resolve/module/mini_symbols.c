/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/module/mini_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/read/trace_file.h"
#include "report/resolve/cache/name_cache.h"
#include "report/resolve/file/unpack.h"
#include "report/resolve/module/module_unwind.h"

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

int mini_symbols_unpack(const struct elf_file *elf, int *ret_fd)
{
	struct elf_section_bytes packed = {0};
	int r = elf_file_section(elf, ".gnu_debugdata", UNPACK_MAX_INPUT, &packed);

	if (!r)
		r = unpack_xz(packed.bytes, packed.size, UNPACK_MAX_BYTES, ret_fd);
	free(packed.bytes);
	return r;
}

/* --- of a file: unpacking takes so long that the result is kept --- */

/* False: it may not be cached. */
static bool describe(const struct local_elf *binary, const struct build_id *id, struct name_key *key)
{
	struct stat status;

	if (!binary->ours || !binary->path || fstat(binary->fd, &status) < 0)
		return false;
	name_key_start(key, id, "minidebuginfo 2");
	name_key_add_file(key, binary->path, &status);
	return true;
}

static int load(struct name_cache *cache, const struct name_key *key, int *ret_fd)
{
	_cleanup_(name_value_deinit) struct name_value value = {0};

	return name_cache_get(cache, key, &value) ? unpack_nothing(value.bytes, value.size, ret_fd) : -ENOENT;
}

static void save(struct name_cache *cache, const struct name_key *key, int fd)
{
	struct stat status;
	void *bytes;

	if (fstat(fd, &status) < 0 || status.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	name_cache_put(cache, key, bytes, (size_t)status.st_size);
	(void)munmap(bytes, (size_t)status.st_size);
}

int mini_symbols_add_file(const struct local_elf *binary, const struct build_id *id, struct name_cache *cache,
			  struct symbol_list *list)
{
	_cleanup_close_ int fd = -1;
	struct name_key key;
	const bool kept = cache && describe(binary, id, &key);
	int r = kept ? load(cache, &key, &fd) : -ENOENT;

	if (r < 0) {
		r = mini_symbols_unpack(binary->elf, &fd);
		if (!r && kept)
			save(cache, &key, fd);
	}
	return r < 0 ? r : mini_symbols_add(fd, id, list);
}

/* --- of a trace --- */

struct gathering {
	uint32_t module; /* the trace's id of it */
	struct elf_section_bytes packed;
};

static int take_piece(struct event *event, void *data)
{
	const struct event_embed_unwind *piece = &event->embed_unwind;
	struct gathering *gathering = data;
	int r;

	if (event->kind != EVENT_EMBED_UNWIND || piece->module != gathering->module ||
	    piece->section != UNWIND_MINI_DEBUG_INFO)
		return 0;
	r = module_unwind_join(piece, &gathering->packed);
	return r < 0 ? r : 0;
}

static int add_packed(const struct elf_section_bytes *packed, const struct build_id *id, uint64_t *left,
		      struct symbol_list *list)
{
	_cleanup_close_ int fd = -1;
	int r = unpack_xz_from(packed->bytes, packed->size, left, &fd);

	return r < 0 ? r : mini_symbols_add(fd, id, list);
}

int mini_symbols_add_embedded(struct modules *modules, const struct module *module, const struct module_part *part,
		      struct symbol_list *list)
{
	struct gathering gathering = {.module = part->module->id};
	uint64_t *left = modules_budget(modules, part->model);
	int r = left ? trace_file_each_record(part->model->file, &part->module->mini_chunks, take_piece, &gathering) :
		       -ENOMEM;

	if (!r && gathering.packed.bytes)
		r = add_packed(&gathering.packed, &module->id, left, list);
	modules->left_packed += r == -E2BIG;
	free(gathering.packed.bytes);
	return r == -ENOMEM ? r : 0;
}
