/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/file/local_files.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/bytes.h"
#include "common/cleanup.h"
#include "common/process.h"
#include "report/file/pack.h"
#include "report/opener/opener.h"

typedef int create_elf(int fd, struct elf_file **ret_file);
typedef int open_file(const struct local_files *files, const char *path, enum local_source source,
		      const struct build_id *id, char **refused, struct local_elf *ret_elf);

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

/* Sets the descriptor and the file's properties. The caller has set the path (NULL: -ENOMEM). As opener_open(). */
static int open_path(const struct local_files *files, enum opener_kind kind, const char *path, struct local_elf *local)
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

/*
 * Keeps the file if it can be read and has the build-id (NULL: any). `refused`, which may be NULL, gets the path of the first
 * file that existed but has another one. On failure `local` is closed.
 */
static int accept_elf(struct local_elf *local, create_elf *create, const struct build_id *id, char **refused,
		      struct local_elf *ret_elf)
{
	int r = create(local->fd, &local->elf);

	if (!r && id && !elf_file_has_build_id(local->elf, id))
		r = -ESTALE;
	if (r == -ESTALE && refused && !*refused) {
		*refused = strdup(local->path);
		r = *refused ? r : -ENOMEM;
	}
	if (r < 0)
		local_elf_close(local);
	else
		*ret_elf = *local;
	return r;
}

/* A program, library or debug file. */
static int open_elf(const struct local_files *files, const char *path, enum local_source source,
		    const struct build_id *id, char **refused, struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1, .source = source};
	int r;

	if (id && !id->length)
		return -ENOENT;
	local.path = strdup(path);
	r = open_path(files, OPENER_ELF, path, &local);
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	return accept_elf(&local, elf_file_create, id, refused, ret_elf);
}

/* A kernel module, which may be compressed. */
static int open_module(const struct local_files *files, const char *path, enum local_source source,
		       const struct build_id *id, char **refused, struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1, .source = source, .path = strdup(path)};
	int r = open_path(files, OPENER_KERNEL_MODULE, path, &local);
	_cleanup_close_ int packed = steal_fd(&local.fd);

	local.ours = false; /* the unpacked copy is another file */
	if (!r)
		r = unpack_file(packed, path, &local.fd);
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	return accept_elf(&local, elf_file_create_relocatable, id, refused, ret_elf);
}

static int open_by_build_id(const struct local_files *files, const struct build_id *id, open_file *open_one,
			    char **refused, struct local_elf *ret_elf)
{
	char text[BUILD_ID_TEXT], full[PATH_MAX];
	int r = -ENOENT;

	build_id_text(id, text);
	if (id->length < 2 || !files->debug_dirs)
		return -ENOENT;
	for (size_t i = 0; files->debug_dirs[i] && r < 0 && r != -ENOMEM; i++) {
		int length = snprintf(full, sizeof(full), "%s/.build-id/%.2s/%s.debug", files->debug_dirs[i], text,
				      text + 2);

		if (length > 0 && (size_t)length < sizeof(full))
			r = open_one(files, full, LOCAL_BUILD_ID, id, refused, ret_elf);
	}
	return r;
}

/* Checks the file like any other: the library checks nothing. */
static int open_from_server(const struct local_files *files, enum debug_server_file what, const struct build_id *id,
			    create_elf *create, char **refused, struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1, .source = LOCAL_SERVER};
	int r = debug_server_find(files->server, what, id, &local.fd, &local.path);

	if (r < 0)
		return r;
	r = accept_elf(&local, create, id, refused, ret_elf);
	if (!r)
		ret_elf->ours = file_is_ours(ret_elf->fd);
	return r;
}

int local_elf_open_named(const struct local_files *files, const char *path, const struct build_id *id,
			 struct local_elf *ret_elf)
{
	return open_elf(files, path, LOCAL_NAMED, id, NULL, ret_elf);
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
	return open_elf(files, full, LOCAL_PATH, id, NULL, ret_elf);
}

/* --- .gnu_debuglink --- */

enum { SECTION_MAX = 4096 };
#define FILE_MAX_BYTES (UINT64_C(16) << 30) /* about ten seconds of reading */

int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link)
{
	struct elf_section_bytes section = {0};
	int r = elf_file_section(elf, ".gnu_debuglink", SECTION_MAX, &section);
	_cleanup_free_ uint8_t *bytes = section.bytes;
	struct debug_link link = {0};
	struct byte_cursor cursor;
	size_t length;

	if (r < 0)
		return r == -E2BIG ? -EBADMSG : r;
	length = strnlen((const char *)bytes, section.size);
	if (!length || length >= sizeof(link.name) || section.compressed)
		return -EBADMSG;
	memcpy(link.name, bytes, length);
	if (strchr(link.name, '/') || !strcmp(link.name, ".") || !strcmp(link.name, ".."))
		return -EBADMSG;
	cursor = byte_cursor_make(bytes, section.size);
	(void)byte_cursor_bytes(&cursor, (length + 4) & ~(size_t)3); /* name and NUL, padded to a multiple of 4 */
	link.crc = byte_cursor_u32(&cursor);
	if (cursor.bad)
		return -EBADMSG;
	*ret_link = link;
	return 0;
}

int debug_link_check(const struct debug_link *link, int fd)
{
	uint32_t crc;
	int r = crc32_of_file(fd, FILE_MAX_BYTES, &crc);

	return r < 0 ? r : crc == link->crc ? 0 : -ESTALE;
}

