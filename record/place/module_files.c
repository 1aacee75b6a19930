/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/module_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "format/limits.h"
#include "record/helper/elf_helper.h"
#include "record/helper/helpers.h"
#include "record/helper/opener_helper.h"
#include "record/host/clocks.h"
#include "record/place/jit_owners.h"
#include "record/place/module_table.h"
#include "record/place/user_shares.h"
#include "record/plan/deadlines.h"

enum { FILES_ROOM = 4 * MODULE_TABLE_MAX,
       SILENT_USERS = 16,
       REFUSAL_REASONS = 8,
       QUEUE = 4096,
       MAX_TRIES = 4 }; /* to open one file, then one a second: the process that mapped it may be gone, the next not */

struct ask {
	uint32_t module; /* 0: asks for the process's user */
	uint32_t tgid, uid;
	uint64_t start, end;
	uint64_t unchanged_since;
};

/* Tokens of the opener's requests that are not about a module: no module has such an id. */
enum { TOKEN_ONE_FILE = UINT32_MAX,
       TOKEN_OWNER = UINT32_MAX - 1,
       TOKEN_COPY = UINT32_MAX - 2 };

enum { COPY_TRIES = 8, COPY_FIRST_MS = 20 /* before the first one; then twice as long each time */ };

struct possible_copy {
	struct module_copy copy; /* end 0: none */
	uint64_t due;		 /* CLOCK_MONOTONIC ns; 0: it is a copy */
	unsigned int tries;
};

struct file {
	int fd_plus_1; /* 0: not open */
	uint16_t tries;
	bool waiting; /* for its turn or its answer */
	bool refused; /* because of what it is */
	uint64_t tried; /* CLOCK_MONOTONIC ns */
	struct timespec written; /* last, and its size: when it was opened */
	off_t size;
	uint32_t uid; /* who has the descriptor in his share */
};

struct to_identify {
	uint32_t module;
	int fd_plus_1; /* to be closed afterwards; 0: the module's own */
};

struct module_files {
	struct module_table *modules;
	struct helper opener, elf;
	uint32_t opener_tgid; /* whose file the opener is asked for; 0: nobody's */
	struct ask queue[QUEUE];
	uint32_t queue_head, queue_tail;
	struct to_identify identify[QUEUE]; /* modules with a descriptor but no build-id */
	uint32_t identify_head, identify_tail;
	struct file *files; /* by module id */
	struct user_shares fds, queued;
	uint32_t last_user; /* for whom a file was opened last */
	struct jit_owners jit_owners;
	uint32_t silent[SILENT_USERS]; /* in whose processes' files a helper got stuck: not root */
	uint32_t silent_count;
	uint32_t owner_asked; /* the process of TOKEN_OWNER */
	struct possible_copy copies[MODULE_COPIES];
	uint32_t copy_asked; /* that of TOKEN_COPY */
	bool as_caller;
	uint64_t unchanged_since;
	struct module_files_counts counts;
	uint64_t refusals[REFUSAL_REASONS];
};


static bool step(struct module_files *files);

/* --- opening ------------------------------------------------------------------------------------- */

static bool queue_add(struct module_files *files, const struct ask *ask)
{
	if (files->opener.stuck >= HELPER_MAX_STUCK || !user_shares_take(&files->queued, ask->uid, 1))
		return false;
	files->queue[files->queue_tail++ % QUEUE] = *ask;
	return true;
}

/* The oldest one of another user than the last, so that nobody waits for all that one user has asked for. */
static struct ask queue_take(struct module_files *files)
{
	struct ask *head = &files->queue[files->queue_head % QUEUE], *chosen = head, taken;

	for (uint32_t i = files->queue_head; i != files->queue_tail && chosen->uid == files->last_user; i++)
		chosen = &files->queue[i % QUEUE];
	if (chosen->uid == files->last_user)
		chosen = head;
	taken = *chosen;
	*chosen = *head;
	files->queue_head++;
	files->last_user = taken.uid;
	user_shares_give(&files->queued, taken.uid, 1);
	return taken;
}

