/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/read/progress.h"

#define LIBRARY "libdebuginfod.so.1"

enum {
	FAILURES_MAX = 3,    /* in a row, then the servers are given up */
	FIRST_SECONDS = 15,  /* until the first byte of a file */
	WHOLE_SECONDS = 600, /* until the last */
	CALLS_MAX = 4096,    /* of progress() in FIRST_SECONDS, and more: the rest is bytes */
};

/* libdebuginfod.so.1 as elfutils/debuginfod.h declares it, so that its headers are not needed to build. */
typedef int progress_function(void *client, long done, long total);

struct library {
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find[2])(void *client, const unsigned char *build_id, int length, char **ret_path);
	void (*set_progress)(void *client, progress_function *progress);
	void (*set_user_data)(void *client, void *data);
};

struct question { /* the one under way */
	const char *what;
	char id[2 * BUILD_ID_MAX + 1];
	time_t start;
	struct progress *progress;
	struct rlimit files;
	bool out_of_time, cut; /* cut: what the library says of it is no answer */
};

struct debug_server {
	struct debug_server_memory memory;
	struct progress *progress;
	struct library library;
	void *client; /* NULL: not yet */
	unsigned int failures;
	bool given_up;
	size_t unasked;
	struct question question;
};

static const char *const what_names[] = {
	[DEBUG_SERVER_DEBUGINFO] = "debuginfo",
	[DEBUG_SERVER_EXECUTABLE] = "executable",
};

int debug_server_create(const struct debug_server_memory *memory, struct progress *progress, struct debug_server **ret_server)
{
	struct debug_server *server = calloc(1, sizeof(*server));

	if (!server)
		return -ENOMEM;
	if (memory)
		server->memory = *memory;
	server->progress = progress;
	*ret_server = server;
	return 0;
}

/* The library stays loaded: what it is built on does not survive being unloaded everywhere. */
void debug_server_destroy(struct debug_server *server)
{
	if (server && server->client)
		server->library.end(server->client);
	free(server);
}

/* --- the library --- */

static bool load(void *handle, const char *name, void *slot)
{
	void *symbol = dlsym(handle, name);

	memcpy(slot, &symbol, sizeof(symbol)); /* a pointer to an object into one to a function */
	return symbol;
}

static bool load_all(struct library *library)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	return handle && load(handle, "debuginfod_begin", &library->begin) &&
	       load(handle, "debuginfod_end", &library->end) &&
	       load(handle, "debuginfod_find_debuginfo", &library->find[DEBUG_SERVER_DEBUGINFO]) &&
	       load(handle, "debuginfod_find_executable", &library->find[DEBUG_SERVER_EXECUTABLE]) &&
	       load(handle, "debuginfod_set_progressfn", &library->set_progress) &&
	       load(handle, "debuginfod_set_user_data", &library->set_user_data);
}

/* The library's callbacks get nothing but the client, and there are no globals: so it is asked once more. */
static struct question *question_of(void *client)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD), *(*get)(void *) = NULL;
	struct question *question = handle && load(handle, "debuginfod_get_user_data", &get) ? get(client) : NULL;

	if (handle)
		(void)dlclose(handle);
	return question;
}

