/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where functions begin and end, as readelf reads the unwind information of programs that were made in several ways. */
#include "report/resolve/unwind/cfi_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "tests/scratch.h"
#include "tests/test.h"

static const char program_text[] = "#include <stdlib.h>\\n#include <string.h>\\n"
				   "static int twice(const char *text) { return 2 * (int)strlen(text); }\\n"
				   "int main(int c, char **v) { return abs(c) + twice(v[0]) + rand(); }\\n";

struct program {
	struct elf_file *elf;
	struct cfi_file cfi;
};

static void program_close(struct program *program)
{
	cfi_file_close(&program->cfi);
	elf_file_destroy(program->elf);
}

static int program_open(const char *path, struct program *program)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : elf_file_create(fd, &program->elf);

	return r < 0 ? r : cfi_file_open(program->elf, NULL, 0, &program->cfi);
}

static void check_function(struct test *t, const struct cfi_file *file, uint64_t start, uint64_t end)
{
	const uint64_t inside[] = {start, start + (end - start) / 2, end - 1};

	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
		struct cfi_function ours = {0};
		bool found = cfi_file_function(file, inside[i], &ours);

		test_check(t, found && ours.start == start && ours.end == end,
			   "%#jx is in %#jx to %#jx, not %#jx to %#jx", (uintmax_t)inside[i], (uintmax_t)start,
			   (uintmax_t)end, (uintmax_t)ours.start, (uintmax_t)ours.end);
	}
}

/* "00000018 ... FDE cie=00000000 pc=0000000000001090..00000000000010b2" */
static void compare_with_readelf(struct test *t, const char *path, const struct cfi_file *file)
{
	char command[256], line[512];
	size_t count = 0;
	FILE *pipe;

	(void)snprintf(command, sizeof(command), "readelf --debug-dump=frames '%s' 2>/dev/null", path);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		const char *range = strstr(line, " pc=");
		unsigned long long start, end;

		if (!range || sscanf(range, " pc=%llx..%llx", &start, &end) != 2 || start == end)
			continue;
		count++;
		check_function(t, file, start, end);
	}
	if (pipe)
		(void)pclose(pipe);
	CHECK(t, count > 3);
	CHECK_INT(t, cfi_section_count(file->section), count);
}

/* By the table of .eh_frame_hdr, or without it, or of .debug_frame; in a file without symbols, too. */
static void finds_functions_where_readelf_does(struct test *t)
{
	static const char *const ways[] = {
		"cc", "cc -s -static", "cc -s -Wl,--no-eh-frame-hdr", "cc -g -fno-asynchronous-unwind-tables",
	};
	char folder[48], path[64];

	if (!shell_run("{ cc --version && readelf --version; } >/dev/null 2>&1"))
		SKIP(t, "no compiler or readelf here");
	scratch_folder(folder);
	REQUIRE(t, shell_run("printf '%s' >%s/program.c", program_text, folder));
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		_cleanup_(program_close) struct program program = {0};
		struct cfi_function none;

		(void)snprintf(path, sizeof(path), "%s/%zu", folder, i);
		REQUIRE(t, shell_run("%s -O1 %s/program.c -o %s", ways[i], folder, path));
		REQUIRE(t, !program_open(path, &program));
		compare_with_readelf(t, path, &program.cfi);
		CHECK(t, !cfi_file_function(&program.cfi, 1, &none));
		CHECK(t, !cfi_file_function(&program.cfi, UINT64_MAX, &none));
	}
}

static void knows_none_before_it_was_read(struct test *t)
{
	const struct cfi_file file = {0};
	struct cfi_function none;

	CHECK(t, !cfi_file_function(&file, 4096, &none));
}

TEST_MAIN(TEST(finds_functions_where_readelf_does), TEST(knows_none_before_it_was_read))
