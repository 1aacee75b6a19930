/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/service.h"

#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/log.h"
#include "common/time_units.h"
#include "common/unconst.h"
#include "record/host/clocks.h"

/* --- our own memory --- */

/* Locks the segments of one object that the loader has mapped. mlock() reads them, and takes care of whole pages. */
static int keep_object(struct dl_phdr_info *object, size_t size, void *context)
{
	size_t *kept = context;

	(void)size;
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && !mlock((const void *)start, segment->p_memsz))
			*kept += segment->p_memsz;
	}
	return 0;
}

size_t resident_keep(void)
{
	size_t kept = 0;

	(void)dl_iterate_phdr(keep_object, &kept);
	return kept;
}

/* --- the service manager --- */

/* The manager kills us if it hears nothing for its interval, so we send several signs of life in each. */
enum { SIGNS = 4 };

/* --- opening --- */

/* "/run/systemd/notify", or "@name" of the abstract namespace. */
static int address_of(const char *name, struct sockaddr_un *ret_address, socklen_t *ret_length)
{
	size_t length = strlen(name);

	*ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if ((*name != '/' && *name != '@') || length >= sizeof(ret_address->sun_path))
		return -EAFNOSUPPORT;
	memcpy(ret_address->sun_path, name, length);
	if (*name == '@')
		ret_address->sun_path[0] = '\0';
	*ret_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (*name == '/'));
	return 0;
}

static int connect_to(const char *name)
{
	struct sockaddr_un address;
	socklen_t length;
	int r = address_of(name, &address, &length), fd;

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || !connect(fd, (const struct sockaddr *)&address, length))
		return fd < 0 ? -errno : fd;
	r = -errno;
	(void)close(fd);
	return r;
}

/* A number in the environment; 0: there is none. */
static uint64_t number_in(const char *name)
{
	const char *text = getenv(name);
	char *end;
	unsigned long long number;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	return errno || *end ? 0 : number;
}

/* ns; 0: nobody expects signs of life, or they are expected of another process. */
static uint64_t watchdog_interval(void)
{
	uint64_t microseconds = number_in("WATCHDOG_USEC"), pid = number_in("WATCHDOG_PID");

	if ((pid && pid != (uint64_t)getpid()) || microseconds > UINT64_MAX / MICROSECOND)
		return 0;
	return microseconds * MICROSECOND / SIGNS;
}

void notify_open(struct notify *notify)
{
	static const char *const ours[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"};
	const char *name = getenv(ours[0]);
	int fd = name ? connect_to(name) : -ENOENT;

	*notify = (struct notify){.socket_plus_1 = fd < 0 ? 0 : fd + 1, .told = true};
	if (name && fd < 0)
		log_warning("cannot reach the service manager at '%s': %s", name, strerror(-fd));
	else if (name)
		notify->interval = watchdog_interval();
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		(void)unsetenv(ours[i]);
}

void notify_close(struct notify *notify)
{
	if (notify->socket_plus_1)
		(void)close(notify->socket_plus_1 - 1);
	*notify = (struct notify){0};
}

/* --- telling --- */

/* True if it was sent to the manager. */
static bool send_text(const struct notify *notify, const char *text)
{
	struct iovec part = {.iov_base = unconst(text), .iov_len = strlen(text)};
	const struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	return sendmsg(notify->socket_plus_1 - 1, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static bool tell_state(const struct notify *notify, uint64_t now)
{
	char text[64];

	switch (notify->state) {
	case NOTIFY_READY:
		return send_text(notify, "READY=1");
	case NOTIFY_RELOADS: /* the time tells the manager which request it is about */
		(void)snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now / MICROSECOND);
		return send_text(notify, text);
	case NOTIFY_STOPS:
		return send_text(notify, "STOPPING=1");
	default:
		return true;
	}
}

void notify_enter(struct notify *notify, enum notify_state state, uint64_t now)
{
	struct pollfd room = {.fd = notify->socket_plus_1 - 1, .events = POLLOUT};

	if (!notify->socket_plus_1)
		return;
	notify->state = state;
	notify->told = tell_state(notify, now);
	if (!notify->told && errno == EAGAIN && poll(&room, 1, NOTIFY_PATIENCE_MS) > 0)
		notify->told = tell_state(notify, now);
	notify->next = now;
}

void notify_status(const struct notify *notify, const char *text)
{
	char line[NOTIFY_TEXT_MAX + sizeof("STATUS=")];

	if (!notify->socket_plus_1)
		return;
	(void)snprintf(line, sizeof(line), "STATUS=%s", text);
	(void)send_text(notify, line);
}

uint64_t notify_next(const struct notify *notify)
{
	return notify->socket_plus_1 && notify->interval ? notify->next : UINT64_MAX;
}

void notify_step(struct notify *notify, uint64_t now)
{
	if (!notify->socket_plus_1)
		return;
	if (!notify->told)
		notify->told = tell_state(notify, now);
	if (!notify->interval || now < notify->next)
		return;
	/* If there was no room, we try again soon but not at once: the loop must not turn without a pause. */
	notify->next = now + (send_text(notify, "WATCHDOG=1") ? notify->interval : notify->interval / SIGNS);
}
