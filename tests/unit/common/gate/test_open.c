/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lists of mounts as the kernel writes them, and files that are opened once they were found. */
#include "common/gate/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/test.h"

static void reads_lists_of_the_kernel(struct test *t)
{
	static const struct {
		const char *line; /* kind -1: has another shape, and is left out */
		uint32_t id, parent;
		unsigned int major_number, minor_number;
		const char *point;
		int kind;
	} rows[] = {
		{"36 35 98:1 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue", 36, 35, 98, 1,
		 "/mnt2", FILE_SYSTEM_LOCAL},
		{"21 1 0:1048575 / / rw - tmpfs none rw", 21, 1, 0, 1048575, "/", FILE_SYSTEM_LOCAL},
		{"7 6 0:9 / /a\\040b\\134c rw shared:1 master:2 - fuse.sshfs x\\040y rw", 7, 6, 0, 9, "/a b\\c",
		 FILE_SYSTEM_FUSE},
		{"7 6 0:9 / /a\\04 rw - proc proc rw", 7, 6, 0, 9, "/a\\04", FILE_SYSTEM_NO_FILES}, /* no escape */
		{"7 6 0:9 / /a rw - fusectl", 7, 6, 0, 9, "/a", FILE_SYSTEM_NO_FILES},
		{"7 6 0:9 / /a rw - fuseblk x", 7, 6, 0, 9, "/a", FILE_SYSTEM_FUSE},
		{"7 6 0:9 / /a rw - nfs4 x", 7, 6, 0, 9, "/a", FILE_SYSTEM_NETWORK},
		{"7 6 0:9 / /a rw - autofs x", 7, 6, 0, 9, "/a", FILE_SYSTEM_OTHER},
		{"7 6 0:9 / /a rw - ext4.x x", 7, 6, 0, 9, "/a", FILE_SYSTEM_OTHER},
		{"", .kind = -1},
		{"36", .kind = -1},
		{"36 35 98:0 /mnt1 /mnt2", .kind = -1},
		{"36 35 98:0 /mnt1 /mnt2 rw ext3 /dev", .kind = -1},
		{"36 35 98 / /mnt rw - ext3 x rw", .kind = -1},
	};
	char path[] = "/tmp/rwalker-mounts-XXXXXX";
	struct mount_list list = {0};
	size_t at = 0;
	FILE *file = fdopen(mkstemp(path), "w");

	REQUIRE(t, file != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		(void)fprintf(file, "%s\n", rows[i].line);
	REQUIRE(t, !fclose(file) && !mount_list_read(&list, AT_FDCWD, path));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct mount *mount = &list.mounts.items[at];

		if (rows[i].kind < 0)
			continue;
		REQUIRE(t, at++ < list.mounts.count);
		CHECK_INT(t, mount->id, rows[i].id);
		CHECK_INT(t, mount->parent, rows[i].parent);
		CHECK_INT(t, mount->device, makedev(rows[i].major_number, rows[i].minor_number));
		CHECK_STR(t, mount->point, rows[i].point);
		CHECK_INT(t, (int)mount->kind, rows[i].kind);
	}
	CHECK_INT(t, list.mounts.count, at);
	mount_list_free(&list);
	CHECK_INT(t, unlink(path), 0);
}

static void opens_what_was_found(struct test *t)
{
	char path[] = "/tmp/rwalker-found-XXXXXX", other[sizeof(path) + 1];
	int fd = mkstemp(path), found, opened;
	struct stat was, is;

	REQUIRE(t, fd >= 0 && write(fd, "inside", 6) == 6 && !close(fd));
	found = open(path, O_PATH | O_CLOEXEC);
	(void)snprintf(other, sizeof(other), "%sx", path);
	REQUIRE(t, found >= 0 && !fstat(found, &was) && !rename(path, other) && !mkfifo(path, 0600));
	opened = file_open_found(found, "/proc");
	REQUIRE(t, opened >= 0 && !fstat(opened, &is));
	CHECK(t, is.st_ino == was.st_ino && (fcntl(opened, F_GETFL) & O_ACCMODE) == O_RDONLY);
	CHECK(t, file_begins_with(opened, "insi", 4) && !file_begins_with(opened, "inside it", 9));
	(void)close(opened);
	(void)close(found);
	found = open(path, O_PATH | O_CLOEXEC);
	CHECK_INT(t, file_open_found(found, "/proc"), -EINVAL); /* nobody waits for its writer */
	(void)close(found);
	CHECK(t, !unlink(path) && !unlink(other));
}

TEST_MAIN(TEST(reads_lists_of_the_kernel), TEST(opens_what_was_found))
