/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/local_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	*local = (struct local_elf){.fd = -1};
}

/* A FIFO must not block and a device must not act, so the kind is asked before anything is read. */
static int open_regular(const char *path, int *ret_fd)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return -ENOENT;
	}
	*ret_fd = fd;
	return 0;
}

static bool same_build_id(const struct elf_file *elf, const struct build_id *id)
{
	struct build_id found;

	elf_file_build_id(elf, &found);
	return found.length == id->length && !memcmp(found.bytes, id->bytes, id->length);
}

int local_elf_open_named(const char *path, const struct build_id *id, struct local_elf *ret_elf)
{
	struct local_elf local = {.fd = -1};
	int r;

	if (!id->length)
		return -ENOENT;
	r = open_regular(path, &local.fd);
	if (r == 0)
		r = elf_file_create(local.fd, &local.elf);
	if (r == 0 && !same_build_id(local.elf, id))
		r = -ESTALE;
	if (r < 0) {
		local_elf_close(&local);
		return r;
	}
	*ret_elf = local;
	return 0;
}

/* Whether a component is "..". */
static bool climbs(const char *path)
{
	for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
		if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == '\0'))
			return true;
	return false;
}

int local_elf_open(const struct local_files *files, const char *path, const struct build_id *id,
		   struct local_elf *ret_elf)
{
	char full[PATH_MAX];
	int length;

	if (!files->symfs || path[0] != '/' || climbs(path))
		return -ENOENT;
	length = snprintf(full, sizeof(full), "%s%s", files->symfs, path);
	if (length < 0 || (size_t)length >= sizeof(full))
		return -ENOENT;
	return local_elf_open_named(full, id, ret_elf);
}

int local_elf_open_debug(const struct local_files *files, const struct build_id *id, struct local_elf *ret_elf)
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
			r = local_elf_open_named(full, id, ret_elf);
	}
	return r;
}
