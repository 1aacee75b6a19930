/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The helpers, run for real through the nursery: maps compared with /proc read here,
 * the ELF helper compared with nm and readelf, a hostile file, and
 * its jail compared with what /proc says about it.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/packet.h"
#include "record/embed/symbol_source.h"
#include "record/helper/maps_helper.h"
#include "record/helper/nursery.h"
#include "tests/test.h"

static int helper(struct nursery **ret_nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid)
{
	return !nursery_create(ret_nursery) && !nursery_spawn(*ret_nursery, kind, ret_socket, ret_pid);
}

/* Executable lines of /proc/self/maps, counted by a different reader. */
static long lines_of(const char *shell)
{
	long count = -1;
	FILE *pipe = popen(shell, "r");

	if (pipe && fscanf(pipe, "%ld", &count) != 1)
		count = -1;
	if (pipe)
		(void)pclose(pipe);
	return count;
}

static void reads_maps_as_the_kernel_shows_them(struct test *t)
{
	struct maps_reply reply;
	struct nursery *nursery;
	uint8_t packet[PACKET_MAX];
	uint32_t self = (uint32_t)getpid(), count = 0;
	char shell[96];
	int socket;
	pid_t pid;

	REQUIRE(t, helper(&nursery, HELPER_MAPS, &socket, &pid));
	REQUIRE(t, !packet_send(socket, &self, sizeof(self), -1));
	do {
		ssize_t got = packet_receive(socket, packet, sizeof(packet), 2000, NULL);

		REQUIRE(t, got >= (ssize_t)sizeof(reply));
		memcpy(&reply, packet, sizeof(reply));
		count += reply.count;
	} while (!reply.last);
	(void)snprintf(shell, sizeof(shell), "grep -c '^[^ ]* ..x' /proc/%u/maps", self);
	CHECK_INT(t, reply.error, 0);
	CHECK_INT(t, count, lines_of(shell));
	CHECK(t, !strcmp(reply.comm, "test_helpers"));
	self = 0x7ffffff0; /* no such process */
	REQUIRE(t, !packet_send(socket, &self, sizeof(self), -1));
	REQUIRE(t, packet_receive(socket, &reply, sizeof(reply), 2000, NULL) == sizeof(reply));
	CHECK_INT(t, reply.error, -ESRCH);
	(void)close(socket);
	nursery_destroy(nursery);
}

