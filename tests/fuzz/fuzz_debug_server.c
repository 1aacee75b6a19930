/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * debuginfod's process (debug_server.h), and the two that it talks to. The first byte says which side is
 * hostile:
 *
 *	worker    what it sends to the desk: any bytes, or whole requests
 *	library   what it answers and reports meanwhile: any result, path, and calls of progress()
 *	process   what it answers to the worker's question: any bytes, with or without a descriptor
 *
 * The library is not the real one: dlopen() and dlsym() are wrapped, and nothing is contacted. No
 * descriptor is lost, no limit is left changed, and each question has an answer.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "common/byte_cursor.h"
#include "common/elf/elf_file.h"
#include "report/read/progress.h"
#include "report/resolve/file/debug_server.h"
#include "report/sandbox/keeper.h"
#include "tests/fuzz/fuzz.h"

enum { REQUESTS_MAX = 16, MOST = 1 << 14, BUFFER = 1 << 20, PATH_MOST = 300, CALLS_MOST = 8 };

/* What the library reads its behaviour from. There is one library, and its calls have no context of ours. */
static struct byte_cursor script;
static int (*progress_of)(void *, long, long);
static void *user_data;

/* --- the library --- */

static int made_client;

static void *make_client(void)
{
	return byte_cursor_u8(&script) == 255 ? NULL : &made_client;
}

static void end_client(void *client)
{
	fuzz_require(client == &made_client);
}

static void set_progress(void *client, int (*function)(void *, long, long))
{
	fuzz_require(client == &made_client);
	progress_of = function;
}

static void set_user_data(void *client, void *data)
{
	fuzz_require(client == &made_client);
	user_data = data;
}

static void *get_user_data(void *client)
{
	fuzz_require(client == &made_client);
	return user_data;
}

/* Descriptors and paths are the caller's, so a positive result comes with both. */
static int find(void *client, const unsigned char *id, int length, char **ret_path)
{
	char path[PATH_MOST + 1] = "";
	size_t size;
	int result;

	fuzz_require(client == &made_client && id && length > 0 && length <= BUILD_ID_MAX);
	for (int i = byte_cursor_u8(&script) % CALLS_MOST; i > 0; i--) {
		const long done = (long)byte_cursor_u64(&script), total = (long)byte_cursor_zigzag(&script);

		if (progress_of(client, done, total))
			return -(int)byte_cursor_u8(&script) - 1;
	}
	result = (int)(int8_t)byte_cursor_u8(&script);
	if (result < 0)
		return result;
	size = byte_cursor_u16(&script) % PATH_MOST;
	for (size_t i = 0; i < size; i++)
		path[i] = (char)byte_cursor_u8(&script);
	*ret_path = strdup(path);
	result = dup(STDERR_FILENO);
	fuzz_require(*ret_path && result >= 0);
	return result;
}

#define UNCHECKED __attribute__((no_sanitize("address", "undefined", "coverage")))

void *__real_dlopen(const char *name, int flags);
void *__real_dlsym(void *handle, const char *name);
int __real_dlclose(void *handle);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);

/* The sanitizers call these as well, before they are ready. */
UNCHECKED void *__wrap_dlopen(const char *name, int flags)
{
	return name && strstr(name, "debuginfod") ? &made_client : __real_dlopen(name, flags);
}

UNCHECKED int __wrap_dlclose(void *handle)
{
	return handle == &made_client ? 0 : __real_dlclose(handle);
}

UNCHECKED void *__wrap_dlsym(void *handle, const char *name)
{
	if (handle != &made_client)
		return __real_dlsym(handle, name);
	if (!strcmp(name, "debuginfod_begin"))
		return (void *)make_client;
	if (!strcmp(name, "debuginfod_end"))
		return (void *)end_client;
	if (!strcmp(name, "debuginfod_set_progressfn"))
		return (void *)set_progress;
	if (!strcmp(name, "debuginfod_set_user_data"))
		return (void *)set_user_data;
	return !strcmp(name, "debuginfod_get_user_data") ? (void *)get_user_data : (void *)find;
}

/* --- its process --- */