static bool may_try(struct file *file)
{
	const uint64_t now = file->tries < MAX_TRIES ? 0 : clocks_now();

	if (file->tries == MAX_TRIES && (file->refused || now - file->tried < SECOND))
		return false;
	file->tried = now;
	return true;
}

void module_files_ask(struct module_files *files, uint32_t module, uint32_t tgid, uint64_t start, uint64_t end)
{
	struct file *file = module < FILES_ROOM ? &files->files[module] : NULL;

	if (!file || file->fd_plus_1 || file->waiting || !may_try(file))
		return;
	files->counts.asked += !file->tries;
	file->tries += file->tries < MAX_TRIES;
	files->counts.attempts++;
	file->waiting = queue_add(files, &(struct ask){.module = module, .tgid = tgid,
						       .uid = module_table_user(files->modules, tgid),
						       .start = start, .end = end,
						       .unchanged_since = files->unchanged_since});
	if (file->waiting)
		(void)step(files);
}

/* Asks no file server. */
static bool look(int fd, struct stat *ret_status)
{
	return !fstatat(fd, "", ret_status, AT_EMPTY_PATH | AT_STATX_DONT_SYNC);
}

bool module_files_changed(const struct module_files *files, uint32_t module)
{
	const int fd = module_files_fd(files, module);
	const struct file *file = fd < 0 ? NULL : &files->files[module];
	struct stat now;

	return file && look(fd, &now) && (now.st_size != file->size || now.st_mtim.tv_sec != file->written.tv_sec ||
					  now.st_mtim.tv_nsec != file->written.tv_nsec);
}

/* Where no more descriptors are kept, the build-id is read all the same. */
static void opened(struct module_files *files, uint32_t module, int fd)
{
	const struct module_entry *entry = module_table_find(files->modules, module);
	const bool identify = entry && !entry->build_id.length && files->identify_tail - files->identify_head < QUEUE;
	const uint32_t uid = entry ? entry->uid : USER_UNKNOWN;
	const bool keep = user_shares_take(&files->fds, uid, 1);
	struct file *file = &files->files[module];
	struct stat status;

	if (keep && look(fd, &status)) {
		file->written = status.st_mtim;
		file->size = status.st_size;
	}
	if (keep) {
		file->fd_plus_1 = fd + 1;
		file->uid = uid;
	}
	files->counts.opened += keep;
	if (identify)
		files->identify[files->identify_tail++ % QUEUE] = (struct to_identify){module, keep ? 0 : fd + 1};
	else if (!keep)
		(void)close(fd);
}

/* Errors of the opener (struct opener_reply). */
static const struct {
	int error;
	const char *text;
} REFUSALS[REFUSAL_REASONS] = {
	{ELOOP, "through a symbolic link"},
	{EPERM, "neither the process's nor root's"},
	{EACCES, "not readable for the process"},
	{EINVAL, "not a regular file"},
	{EMLINK, "with several names"},
	{EREMOTE, "on a file system that is not read"},
	{ENOEXEC, "not an ELF file"},
	{ESTALE, "another file by now"},
};

/* False: this -errno is no refusal, and is not counted. */
static bool count_refusal(struct module_files *files, int error)
{
	for (size_t i = 0; i < REFUSAL_REASONS; i++)
		if (REFUSALS[i].error == -error) {
			files->refusals[i]++;
			return true;
		}
	return false;
}

void module_files_refusals(const struct module_files *files, char *text, size_t room)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < REFUSAL_REASONS && at < room; i++)
		if (files->refusals[i])
			at += (size_t)snprintf(text + at, room - at, "%s%" PRIu64 " %s", at ? ", " : "",
					       files->refusals[i], REFUSALS[i].text);
}

/*
 * No more files are opened for a user whose file the helper got stuck in: his file server costs one helper, but not the
 * names of anybody else.
 */
