/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/file/local_files_internal.h"
#include "report/resolve/file/unpack.h"

enum { LIST_MAX_BYTES = 64 << 20 }; /* of modules.dep */

static int open_module(const struct local_files *files, const char *path, enum local_source source,
		       const struct build_id *id, char **refused, struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1, .source = source, .path = strdup(path)};
	_cleanup_close_ int packed = -1;
	int r = local_open(files, OPENER_KERNEL_MODULE, path, &local);

	packed = steal_fd(&local.fd);
	local.ours = false; /* the unpacked copy is another file */
	if (!r)
		r = unpack_file(packed, path, &local.fd);
	if (!r)
		r = elf_file_create_relocatable(local.fd, &local.elf);
	if (!r && !elf_file_has_build_id(local.elf, id))
		r = -ESTALE;
	if (r == -ESTALE && local_note_refusal(refused, path) < 0)
		r = -ENOMEM;
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	*ret_elf = local;
	return 0;
}

static int open_by_build_id(const struct local_files *files, const struct build_id *id,
			    char **refused, struct local_elf *ret_elf)
{
	char text[BUILD_ID_TEXT], full[PATH_MAX];
	int r = -ENOENT;

	build_id_text(id, text);
	for (size_t i = 0;
	     id->length > 1 && files->debug_dirs && files->debug_dirs[i] && r < 0 && r != -ENOMEM;
	     i++) {
		int length = snprintf(full, sizeof(full), "%s/.build-id/%.2s/%s.debug",
				      files->debug_dirs[i], text, text + 2);

		if (length > 0 && (size_t)length < sizeof(full))
			r = open_module(files, full, LOCAL_BUILD_ID, id, refused, ret_elf);
	}
	return r;
}

/* --- modules.dep: "kernel/fs/ext4/ext4.ko.xz: ..." --- */

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
	_cleanup_free_ char *text = NULL;
	size_t length = 0;
	struct stat status;
	ssize_t got;
	int r = local_open(files, OPENER_MODULE_LIST, path, &local);

	if (r < 0)
		return r;
	if (fstat(local.fd, &status) < 0 || status.st_size > LIST_MAX_BYTES)
		return -E2BIG;
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (length < (size_t)status.st_size &&
	       (got = pread(local.fd, text + length, (size_t)status.st_size - length, (off_t)length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	*ret_text = steal_ptr(text);
	return 0;
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
	r = open_by_build_id(files, id, ret_refused, ret_elf);
	if (r < 0 && r != -ENOMEM)
		r = last = open_installed(files, release, name, id, ret_refused, ret_elf);
	if (r < 0 && r != -ENOMEM)
		r = local_open_from_server(files, DEBUG_SERVER_DEBUGINFO, id,
					   elf_file_create_relocatable, ret_refused, ret_elf);
	return r == -ENOENT ? last : r;
}
