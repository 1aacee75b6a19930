/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a worker that was taken over may send the parent, and what debuginfod's process (debug_server.h) has on its other
 * sides. The first byte says who is hostile:
 *
 *	worker    it sends the services of the cache, the output, debuginfod and the opener any packet, or whole requests: the
 *	          service's number, two bytes of size, and the request
 *	library   what it answers and reports meanwhile: any result, path, and calls of progress()
 *	process   what it answers to the worker's question: any bytes, with or without a descriptor
 *
 * Each question has an answer or ends the service; nothing is written but the two files, no descriptor is lost, no limit
 * is left changed. The library is not the real one: dlopen() and dlsym() are wrapped, and nothing is contacted.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "common/bytes.h"
#include "common/elf/elf_file.h"
#include "common/gate/packet.h"
#include "report/file/debug_server.h"
#include "report/file/name_cache.h"
#include "report/opener/opener.h"
#include "report/read/progress.h"
#include "report/sandbox/service.h"
#include "report/tool/trace_output.h"
#include "tests/fuzz/fuzz.h"

enum { SERVICES = 4, REQUESTS_MAX = 64, MOST = 1 << 15, BUFFER = 4 << 20, PATH_MOST = 300, CALLS_MOST = 8 };
enum { BYTES_TO_PARENT, REQUESTS_TO_PARENT, QUESTIONS_TO_LIBRARY, ANSWER, ANSWER_WITH_DESCRIPTOR, MODES };

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

/* --- the parent --- */

static char folder[64], cache_path[96], output_path[96];

static void remove_files(void)
{
	char journal[128];

	snprintf(journal, sizeof(journal), "%s-journal", cache_path);
	(void)unlink(journal);
	(void)unlink(cache_path);
	(void)unlink(output_path);
	fuzz_require(!folder[0] || !rmdir(folder)); /* nothing else is in there */
}

static void start(void)
{
	if (!folder[0]) {
		snprintf(folder, sizeof(folder), "/dev/shm/fuzz_desks.%d", (int)getpid());
		snprintf(cache_path, sizeof(cache_path), "%s/names.sqlite", folder);
		snprintf(output_path, sizeof(output_path), "%s/out.rwk", folder);
	}
	fuzz_require(!mkdir(folder, 0700));
}

static void send_request(int socket, uint32_t service, struct byte_cursor *cursor, size_t size)
{
	struct {
		uint64_t id;
		uint32_t service, size;
		uint8_t bytes[SERVICE_MOST_SHORT];
	} first = {.service = service};
	const size_t all = size < byte_cursor_left(cursor) ? size : byte_cursor_left(cursor);
	const size_t part = all < sizeof(first.bytes) ? all : sizeof(first.bytes);

	first.size = (uint32_t)all;
	if (part)
		memcpy(first.bytes, byte_cursor_bytes(cursor, part), part);
	fuzz_require(!packet_send(socket, &first, offsetof(__typeof__(first), bytes) + part, -1));
	if (part < all)
		fuzz_require(!packet_send_bytes(socket, byte_cursor_bytes(cursor, all - part), all - part));
}

static void send_requests(int socket, struct byte_cursor *cursor)
{
	for (int i = 0; i < REQUESTS_MAX && byte_cursor_left(cursor) >= 3; i++) {
		const uint32_t service = byte_cursor_u8(cursor) % (SERVICES + 1);

		send_request(socket, service, cursor, byte_cursor_u16(cursor));
	}
}

static void send_questions(int socket)
{
	static const uint8_t questions[] = {0, 1, 2, 3, 4, 1, 1, 2, 3, 4, 0, 2, 2, 3, 4, 1, 2, 2, 3, 4, 0, 3, 2, 3, 4, 1, 3, 2, 3, 4};
	struct byte_cursor cursor = byte_cursor_make(questions, sizeof(questions));

	while (byte_cursor_left(&cursor))
		send_request(socket, 2, &cursor, 5);
}

