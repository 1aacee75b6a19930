/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/file/debug_server.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/helper.h"
#include "common/log.h"
#include "common/process.h"
#include "report/read/progress.h"
#include "report/sandbox/service.h"
#include "report/sandbox/user.h"

#define LIBRARY "libdebuginfod.so.1"

enum {
	FAILURES_MAX = 3,    /* consecutive failures, then no server is asked any more */
	FIRST_SECONDS = 15,  /* until the first byte of a file */
	WHOLE_SECONDS = 600, /* until the last */
	CALLS_MAX = 4096,    /* upper bound of progress() calls in FIRST_SECONDS: larger values are bytes */
};

/* The interface of libdebuginfod.so.1, as in elfutils/debuginfod.h: its headers are not needed to build. */
typedef int progress_function(void *client, long done, long total);

struct library {
	void *(*begin)(void);
	void (*end)(void *client);
	int (*find[2])(void *client, const unsigned char *build_id, int length, char **ret_path);
	void (*set_progress)(void *client, progress_function *progress);
	void (*set_user_data)(void *client, void *data);
};

struct question { /* the current query */
	const char *what;
	char id[BUILD_ID_TEXT];
	time_t start;
	struct progress *progress;
	struct rlimit files;
	bool out_of_time, cut; /* cut: the query was aborted, and the library's result is not an answer */
};

struct debug_server {
	struct progress *progress;
	const struct service *service; /* NULL: this process queries the servers */
	struct library library;
	void *client; /* NULL: not created yet */
	unsigned int failures;
	bool given_up;
	bool homeless;	/* nothing can be kept */
	char place[64]; /* the folder for this report's files; "": the library's own */
	size_t unasked;
	struct question question;
};

static const char *const what_names[] = {
	[DEBUG_SERVER_DEBUGINFO] = "debuginfo",
	[DEBUG_SERVER_EXECUTABLE] = "executable",
};

int debug_server_create(struct progress *progress, const struct service *service, struct debug_server **ret_server)
{
	struct debug_server *server = calloc(1, sizeof(*server));

	if (!server)
		return -ENOMEM;
	server->progress = progress;
	server->service = service;
	*ret_server = server;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	(void)remove(path);
	return 0;
}

/* The library stays loaded: on some systems its dependencies do not survive unloading. */
void debug_server_destroy(struct debug_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->library.end(server->client);
	if (server->place[0])
		(void)nftw(server->place, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(server);
}

/* --- the library --- */

static bool load(void *handle, const char *name, void *slot)
{
	void *symbol = dlsym(handle, name);

	memcpy(slot, &symbol, sizeof(symbol)); /* converts an object pointer to a function pointer */
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

/* The library passes only the client to its callback, and there are no globals: get our pointer from the library. */
static struct question *question_of(void *client)
{
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD), *(*get)(void *) = NULL;
	struct question *question = handle && load(handle, "debuginfod_get_user_data", &get) ?
				    get(client) : NULL;

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

/* The library (0.188) takes an aborted query for a negative answer. Without descriptors it cannot cache that. */
static void cut_short(struct question *question)
{
	const struct rlimit none = {.rlim_cur = 0, .rlim_max = question->files.rlim_max};

	question->cut = true;
	(void)setrlimit(RLIMIT_NOFILE, &none);
}

/*
 * Called by the library at least once a second; a result other than 0 aborts the query. Until a
 * server starts sending, `done` counts the calls, and the total is unknown.
 */
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
	stop = progress_step(question->progress, coming ? "fetching" : "asking for", text,
			     coming ? (uint64_t)done : 0,
			     coming && total > done ? (uint64_t)total : 0);
	question->out_of_time = passed > WHOLE_SECONDS || (!coming && passed > FIRST_SECONDS);
	if (question->out_of_time || stop)
		cut_short(question);
	return question->cut;
}

/* --- queries --- */

static void give_up(struct debug_server *server, const char *why)
{
	log_warning("--debuginfod: %s; no more files are requested", why);
	server->given_up = true;
}

static const char *servers_named(void)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	return servers && servers[strspn(servers, " ")] ? servers : NULL;
}

/* The library asks nobody if it cannot keep the answer. */
static bool make_place(struct debug_server *server)
{
	(void)snprintf(server->place, sizeof(server->place), "/tmp/rwalker-fetched-XXXXXX");
	if (!mkdtemp(server->place)) {
		server->place[0] = '\0';
		return false;
	}
	log_info("--debuginfod: fetched files are not kept: the user that reads this trace has no folder for them");
	return !setenv("DEBUGINFOD_CACHE_PATH", server->place, 1);
}

static bool ready(struct debug_server *server)
{
	if (server->given_up || server->client)
		return !server->given_up;
	if (!servers_named())
		give_up(server, "DEBUGINFOD_URLS names no server");
	else if (!load_all(&server->library))
		give_up(server, "'" LIBRARY "' is not installed (Debian: libdebuginfod1)");
	else if (server->homeless && !make_place(server))
		give_up(server, "there is no folder for fetched files");
	else if (!(server->client = server->library.begin()))
		give_up(server, "'" LIBRARY "' cannot be used");
	return !server->given_up;
}

