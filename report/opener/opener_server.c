/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/helper.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "report/opener/opener_internal.h"

enum {
	LOOK_MS = 200,	/* how often the helper is looked at */
	SILENT_MAX = 3, /* files for which nobody answered: then no more are opened */
	DEATHS_MAX = 16, /* helpers that ended by themselves */
	TRIES = 3,	 /* of one request, if somebody stops the helper */
	KNOWN_MAX = 1 << 13,
};

/* Paths that were refused, each once, by the first reason. If too many are known, some may be counted again. */
struct refusals {
	uint64_t counts[OPENER_REASONS];
	char *examples[OPENER_REASONS]; /* NULL: none */
	struct hash_map known;		/* paths */
};

struct opener_server {
	const struct opener_settings *settings;
	struct spawner *spawner;
	struct helper helper;
	struct walk_place place; /* where the helper is */
	struct walk_place silent[WALK_SILENT_MAX]; /* what did not answer */
	uint32_t silent_count, timeouts, deaths;
	pid_t owner;
	bool gone;
	struct refusals refusals;
};

/* --- the helper -------------------------------------------------------------------------------------- */

/* Files, the table of mounts, whether a file is ours. */
static const struct call_row CALLS[] = {
	CALL_OPEN_TO_READ, CALL_EQUAL(fcntl, 1, F_GETFL), CALL(statx), CALL(readlinkat), CALL(pread64), CALL(geteuid),
};

static const struct helper_kind KIND = {
	"opener", opener_run,
	/* files of others, what is below /proc/PID/root, the addresses in /proc/kallsyms */
	.capabilities = CAPABILITY(DAC_READ_SEARCH) | CAPABILITY(SYS_PTRACE) | CAPABILITY(SYSLOG),
	.calls = CALL_LIST(CALLS),
	.deadline_ms = 1000,
	.busy_ms = 10000, /* a busy machine is no dead file server */
};

/* The rights are those of the real user. */
static int begin(const void *context)
{
	const struct opener_settings *settings = context;
	int r = user_become(&settings->user);

	if (!r && (setresgid(getgid(), getgid(), getgid()) || setresuid(getuid(), getuid(), getuid())))
		r = -errno;
	return r;
}

static const struct helper_table TABLE = {&KIND, 1, .begin = begin, .filter_may_lack = true};

int opener_server_create(const struct opener_settings *settings, bool now, struct opener_server **ret_server)
{
	_cleanup_free_ struct opener_server *server = calloc(1, sizeof(*server));
	int r = server ? hash_map_init(&server->refusals.known) : -ENOMEM;

	if (!r)
		r = now ? spawner_create(&TABLE, settings, 0, &server->spawner) :
			  spawner_create_here(&TABLE, settings, !settings->no_filter, &server->spawner);
	if (r < 0)
		return log_error(-r, "cannot start the process that opens files: %s", strerror(-r));
	server->settings = settings;
	server->owner = getpid();
	server->helper = helper_of(server->spawner, 0);
	*ret_server = steal_ptr(server);
	return 0;
}

void opener_server_destroy(struct opener_server *server)
{
	const char *what;
	pid_t pid;

	if (!server)
		return;
	if (server->owner == getpid()) {
		helper_give_up(&server->helper);
		while (spawner_next_left(server->spawner, true, &what, &pid))
			;
	}
	helper_close(&server->helper);
	spawner_destroy(server->spawner);
	for (size_t i = 0; i < OPENER_REASONS; i++)
		free(server->refusals.examples[i]);
	hash_map_deinit(&server->refusals.known);
	free(server);
}

/* --- refusals ---------------------------------------------------------------------------------------- */

static void count_refusal(struct refusals *refusals, uint32_t reason, const char *path)
{
	const bool full = refusals->known.entries.count >= KNOWN_MAX;
	char **example = &refusals->examples[reason], *copy;

	if (full ? hash_map_find(&refusals->known, path, strlen(path)) != NULL :
		   !hash_map_add(&refusals->known, path, strlen(path), 0, NULL))
		return;
	refusals->counts[reason]++;
	copy = !*example || strcmp(path, *example) < 0 ? strdup(path) : NULL;
	if (!copy)
		return;
	free(*example);
	*example = copy;
}

/* --- one file ---------------------------------------------------------------------------------------- */

/* False: the helper has ended meanwhile. */
static bool send_job(struct opener_server *server, const struct opener_request *request)
{
	struct opener_job job = {.kind = request->what, .silent_count = server->silent_count};
	const size_t length = strlen(request->path) + 1;

	memcpy(job.silent, server->silent, sizeof(job.silent));
	memcpy(job.path, request->path, length);
	return helper_send(&server->helper, 1, &job, offsetof(struct opener_job, path) + length, -1);
}