/* The worker has already closed its end for writing; what it asked for is still answered. */
static void serve(int ends[static 2], const struct service *services)
{
	char answer[PACKET_MAX];
	int r;

	fuzz_require(!shutdown(ends[1], SHUT_WR));
	do {
		r = service_serve(ends[0], services, SERVICES, SERVICE_MOST);
		while (recv(ends[1], answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	} while (r > 0);
	fuzz_require(r == 0 || r == -EPROTO);
}

static void be_asked(int ends[static 2], struct byte_cursor *cursor, unsigned int mode, const struct service *opener)
{
	struct debug_server *server = NULL;
	struct output_service output;
	struct progress progress;
	struct name_store names;

	start();
	progress_init(&progress);
	output_service_init(&output, output_path, mode == REQUESTS_TO_PARENT);
	name_store_init(&names, cache_path);
	fuzz_require(!debug_server_create(&progress, NULL, &server));
	if (mode == QUESTIONS_TO_LIBRARY)
		send_questions(ends[1]);
	else if (mode == REQUESTS_TO_PARENT)
		send_requests(ends[1], cursor);
	else if (byte_cursor_left(cursor))
		fuzz_require(!packet_send(ends[1], cursor->next, byte_cursor_left(cursor), -1));
	serve(ends, (const struct service[SERVICES]){name_store_service(&names), output_service_of(&output),
						     debug_server_service(server), *opener});
	debug_server_destroy(server);
	name_store_deinit(&names);
	output_service_deinit(&output);
	remove_files();
}

/* --- who asks it --- */

static void send_answer(int socket, struct byte_cursor *cursor, bool with_descriptor)
{
	const uint64_t id = (uint64_t)getpid() << 32 | 1; /* of the first request */
	uint8_t packet[MOST] = {0};
	const size_t size = byte_cursor_left(cursor);

	if (!size || size > sizeof(packet) - sizeof(id))
		return;
	memcpy(packet, &id, sizeof(id));
	memcpy(packet + sizeof(id), byte_cursor_bytes(cursor, size), size);
	fuzz_require(!packet_send(socket, packet, sizeof(id) + size, with_descriptor ? STDERR_FILENO : -1));
}

/* The worker sends its question, which nobody reads: the answer is there already. */
static void ask(int ends[static 2], struct byte_cursor *cursor, bool with_descriptor)
{
	const struct build_id id = {.length = 20, .bytes = {1, 2, 3}};
	struct far_service far = {.line = ends[1]};
	const struct service service = service_far(&far);
	struct debug_server *server = NULL;
	char *path = NULL;
	int fd = -1, r;

	send_answer(ends[0], cursor, with_descriptor);
	fuzz_require(!shutdown(ends[0], SHUT_WR));
	fuzz_require(!debug_server_create(NULL, &service, &server));
	r = debug_server_find(server, DEBUG_SERVER_DEBUGINFO, &id, &fd, &path);
	fuzz_require(r == 0 || r == -ENOENT || r == -ENOMEM);
	fuzz_require((r == 0) == (fd >= 0) && (r == 0) == (path != NULL));
	if (!r)
		(void)close(fd);
	free(path);
	debug_server_destroy(server);
}

/* One for all inputs: its helper is a process. */
static struct service opener_service(void)
{
	static const char *const files[] = {"/dev/null", NULL}, *const folders[] = {"/usr/lib/", NULL};
	static const struct opener_settings settings = {.files = files, .folders = folders};
	static struct opener_server *server;
	struct service service;
	struct opened_file file;
	struct opener *opener;

	if (server)
		return opener_server_service(server);
	fuzz_require(!opener_server_create(&settings, false, &server));
	service = opener_server_service(server);
	fuzz_require(!opener_create(&service, &opener) && opener_open(opener, OPENER_ELF, "/nowhere", &file) == -ENOENT);
	opener_destroy(opener);
	return service;
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
	struct byte_cursor cursor = byte_cursor_make(bytes, length);
	const struct service opener = opener_service();
	unsigned int before = count_descriptors(), mode = byte_cursor_u8(&cursor) % MODES;
	struct rlimit limit, after;
	int ends[2], buffer = BUFFER;

	if (!length || length > MOST)
		return 0;
	fuzz_require(!getrlimit(RLIMIT_NOFILE, &limit) && !service_line_open(ends));
	fuzz_require(!setenv("DEBUGINFOD_URLS", "http://nowhere.invalid", 1));
	for (int i = 0; i < 2; i++)
		(void)setsockopt(ends[i], SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer));
	script = cursor;
	if (mode < ANSWER)
		be_asked(ends, &cursor, mode, &opener);
	else
		ask(ends, &cursor, mode == ANSWER_WITH_DESCRIPTOR);
	(void)close(ends[0]);
	(void)close(ends[1]);
	fuzz_require(!getrlimit(RLIMIT_NOFILE, &after) && after.rlim_cur == limit.rlim_cur);
	fuzz_require(count_descriptors() == before);
	return 0;
}