/* The library's result, and its consequences for later queries. */
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
	if (progress_stopped(server->progress))
		return -ECANCELED;
	if (++server->failures == 1)
		log_warning("--debuginfod: cannot fetch the %s of build-id %s: %s", server->question.what,
			    server->question.id,
			    server->question.out_of_time ? "the servers are too slow" : strerror(-result));
	if (server->failures == FAILURES_MAX)
		give_up(server, "the servers do not answer");
	return -EIO;
}

/* The descriptor; -ENOENT: the servers do not have it; -ECANCELED: Ctrl-C; -EIO: no answer; -ENOMEM. */
static int ask_here(struct debug_server *server, enum debug_server_file what, const struct build_id *id,
		    char **ret_path)
{
	struct question *question = &server->question;
	int r;

	if (!ready(server))
		return -EIO;
	if (progress_stopped(server->progress))
		return -ECANCELED;
	*question = (struct question){.what = what_names[what], .start = now(), .progress = server->progress};
	build_id_text(id, question->id);
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

/* --- queries by another process: the request is the kind and the build-id, the answer the file and its path --- */

static int ask_service(const struct debug_server *server, enum debug_server_file what, const struct build_id *id,
		    char **ret_path)
{
	_cleanup_(service_answer_deinit) struct service_answer answer;
	uint8_t request[1 + BUILD_ID_MAX] = {(uint8_t)what};
	int r;

	memcpy(request + 1, id->bytes, id->length);
	r = service_ask(server->service, request, 1 + (size_t)id->length, &answer);
	if (r < 0)
		return -EIO;
	if (answer.result < 0)
		return answer.result;
	if (answer.fd < 0)
		return -EIO;
	*ret_path = strndup(answer.bytes ? (const char *)answer.bytes : "", answer.size);
	return *ret_path ? steal_fd(&answer.fd) : -ENOMEM;
}

static int serve(void *context, const void *request, size_t size, struct service_answer *answer)
{
	struct debug_server *server = context;
	const uint8_t *bytes = request;
	struct build_id id = {0};
	char *path = NULL;

	if (size < 2 || size > 1 + BUILD_ID_MAX || bytes[0] > DEBUG_SERVER_EXECUTABLE)
		return -EPROTO;
	id.length = (uint8_t)(size - 1);
	memcpy(id.bytes, bytes + 1, size - 1);
	(void)signal(SIGINT, SIG_DFL); /* Ctrl-C is meant for this process only while it fetches */
	answer->result = ask_here(server, (enum debug_server_file)bytes[0], &id, &path);
	(void)signal(SIGINT, SIG_IGN);
	if (answer->result < 0)
		return 0;
	answer->fd = answer->result;
	answer->result = 0;
	answer->size = strlen(path);
	answer->bytes = (uint8_t *)path;
	return 0;
}

struct service debug_server_service(struct debug_server *server)
{
	return (struct service){.serve = serve, .context = server};
}

/* Whether the library's own cache can be used, as far as its path says. It makes all folders but a home. */
static bool can_keep(void)
{
	enum { HOME = 2 };
	static const char *const variables[] = {"DEBUGINFOD_CACHE_PATH", "XDG_CACHE_HOME", [HOME] = "HOME"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *path = getenv(variables[i]);

		if (path && *path)
			return !access(path, W_OK | X_OK) || (errno == ENOENT && i != HOME);
	}
	return false;
}

/* Does not hold our standard output open, so that a process that reads that does not wait for it. */
static void run(const void *user, int socket)
{
	_cleanup_close_ int nothing = descriptors_open_nothing(O_RDWR | O_CLOEXEC);
	struct debug_server *server = NULL;
	struct progress progress;
	struct service service;

	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	progress_init(&progress);
	if (nothing < 0 || user_become(user) < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(nothing, STDOUT_FILENO) < 0 || debug_server_create(&progress, NULL, &server) < 0)
		_exit(1);
	server->homeless = !can_keep();
	service = debug_server_service(server);
	while (service_serve(socket, &service, 1, SERVICE_MOST_SHORT) > 0)
		;
	debug_server_destroy(server);
}

int debug_server_start(const struct user *user, int *ret_socket)
{
	pid_t pid = process_fork(run, user, ret_socket);

	return pid < 0 ? log_error(-pid, "cannot start a process: %s", strerror(-pid)) : 0;
}

/* --- both --- */

int debug_server_find(struct debug_server *server, enum debug_server_file what,
		      const struct build_id *id, int *ret_fd, char **ret_path)
{
	char *path = NULL;
	int r;

	if (!server || !id->length)
		return -ENOENT;
	if (progress_stopped(server->progress))
		r = -ECANCELED;
	else
		r = server->service ? ask_service(server, what, id, &path) : ask_here(server, what, id, &path);
	server->unasked += r == -ECANCELED;
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
