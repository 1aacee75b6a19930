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
#include "report/file/pack.h"
#include "report/opener/opener.h"

/* Private to local_files.c and local_kernel_modules.c. */

typedef int local_elf_create(int fd, struct elf_file **ret_file);

/* Sets the descriptor and the file's properties. The caller has set the path (NULL: -ENOMEM). As opener_open(). */
int local_open(const struct local_files *files, enum opener_kind kind, const char *path, struct local_elf *local);
/* Keeps the path of the first file that existed but was the wrong one. `refused` may be NULL. -ENOMEM. */
int local_note_refusal(char **refused, const char *path);
/* Checks the file like any other: the library checks nothing. */
int local_open_from_server(const struct local_files *files, enum debug_server_file what,
			   const struct build_id *id, local_elf_create *create, char **refused,
			   struct local_elf *ret_elf);

/* --- debug link --- */

enum {
	SECTION_MAX = 4096,
	BLOCK = 1 << 20,
	LANES = 8, /* bytes per step */
};
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

/* --- CRC32 (IEEE 802.3, reflected), eight bytes at a time --- */

struct crc_table {
	uint32_t of[LANES][256]; /* of[n][b]: the effect of byte b followed by n zero bytes */
};

static void crc_table_fill(struct crc_table *table)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		table->of[0][byte] = crc;
	}
	for (uint32_t byte = 0; byte < 256; byte++)
		for (int lane = 1; lane < LANES; lane++) {
			uint32_t before = table->of[lane - 1][byte];

			table->of[lane][byte] = before >> 8 ^ table->of[0][before & 0xff];
		}
}

static uint32_t crc_add(const struct crc_table *table, uint32_t crc, const uint8_t *bytes, size_t length)
{
	for (; length >= LANES; length -= LANES, bytes += LANES) {
		uint32_t low, high;

		memcpy(&low, bytes, sizeof(low));
		memcpy(&high, bytes + sizeof(low), sizeof(high));
		low ^= crc;
		crc = table->of[7][low & 0xff] ^ table->of[6][low >> 8 & 0xff] ^
		      table->of[5][low >> 16 & 0xff] ^ table->of[4][low >> 24] ^
		      table->of[3][high & 0xff] ^ table->of[2][high >> 8 & 0xff] ^
		      table->of[1][high >> 16 & 0xff] ^ table->of[0][high >> 24];
	}
	for (; length; length--)
		crc = crc >> 8 ^ table->of[0][(crc ^ *bytes++) & 0xff];
	return crc;
}

int debug_link_check(const struct debug_link *link, int fd)
{
	_cleanup_free_ struct crc_table *table = malloc(sizeof(*table));
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	uint32_t crc = UINT32_MAX;
	uint64_t offset = 0;
	struct stat status;
	ssize_t got;

	if (!table || !block)
		return -ENOMEM;
	if (fstat(fd, &status) < 0)
		return -errno;
	if ((uint64_t)status.st_size > FILE_MAX_BYTES)
		return -E2BIG;
	crc_table_fill(table);
	while (offset < FILE_MAX_BYTES && (got = pread(fd, block, BLOCK, (off_t)offset)) != 0) {
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			crc = crc_add(table, crc, block, (size_t)got);
			offset += (uint64_t)got;
		}
	}
	return ~crc == link->crc ? 0 : -ESTALE;
}

/* --- local kernel modules --- */

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

/* --- local files --- */

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

static int local_files_open_by_build_id(const struct local_files *files, const struct build_id *id, char **refused,
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
	return local_files_open_by_build_id(files, id, NULL, ret_elf);
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
	int r = local_files_open_by_build_id(files, id, &refused, ret_elf);

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
