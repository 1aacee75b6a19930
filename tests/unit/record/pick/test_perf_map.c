/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Perf maps: lines that make sense are kept; a hole ends the text, however large the file is. */
#define _GNU_SOURCE
#include "record/pick/perf_map.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/test.h"

static int map_of(const char *text, off_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, text, strlen(text)) < 0 || (size && ftruncate(fd, size)))) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static void keeps_lines_that_make_sense(struct test *t)
{
	struct elf_symbols symbols = {0};
	int fd = map_of("1000 20 one\nnonsense\n2000 0 empty\n3000 10 two words\n4000 10 unfinished", 0);

	REQUIRE(t, fd >= 0 && !perf_map_read(fd, &symbols));
	REQUIRE(t, symbols.count == 2);
	CHECK_INT(t, symbols.items[0].address, 0x1000);
	CHECK_STR(t, symbols.names + symbols.items[1].name, "two words");
	elf_symbols_deinit(&symbols);
	(void)close(fd);
}

static void reads_no_hole(struct test *t)
{
	struct elf_symbols symbols = {0};
	int fd = map_of("1000 20 one\n", (off_t)1 << 40);

	REQUIRE(t, fd >= 0 && !perf_map_read(fd, &symbols));
	CHECK_INT(t, symbols.count, 1);
	CHECK(t, symbols.names_size < 4096);
	elf_symbols_deinit(&symbols);
	(void)close(fd);
}

TEST_MAIN(TEST(keeps_lines_that_make_sense), TEST(reads_no_hole))