/* As in an initrd, whose "/" may be closed to all but root. In a file system of our own. */
static void reads_maps_below_a_closed_root(struct test *t)
{
	struct maps_reply reply = {0};
	struct nursery *nursery = NULL;
	int socket, status = 0;
	uint32_t self;
	pid_t pid = fork(), helping;

	if (!pid) {
		if (geteuid() || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", "/tmp", "tmpfs", 0, "mode=0700") || mkdir("/tmp/proc", 0755) ||
		    mkdir("/tmp/dev", 0755) ||
		    mount("/proc", "/tmp/proc", NULL, MS_BIND | MS_REC, NULL) ||
		    mount("/dev", "/tmp/dev", NULL, MS_BIND | MS_REC, NULL) || chroot("/tmp") || chdir("/"))
			_exit(77);
		self = (uint32_t)getpid();
		if (!helper(&nursery, HELPER_MAPS, &socket, &helping) || packet_send(socket, &self, sizeof(self), -1))
			_exit(2);
		if (packet_receive(socket, &reply, sizeof(reply), 2000, NULL) < (ssize_t)sizeof(reply))
			_exit(3);
		_exit(reply.error || !reply.count);
	}
	REQUIRE(t, pid > 0 && waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP(t, "needs root, and mounts");
	CHECK_INT(t, status, 0);
}

static long symbols_in(struct test *t, struct symbol_source *source, uint64_t *ret_last)
{
	const struct event_symbol *symbols;
	size_t count;
	long total = 0;

	*ret_last = 0;
	while (symbol_source_next(source, &symbols, &count) > 0)
		for (size_t i = 0; i < count; i++, total++) {
			CHECK(t, symbols[i].address >= *ret_last);
			*ret_last = symbols[i].address;
		}
	return total;
}

/* What the pieces assemble to, in 1 MB that was 0xff; returns how many bytes there were. */
static size_t unwind_in(struct test *t, struct symbol_source *source, uint8_t *section, uint32_t *ret_size)
{
	struct event_embed_unwind piece;
	uint64_t last;
	size_t bytes = 0;

	(void)symbols_in(t, source, &last);
	memset(section, 0xff, 1 << 20);
	while (symbol_source_next_unwind(source, &piece) > 0) {
		if (piece.section != UNWIND_EH_FRAME || piece.offset + piece.bytes.length > 1 << 20)
			continue;
		memcpy(section + piece.offset, piece.bytes.bytes, piece.bytes.length);
		bytes += piece.bytes.length;
		*ret_size = piece.size;
	}
	return bytes;
}

/* objcopy's copy of our own .eh_frame, in `section`; its size, 0 without objcopy. */
static size_t objcopy_unwind(uint8_t *section)
{
	char path[] = "/tmp/rwalker-eh-frame-XXXXXX", shell[256];
	int fd = mkstemp(path);
	ssize_t size = 0;

	(void)snprintf(shell, sizeof(shell),
		       "objcopy --dump-section .eh_frame=%s /proc/$PPID/exe /dev/null && echo 1",
		       path);
	if (fd >= 0 && lines_of(shell) == 1) {
		int copy = open(path, O_RDONLY); /* objcopy may have made another file of that name */

		size = read(copy, section, 1 << 20);
		(void)close(copy);
	}
	(void)close(fd);
	(void)unlink(path);
	return size > 0 ? (size_t)size : 0;
}

/* Whole if there is room, in part if there is little, else nothing and no symbols either. */
static void gives_unwind_information_as_far_as_there_is_room(struct test *t)
{
	static uint8_t section[1 << 20], wanted[1 << 20];
	struct symbol_wish wish = {.what = ELF_SYMBOLS, .unwind = ELF_UNWIND_ALL,
				   .full_room = 1 << 30, .room = 1 << 30};
	uint64_t hit = (uint64_t)lines_of("nm /proc/$PPID/exe | awk '/ lines_of$/ {print $1}' | "
					  "xargs -I@ printf '%d' 0x@");
	size_t size = objcopy_unwind(wanted), bytes;
	struct symbol_source *source;
	struct nursery *nursery;
	struct elf_reply reply;
	uint32_t told = 0;
	int fd = open("/proc/self/exe", O_RDONLY);

	if (!size)
		SKIP(t, "no objcopy");
	REQUIRE(t, fd >= 0 && !nursery_create(&nursery) && !symbol_source_create(nursery, false, &source));
	REQUIRE(t, !symbol_source_ask(source, &wish, fd, &hit, 1, &reply) && !reply.error &&
			   reply.full && !reply.unwind_error);
	CHECK_INT(t, unwind_in(t, source, section, &told), size);
	CHECK_INT(t, told, size);
	CHECK(t, !memcmp(section, wanted, size));
	wish.full_room = 0;
	REQUIRE(t, !symbol_source_ask(source, &wish, fd, &hit, 1, &reply) && !reply.error && !reply.full);
	bytes = unwind_in(t, source, section, &told);
	CHECK(t, bytes >= 40 && bytes < 200); /* a CIE and an FDE */
	CHECK_INT(t, told, size);
	wish.room = reply.bytes - 1;
	REQUIRE(t, !symbol_source_ask(source, &wish, fd, &hit, 1, &reply));
	CHECK_INT(t, reply.error, -ENOSPC);
	CHECK_INT(t, unwind_in(t, source, section, &told), 0);
	symbol_source_destroy(source);
	nursery_destroy(nursery);
}

static void tells_that_the_nursery_was_killed(struct test *t)
{
	struct nursery *nursery;
	siginfo_t info;

	REQUIRE(t, !nursery_create(&nursery));
	CHECK(t, !nursery_has_ended(nursery));
	CHECK(t, !kill(nursery_pid(nursery), SIGKILL));
	/* Its socket is closed by then. */
	CHECK(t, !waitid(P_PID, (id_t)nursery_pid(nursery), &info, WEXITED | WNOWAIT));
	CHECK(t, nursery_has_ended(nursery));
	nursery_destroy(nursery);
}

TEST_MAIN(TEST(tells_that_the_nursery_was_killed), TEST(reads_maps_as_the_kernel_shows_them),
	  TEST(reads_maps_below_a_closed_root),
	  TEST(gives_unwind_information_as_far_as_there_is_room))