/* As helper_take(); 0: somebody has stopped the helper, so it is given up. */
static ssize_t await_reply(struct opener_server *server, struct opener_reply *reply, int *ret_fd)
{
	struct helper *helper = &server->helper;
	ssize_t got = 0;

	while (!got) {
		struct pollfd entry = {.fd = helper->socket, .events = POLLIN};

		(void)poll(&entry, 1, LOOK_MS);
		if (!entry.revents && helper_is_stopped(helper)) {
			helper_give_up(helper);
			return 0;
		}
		got = helper_take(helper, reply, sizeof(*reply), 0, ret_fd);
		if (got == sizeof(server->place)) {
			memcpy(&server->place, reply, sizeof(server->place));
			helper->busy = 1;
			got = 0;
		}
	}
	return got;
}

/* A place that did not answer is not asked again, unless it is on a local file system, which others need, too. */
static int note_silence(struct opener_server *server, struct opener_reply *reply, bool named)
{
	server->timeouts++;
	if (!server->place.local && server->silent_count < WALK_SILENT_MAX)
		server->silent[server->silent_count++] = server->place;
	reply->reason = OPENER_NO_ANSWER;
	return named ? -ETIMEDOUT : -EPERM;
}

/* If its filter has killed it, the next one would be, too: better no report than one without names. */
static int note_death(struct opener_server *server, pid_t pid)
{
	if (spawner_saw_attack(server->spawner, pid))
		return OPENER_GONE;
	return ++server->deaths == DEATHS_MAX ? OPENER_GONE : -ENOENT;
}

static bool is_sound(const struct opener_reply *reply, ssize_t size, int fd)
{
	const ssize_t least = offsetof(struct opener_reply, path);

	return size > least && memchr(reply->path, '\0', (size_t)(size - least)) && reply->error <= 0 &&
	       reply->reason < OPENER_REASONS && (fd >= 0) == !reply->error;
}

static bool is_ready(struct opener_server *server)
{
	if (server->helper.socket < 0)
		server->place = (struct walk_place){0};
	server->helper.stuck = 0; /* there are other limits here */
	return helper_ready(&server->helper);
}

static int ask_helper(struct opener_server *server, const struct opener_request *request, struct opener_reply *reply,
		      int *ret_fd)
{
	for (unsigned int try = 0; try < TRIES && is_ready(server); try++) {
		const pid_t pid = server->helper.pid;
		const bool sent = send_job(server, request);
		_cleanup_close_ int fd = -1;
		ssize_t got = sent ? await_reply(server, reply, &fd) : -EPIPE;
		int r;

		if (got > 0 && is_sound(reply, got, fd)) {
			*ret_fd = steal_fd(&fd);
			return reply->error;
		}
		*reply = (struct opener_reply){0};
		if (got == -ETIMEDOUT)
			return note_silence(server, reply, request->what == OPENER_NAMED);
		r = got ? note_death(server, pid) : 0;
		if (r == OPENER_GONE || (got && sent))
			return r;
	}
	return OPENER_GONE;
}

static int open_file(struct opener_server *server, const struct opener_request *request, struct opener_reply *reply,
		     int *ret_fd)
{
	const bool named = request->what == OPENER_NAMED;
	int r;

	if (named && !walk_names_file(server->settings, request->path))
		return -EPERM;
	reply->reason = OPENER_NOT_ASKED;
	r = !named && server->timeouts >= SILENT_MAX ? -EPERM : ask_helper(server, request, reply, ret_fd);
	if (r == -EPERM && !named)
		count_refusal(&server->refusals, reply->reason, request->path);
	return r;
}

/* --- requests ---------------------------------------------------------------------------------------- */

static bool is_request(const struct opener_request *request, size_t size)
{
	const size_t least = offsetof(struct opener_request, path);

	if (size <= least || size > sizeof(*request) || !memchr(request->path, '\0', size - least))
		return false;
	return request->what < (request->question == OPENER_QUESTION_FILE ? (uint32_t)OPENER_KINDS : (uint32_t)OPENER_REASONS);
}

static int answer_set(struct service_answer *answer, const struct opener_answer *head, const char *path)
{
	const size_t before = offsetof(struct opener_answer, path), length = strlen(path) + 1;

	answer->bytes = malloc(before + length);
	if (!answer->bytes)
		return -ENOMEM;
	memcpy(answer->bytes, head, before);
	memcpy(answer->bytes + before, path, length);
	answer->size = before + length;
	return 0;
}

static int serve(void *context, const void *bytes, size_t size, struct service_answer *answer)
{
	struct opener_server *server = context;
	const struct refusals *refusals = &server->refusals;
	const struct opener_request *request = bytes;
	struct opener_reply reply = {0};

	if (!is_request(request, size))
		return -EPROTO;
	if (request->question == OPENER_QUESTION_REFUSALS) {
		const char *example = refusals->examples[request->what];

		return answer_set(answer, &(struct opener_answer){.count = refusals->counts[request->what]},
				  example ? example : "");
	}
	answer->result = server->gone ? OPENER_GONE : open_file(server, request, &reply, &answer->fd);
	server->gone |= answer->result == OPENER_GONE;
	return answer_set(answer, &(struct opener_answer){.ours = reply.ours}, reply.path);
}

struct service opener_server_service(struct opener_server *server)
{
	return (struct service){.serve = serve, .context = server};
}
