/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/file/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/process.h"
#include "common/unconst.h"

enum { BLOCK = 1 << 20 };

/* --- bytes as text --- */

enum { DIGITS = 91, MASK = (1 << DENSE_PAIR_BITS) - 1 };

static const char digits[] =
	"!\x22#$%'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

_Static_assert(sizeof(digits) == DIGITS + 1, "two digits have 13 bits");

void dense_write(const uint8_t *bytes, size_t size, FILE *out)
{
	enum { PAIRS = 2048 };
	char text[2 * PAIRS] = "";
	size_t used = 0;
	uint32_t held = 0;
	unsigned int bits = 0;

	for (size_t i = 0; i < size; i++) {
		held |= (uint32_t)bytes[i] << bits;
		bits += 8;
		if (bits < DENSE_PAIR_BITS)
			continue;
		text[used++] = digits[(held & MASK) % DIGITS];
		text[used++] = digits[(held & MASK) / DIGITS];
		held >>= DENSE_PAIR_BITS;
		bits -= DENSE_PAIR_BITS;
		if (used == sizeof(text)) {
			(void)fwrite(text, 1, used, out);
			used = 0;
		}
	}
	(void)fwrite(text, 1, used, out);
	if (bits)
		(void)fputc(digits[held % DIGITS], out);
	if (bits > DENSE_DIGIT_BITS)
		(void)fputc(digits[held / DIGITS], out);
}

/* --- sha256 --- */

void sha256_text(const void *bytes, size_t length, char text[static SHA256_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, length, bytes);
	sha256_digest(&context, sizeof(digest), digest);
	base64_encode_raw(text, sizeof(digest), digest);
	text[SHA256_TEXT - 1] = '\0';
}

/* --- zlib --- */

enum { LEVEL = 6, GZIP_WINDOW = 15 + 16, MEMORY = 9, PART = 1 << 30 }; /* bytes that zlib gets at a time */

/* All into a room that deflateBound() found to be enough. */
static int pack_all(z_stream *stream, size_t size, size_t room)
{
	int r = Z_OK;

	while (r == Z_OK) {
		uInt in = size < PART ? (uInt)size : PART, out = room < PART ? (uInt)room : PART;

		stream->avail_in = in;
		stream->avail_out = out;
		r = deflate(stream, in == size ? Z_FINISH : Z_NO_FLUSH);
		size -= in - stream->avail_in;
		room -= out - stream->avail_out;
		if (!room && r == Z_OK)
			return -ENOMEM;
	}
	return r == Z_STREAM_END ? 0 : -ENOMEM;
}

int gzip_pack(const uint8_t *bytes, size_t size, uint8_t **ret_packed, size_t *ret_size)
{
	z_stream stream = {.next_in = unconst(bytes)};
	uint8_t *packed;
	size_t room;
	int r = -ENOMEM;

	if (deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	room = deflateBound(&stream, size);
	packed = malloc(room);
	if (packed) {
		stream.next_out = packed;
		r = pack_all(&stream, size, room);
	}
	*ret_size = stream.total_out;
	(void)deflateEnd(&stream);
	if (r < 0)
		free(packed);
	else
		*ret_packed = packed;
	return r;
}

int crc32_of_file(int fd, uint64_t most, uint32_t *ret_crc)
{
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	uLong crc = crc32_z(0, NULL, 0);
	struct stat status;
	ssize_t got = BLOCK;

	if (!block)
		return -ENOMEM;
	if (fstat(fd, &status) < 0)
		return -errno;
	if ((uint64_t)status.st_size > most)
		return -E2BIG;
	for (uint64_t offset = 0; offset < most && got == BLOCK; offset += BLOCK) {
		got = descriptor_read(fd, block, BLOCK, offset);
		if (got < 0)
			return (int)got;
		crc = crc32_z(crc, block, (size_t)got);
	}
	*ret_crc = (uint32_t)crc;
	return 0;
}

const char *deflate_version(void)
{
	return zlibVersion();
}

/* The output of decompression: an anonymous file with a size limit. */
struct unpacked {
	int fd;
	uint64_t size, most;
};

static int unpacked_open(struct unpacked *unpacked, uint64_t most)
{
	*unpacked = (struct unpacked){.fd = memfd_create("unpacked", MFD_CLOEXEC), .most = most};
	return unpacked->fd < 0 ? -errno : 0;
}

/* -E2BIG: over the limit, nothing was written. */
static int unpacked_add(struct unpacked *unpacked, const void *bytes, size_t size)
{
	if (size > unpacked->most - unpacked->size)
		return -E2BIG;
	unpacked->size += size;
	return descriptor_write(unpacked->fd, bytes, size);
}

/* Keeps the file or, after an error, closes it. */
static int unpacked_close(struct unpacked *unpacked, int r, int *ret_fd)
{
	if (!r)
		*ret_fd = unpacked->fd;
	else if (unpacked->fd >= 0)
		(void)close(unpacked->fd);
	return r;
}

int unpack_nothing(const void *bytes, size_t size, int *ret_fd)
{
	struct unpacked unpacked;
	int r = unpacked_open(&unpacked, size);

	return unpacked_close(&unpacked, r < 0 ? r : unpacked_add(&unpacked, bytes, size), ret_fd);
}

/* --- xz --- */

enum { LIBRARY_MEMORY = 192 << 20 }; /* xz -9 needs 65 MiB to decompress */

static int translate_xz(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return -ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return -E2BIG;
	default:
		return -EBADMSG;
	}
}