static void send_all(int socket, const void *bytes, size_t size)
{
	fuzz_require(send(socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size);
}

static void send_requests(int socket, struct byte_cursor *cursor)
{
	for (int i = 0; i < REQUESTS_MAX && byte_cursor_left(cursor) > 1; i++) {
		const size_t wanted = byte_cursor_u8(cursor) % (BUILD_ID_MAX + 4), left = byte_cursor_left(cursor);
		const uint32_t header[2] = {0, (uint32_t)(wanted < left ? wanted : left)};

		send_all(socket, header, sizeof(header));
		if (header[1])
			send_all(socket, byte_cursor_bytes(cursor, header[1]), header[1]);
	}
}

static void drain(int socket)
{
	char answer[4096];

	while (recv(socket, answer, sizeof(answer), MSG_DONTWAIT) > 0)
		;
}

static void be_asked(int ends[static 2], struct byte_cursor *cursor, bool whole)
{
	struct debug_server *server = NULL;
	struct progress progress;
	struct desk desk;
	int r;

	progress_init(&progress);
	fuzz_require(!debug_server_create(&progress, NULL, &server));
	desk = debug_server_desk(server);
	if (whole)
		send_requests(ends[1], cursor);
	else if (byte_cursor_left(cursor))
		send_all(ends[1], cursor->next, byte_cursor_left(cursor));
	fuzz_require(!shutdown(ends[1], SHUT_WR));
	while ((r = keeper_serve(ends[0], &desk, 1)) > 0)
		drain(ends[1]);
	fuzz_require(r == 0 || r == -EPROTO);
	debug_server_destroy(server);
}

/* --- who asks it --- */

static void send_answer(int socket, struct byte_cursor *cursor, bool with_descriptor)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	uint8_t head[8] = {0};
	struct iovec part = {head, byte_cursor_left(cursor) < 8 ? byte_cursor_left(cursor) : 8};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (!part.iov_len)
		return;
	memcpy(head, byte_cursor_bytes(cursor, part.iov_len), part.iov_len);
	if (with_descriptor) {
		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_LEN(sizeof(int));
		control.align = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS,
						 .cmsg_len = CMSG_LEN(sizeof(int))};
		memcpy(CMSG_DATA(&control.align), &(int){STDERR_FILENO}, sizeof(int));
	}
	fuzz_require(sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)part.iov_len);
	if (byte_cursor_left(cursor))
		send_all(socket, cursor->next, byte_cursor_left(cursor));
}

/* The worker sends its question, which nobody reads: the answer is there already. */
static void ask(int ends[static 2], struct byte_cursor *cursor, bool with_descriptor)
{
	const struct build_id id = {.length = 20, .bytes = {1, 2, 3}};
	struct keeper_desk far = {.socket = ends[1]};
	const struct desk desk = keeper_desk_far(&far);
	struct debug_server *server = NULL;
	char *path = NULL;
	int fd = -1, r;

	send_answer(ends[0], cursor, with_descriptor);
	fuzz_require(!shutdown(ends[0], SHUT_WR));
	fuzz_require(!debug_server_create(NULL, &desk, &server));
	r = debug_server_find(server, DEBUG_SERVER_DEBUGINFO, &id, &fd, &path);
	fuzz_require(r == 0 || r == -ENOENT || r == -ENOMEM);
	fuzz_require((r == 0) == (fd >= 0) && (r == 0) == (path != NULL));
	if (!r)
		(void)close(fd);
	free(path);
	debug_server_destroy(server);
}

static unsigned int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	fuzz_require(folder != NULL);
	while (readdir(folder))
		count++;
	(void)closedir(folder);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const uint8_t questions[] = {5, 0, 1, 2, 3, 4, 5, 1, 1, 2, 3, 4, 5, 0, 2, 2, 3, 4, 5, 1, 2, 2, 3, 4,
					    5, 0, 3, 2, 3, 4, 5, 1, 3, 2, 3, 4};
	struct byte_cursor cursor = byte_cursor_make(bytes, length), asked;
	unsigned int before = count_descriptors(), mode = byte_cursor_u8(&cursor) % 5;
	struct rlimit limit, after;
	int ends[2], buffer = BUFFER;

	if (!length || length > MOST)
		return 0;
	fuzz_require(!getrlimit(RLIMIT_NOFILE, &limit) && !keeper_line_open(ends));
	fuzz_require(!setenv("DEBUGINFOD_URLS", "http://nowhere.invalid", 1));
	for (int i = 0; i < 2; i++)
		(void)setsockopt(ends[i], SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer));
	script = cursor;
	asked = byte_cursor_make(questions, sizeof(questions));
	if (mode < 3)
		be_asked(ends, mode == 2 ? &asked : &cursor, mode > 0);
	else
		ask(ends, &cursor, mode == 4);
	(void)close(ends[0]);
	(void)close(ends[1]);
	fuzz_require(!getrlimit(RLIMIT_NOFILE, &after) && after.rlim_cur == limit.rlim_cur);
	fuzz_require(count_descriptors() == before);
	return 0;
}
