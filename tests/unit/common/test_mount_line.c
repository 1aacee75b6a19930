/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/mount_line.h"

#include <stdio.h>
#include <sys/sysmacros.h>

#include "tests/test.h"

static void takes_lines_of_the_kernel(struct test *t)
{
	static const struct {
		const char *line;
		uint32_t id, parent;
		unsigned int major_number, minor_number;
		const char *point, *type;
	} rows[] = {
		{"36 35 98:1 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n", 36, 35, 98, 1,
		 "/mnt2", "ext3"},
		{"21 1 0:1048575 / / rw - tmpfs none rw", 21, 1, 0, 1048575, "/", "tmpfs"},
		{"7 6 0:9 / /a\\040b\\134c rw shared:1 master:2 - fuse.sshfs x\\040y rw\n", 7, 6, 0, 9, "/a b\\c",
		 "fuse.sshfs"},
		{"7 6 0:9 / /a\\04 rw - proc proc rw", 7, 6, 0, 9, "/a\\04", "proc"}, /* no escape */
		{"7 6 0:9 / /a rw - proc\n", 7, 6, 0, 9, "/a", "proc"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mount_line mount;
		char line[128];

		(void)snprintf(line, sizeof(line), "%s", rows[i].line);
		REQUIRE(t, mount_line_parse(line, &mount));
		CHECK_INT(t, mount.id, rows[i].id);
		CHECK_INT(t, mount.parent, rows[i].parent);
		CHECK_INT(t, mount.device, makedev(rows[i].major_number, rows[i].minor_number));
		CHECK_STR(t, mount.point, rows[i].point);
		CHECK_STR(t, mount.type, rows[i].type);
	}
}

static void refuses_other_shapes(struct test *t)
{
	static const char *const lines[] = {
		"", "\n", "36", "36 35 98:0 /mnt1 /mnt2", "36 35 98:0 /mnt1 /mnt2 rw ext3 /dev",
		"36 35 98 / /mnt rw - ext3 x rw",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct mount_line mount;
		char line[128];

		(void)snprintf(line, sizeof(line), "%s", lines[i]);
		CHECK(t, !mount_line_parse(line, &mount));
	}
}

TEST_MAIN(TEST(takes_lines_of_the_kernel), TEST(refuses_other_shapes))