static time_t now(void)
{
	struct timespec time = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* The library (0.188) takes a question that is ended here for one that was answered with no, and would leave that in its own cache. */
static void cut_short(struct question *question)
{
	const struct rlimit none = {.rlim_cur = 0, .rlim_max = question->files.rlim_max};

	question->cut = true;
	(void)setrlimit(RLIMIT_NOFILE, &none);
}

/* Called by the library at least once a second; anything but 0 ends the question. Until a server has begun to send, the library counts
 * its own calls in `done`, and the total is not known. */
static int progress(void *client, long done, long total)
{
	struct question *question = question_of(client);
	bool coming = total > 0 || done > CALLS_MAX, stop;
	char text[sizeof(question->id) + 32];
	time_t passed;

	if (!question)
		return 0;
	passed = now() - question->start;
	(void)snprintf(text, sizeof(text), "the %s of %s", question->what, question->id);
	stop = progress_step(question->progress, coming ? "fetching" : "asking for", text, coming ? (uint64_t)done : 0,
			     coming && total > done ? (uint64_t)total : 0);
	question->out_of_time = passed > WHOLE_SECONDS || (!coming && passed > FIRST_SECONDS);
	if (question->out_of_time || stop)
		cut_short(question);
	return question->cut;
}

/* --- asking --- */

static void give_up(struct debug_server *server, const char *why)
{
	log_warning("--debuginfod: %s; no file is asked for any more", why);
	server->given_up = true;
}

static const char *servers_named(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && servers[strspn(servers, " ")] ? servers : NULL;
}

static bool ready(struct debug_server *server)
{
	if (server->given_up || server->client)
		return !server->given_up;
	if (!servers_named())
		give_up(server, "DEBUGINFOD_URLS names no server");
	else if (!load_all(&server->library))
		give_up(server, "'" LIBRARY "' is not installed (Debian: libdebuginfod1)");
	else if (!(server->client = server->library.begin()))
		give_up(server, "'" LIBRARY "' cannot be used");
	return !server->given_up;
}

/* The library's word, and what it means for later questions. */
static int judge(struct debug_server *server, int result)
{
	if (result >= 0)
		server->failures = 0;
	if (result >= 0 || result == -ENOMEM)
		return result;
	if (result == -ENOENT && !server->question.cut) {
		server->failures = 0;
		return -ENOENT;
	}
	if (progress_stopped(server->progress)) {
		server->unasked++;
		return -EIO;
	}
	if (++server->failures == 1)
		log_warning("--debuginfod: cannot fetch the %s of build-id %s: %s", server->question.what, server->question.id,
			    server->question.out_of_time ? "the servers take too long" : strerror(-result));
	if (server->failures == FAILURES_MAX)
		give_up(server, "the servers do not answer");
	return -EIO;
}

static int ask(struct debug_server *server, enum debug_server_file what, const struct build_id *id, char **ret_path)
{
	struct question *question = &server->question;
	int r;

	*question = (struct question){.what = what_names[what], .start = now(), .progress = server->progress};
	for (size_t i = 0; i < id->length; i++)
		(void)snprintf(question->id + 2 * i, 3, "%02x", id->bytes[i]);
	server->library.set_user_data(server->client, question);
	server->library.set_progress(server->client, progress);
	progress_enter(server->progress);
	(void)getrlimit(RLIMIT_NOFILE, &question->files);
	r = server->library.find[what](server->client, id->bytes, id->length, ret_path);
	if (question->cut)
		(void)setrlimit(RLIMIT_NOFILE, &question->files);
	r = judge(server, r);
	progress_leave(server->progress);
	return r;
}

static void remember(const struct debug_server *server, const struct build_id *id, enum debug_server_file what, const char *path)
{
	if (server->memory.remember)
		server->memory.remember(server->memory.context, id, what_names[what], servers_named(), path);
}

/* 1: it was there then and still is; 0: the servers have none; -ENOENT: nothing is known. */
static int recall(const struct debug_server *server, const struct build_id *id, enum debug_server_file what, int *ret_fd,
		  char **ret_path)
{
	const char *path = NULL;
	int r = -ENOENT, fd;

	if (server->memory.recall && servers_named())
		r = server->memory.recall(server->memory.context, id, what_names[what], servers_named(), &path);
	if (r <= 0 || !path)
		return r > 0 ? -ENOENT : r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -ENOENT;
	*ret_path = strdup(path);
	if (!*ret_path) {
		(void)close(fd);
		return -ENOMEM;
	}
	*ret_fd = fd;
	return 1;
}

int debug_server_find(struct debug_server *server, enum debug_server_file what, const struct build_id *id, int *ret_fd,
		      char **ret_path)
{
	char *path = NULL;
	int r;

	if (!server || !id->length)
		return -ENOENT;
	r = recall(server, id, what, ret_fd, ret_path);
	if (r >= 0)
		return r ? 0 : -ENOENT;
	if (r == -ENOMEM || !ready(server))
		return r;
	if (progress_stopped(server->progress)) {
		server->unasked++;
		return -ENOENT;
	}
	r = ask(server, what, id, &path);
	if (r >= 0 || r == -ENOENT)
		remember(server, id, what, r >= 0 ? path : NULL);
	if (r < 0)
		return r == -ENOMEM ? r : -ENOENT;
	*ret_fd = r;
	*ret_path = path;
	return 0;
}

size_t debug_server_unasked(const struct debug_server *server)
{
	return server ? server->unasked : 0;
}