/* --- debug files --- */

int local_elf_open_debug(const struct local_files *files, const struct build_id *id,
			 struct local_elf *ret_elf)
{
	return open_by_build_id(files, id, open_elf, NULL, ret_elf);
}

/* One possible place of the linked file. The build-id is checked first, because that is cheap. */
static int open_linked(const struct local_files *files, const char *full, const struct debug_link *link,
		       const struct build_id *id, struct local_elf *ret_elf)
{
	struct local_elf local;
	struct build_id found;
	int r = open_elf(files, full, LOCAL_DEBUG_LINK, NULL, NULL, &local);

	if (r < 0)
		return r;
	elf_file_build_id(local.elf, &found);
	r = found.length && !build_id_equal(&found, id) ? -ESTALE : debug_link_check(link, local.fd);
	if (r < 0)
		local_elf_close(&local);
	else
		*ret_elf = local;
	return r;
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
		if (r == -ESTALE && !*refused) {
			*refused = strdup(full);
			r = *refused ? r : -ENOMEM;
		}
	}
	return r;
}

int local_elf_open_debug_for(const struct local_files *files, const char *path, const struct build_id *id,
			     const struct elf_file *binary, char **ret_refused, struct local_elf *ret_elf)
{
	_cleanup_(local_elf_close) struct local_elf own = {.fd = -1};
	_cleanup_free_ char *refused = NULL;
	int r = open_by_build_id(files, id, open_elf, &refused, ret_elf);

	if (!binary && r < 0 && r != -ENOMEM && !local_elf_open(files, path, id, &own))
		binary = own.elf;
	if (r < 0 && r != -ENOMEM)
		r = open_by_link(files, path, id, binary, &refused, ret_elf);
	if (r < 0 && r != -ENOMEM)
		r = open_from_server(files, DEBUG_SERVER_DEBUGINFO, id, elf_file_create, &refused, ret_elf);
	if (r < 0 && r != -ENOMEM && refused)
		r = -ESTALE;
	if (ret_refused && refused)
		*ret_refused = steal_ptr(refused);
	return r;
}

int local_elf_open_fetched(const struct local_files *files, const struct build_id *id,
			   struct local_elf *ret_elf)
{
	return open_from_server(files, DEBUG_SERVER_EXECUTABLE, id, elf_file_create, NULL, ret_elf);
}

/* --- kernel modules, by modules.dep: "kernel/fs/ext4/ext4.ko.xz: ..." --- */

enum { LIST_MAX_BYTES = 64 << 20 };

/*
 * Whether the path's last component is the module's file. The kernel uses underscores where file
 * names may have hyphens.
 */
static bool is_file_of(const char *path, const char *name)
{
	const char *file = strrchr(path, '/');

	for (file = file ? file + 1 : path; *name; file++, name++)
		if (*file != *name && !(*file == '-' && *name == '_'))
			return false;
	return !strcmp(file, ".ko") || !strcmp(file, ".ko.xz") || !strcmp(file, ".ko.zst");
}

static int read_list(const struct local_files *files, const char *path, char **ret_text)
{
	_cleanup_(local_elf_close) struct local_elf local = {.fd = -1, .path = strdup(path)};
	size_t size;
	int r = open_path(files, OPENER_MODULE_LIST, path, &local);

	return r < 0 ? r : descriptor_read_whole(local.fd, LIST_MAX_BYTES, ret_text, &size);
}

/* The path of the module's file, NUL-terminated in place in the list's text; NULL: not listed. */
static const char *find_in_list(char *text, const char *name)
{
	for (char *line = text, *next; line && *line; line = next) {
		size_t path = strcspn(line, ":\n");

		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		line[path] = '\0';
		if (line[0] != '/' && !local_path_climbs(line) && is_file_of(line, name))
			return line;
	}
	return NULL;
}

static int open_installed(const struct local_files *files, const char *release, const char *name,
			  const struct build_id *id, char **refused, struct local_elf *ret_elf)
{
	_cleanup_free_ char *list = NULL;
	char full[PATH_MAX];
	const char *file;
	int length, r;

	if (!files->symfs || !*release || strchr(release, '/') || release[0] == '.')
		return -ENOENT;
	length = snprintf(full, sizeof(full), "%s/lib/modules/%s/modules.dep", files->symfs, release);
	if (length < 0 || (size_t)length >= sizeof(full))
		return -ENOENT;
	r = read_list(files, full, &list);
	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	file = find_in_list(list, name);
	length = file ? snprintf(full, sizeof(full), "%s/lib/modules/%s/%s", files->symfs, release, file) : -1;
	if (length < 0 || (size_t)length >= sizeof(full))
		return -ENOENT;
	return open_module(files, full, LOCAL_PATH, id, refused, ret_elf);
}

int local_elf_open_kernel_module(const struct local_files *files, const char *release, const char *name,
				 const struct build_id *id, char **ret_refused, struct local_elf *ret_elf)
{
	int r, last = -ENOENT;

	if (!id->length)
		return -ENOENT;
	r = open_by_build_id(files, id, open_module, ret_refused, ret_elf);
	if (r < 0 && r != -ENOMEM)
		r = last = open_installed(files, release, name, id, ret_refused, ret_elf);
	if (r < 0 && r != -ENOMEM)
		r = open_from_server(files, DEBUG_SERVER_DEBUGINFO, id, elf_file_create_relocatable, ret_refused,
				     ret_elf);
	return r == -ENOENT ? last : r;
}