static bool is_silent(const struct module_files *files, uint32_t tgid)
{
	const uint32_t uid = files->silent_count ? module_table_user(files->modules, tgid) : 0;

	for (uint32_t i = 0; i < files->silent_count; i++)
		if (files->silent[i] == uid)
			return true;
	return false;
}

/* If the user is root, not known or known to be silent, it counts for all. */
static void opener_lost(struct module_files *files)
{
	const uint32_t tgid = files->opener_tgid, uid = module_table_user(files->modules, tgid);

	if (files->as_caller || !uid || uid == USER_UNKNOWN || files->silent_count == SILENT_USERS ||
	    is_silent(files, tgid))
		return;
	files->silent[files->silent_count++] = uid;
	files->opener.stuck--;
}

/* Counted once, however often it is tried. What is mapped as code and is no ELF file was made at run time. */
static void refused(struct module_files *files, uint32_t module, int error)
{
	if (error == -ENOEXEC && !files->as_caller) {
		files->files[module].refused = true;
		(void)module_table_set_memory(files->modules, module);
		module_files_note_jit(files, files->opener_tgid, false);
		return;
	}
	if (!files->files[module].refused)
		files->files[module].refused = count_refusal(files, error);
}

/* -EAGAIN: not yet. */
static void copy_answered(struct possible_copy *possible, int error)
{
	if (!error)
		possible->due = 0;
	else if (error != -EAGAIN || ++possible->tries == COPY_TRIES)
		*possible = (struct possible_copy){0};
	else
		possible->due = clocks_now() + ((uint64_t)COPY_FIRST_MS * MILLISECOND << possible->tries);
}

static void opener_take(struct module_files *files)
{
	uint32_t token = files->opener.busy;
	struct opener_reply reply;
	int fd = -1;
	ssize_t got = helper_take(&files->opener, &reply, sizeof(reply), 0, &fd);
	bool whole = got == sizeof(reply) && reply.token == token;

	if (!got)
		return;
	if (got < 0)
		opener_lost(files);
	if (token == TOKEN_OWNER) {
		if (whole && !reply.error)
			jit_owners_set(&files->jit_owners, files->owner_asked, &reply.owner, steal_fd(&fd));
	} else if (token == TOKEN_COPY) {
		copy_answered(&files->copies[files->copy_asked], whole ? reply.error : -ESRCH);
	} else {
		files->files[token].waiting = false;
		if (whole && !reply.error && fd >= 0)
			opened(files, token, steal_fd(&fd));
		else if (whole)
			refused(files, token, reply.error);
	}
	if (fd >= 0)
		(void)close(fd);
}

static void owner_give(struct module_files *files, uint32_t tgid)
{
	struct opener_request request = {.what = OPENER_OWNER, .token = TOKEN_OWNER, .tgid = tgid};

	files->owner_asked = tgid;
	files->opener_tgid = 0;
	(void)helper_send(&files->opener, TOKEN_OWNER, &request, sizeof(request), -1);
}

static struct opener_request mapping_request(const struct module_files *files, const struct ask *ask,
					     const struct module_entry *entry)
{
	return (struct opener_request){
		.what = OPENER_MAPPING,
		.token = ask->module,
		.tgid = ask->tgid,
		.path_length = (uint32_t)strnlen(entry->path, RWK_MAX_STRING),
		.start = ask->start,
		.end = ask->end,
		.device = entry->device,
		.inode = entry->inode,
		.generation = entry->generation,
		.unchanged_since = ask->unchanged_since,
		.verified_later = entry->build_id.length != 0,
		.as_caller = files->as_caller,
		.owner = jit_owners_find(&files->jit_owners, ask->tgid),
	};
}

static void module_give(struct module_files *files, const struct ask *ask, const struct module_entry *entry)
{
	struct {
		struct opener_request head;
		char path[RWK_MAX_STRING];
	} request = {.head = mapping_request(files, ask, entry)};
	const size_t length = sizeof(request.head) + request.head.path_length;

	memcpy(request.path, entry->path, request.head.path_length);
	files->opener_tgid = ask->tgid;
	if (!helper_send(&files->opener, ask->module, &request, length, -1))
		files->files[ask->module].waiting = false;
}

