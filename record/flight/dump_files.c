/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/dump_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/packet.h"
#include "common/plural.h"
#include "record/flight/dump_folder.h"
#include "record/machine/clocks.h"
#include "record/plan/deadlines.h"

enum request_kind { REQUEST_CREATE, REQUEST_KEEP, REQUEST_DROP, REQUEST_LIMIT };

struct request {
	uint32_t kind;
	uint64_t number; /* repeated in the answer: a late one, or one to a killed process, answers no other request */
	uint64_t bytes;	 /* size of a dump, or the limit for all that are kept */
	uint64_t kept;
	bool instead; /* the helper replaces one that was killed */
};

struct answer {
	int32_t rc;
	uint64_t number;
	char path[DUMP_PATH_MAX];
};

/* --- the helper --- */

static void answer_request(struct dump_folder *folder, int socket, const struct request *request)
{
	struct answer answer = {.number = request->number};
	_cleanup_close_ int fd = -1;

	if (request->kind == REQUEST_CREATE && request->instead)
		dump_folder_take_over(folder);
	if (request->kind == REQUEST_CREATE)
		answer.rc = dump_folder_create(folder, &fd);
	else if (request->kind == REQUEST_KEEP)
		answer.rc = dump_folder_keep(folder, request->bytes, answer.path, sizeof(answer.path));
	else if (request->kind == REQUEST_DROP)
		dump_folder_drop(folder);
	else
		dump_folder_limit(folder, request->kept, request->bytes);
	(void)packet_send(socket, &answer, sizeof(answer), fd);
}

/* Ends when the recorder closes its socket or dies, after removing an unfinished file. Never returns. */
static void helper_run(const void *context, int socket)
{
	const struct dump_files_settings *settings = context;
	struct dump_folder folder;
	struct request request;
	int32_t rc;

	forked_settle(0, socket);
	rc = dump_folder_open(&folder, settings->path, settings->kept, settings->bytes);
	(void)packet_send(socket, &rc, sizeof(rc), -1);
	while (rc >= 0 && packet_receive(socket, &request, sizeof(request), PACKET_FOREVER, NULL) == sizeof(request))
		answer_request(&folder, socket, &request);
	dump_folder_drop(&folder);
	_exit(0);
}

/* --- the recorder --- */

static int say_refused(const struct dump_files_settings *settings, int rc)
{
	return log_error(-rc, "cannot write dumps to '%s': %s; -o names a folder, or what the names of dumps "
			 "begin with", settings->path ? settings->path : ".", strerror(-rc));
}

int dump_files_open(struct dump_files *files, const struct dump_files_settings *settings)
{
	int32_t removed = 0;

	for (size_t i = 0; i < DUMP_HELPERS; i++) {
		int32_t rc = 0;
		int r = forked_start(&files->helpers[i], helper_run, settings, "makes the files of dumps", &rc);

		if (r < 0 || rc < 0)
			return r < 0 ? r : say_refused(settings, rc);
		removed += rc;
	}
	if (removed)
		log_info("removed %d file%s of dumps that an earlier recorder had not finished", removed,
			 plural((uint64_t)removed));
	return 0;
}

void dump_files_close(struct dump_files *files)
{
	for (size_t i = 0; i < DUMP_HELPERS; i++)
		forked_end(&files->helpers[i]);
}

/* Waits for the answer to this request. Other answers are to requests that nobody waits for any more. */
static int await(int socket, uint64_t number, struct answer *ret_answer, int *ret_fd)
{
	ssize_t got;
	int fd = -1;

	do {
		if (fd >= 0)
			(void)close(fd);
		got = packet_receive(socket, ret_answer, sizeof(*ret_answer), DEADLINE_NURSERY, &fd);
	} while (got == sizeof(*ret_answer) && ret_answer->number != number);
	if (got == sizeof(*ret_answer) && ret_fd)
		*ret_fd = fd;
	else if (got > 0 && fd >= 0)
		(void)close(fd);
	if (got < 0)
		return (int)got;
	return got == sizeof(*ret_answer) ? ret_answer->rc : -EPIPE;
}

static int ask_one(const struct forked *helper, struct request request, struct answer *ret_answer, int *ret_fd)
{
	int socket = helper->socket_plus_1 - 1, r;

	request.number = clocks_now();
	r = packet_send(socket, &request, sizeof(request), -1);
	r = r < 0 ? r : await(socket, request.number, ret_answer, ret_fd);
	return r == -ECONNRESET ? -EPIPE : r; /* it was killed before it read the request */
}

/* Asks the first helper that is alive. */
static int ask(const struct dump_files *files, struct request request, struct answer *ret_answer, int *ret_fd)
{
	int r = -EPIPE;

	for (size_t i = 0; i < DUMP_HELPERS && r == -EPIPE; i++) {
		request.instead = i > 0;
		r = ask_one(&files->helpers[i], request, ret_answer, ret_fd);
	}
	return r;
}

int dump_files_create(const struct dump_files *files, int *ret_fd)
{
	struct answer answer;
	int fd = -1, r = ask(files, (struct request){.kind = REQUEST_CREATE}, &answer, &fd);

	if (r >= 0 && fd < 0)
		r = -EPROTO;
	if (r >= 0)
		*ret_fd = fd;
	return r;
}

int dump_files_keep(const struct dump_files *files, uint64_t bytes, char ret_path[DUMP_PATH_MAX])
{
	struct answer answer;
	int r = ask(files, (struct request){.kind = REQUEST_KEEP, .bytes = bytes}, &answer, NULL);

	if (r >= 0)
		(void)snprintf(ret_path, DUMP_PATH_MAX, "%s", answer.path);
	return r;
}

int dump_files_limit(const struct dump_files *files, uint64_t kept, uint64_t bytes)
{
	const struct request request = {.kind = REQUEST_LIMIT, .bytes = bytes, .kept = kept};
	struct answer answer;
	int r = -EPIPE;

	for (size_t i = 0; i < DUMP_HELPERS; i++) {
		int one = ask_one(&files->helpers[i], request, &answer, NULL);

		r = one == -EPIPE ? r : one;
	}
	return r;
}

int dump_files_drop(const struct dump_files *files)
{
	struct answer answer;

	return ask(files, (struct request){.kind = REQUEST_DROP}, &answer, NULL);
}
