/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a worker that was taken over may send the keeper: any bytes, or, if the first byte is odd,
 * whole requests to the desks of the cache and of the output: the desk's number, two bytes of size,
 * and the request. The keeper answers or ends the service; nothing is written but the two files.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "common/byte_cursor.h"
#include "report/resolve/cache/name_store.h"
#include "report/sandbox/keeper.h"
#include "report/tool/trace_output.h"
#include "tests/fuzz/fuzz.h"

enum { DESKS = 2, REQUESTS_MAX = 64, MOST = 1 << 15, BUFFER = 4 << 20 };

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

static void send_all(int socket, const void *bytes, size_t size)
{
	fuzz_require(send(socket, bytes, size, MSG_DONTWAIT) == (ssize_t)size);
}

static void drain(int socket)
{
	char answer[4096];

	while (recv(socket, answer, sizeof(answer), MSG_DONTWAIT) > 0)
		;
}

/* The worker has already closed its end for writing; what it asked for is still answered. */
static void serve(int ends[static 2], const struct desk *desks)
{
	int r;

	fuzz_require(!shutdown(ends[1], SHUT_WR));
	do {
		r = keeper_serve(ends[0], desks, DESKS);
		drain(ends[1]);
	} while (r > 0);
	fuzz_require(r == 0 || r == -EPROTO);
}

static void send_requests(int socket, const uint8_t *bytes, size_t length)
{
	struct byte_cursor cursor = byte_cursor_make(bytes, length);

	for (int i = 0; i < REQUESTS_MAX && byte_cursor_left(&cursor) >= 3; i++) {
		uint32_t header[2] = {byte_cursor_u8(&cursor) % (DESKS + 1), 0};
		size_t left, size = byte_cursor_u16(&cursor);
		const uint8_t *request;

		left = byte_cursor_left(&cursor);
		header[1] = (uint32_t)(size < left ? size : left);
		request = byte_cursor_bytes(&cursor, header[1]);
		send_all(socket, header, sizeof(header));
		if (header[1])
			send_all(socket, request, header[1]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct output_desk output;
	struct name_store names;
	int ends[2], buffer = BUFFER;

	if (!length || length > MOST)
		return 0;
	start();
	output_desk_init(&output, output_path, length & 1);
	name_store_init(&names, cache_path);
	fuzz_require(!keeper_line_open(ends));
	for (int i = 0; i < 2; i++)
		(void)setsockopt(ends[i], SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer));
	if (bytes[0] & 1)
		send_requests(ends[1], bytes + 1, length - 1);
	else if (length > 1)
		send_all(ends[1], bytes + 1, length - 1);
	serve(ends, (const struct desk[DESKS]){name_store_desk(&names), output_desk_of(&output)});
	(void)close(ends[0]);
	(void)close(ends[1]);
	name_store_deinit(&names);
	output_desk_deinit(&output);
	remove_files();
	return 0;
}