static void opener_give(struct module_files *files)
{
	const struct ask taken = queue_take(files), *ask = &taken;
	const struct module_entry *entry = module_table_find(files->modules, ask->module);

	if (!ask->module)
		owner_give(files, ask->tgid);
	else if (entry && module_files_fd(files, ask->module) < 0 && !is_silent(files, ask->tgid))
		module_give(files, ask, entry);
	else
		files->files[ask->module].waiting = false;
}

static void copy_give(struct module_files *files, uint32_t number)
{
	struct possible_copy *possible = &files->copies[number];
	const struct module_copy *copy = &possible->copy;
	const struct opener_request request = {.what = OPENER_COPY, .token = TOKEN_COPY, .tgid = copy->tgid,
					       .start = copy->start, .end = copy->end, .offset = copy->file_offset};
	const int fd = module_files_fd(files, copy->module);

	files->copy_asked = number;
	files->opener_tgid = copy->tgid;
	if (fd < 0 || is_silent(files, copy->tgid))
		copy_answered(possible, fd < 0 ? -EAGAIN : -EACCES);
	else
		(void)helper_send(&files->opener, TOKEN_COPY, &request, sizeof(request), fd);
}

static void copies_give(struct module_files *files)
{
	const uint64_t now = clocks_now();

	for (uint32_t i = 0; i < MODULE_COPIES && !files->opener.busy; i++)
		if (files->copies[i].copy.end && files->copies[i].due && files->copies[i].due <= now &&
		    helper_ready(&files->opener))
			copy_give(files, i);
}

static bool opener_step(struct module_files *files)
{
	if (files->opener.busy)
		opener_take(files);
	while (!files->opener.busy && files->queue_head != files->queue_tail) {
		if (!helper_ready(&files->opener))
			break;
		opener_give(files);
	}
	copies_give(files);
	return files->opener.busy != 0;
}

void module_files_compare(struct module_files *files, const struct module_copy *copy)
{
	for (uint32_t i = 0; i < MODULE_COPIES; i++) {
		struct possible_copy *possible = &files->copies[i];

		if (possible->copy.end)
			continue;
		*possible = (struct possible_copy){*copy, clocks_now() + COPY_FIRST_MS * MILLISECOND, 0};
		return;
	}
}

bool module_files_copied(struct module_files *files, struct module_copy *ret_copy)
{
	for (uint32_t i = 0; i < MODULE_COPIES; i++)
		if (files->copies[i].copy.end && !files->copies[i].due) {
			*ret_copy = files->copies[i].copy;
			files->copies[i] = (struct possible_copy){0};
			return true;
		}
	return false;
}

/* --- build-ids ----------------------------------------------------------------------------------- */

static void elf_take(struct module_files *files)
{
	uint32_t module = files->elf.busy;
	struct elf_reply reply;
	ssize_t got = helper_take(&files->elf, &reply, sizeof(reply), 0, NULL);

	if (got == sizeof(reply) && !reply.error && reply.token == module)
		(void)module_table_set_build_id(files->modules, module, &reply.build_id);
}

static bool elf_step(struct module_files *files)
{
	if (files->elf.busy)
		elf_take(files);
	while (!files->elf.busy && files->identify_head != files->identify_tail) {
		const struct to_identify next = files->identify[files->identify_head++ % QUEUE];
		const struct elf_request request = {.token = next.module, .what = ELF_BUILD_ID};
		const int own = next.fd_plus_1 - 1;

		if (helper_ready(&files->elf))
			(void)helper_send(&files->elf, next.module, &request, sizeof(request),
						  own < 0 ? module_files_fd(files, next.module) : own);
		if (own >= 0)
			(void)close(own);
	}
	return files->elf.busy != 0;
}

/* --- the whole ----------------------------------------------------------------------------------- */

static bool step(struct module_files *files)
{
	bool opening = opener_step(files), identifying = elf_step(files);

	return opening || identifying;
}

