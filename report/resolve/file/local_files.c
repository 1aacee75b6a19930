/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/local_files.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/file/debug_link.h"
#include "report/opener/opener.h"
#include "report/resolve/file/local_files_internal.h"

void build_id_text(const struct build_id *id, char text[static BUILD_ID_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < id->length; i++) {
		text[2 * i] = digits[id->bytes[i] >> 4];
		text[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	text[2 * (size_t)id->length] = '\0';
}

void local_elf_close(struct local_elf *local)
{
	if (local->elf)
		elf_file_destroy(local->elf);
	if (local->fd >= 0)
		close(local->fd);
	free(local->path);
	free(local->real);
	*local = (struct local_elf){.fd = -1};
}

int local_open(const struct local_files *files, enum opener_kind kind, const char *path, struct local_elf *local)
{
	struct opened_file file;
	int r = local->path ? opener_open(files->opener, kind, path, &file) : -ENOMEM;

	if (r < 0)
		return r;
	local->fd = file.fd;
	local->ours = file.ours;
	local->real = file.real;
	return 0;
}

static int open_elf(const struct local_files *files, const char *path, enum local_source source,
		    struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1, .source = source, .path = strdup(path)};
	int r = local_open(files, OPENER_ELF, path, &local);

	if (!r)
		r = elf_file_create(local.fd, &local.elf);
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	*ret_elf = local;
	return 0;
}

static int open_exact(const struct local_files *files, const char *path, enum local_source source,
		      const struct build_id *id, struct local_elf *ret_elf)
{
	struct local_elf local;
	int r = id->length ? open_elf(files, path, source, &local) : -ENOENT;

	if (r < 0)
		return r;
	if (!elf_file_has_build_id(local.elf, id)) {
		local_elf_close(&local);
		return -ESTALE;
	}
	*ret_elf = local;
	return 0;
}

int local_elf_open_named(const struct local_files *files, const char *path, const struct build_id *id,
			 struct local_elf *ret_elf)
{
	return open_exact(files, path, LOCAL_NAMED, id, ret_elf);
}

bool local_path_climbs(const char *path)
{
	for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

static bool is_usable(const struct local_files *files, const char *path)
{
	return files->symfs && path[0] == '/' && !local_path_climbs(path);
}

int local_elf_open(const struct local_files *files, const char *path, const struct build_id *id,
		   struct local_elf *ret_elf)
{
	char full[PATH_MAX];
	int length;

	if (!is_usable(files, path))
		return -ENOENT;
	length = snprintf(full, sizeof(full), "%s%s", files->symfs, path);
	if (length < 0 || (size_t)length >= sizeof(full))
		return -ENOENT;
	return open_exact(files, full, LOCAL_PATH, id, ret_elf);
}

/* --- debug files --- */

int local_note_refusal(char **refused, const char *path)
{
	if (!refused || *refused)
		return 0;
	*refused = strdup(path);
	return *refused ? 0 : -ENOMEM;
}

static int open_by_build_id(const struct local_files *files, const struct build_id *id, char **refused,
			    struct local_elf *ret_elf)
{
	char text[BUILD_ID_TEXT], full[PATH_MAX];
	int r = -ENOENT;

	build_id_text(id, text);
	if (id->length < 2 || !files->debug_dirs)
		return -ENOENT;
	for (size_t i = 0; files->debug_dirs[i] && r < 0 && r != -ENOMEM; i++) {
		int length = snprintf(full, sizeof(full), "%s/.build-id/%.2s/%s.debug",
				      files->debug_dirs[i], text, text + 2);

		if (length > 0 && (size_t)length < sizeof(full))
			r = open_exact(files, full, LOCAL_BUILD_ID, id, ret_elf);
		if (r == -ESTALE && local_note_refusal(refused, full) < 0)
			r = -ENOMEM;
	}
	return r;
}

int local_elf_open_debug(const struct local_files *files, const struct build_id *id,
			 struct local_elf *ret_elf)
{
	return open_by_build_id(files, id, NULL, ret_elf);
}

/* One possible place of the linked file. The build-id is checked first, because that is cheap. */
static int open_linked(const struct local_files *files, const char *full, const struct debug_link *link,
		       const struct build_id *id, struct local_elf *ret_elf)
{
	struct build_id found;
	struct local_elf local;
	int r = open_elf(files, full, LOCAL_DEBUG_LINK, &local);

	if (r < 0)
		return r;
	elf_file_build_id(local.elf, &found);
	if (found.length && !elf_file_has_build_id(local.elf, id))
		r = -ESTALE;
	else
		r = debug_link_check(link, local.fd);
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	*ret_elf = local;
	return 0;
}

/* Place number `place` of the linked file: two next to the binary, then one per debug directory. 0: no such place. */
static size_t format_place(const struct local_files *files, const char *path, const char *name, size_t place,
			   char full[static PATH_MAX])
{
	int folder = (int)(strrchr(path, '/') - path), length;

	if (place < 2)
		length = snprintf(full, PATH_MAX, "%s%.*s/%s%s", files->symfs, folder, path,
				  place ? ".debug/" : "", name);
	else
		length = snprintf(full, PATH_MAX, "%s%.*s/%s", files->debug_dirs[place - 2], folder,
				  path, name);
	return length > 0 && length < PATH_MAX ? (size_t)length : 0;
}

static size_t count_places(const struct local_files *files)
{
	size_t count = 2;

	while (files->debug_dirs && files->debug_dirs[count - 2])
		count++;
	return count;
}

static int open_by_link(const struct local_files *files, const char *path, const struct build_id *id,
			const struct elf_file *binary, char **refused, struct local_elf *ret_elf)
{
	struct debug_link link;
	char full[PATH_MAX];
	int r = binary && is_usable(files, path) ? debug_link_read(binary, &link) : -ENOENT;
	size_t places = count_places(files);

	if (r < 0)
		return r;
	r = -ENOENT;
	for (size_t place = 0; place < places && r < 0 && r != -ENOMEM; place++) {
		if (!format_place(files, path, link.name, place, full))
			continue;
		r = open_linked(files, full, &link, id, ret_elf);
		if (r == -ESTALE && local_note_refusal(refused, full) < 0)
			r = -ENOMEM;
	}
	return r;
}

int local_open_from_server(const struct local_files *files, enum debug_server_file what,
			   const struct build_id *id, local_elf_create *create, char **refused,
			   struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1, .source = LOCAL_SERVER};
	int r = debug_server_find(files->server, what, id, &local.fd, &local.path);

	if (r < 0)
		return r;
	r = create(local.fd, &local.elf);
	if (!r && !elf_file_has_build_id(local.elf, id))
		r = -ESTALE;
	if (r == -ESTALE && local_note_refusal(refused, local.path) < 0)
		r = -ENOMEM;
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	local.ours = file_is_ours(local.fd);
	*ret_elf = local;
	return 0;
}

int local_elf_open_debug_for(const struct local_files *files, const char *path, const struct build_id *id,
			     const struct elf_file *binary, char **ret_refused, struct local_elf *ret_elf)
{
	_cleanup_(local_elf_close) struct local_elf own = {.fd = -1};
	_cleanup_free_ char *refused = NULL;
	int r = open_by_build_id(files, id, &refused, ret_elf);

	if (!binary && r < 0 && r != -ENOMEM && !local_elf_open(files, path, id, &own))
		binary = own.elf;
	if (r < 0 && r != -ENOMEM)
		r = open_by_link(files, path, id, binary, &refused, ret_elf);
	if (r < 0 && r != -ENOMEM)
		r = local_open_from_server(files, DEBUG_SERVER_DEBUGINFO, id, elf_file_create,
					   &refused, ret_elf);
	if (r < 0 && r != -ENOMEM && refused)
		r = -ESTALE;
	if (ret_refused && refused)
		*ret_refused = steal_ptr(refused);
	return r;
}

int local_elf_open_fetched(const struct local_files *files, const struct build_id *id,
			   struct local_elf *ret_elf)
{
	return local_open_from_server(files, DEBUG_SERVER_EXECUTABLE, id, elf_file_create, NULL, ret_elf);
}