static int xz_all(lzma_stream *stream, uint8_t *block, struct unpacked *unpacked)
{
	lzma_ret result = LZMA_OK;
	int r = 0;

	while (!r && result != LZMA_STREAM_END) {
		stream->next_out = block;
		stream->avail_out = BLOCK;
		result = lzma_code(stream, LZMA_FINISH);
		r = translate_xz(result);
		if (!r)
			r = unpacked_add(unpacked, block, BLOCK - stream->avail_out);
	}
	return r;
}

int unpack_xz(const void *bytes, size_t size, uint64_t *left, int *ret_fd)
{
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	lzma_stream stream = LZMA_STREAM_INIT;
	struct unpacked unpacked;
	int r = block ? unpacked_open(&unpacked, *left) : -ENOMEM;

	if (r < 0)
		return r;
	stream.next_in = bytes;
	stream.avail_in = size;
	r = translate_xz(lzma_stream_decoder(&stream, LIBRARY_MEMORY, LZMA_CONCATENATED));
	if (!r)
		r = xz_all(&stream, block, &unpacked);
	lzma_end(&stream);
	*left -= r == -E2BIG ? *left : unpacked.size;
	return unpacked_close(&unpacked, r, ret_fd);
}

const char *unpack_xz_version(void)
{
	return lzma_version_string();
}

/* --- zstd --- */

enum { WINDOW_LOG = 27 }; /* 128 MiB: needed for zstd -19 --long */

static int zstd_all(ZSTD_DStream *stream, ZSTD_inBuffer *in, uint8_t *block, struct unpacked *unpacked)
{
	size_t left = 1;
	int r = 0;

	while (!r && (in->pos < in->size || left)) {
		ZSTD_outBuffer out = {.dst = block, .size = BLOCK};
		size_t before = in->pos;

		left = ZSTD_decompressStream(stream, &out, in);
		if (ZSTD_isError(left))
			return -EBADMSG;
		if (out.pos == 0 && in->pos == before)
			return left ? -EBADMSG : 0; /* truncated */
		r = unpacked_add(unpacked, block, out.pos);
	}
	return r;
}

static int unpack_zstd(const void *bytes, size_t size, uint64_t most, int *ret_fd)
{
	_cleanup_free_ uint8_t *block = malloc(BLOCK);
	ZSTD_inBuffer in = {.src = bytes, .size = size};
	ZSTD_DStream *stream = block ? ZSTD_createDStream() : NULL;
	struct unpacked unpacked = {.fd = -1};
	int r = -ENOMEM;

	if (stream && !ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG)))
		r = 0;
	if (!r)
		r = unpacked_open(&unpacked, most);
	if (!r)
		r = zstd_all(stream, &in, block, &unpacked);
	(void)ZSTD_freeDStream(stream);
	return unpacked_close(&unpacked, r, ret_fd);
}

const char *unpack_zstd_version(void)
{
	return ZSTD_versionString();
}

/* --- files --- */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && !strcmp(text + length - wanted, end);
}

int unpack_file(int fd, const char *path, int *ret_fd)
{
	bool xz = ends_with(path, ".xz"), zstd = ends_with(path, ".zst");
	_cleanup_free_ char *bytes = NULL;
	uint64_t most = UNPACK_MAX_BYTES;
	size_t size = 0;
	int r;

	if (!xz && !zstd) {
		*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		return *ret_fd < 0 ? -errno : 0;
	}
	r = descriptor_read_whole(fd, UNPACK_MAX_INPUT, &bytes, &size);
	if (r < 0)
		return r;
	return xz ? unpack_xz(bytes, size, &most, ret_fd) : unpack_zstd(bytes, size, most, ret_fd);
}