/* A healthy helper answers within some ten microseconds: waiting briefly saves a round of the drain loop. */
bool module_files_poll(struct module_files *files, unsigned int patience_ms)
{
	uint64_t end = clocks_now() + patience_ms * MILLISECOND;
	bool busy = step(files);

	while (busy && clocks_now() < end) {
		struct pollfd answers[] = {{.fd = files->opener.busy ? files->opener.socket : -1, .events = POLLIN},
					   {.fd = files->elf.busy ? files->elf.socket : -1, .events = POLLIN}};

		(void)poll(answers, 2, 1);
		busy = step(files);
	}
	return busy;
}

void module_files_compare_now(struct module_files *files)
{
	(void)module_files_poll(files, DEADLINE_PROCESS / 2);
	for (uint32_t i = 0; i < MODULE_COPIES; i++)
		files->copies[i].due = files->copies[i].due ? 1 : 0;
	(void)module_files_poll(files, DEADLINE_PROCESS / 2);
}

int module_files_fd(const struct module_files *files, uint32_t module)
{
	return module < FILES_ROOM ? files->files[module].fd_plus_1 - 1 : -1;
}

bool module_files_gave_up(const struct module_files *files)
{
	return files->opener.stuck >= HELPER_MAX_STUCK;
}

bool module_files_waits(const struct module_files *files, uint32_t module)
{
	return module < FILES_ROOM && files->files[module].waiting;
}

void module_files_forget(struct module_files *files, uint32_t module)
{
	if (module >= FILES_ROOM)
		return;
	if (files->files[module].fd_plus_1) {
		(void)close(module_files_fd(files, module));
		user_shares_give(&files->fds, files->files[module].uid, 1);
	}
	files->files[module] = (struct file){0};
	for (uint32_t i = 0; i < MODULE_COPIES; i++)
		if (files->copies[i].copy.module == module)
			files->copies[i] = (struct possible_copy){0};
}

void module_files_counts(const struct module_files *files, struct module_files_counts *ret_counts)
{
	*ret_counts = files->counts;
}

/*
 * The current request is answered or given up first; queued requests come later. False: there is no
 * opener, or it waits for a CPU for longer than patience_ms.
 */
static bool opener_ready(struct module_files *files, unsigned int patience_ms)
{
	uint64_t end = clocks_now() + patience_ms * MILLISECOND;

	while (files->opener.busy && clocks_now() < end) {
		struct pollfd answer = {.fd = files->opener.socket, .events = POLLIN};

		(void)poll(&answer, 1, 1);
		opener_take(files);
	}
	return !files->opener.busy && helper_ready(&files->opener);
}

/* Sends a request and waits for its answer. `path` may be NULL, the descriptor `with` -1. */
static int open_now(struct module_files *files, const struct opener_request *head, const char *path, int with)
{
	struct {
		struct opener_request head;
		char path[RWK_MAX_STRING];
	} request = {.head = *head};
	struct opener_reply reply;
	int fd = -1;

	if (is_silent(files, head->tgid) || !opener_ready(files, DEADLINE_PROCESS))
		return -EAGAIN;
	files->opener_tgid = head->tgid;
	request.head.token = TOKEN_ONE_FILE;
	request.head.path_length = path ? (uint32_t)strnlen(path, sizeof(request.path)) : 0;
	if (path)
		memcpy(request.path, path, request.head.path_length);
	if (!helper_send(&files->opener, TOKEN_ONE_FILE, &request,
				 sizeof(*head) + request.head.path_length, with))
		return -EPIPE;
	if (helper_take(&files->opener, &reply, sizeof(reply), DEADLINE_PROCESS, &fd) != sizeof(reply)) {
		opener_lost(files);
		return -ETIMEDOUT;
	}
	if (!reply.error)
		return fd >= 0 ? fd : -EPROTO;
	if (fd >= 0)
		(void)close(fd);
	return reply.error;
}

