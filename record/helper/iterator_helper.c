/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/iterator_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bpf/ring.h"
#include "bpf/user_mutex.h"
#include "common/cleanup.h"
#include "common/gate/open.h"
#include "common/gate/packet.h"
#include "record/plan/deadlines.h"

enum { SMALLEST_PAGE = 4096, PAGES = RING_MAX_SNAPSHOT / SMALLEST_PAGE + 1 };

struct copier {
	struct ring_sleeper_asked *asked; /* shared with the program */
	int pagemap;			  /* of tgid; -1: none */
	uint32_t tgid, most;
	/* the last copy, and what it is of */
	uint32_t tid;
	struct ring_sleeper_place place;
	enum user_missing outcome;
	size_t size;
	struct ring_sleeper *answer; /* with room for the largest stack */
};

/* --- memory of a target --------------------------------------------------------------------------- */

static int pagemap_open(struct copier *copier, uint32_t tgid)
{
	char path[32];

	if (copier->pagemap >= 0 && copier->tgid == tgid)
		return copier->pagemap;
	if (copier->pagemap >= 0)
		(void)close(copier->pagemap);
	(void)snprintf(path, sizeof(path), "%u/pagemap", tgid); /* below /proc: helpers.h */
	copier->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	copier->tgid = tgid;
	return copier->pagemap;
}

/* How many of the bytes come before the first page that is not in memory. -errno */
static ssize_t bytes_present(struct copier *copier, uint32_t tgid, uint64_t from, size_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), present = 1ull << 63;
	const uint64_t first = from / page;
	uint64_t entries[PAGES], count = (from + size - 1) / page - first + 1, done = 0;
	int fd = pagemap_open(copier, tgid);
	ssize_t got;

	if (fd < 0 || count > PAGES)
		return fd < 0 ? -errno : -EINVAL;
	got = pread(fd, entries, count * sizeof(entries[0]), (off_t)(first * sizeof(entries[0])));
	if (got < 0)
		return -errno;
	while (done < (size_t)got / sizeof(entries[0]) && entries[done] & present)
		done++;
	if (!done)
		return 0;
	return (ssize_t)((first + done) * page - from < size ? (first + done) * page - from : size);
}

static ssize_t copy(uint32_t tid, uint64_t from, void *to, size_t size)
{
	const struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
	ssize_t got = process_vm_readv((pid_t)tid, &here, 1, &there, 1, 0);

	return got < 0 ? -errno : got;
}

/* The place's file, if it has one, must be one that no server answers for. */
static bool may_touch(const struct ring_sleeper_place *place)
{
	return !place->file_system || file_system_of_magic(place->file_system) == FILE_SYSTEM_LOCAL;
}

/* Bytes copied, at most `size`; 0: not in memory; -errno. */
static ssize_t copy_present(struct copier *copier, uint64_t from, void *to, size_t size)
{
	ssize_t present = bytes_present(copier, copier->asked->tgid, from, size);

	return present > 0 ? copy(copier->asked->tid, from, to, (size_t)present) : present;
}

/* --- one task ------------------------------------------------------------------------------------- */

static enum user_missing copy_stack(struct copier *copier)
{
	const struct ring_sleeper_place *place = &copier->place;
	const uint64_t whole = place->to - place->from;
	ssize_t got;

	if (place->to <= place->from)
		return USER_MISSING_FAULT;
	if (!may_touch(place))
		return USER_MISSING_SERVED;
	got = copy_present(copier, place->from, copier->answer->stack, whole < copier->most ? whole : copier->most);
	if (got == -EPERM || got == -EACCES)
		return USER_MISSING_REFUSED;
	if (got <= 0)
		return got ? USER_MISSING_FAULT : USER_MISSING_ABSENT;
	copier->size = (size_t)got & ~(sizeof(uint64_t) - 1);
	return USER_MISSING_NONE;
}

