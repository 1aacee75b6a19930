/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The recorder's side of sd_notify(3): a socket of ours is the service manager. */
#include "record/service/notify.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/time_units.h"
#include "record/machine/clocks.h"
#include "tests/test.h"

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

TEST_MAIN(TEST(full_manager))