struct module_owner module_files_owner(const struct module_files *files, uint32_t module, uint32_t tgid)
{
	const struct module_entry *entry = module_table_find(files->modules, module);
	const struct opener_owner user = jit_owners_find(&files->jit_owners, tgid);
	const struct module_owner unknown = {UINT32_MAX, 0};
	int fd = module_files_fd(files, module);
	struct statx status;

	if (!module)
		return user.start ? (struct module_owner){user.uid, 0} : unknown;
	if (entry && entry->kind != MODULE_FILE)
		return (struct module_owner){0, 0};
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_UID | STATX_SIZE, &status))
		return unknown;
	return (struct module_owner){status.stx_uid, status.stx_size};
}

int module_files_perf_map(struct module_files *files, uint32_t tgid)
{
	struct opener_request request = {.what = OPENER_PERF_MAP, .tgid = tgid, .as_caller = files->as_caller,
					 .owner = jit_owners_find(&files->jit_owners, tgid)};
	int fd = open_now(files, &request, NULL, jit_owners_tmp(&files->jit_owners, tgid));

	if (fd < 0)
		(void)count_refusal(files, fd);
	return fd;
}

uint64_t module_files_map_settled(const struct module_files *files, uint32_t tgid)
{
	return jit_owners_settled(&files->jit_owners, tgid);
}

int module_files_debug(struct module_files *files, const char *path)
{
	struct opener_request request = {.what = OPENER_DEBUG};
	int fd = open_now(files, &request, path, -1);

	if (fd < 0)
		(void)count_refusal(files, fd);
	return fd;
}

bool module_files_refused(const struct module_files *files, uint32_t module)
{
	return module < FILES_ROOM && files->files[module].refused;
}

void module_files_note_jit(struct module_files *files, uint32_t tgid, bool initial)
{
	if (!jit_owners_note(&files->jit_owners, tgid, initial, clocks_now()))
		return;
	files->counts.attempts++;
	if (queue_add(files, &(struct ask){.tgid = tgid, .uid = module_table_user(files->modules, tgid)}))
		(void)step(files);
}

/* Room for the descriptors that are kept, but no more than the system allows. */
static uint32_t fds_allow(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 256;
	if (limit.rlim_cur < 2 * MODULE_FILES_MAX) {
		limit.rlim_cur = 2 * MODULE_FILES_MAX;
		limit.rlim_max = limit.rlim_max < limit.rlim_cur ? limit.rlim_cur : limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
		(void)getrlimit(RLIMIT_NOFILE, &limit);
	}
	return (uint32_t)(limit.rlim_cur / 2 < MODULE_FILES_MAX ? limit.rlim_cur / 2 : MODULE_FILES_MAX);
}

int module_files_create(struct spawner *spawner, struct module_table *modules, bool as_caller,
			struct module_files **ret_files)
{
	struct module_files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->files = calloc(FILES_ROOM, sizeof(*files->files));
	if (!files->files) {
		free(files);
		return -ENOMEM;
	}
	files->modules = modules;
	files->as_caller = as_caller;
	files->opener = helper_of(spawner, HELPER_OPENER);
	files->elf = helper_of(spawner, HELPER_ELF);
	files->fds.room = fds_allow();
	files->queued.room = QUEUE;
	*ret_files = files;
	return 0;
}

void module_files_unchanged_since(struct module_files *files, uint64_t realtime)
{
	files->unchanged_since = realtime;
}

void module_files_part(struct module_files *files, struct spawner *spawner)
{
	helper_close(&files->opener);
	helper_close(&files->elf);
	files->opener.stuck = files->elf.stuck = 0;
	files->queue_head = files->queue_tail;
	user_shares_clear(&files->queued);
	files->identify_head = files->identify_tail;
	files->opener.spawner = files->elf.spawner = spawner;
}

void module_files_destroy(struct module_files *files)
{
	if (!files)
		return;
	helper_close(&files->opener);
	helper_close(&files->elf);
	for (uint32_t i = 0; i < FILES_ROOM; i++)
		if (files->files[i].fd_plus_1)
			(void)close(module_files_fd(files, i));
	free(files->files);
	free(files);
}