static void find_owner(struct copier *copier)
{
	struct ring_sleeper_asked *asked = copier->asked;
	struct user_mutex mutex;

	if (!asked->mutex.from || !may_touch(&asked->mutex) ||
	    copy_present(copier, asked->mutex.from, &mutex, sizeof(mutex)) != sizeof(mutex) ||
	    !is_mutex(&mutex, asked->operation, asked->value))
		return;
	asked->owner = mutex.owner;
}

static void copy_asked(struct copier *copier)
{
	copier->tid = copier->asked->tid;
	copier->place = copier->asked->stack;
	copier->size = 0;
	copier->outcome = copy_stack(copier);
	if (copier->outcome == USER_MISSING_NONE)
		find_owner(copier);
}

/* The record of the task that was copied last, or of one of which nothing is to be copied. */
static int answer(struct copier *copier, int socket)
{
	struct ring_sleeper *sleeper = copier->answer;
	uint64_t whole = copier->place.to - copier->place.from;

	if (sleeper->outcome == USER_MISSING_NONE) {
		if (sleeper->tid != copier->tid || sleeper->address != copier->place.from)
			return 0; /* an earlier helper got stuck with it */
		sleeper->outcome = copier->outcome;
	}
	if (sleeper->outcome == USER_MISSING_NONE)
		sleeper->size = (uint32_t)copier->size;
	if (sleeper->size && sleeper->size < whole)
		sleeper->flags = sleeper->size == copier->most ? SNAPSHOT_CUT : SNAPSHOT_UNMAPPED;
	return packet_send(socket, sleeper, sizeof(*sleeper) + sleeper->size, -1);
}

/* --- a round -------------------------------------------------------------------------------------- */

/* The signal kills the helper: it ends a sleep in the kernel that nothing else ends. */
static void alarm_in(unsigned int ms)
{
	const struct itimerval timer = {.it_value = {.tv_usec = (suseconds_t)ms * 1000}};

	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

/* Each read returns after one record, because no more fits. The recorder may take its time to read the answers. */
static int copy_all(struct copier *copier, int iterator, int socket)
{
	ssize_t got;
	int r = 0;

	copier->tid = 0;
	while (!r) {
		alarm_in(DEADLINE_SLEEPER);
		while ((got = read(iterator, copier->answer, sizeof(*copier->answer))) < 0 && errno == EAGAIN)
			copy_asked(copier);
		if (got != sizeof(*copier->answer))
			r = got < 0 ? -errno : 1;
		alarm_in(0);
		if (!r)
			r = answer(copier, socket);
	}
	return r < 0 ? r : 0;
}

static int copy_round(struct copier *copier, uint32_t most, int iterator, int socket)
{
	int r;

	copier->most = most;
	copier->pagemap = -1;
	r = copier->asked && most ? copy_all(copier, iterator, socket) : -EINVAL;
	if (copier->pagemap >= 0)
		(void)close(copier->pagemap);
	return r;
}

/* The program writes to a ring what it finds. */
static int read_all(int iterator)
{
	char nothing[64];
	ssize_t got;

	do
		got = read(iterator, nothing, sizeof(nothing));
	while (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)));
	return got < 0 ? -errno : 0;
}

static int serve(struct copier *copier, int socket)
{
	_cleanup_close_ int fd = -1;
	struct iterator_request request;
	int32_t reply;

	if (packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, &fd) != sizeof(request) ||
	    request.most > RING_MAX_SNAPSHOT)
		return -EPIPE;
	if (request.what == ITERATOR_PAGE) {
		copier->asked = mmap(NULL, sizeof(*copier->asked), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		return copier->asked == MAP_FAILED ? -errno : 0;
	}
	reply = request.what == ITERATOR_CGROUPS ? read_all(fd) : copy_round(copier, request.most, fd, socket);
	return packet_send(socket, &reply, sizeof(reply), -1);
}

int iterator_helper_run(int socket, const void *context)
{
	_cleanup_free_ struct ring_sleeper *room = calloc(1, sizeof(*room) + RING_MAX_SNAPSHOT);
	struct copier copier = {.answer = room};

	(void)context;
	while (room && !serve(&copier, socket))
		;
	return 0;
}
