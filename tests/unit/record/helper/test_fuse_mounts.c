/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/fuse_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/test.h"

/* A folder as a process has it in /proc, whose list of mounts has a line of this type with the device of the file. */
static void list_mounts(struct test *t, int folder, uint64_t device, const char *type)
{
	int fd = openat(folder, "mountinfo", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *list = fd < 0 ? NULL : fdopen(fd, "w");

	REQUIRE(t, list);
	(void)fprintf(list, "21 1 4095:1 / / rw shared:1 - ext4 /dev/vda rw\n");
	if (type)
		(void)fprintf(list, "36 35 %u:%u / /mnt/a\\040b rw,nosuid shared:9 master:1 - %s server rw,user_id=0\n",
			      major(device), minor(device), type);
	(void)fprintf(list, "37 35 4095:2 / /fuse rw - fuse x rw\n");
	REQUIRE(t, fclose(list) == 0);
}

static void by_the_type_of_its_mount(struct test *t)
{
	static const struct {
		const char *type;
		bool fuse;
	} rows[] = {
		{"fuse", true}, {"fuse.sshfs", true}, {"fuseblk", true}, {"fuseblk.ntfs", true}, {"fusectl", false},
		{"ext4", false}, {"overlay", false}, {"fuse2", false}, {NULL, false},
	};
	char path[] = "/tmp/rwalker-mounts.XXXXXX";
	struct stat status;
	int folder;

	REQUIRE(t, mkdtemp(path));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(t, folder >= 0 && !fstat(folder, &status));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fuse_mounts mounts = {.folder = folder};

		list_mounts(t, folder, status.st_dev, rows[i].type);
		CHECK_INT(t, fuse_mounts_have(&mounts, folder), rows[i].fuse);
		list_mounts(t, folder, status.st_dev, rows[i].fuse ? "ext4" : "fuse");
		CHECK_INT(t, fuse_mounts_have(&mounts, folder), rows[i].fuse); /* known */
	}
	CHECK(t, !unlinkat(folder, "mountinfo", 0) && !rmdir(path));
	(void)close(folder);
}

static void by_the_deepest_mount_of_a_path(struct test *t)
{
	static const struct {
		const char *path;
		bool fuse;
	} rows[] = {
		{"/", false}, {"/mnt", false}, {"/mnt/a b", true}, {"/mnt/a b/x/y", true}, {"/mnt/a bc", false},
		{"/fuse", true}, {"/fuse/prog", true}, {"/fused", false}, {"/tmp/perf-1.map", false},
	};
	char path[] = "/tmp/rwalker-mounts.XXXXXX";
	struct fuse_mounts mounts;

	REQUIRE(t, mkdtemp(path));
	mounts = (struct fuse_mounts){.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	REQUIRE(t, mounts.folder >= 0);
	list_mounts(t, mounts.folder, 1, "fuse.sshfs");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_INT(t, fuse_mounts_cover(&mounts, rows[i].path), rows[i].fuse);
	CHECK(t, !unlinkat(mounts.folder, "mountinfo", 0) && !rmdir(path));
	(void)close(mounts.folder);
	mounts.folder = -1;
	CHECK(t, !fuse_mounts_cover(&mounts, "/"));
}

TEST_MAIN(TEST(by_the_type_of_its_mount), TEST(by_the_deepest_mount_of_a_path))
