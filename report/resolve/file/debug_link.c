/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/file/debug_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/bytes.h"
#include "common/cleanup.h"

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
