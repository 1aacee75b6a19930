/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A file server that seems to die: mounts a FUSE file system on FOLDER, answers the kernel's FUSE_INIT, prints "ready",
 * and reads further requests without answering them. A process that looks up a name in FOLDER waits until this process
 * ends, and cannot be killed meanwhile; the mount stays until it is unmounted. OPTIONS: further mount options, such as
 * allow_other. With FILE it serves that file under any name that is requested until it gets SIGUSR1; then it prints
 * "dead".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_NODE = FUSE_ROOT_ID + 1, /* the only one besides the folder */
       READ_MAX = 128 << 10 };

static volatile sig_atomic_t is_dead;

static void die(int signal)
{
	(void)signal;
	is_dead = 1;
}

static int fail(const char *what)
{
	(void)fprintf(stderr, "dead_fuse: %s: %s\n", what, strerror(errno));
	return EXIT_FAILURE;
}

static _Alignas(8) char request[FUSE_MIN_READ_BUFFER + 4096];

static struct {
	struct fuse_out_header header;
	union {
		struct fuse_init_out init;
		struct fuse_attr_out attr;
		struct fuse_entry_out entry;
		struct fuse_open_out open;
		char bytes[READ_MAX];
	};
} answer;

static int answer_send(int device, int error, size_t length)
{
	answer.header = (struct fuse_out_header){.len = (uint32_t)(sizeof(answer.header) + length),
						 .error = -error,
						 .unique = ((const struct fuse_in_header *)(void *)request)->unique};
	return write(device, &answer, answer.header.len) == (ssize_t)answer.header.len ? 0 : -1;
}

/* The kernel asks for FUSE_INIT first, and everything else waits for its answer. */
static int greet(int device)
{
	const struct fuse_in_header *asked = (const void *)request;

	if (read(device, request, sizeof(request)) < (ssize_t)sizeof(*asked) || asked->opcode != FUSE_INIT)
		return -1;
	answer.init = (struct fuse_init_out){
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096};
	return answer_send(device, 0, sizeof(answer.init));
}

/* Never valid for longer than the answer, so that the kernel asks again. */
static struct fuse_attr attributes(int file, uint64_t node)
{
	struct stat status = {0};

	(void)fstat(file, &status);
	return node == FILE_NODE ? (struct fuse_attr){.ino = node, .size = (uint64_t)status.st_size,
						      .mode = S_IFREG | 0755, .nlink = 1} :
				   (struct fuse_attr){.ino = node, .mode = S_IFDIR | 0755, .nlink = 1};
}

static int serve_read(int device, int file, const struct fuse_read_in *wanted)
{
	size_t size = wanted->size < READ_MAX ? wanted->size : READ_MAX;
	ssize_t got = pread(file, answer.bytes, size, (off_t)wanted->offset);

	return got < 0 ? answer_send(device, EIO, 0) : answer_send(device, 0, (size_t)got);
}

static int serve(int device, int file)
{
	const struct fuse_in_header *asked = (const void *)request;

	memset(answer.bytes, 0, sizeof(answer.entry));
	switch (asked->opcode) {
	case FUSE_LOOKUP:
		answer.entry = (struct fuse_entry_out){.nodeid = FILE_NODE, .attr = attributes(file, FILE_NODE)};
		return answer_send(device, 0, sizeof(answer.entry));
	case FUSE_GETATTR:
		answer.attr = (struct fuse_attr_out){.attr = attributes(file, asked->nodeid)};
		return answer_send(device, 0, sizeof(answer.attr));
	case FUSE_OPEN:
		answer.open = (struct fuse_open_out){.open_flags = FOPEN_KEEP_CACHE};
		return answer_send(device, 0, sizeof(answer.open));
	case FUSE_READ:
		return serve_read(device, file, (const void *)(request + sizeof(*asked)));
	case FUSE_RELEASE:
		return answer_send(device, 0, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return 0;
	default:
		return answer_send(device, ENOSYS, 0);
	}
}

static int mount_on(const char *folder, const char *more, int device)
{
	char options[512];

	(void)snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u%s%s", device, getuid(),
		       getgid(), more ? "," : "", more ? more : "");
	return mount("dead_fuse", folder, "fuse", MS_NOSUID | MS_NODEV, options);
}

static void say(const char *what)
{
	(void)puts(what);
	(void)fflush(stdout);
}

/* Requests since then get no answer either. */
static int run(int device, int file)
{
	ssize_t got = 1;

	if (file < 0)
		is_dead = 1;
	else
		(void)sigaction(SIGUSR1, &(struct sigaction){.sa_handler = die}, NULL);
	say("ready");
	while (!is_dead && (got > 0 || errno == EINTR || errno == ENOENT)) {
		got = read(device, request, sizeof(request));
		if (got > 0 && !is_dead && serve(device, file) && errno != ENOENT)
			return fail("answering");
	}
	if (is_dead && file >= 0)
		say("dead");
	while (read(device, request, sizeof(request)) > 0 || errno == EINTR || errno == ENOENT)
		;
	return fail("reading");
}

int main(int argc, char **argv)
{
	int device, file = argc > 3 ? open(argv[3], O_RDONLY | O_CLOEXEC) : -1;

	if (argc < 2) {
		(void)fprintf(stderr, "usage: dead_fuse FOLDER [OPTIONS [FILE]]\n");
		return EXIT_FAILURE;
	}
	if (argc > 3 && file < 0)
		return fail(argv[3]);
	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		return fail("/dev/fuse");
	if (mount_on(argv[1], argc > 2 ? argv[2] : NULL, device) < 0)
		return fail(argv[1]);
	if (greet(device) < 0) {
		int r = fail("greeting");

		(void)umount2(argv[1], MNT_DETACH);
		return r;
	}
	return run(device, file);
}
