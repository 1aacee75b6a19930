/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Files written here as perf's jitdump-specification.txt describes them. */
#include "record/pick/jit_log.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/byte_buffer.h"
#include "tests/test.h"

enum { CODE = 8 }; /* bytes of machine code after each name */

struct writer {
	uint8_t bytes[1 << 18];
	struct byte_buffer out;
};

static struct writer *begin(void)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		abort();
	writer->out = (struct byte_buffer){.bytes = writer->bytes, .room = sizeof(writer->bytes)};
	byte_buffer_uint(&writer->out, 0x4a695444, 4);
	byte_buffer_uint(&writer->out, 1, 4);	/* version */
	byte_buffer_uint(&writer->out, 40, 4);	/* of this header */
	byte_buffer_uint(&writer->out, 62, 4);	/* EM_X86_64 */
	byte_buffer_uint(&writer->out, 0, 4);
	byte_buffer_uint(&writer->out, 1234, 4); /* pid */
	byte_buffer_uint(&writer->out, 1, 8);
	byte_buffer_uint(&writer->out, 0, 8);
	return writer;
}

static void record(struct writer *writer, uint32_t id, size_t body)
{
	byte_buffer_uint(&writer->out, id, 4);
	byte_buffer_uint(&writer->out, 16 + body, 4);
	byte_buffer_uint(&writer->out, 2, 8); /* time */
	if (id > 1)
		return;
	byte_buffer_uint(&writer->out, 1234, 4);
	byte_buffer_uint(&writer->out, 1234, 4);
}

static void load(struct writer *writer, uint64_t address, uint64_t size, uint64_t index, const char *name)
{
	record(writer, 0, 40 + strlen(name) + 1 + CODE);
	byte_buffer_uint(&writer->out, address, 8);
	byte_buffer_uint(&writer->out, address, 8);
	byte_buffer_uint(&writer->out, size, 8);
	byte_buffer_uint(&writer->out, index, 8);
	byte_buffer_bytes(&writer->out, name, strlen(name) + 1);
	byte_buffer_uint(&writer->out, 0xc3c3c3c3c3c3c3c3, CODE);
}

static void move(struct writer *writer, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	record(writer, 1, 48);
	byte_buffer_uint(&writer->out, to, 8);
	byte_buffer_uint(&writer->out, from, 8);
	byte_buffer_uint(&writer->out, to, 8);
	byte_buffer_uint(&writer->out, size, 8);
	byte_buffer_uint(&writer->out, index, 8);
}

static int read_back(struct writer *writer, size_t cut, struct elf_symbols *symbols)
{
	int fd = memfd_create("dump", MFD_CLOEXEC), rc;
	size_t length = writer->out.used - cut;

	if (fd < 0 || write(fd, writer->bytes, length) != (ssize_t)length)
		abort();
	rc = jit_log_read(fd, symbols);
	(void)close(fd);
	return rc;
}

static void check(struct test *t, const struct elf_symbols *symbols, size_t i, uint64_t address,
		  uint64_t size, const char *name)
{
	if (!CHECK(t, i < symbols->count))
		return;
	CHECK_INT(t, symbols->items[i].address, address);
	CHECK_INT(t, symbols->items[i].size, size);
	CHECK_STR(t, symbols->names + symbols->items[i].name, name);
}

static void reads_what_was_compiled(struct test *t)
{
	struct writer *writer = begin();
	struct elf_symbols symbols = {0};

	load(writer, 0x7000, 0x40, 1, "second");
	record(writer, 2, 32); /* JIT_CODE_DEBUG_INFO */
	byte_buffer_bytes(&writer->out, (uint8_t[32]){0}, 32);
	load(writer, 0x6000, 0x20, 2, "first(int, char)");
	record(writer, 3, 0); /* JIT_CODE_CLOSE */
	REQUIRE(t, !read_back(writer, 0, &symbols));
	CHECK_INT(t, symbols.count, 2);
	check(t, &symbols, 0, 0x6000, 0x20, "first(int, char)");
	check(t, &symbols, 1, 0x7000, 0x40, "second");
	elf_symbols_deinit(&symbols);
	free(writer);
}

static void later_code_replaces_earlier(struct test *t)
{
	struct writer *writer = begin();
	struct elf_symbols symbols = {0};

	load(writer, 0x6000, 0x20, 1, "old");
	load(writer, 0x7000, 0x20, 2, "stays");
	load(writer, 0x6000, 0x30, 3, "new");
	move(writer, 0x7000, 0x8000, 0x20, 2);
	move(writer, 0x7100, 0x9000, 0x20, 99); /* of what was never loaded */
	load(writer, 0x8800, 0, 5, "empty");
	load(writer, UINT64_MAX - 4, 0x20, 6, "overflows");
	REQUIRE(t, !read_back(writer, 0, &symbols));
	CHECK_INT(t, symbols.count, 3);
	check(t, &symbols, 0, 0x6000, 0x30, "new");
	check(t, &symbols, 1, 0x7000, 0x20, "stays");
	check(t, &symbols, 2, 0x8000, 0x20, "stays");
	elf_symbols_deinit(&symbols);
	free(writer);
}

static void takes_what_is_whole(struct test *t)
{
	struct writer *writer = begin();
	struct elf_symbols symbols = {0};
	char name[70000];

	memset(name, 'x', sizeof(name));
	name[3000] = '\0';
	load(writer, 0x6000, 0x20, 1, name);
	load(writer, 0x7000, 0x20, 2, "being written");
	REQUIRE(t, !read_back(writer, 20 + CODE, &symbols));
	check(t, &symbols, 0, 0x6000, 0x20, name);
	elf_symbols_deinit(&symbols);
	free(writer);
	writer = begin();
	record(writer, 0, (size_t)-12); /* a record shorter than its header */
	REQUIRE(t, !read_back(writer, 0, &symbols));
	CHECK_INT(t, symbols.count, 0);
	elf_symbols_deinit(&symbols);
	free(writer);
}

static void refuses_other_files(struct test *t)
{
	struct writer *writer = begin();
	struct elf_symbols symbols = {0};

	writer->bytes[0] = 'J'; /* as on a machine of the other byte order */
	CHECK_INT(t, read_back(writer, 0, &symbols), -ENOEXEC);
	CHECK_INT(t, read_back(writer, writer->out.used, &symbols), -ENOEXEC);
	free(writer);
	CHECK(t, jit_log_is_path("/root/.debug/jit/x/jit-12.dump"));
	CHECK(t, jit_log_is_path("/jit-1.dump"));
	CHECK(t, !jit_log_is_path("jit-1.dump"));
	CHECK(t, !jit_log_is_path("/tmp/jit-.dump"));
	CHECK(t, !jit_log_is_path("/tmp/jit-1.dump.old"));
	CHECK(t, !jit_log_is_path("/tmp/jit-1x.dump"));
}

TEST_MAIN(TEST(reads_what_was_compiled), TEST(later_code_replaces_earlier),
	  TEST(takes_what_is_whole), TEST(refuses_other_files))
