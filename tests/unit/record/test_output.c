/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The output file, and what an attacker or a hurried user puts in its way: the truth is what stat says afterwards. What the service manager is told. */
#include "record/output_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/time_units.h"
#include "record/host/clocks.h"
#include "record/host/service.h"
#include "tests/scratch.h"
#include "tests/test.h"

static int enter_directory(void)
{
	char directory[48];

	scratch_folder(directory);
	return !chmod(directory, 0777) && !chdir(directory);
}

static int plant(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	return file && fputs(text, file) >= 0 && !fclose(file);
}

static int opens(const char *path, bool force)
{
	struct output_file output;
	int rc = output_file_open(&output, path, force);

	if (!rc)
		output_file_close(&output);
	return !rc;
}

static int holds(const char *path, const char *text)
{
	char bytes[64] = "";
	FILE *file = fopen(path, "r");

	if (file) {
		(void)!fread(bytes, 1, sizeof(bytes) - 1, file);
		(void)fclose(file);
	}
	return !strcmp(bytes, text);
}

static void refuses_what_is_no_plain_file(struct test *t)
{
	REQUIRE(t, enter_directory());
	REQUIRE(t, !mkfifo("fifo", 0600) && !mkdir("folder", 0700) && plant("one", "precious") && !link("one", "two"));
	CHECK(t, !opens("fifo", true) && !opens("fifo", false));
	CHECK(t, !opens("folder", true) && !opens("folder", false));
	CHECK(t, !opens("one", true)); /* a second name: somebody else may rely on it */
	CHECK(t, holds("two", "precious"));
	CHECK(t, !opens("/dev/null", true));
	CHECK(t, !opens("missing/folder/x.rwk", false));
}

static void belongs_to_the_user_behind_sudo(struct test *t)
{
	struct stat status;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, enter_directory());
	REQUIRE(t, !setenv("SUDO_UID", "12345", 1) && !setenv("SUDO_GID", "23456", 1));
	CHECK(t, opens("mine.rwk", false));
	REQUIRE(t, !stat("mine.rwk", &status));
	CHECK_INT(t, status.st_uid, 12345);
	CHECK_INT(t, status.st_gid, 23456);
	/* Where the user may not write, root does not write for them; nor does it replace what is not theirs. */
	REQUIRE(t, plant("roots.rwk", "precious") && !mkdir("closed", 0700));
	CHECK(t, !opens("closed/x.rwk", false));
	CHECK(t, !opens("roots.rwk", true));
	CHECK(t, holds("roots.rwk", "precious"));
	CHECK_INT(t, geteuid(), 0);
	(void)unsetenv("SUDO_UID");
	(void)unsetenv("SUDO_GID");
}

/* --- service manager --- */

struct manager {
	int socket;
	char name[64]; /* for NOTIFY_SOCKET */
	char text[512];
};

/* abstract: a name without a file. */
static void manager_open(struct manager *manager, bool abstract)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length;

	(void)snprintf(manager->name, sizeof(manager->name), "%s/tmp/test_notify.%d", abstract ? "@" : "",
		       (int)getpid());
	length = strlen(manager->name);
	memcpy(address.sun_path, manager->name, length);
	address.sun_path[0] = abstract ? '\0' : '/';
	(void)unlink(manager->name);
	manager->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	(void)bind(manager->socket, (const struct sockaddr *)&address,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
	(void)setenv("NOTIFY_SOCKET", manager->name, 1);
}

static void manager_close(struct manager *manager)
{
	(void)close(manager->socket);
	(void)unlink(manager->name);
}

/* The next message; "": there is none. */
static const char *heard(struct manager *manager)
{
	ssize_t length = recv(manager->socket, manager->text, sizeof(manager->text) - 1, 0);

	manager->text[length > 0 ? length : 0] = '\0';
	return manager->text;
}

/* How many messages it takes until there is no room. */
static unsigned int fill(const struct notify *notify)
{
	unsigned int count = 0;

	while (count < 100000 && send(notify->socket_plus_1 - 1, "x", 1, MSG_DONTWAIT) == 1)
		count++;
	return count;
}

/* A manager that does not read must not stop us, and learns later what it has to know. */
static void full_manager(struct test *t)
{
	struct manager manager;
	struct notify notify;
	uint64_t before;
	unsigned int count;

	manager_open(&manager, false);
	notify_open(&notify);
	count = fill(&notify);
	before = clocks_now();
	notify_enter(&notify, NOTIFY_READY, SECOND);
	notify_status(&notify, "x");
	notify_step(&notify, 2 * SECOND);
	CHECK(t, clocks_now() - before < 10 * SECOND);
	for (unsigned int i = 0; i < count; i++)
		CHECK_STR(t, heard(&manager), "x");
	CHECK_STR(t, heard(&manager), "");
	notify_step(&notify, 3 * SECOND);
	CHECK_STR(t, heard(&manager), "READY=1");
	notify_step(&notify, 4 * SECOND);
	CHECK_STR(t, heard(&manager), "");
	notify_close(&notify);
	manager_close(&manager);
}

TEST_MAIN(TEST(refuses_what_is_no_plain_file), TEST(belongs_to_the_user_behind_sudo),
	  TEST(full_manager))
