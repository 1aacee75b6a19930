/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/opener/opener.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

struct place {
	char root[32], folder[48], file[64];
};

static void place_make(struct place *place)
{
	(void)snprintf(place->root, sizeof(place->root), "/tmp/rwalker-owner-XXXXXX");
	if (!mkdtemp(place->root))
		abort();
	(void)snprintf(place->folder, sizeof(place->folder), "%s/folder", place->root);
	(void)snprintf(place->file, sizeof(place->file), "%s/file", place->folder);
	if (mkdir(place->folder, 0755) < 0 || close(open(place->file, O_WRONLY | O_CREAT, 0644)) < 0)
		abort();
}

static void place_remove(const struct place *place)
{
	(void)unlink(place->file);
	(void)rmdir(place->folder);
	(void)rmdir(place->root);
}

static bool is_ours(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ours = file_is_ours(fd);

	(void)close(fd);
	return ours;
}

static void modes_count(struct test *t)
{
	static const struct {
		mode_t folder, file;
		bool ours;
	} cases[] = {
		{0755, 0644, true}, {0700, 0600, true}, {01777, 0644, true}, {0755, 0664, false},
		{0755, 0646, false}, {0775, 0644, false}, {0757, 0644, false}, {0777, 0600, false},
	};
	struct place place;

	place_make(&place);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHECK_INT(t, chmod(place.folder, cases[i].folder), 0);
		CHECK_INT(t, chmod(place.file, cases[i].file), 0);
		CHECK_INT(t, is_ours(place.file), cases[i].ours);
	}
	place_remove(&place);
}

static void every_folder_counts(struct test *t)
{
	struct place place;

	place_make(&place);
	CHECK(t, is_ours(place.file));
	CHECK_INT(t, chmod(place.root, 0777), 0);
	CHECK(t, !is_ours(place.file));
	place_remove(&place);
}

static void owners_count(struct test *t)
{
	enum { STRANGER = 65534 };
	struct place place;

	if (geteuid() != 0)
		SKIP(t, "only root can give a file away");
	place_make(&place);
	CHECK_INT(t, chown(place.file, STRANGER, STRANGER), 0);
	CHECK(t, !is_ours(place.file));
	CHECK_INT(t, chown(place.file, 0, 0), 0);
	CHECK(t, is_ours(place.file));
	CHECK_INT(t, chown(place.folder, STRANGER, STRANGER), 0);
	CHECK(t, !is_ours(place.file));
	place_remove(&place);
}

/* Neither have a place that could be judged. */
static void others_are_not(struct test *t)
{
	int pipes[2];

	CHECK(t, !is_ours("/dev/null"));
	REQUIRE(t, pipe(pipes) == 0);
	CHECK(t, !file_is_ours(pipes[0]));
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	CHECK(t, !file_is_ours(-1));
}

TEST_MAIN(TEST(modes_count), TEST(every_folder_counts), TEST(owners_count), TEST(others_are_not))
