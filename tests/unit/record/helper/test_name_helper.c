/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Files of a runtime as it writes them, and as somebody else might: links, devices, other owners, other modes. */
#include "record/helper/name_helper.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/scratch.h"
#include "tests/test.h"

#define ID "3f4e5d6c7b8a99887766554433221100ffeeddccbbaa00112233445566778899"
#define FOLDER "var/lib/docker/containers/" ID
#define FILE_OF FOLDER "/config.v2.json"

static int make_root(void)
{
	char folder[48], path[] = FILE_OF;
	int root;

	scratch_folder(folder);
	root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdirat(root, path, 0700);
		*at = '/';
	}
	return root;
}

static void write_file(int root, const char *path, mode_t mode)
{
	static const char text[] = "{\"Name\":\"/web\"}";
	int fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0 || fchmod(fd, mode) < 0)
		abort();
	(void)close(fd);
}

static const char *name_in(int root, struct name_reply *reply)
{
	struct name_request request = {.cgroup = 7, .runtime = CONTAINER_DOCKER, .id = ID};

	name_helper_read(root, &request, reply);
	return reply->name;
}

static void reads_files_of_root_only(struct test *t)
{
	struct name_reply reply;
	int root;

	if (geteuid())
		SKIP(t, "needs root");
	root = make_root();
	CHECK_STR(t, name_in(root, &reply), "");
	write_file(root, FILE_OF, 0600);
	CHECK_STR(t, name_in(root, &reply), "web");
	write_file(root, FILE_OF, 0644);
	CHECK_STR(t, name_in(root, &reply), "web");
	write_file(root, FILE_OF, 0664);
	CHECK_STR(t, name_in(root, &reply), "");
	write_file(root, FILE_OF, 0600);
	CHECK(t, !fchownat(root, FILE_OF, 1000, 0, 0));
	CHECK_STR(t, name_in(root, &reply), "");
	CHECK(t, !fchownat(root, FILE_OF, 0, 0, 0) && !linkat(root, FILE_OF, root, "other", 0));
	CHECK_STR(t, name_in(root, &reply), ""); /* a second name of it */
	CHECK(t, !unlinkat(root, FILE_OF, 0) && !symlinkat("/other", root, FILE_OF));
	CHECK_STR(t, name_in(root, &reply), "");
	CHECK(t, !unlinkat(root, FILE_OF, 0) && !mkfifoat(root, FILE_OF, 0600));
	CHECK_STR(t, name_in(root, &reply), ""); /* and it does not wait */
	CHECK(t, !unlinkat(root, FILE_OF, 0) && !renameat(root, "other", root, FILE_OF));
	CHECK_STR(t, name_in(root, &reply), "web");
	CHECK(t, !renameat(root, FOLDER, root, "moved") && !symlinkat("/moved", root, FOLDER));
	CHECK_STR(t, name_in(root, &reply), ""); /* nor through a link to a folder */
	(void)close(root);
}

static void reads_no_large_file(struct test *t)
{
	struct name_reply reply;
	int root, fd;

	if (geteuid())
		SKIP(t, "needs root");
	root = make_root();
	write_file(root, FILE_OF, 0600);
	fd = openat(root, FILE_OF, O_WRONLY | O_CLOEXEC);
	CHECK(t, fd >= 0 && !ftruncate(fd, CONTAINER_NAME_FILE + 1));
	(void)close(fd);
	CHECK_STR(t, name_in(root, &reply), "");
	(void)close(root);
}

TEST_MAIN(TEST(reads_files_of_root_only), TEST(reads_no_large_file))
