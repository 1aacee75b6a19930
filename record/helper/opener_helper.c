/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/opener_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/gate/packet.h"
#include "common/time_units.h"
#include "format/limits.h"
#include "record/helper/file_gate.h"
#include "record/helper/process_folder.h"

struct request {
	struct opener_request head;
	char path[RWK_MAX_STRING + 1];
	int fd; /* that came with it; -1: none */
};

/* The process that a request is about; its folder keeps referring to that process, even if the pid is used again. */
struct target {
	int folder, root; /* O_PATH; -1: the process is gone */
	uint32_t tgid;
	uint32_t inner_tgid; /* in the innermost pid namespace: JIT compilers use it in file names */
	uint64_t start;      /* as in struct opener_owner */
	struct rights rights;
};

enum { NOTHING_TO_SEND = INT_MAX }; /* instead of a descriptor */

struct opener {
	struct timespec began;
	struct rights caller;
	int root;    /* our own */
	bool broken; /* the helper's own rights could not be restored */
	int target; /* the folder of the current target; -1: none */
	struct fuse_mounts mounts; /* of the target, or our own */
};

/* --- the process --------------------------------------------------------------------------------- */

/* The last number of NStgid. */
static uint32_t inner_tgid(int folder, uint32_t tgid)
{
	char line[512];
	const bool found = process_folder_line(folder, "status", "NStgid:", line, sizeof(line));
	const char *last = found ? strrchr(line, '\t') : NULL;

	return last ? (uint32_t)strtoul(last, NULL, 10) : tgid;
}

/* Of the process, even if its first thread has ended. */
static uint64_t start_time(uint32_t tgid)
{
	_cleanup_close_ int folder = -1;
	char path[32];

	(void)snprintf(path, sizeof(path), "%" PRIu32, tgid);
	folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return folder < 0 ? 0 : process_folder_start(folder);
}

static void target_close(struct target *target)
{
	if (target->folder >= 0)
		(void)close(target->folder);
	if (target->root >= 0)
		(void)close(target->root);
	rights_deinit(&target->rights);
}

/* 0, also if it is gone: its folder is -1 then. */
static int target_open(const struct opener_request *request, struct target *target)
{
	int r;

	*target = (struct target){.folder = -1, .root = -1, .tgid = request->tgid, .inner_tgid = request->tgid};
	target->folder = process_folder_open(request->tgid);
	if (target->folder < 0)
		return target->folder == -ENOENT ? 0 : target->folder;
	target->start = start_time(request->tgid);
	r = rights_of_process(target->folder, &target->rights);
	if (r == -ESRCH || !target->start || (request->owner.start && request->owner.start != target->start)) {
		(void)close(steal_fd(&target->folder)); /* gone; the pid may be somebody else's by now */
		return 0;
	}
	target->inner_tgid = inner_tgid(target->folder, request->tgid);
	return r;
}

/* Its root, unless it has ended: a zombie has none. */
static int target_root(struct target *target)
{
	if (target->root < 0)
		target->root = openat(target->folder, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return target->root < 0 ? -errno : 0;
}

/* The process may have changed its user while we were looking. */
static int target_check(const struct target *target)
{
	struct rights now = {0};
	int r = rights_of_process(target->folder, &now);

	if (!r && !rights_equal(&now, &target->rights))
		r = -ESTALE;
	rights_deinit(&now);
	return r == -ESRCH ? 0 : r;
}

/* --- opening with rights ------------------------------------------------------------------------- */

/* A file by its path, or (path NULL) one that was found already. */
struct wanted {
	int root;
	const char *path;
	bool links;
	struct file_gate_rules rules;
};

static int wanted_open(const struct wanted *wanted)
{
	_cleanup_close_ int found = -1;

	if (!wanted->path)
		return file_gate_open(wanted->root, &wanted->rules);
	if (fuse_mounts_cover(wanted->rules.mounts, wanted->path))
		return -EREMOTE;
	found = file_gate_find(wanted->root, wanted->path, wanted->links);
	return found < 0 ? steal_fd(&found) : file_gate_open(found, &wanted->rules);
}

static int open_with(struct opener *opener, const struct rights *rights, const struct wanted *wanted)
{
	struct wanted gated = *wanted;
	int r = rights_enter(rights), fd;

	opener->mounts.folder = wanted->root == opener->root ? -1 : opener->target;
	gated.rules.mounts = &opener->mounts;
	fd = r ? r : wanted_open(&gated);
	opener->broken = rights_leave(rights) != 0;
	return fd;
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

/* A file system may give a removed file's inode to a new file. */
static bool is_unchanged(int fd, uint64_t since)
{
	struct stat status;

	return !since || (!fstat(fd, &status) && nanoseconds(&status.st_ctim) <= since);
}

/* Where the file system does not tell (tmpfs, overlayfs), the inode alone counts. */
static bool is_generation(int fd, uint32_t generation)
{
	int now;

	return !generation || ioctl(fd, FS_IOC_GETVERSION, &now) || (uint32_t)now == generation;
}

/* The file must be the one that was mapped, unless its build-id will be compared later. */
static int if_same(int fd, const struct opener_request *request)
{
	if (fd == -ENOEXEC && !request->as_caller)
		return -ESTALE; /* at this path; the mapped one may have been a program */
	if (fd < 0 || request->verified_later ||
	    (file_gate_is(fd, request->device, request->inode) && is_generation(fd, request->generation) &&
	     is_unchanged(fd, request->unchanged_since)))
		return fd;
	(void)close(fd);
	return -ESTALE;
}

/* --- mapped files -------------------------------------------------------------------------------- */

/* Finds the inode that is mapped there; something else may be at that address by now. */
static int map_file_find(const struct target *target, const struct opener_request *request)
{
	_cleanup_close_ int found = -1;
	struct statx status;
	char path[64];

	(void)snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, request->start, request->end);
	found = openat(target->folder, path, O_PATH | O_CLOEXEC);
	if (found < 0 || statx(found, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status))
		return -errno; /* no file server is asked yet: see file_gate.h */
	return request->inode && request->inode != status.stx_ino ? -ESTALE : steal_fd(&found);
}

/* Opens ELF files with our rights: programs that their user may execute but not read have names, too. */
static int map_file_open(struct opener *opener, int found)
{
	const struct rights own = {.own = true};

	return open_with(opener, &own, &(struct wanted){.root = found, .rules = {.elf = true}});
}

/* Opens a path in the root of a running process. */
static int path_open(struct opener *opener, struct target *target, const struct request *request)
{
	int r = target_root(target), fd;

	if (r)
		return r;
	fd = open_with(opener, &target->rights,
		       &(struct wanted){.root = target->root, .path = request->path,
					.rules = {.elf = true}});
	return if_same(fd, &request->head);
}

/* About the file itself; the folders that lead to it may be private. */
static bool is_for_everybody(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_mode & S_IROTH;
}

/*
 * Opens a path in our own root: the process is gone, or must not be used. A process that is gone
 * may have had any file of its own at that path, with any build-id. So a file that is not known to be
 * the one that was mapped must be one that everybody may read.
 */
static int path_open_here(struct opener *opener, const struct request *request)
{
	const struct wanted wanted = {.root = opener->root, .path = request->path, .rules = {.elf = true}};
	int fd = open_with(opener, &opener->caller, &wanted);

	if (fd >= 0 && !request->head.as_caller && !is_for_everybody(fd) &&
	    !file_gate_is(fd, request->head.device, request->head.inode)) {
		(void)close(fd);
		return -EACCES;
	}
	return if_same(fd, &request->head);
}

static int mapping_open(struct opener *opener, struct target *target, const struct request *request)
{
	bool named = request->path[0] == '/';
	_cleanup_close_ int found = -1;
	int fd = -ENOENT;

	if (target->folder >= 0 && !request->head.as_caller) {
		found = map_file_find(target, &request->head);
		if (found >= 0)
			return map_file_open(opener, found);
		fd = named ? path_open(opener, target, request) : found;
	}
	return named && (fd == -ENOENT || fd == -ESRCH) ? path_open_here(opener, request) : fd;
}

/* --- perf-PID.map -------------------------------------------------------------------------------- */

static struct opener_owner owner_of(const struct target *target)
{
	return (struct opener_owner){.uid = target->rights.uid, .gid = target->rights.gid, .start = target->start,
				     .inner_tgid = target->inner_tgid};
}

/*
 * A map that a process left behind: in its /tmp, and only if it was written since we began,
 * because another process with this pid may have left one long ago. tmp: -1: that is ours.
 */
static int left_map_open(struct opener *opener, const struct opener_owner *owner, int tmp)
{
	const struct rights rights = rights_of_user(owner->uid, owner->gid);
	_cleanup_close_ int fd = -ESRCH;
	struct stat status;
	char path[64];
	const struct wanted wanted = {.root = tmp < 0 ? opener->root : tmp, .path = path,
				      .rules = {.written = true, .owner = owner->uid}};

	(void)snprintf(path, sizeof(path), "%sperf-%" PRIu32 ".map", tmp < 0 ? "/tmp/" : "", owner->inner_tgid);
	if (owner->start)
		fd = open_with(opener, &rights, &wanted);
	if (fd >= 0 && (fstat(fd, &status) || status.st_mtim.tv_sec < opener->began.tv_sec))
		return -ESTALE;
	return steal_fd(&fd);
}

/* Opens it in the root of the process with its rights; with as_caller, in our root with the caller's rights. */
static int perf_map_open(struct opener *opener, struct target *target, const struct request *request)
{
	struct opener_owner owner = request->head.owner;
	struct wanted wanted = {.rules = {.written = true, .owner = target->rights.uid}};
	char path[64];

	(void)snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", target->inner_tgid);
	wanted.path = path;
	if (target->folder >= 0 && request->head.as_caller) {
		wanted.root = opener->root;
		return open_with(opener, &opener->caller, &wanted);
	}
	if (target->folder >= 0 && !target_root(target)) {
		wanted.root = target->root;
		return open_with(opener, &target->rights, &wanted);
	}
	if (target->folder >= 0) /* a zombie */
		owner = owner_of(target);
	return request->head.as_caller ? -ESRCH : left_map_open(opener, &owner, request->fd);
}

/* --- copies of code ------------------------------------------------------------------------------ */

enum { PAGES_COMPARED = 8, PAGE_MAX = 64 << 10 };

struct pages {
	int list, memory, file; /* list: /proc/PID/pagemap */
	size_t size;
	uint8_t here[PAGE_MAX], there[PAGE_MAX];
};

/* Nothing is read that would have to be fetched: that may wait, for whoever handles the fault. */
static bool is_resident(const struct pages *pages, uint64_t address)
{
	uint64_t entry;

	return pread(pages->list, &entry, sizeof(entry), (off_t)(address / pages->size * sizeof(entry))) ==
		       sizeof(entry) && entry >> 63;
}

static bool page_read(struct pages *pages, uint64_t address, uint64_t offset)
{
	return is_resident(pages, address) &&
	       pread(pages->memory, pages->here, pages->size, (off_t)address) == (ssize_t)pages->size &&
	       pread(pages->file, pages->there, pages->size, (off_t)offset) == (ssize_t)pages->size;
}

/* Padding is alike everywhere. */
static bool has_content(const struct pages *pages)
{
	return memcmp(pages->here, pages->here + 1, pages->size - 1) != 0;
}

static int pages_compare(struct pages *pages, const struct opener_request *request)
{
	const uint64_t count = (request->end - request->start) / pages->size;
	const uint64_t step = (count / PAGES_COMPARED + 1) * pages->size;
	unsigned int equal = 0;

	for (uint64_t at = 0; at < count * pages->size; at += step) {
		if (!page_read(pages, request->start + at, request->offset + at))
			continue;
		if (memcmp(pages->here, pages->there, pages->size) != 0)
			return -EAGAIN;
		equal += has_content(pages);
	}
	return equal ? 0 : -EAGAIN;
}

static int copy_compare(const struct target *target, const struct opener_request *request, int file)
{
	_cleanup_close_ int list = openat(target->folder, "pagemap", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int memory = openat(target->folder, "mem", O_RDONLY | O_CLOEXEC);
	_cleanup_free_ struct pages *pages = malloc(sizeof(*pages));

	if (list < 0 || memory < 0 || file < 0 || !pages)
		return pages ? -ESRCH : -ENOMEM;
	pages->list = list;
	pages->file = file;
	pages->memory = memory;
	pages->size = (size_t)sysconf(_SC_PAGESIZE);
	return pages->size <= PAGE_MAX ? pages_compare(pages, request) : -ENOTSUP;
}

/* --- serving ------------------------------------------------------------------------------------- */

static int debug_open(struct opener *opener, const struct request *request)
{
	return open_with(opener, &opener->caller,
			 &(struct wanted){.root = opener->root, .path = request->path, .links = true,
					  .rules = {.elf = true}});
}

/* Below a root (O_PATH). -1: there is none. */
static int tmp_find(int root, struct stat *ret_status)
{
	_cleanup_close_ int tmp = root < 0 ? -1 : file_gate_find(root, "/tmp", false);

	return tmp < 0 || fstatat(tmp, "", ret_status, AT_EMPTY_PATH | AT_STATX_DONT_SYNC) ? -1 : steal_fd(&tmp);
}

static uint64_t map_size(int tmp, uint32_t inner_tgid)
{
	struct stat status;
	char name[64];

	(void)snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", inner_tgid);
	return fstatat(tmp, name, &status, AT_SYMLINK_NOFOLLOW | AT_STATX_DONT_SYNC) ? 0 : (uint64_t)status.st_size;
}

/* The answer is a descriptor of its /tmp, if that is not ours. */
static int owner_tell(struct opener *opener, struct target *target, struct opener_owner *ret_owner)
{
	struct stat own_status = {0}, status;
	_cleanup_close_ int own = -1, tmp = -1;

	if (target->folder < 0)
		return -ESRCH;
	*ret_owner = owner_of(target);
	opener->mounts.folder = target->folder;
	if (target_root(target) || fuse_mounts_cover(&opener->mounts, "/tmp"))
		return NOTHING_TO_SEND;
	own = tmp_find(opener->root, &own_status);
	tmp = tmp_find(target->root, &status);
	if (tmp < 0)
		return NOTHING_TO_SEND;
	ret_owner->map_size = map_size(tmp, target->inner_tgid);
	if (own >= 0 && status.st_dev == own_status.st_dev && status.st_ino == own_status.st_ino)
		return NOTHING_TO_SEND;
	return steal_fd(&tmp);
}

/* A descriptor or NOTHING_TO_SEND; -errno. */
static int request_open(struct opener *opener, struct target *target, const struct request *request,
			struct opener_owner *ret_owner)
{
	int r;

	switch ((enum opener_what)request->head.what) {
	case OPENER_MAPPING:
		return mapping_open(opener, target, request);
	case OPENER_PERF_MAP:
		return perf_map_open(opener, target, request);
	case OPENER_DEBUG:
		return debug_open(opener, request);
	case OPENER_OWNER:
		return owner_tell(opener, target, ret_owner);
	case OPENER_COPY:
		r = copy_compare(target, &request->head, request->fd);
		return r ? r : NOTHING_TO_SEND;
	}
	return -EPROTO;
}

static int request_serve(struct opener *opener, int socket, const struct request *request)
{
	_cleanup_(target_close) struct target target = {.folder = -1, .root = -1};
	struct opener_reply reply = {.token = request->head.token};
	_cleanup_close_ int fd = -1;
	int r = target_open(&request->head, &target);

	opener->target = target.folder;
	if (!r)
		r = request_open(opener, &target, request, &reply.owner);
	if (r != NOTHING_TO_SEND)
		fd = r;
	if (r >= 0 && target.folder >= 0)
		r = target_check(&target);
	if (opener->broken)
		return -EPERM;
	reply.error = r < 0 ? r : 0;
	return packet_send(socket, &reply, sizeof(reply), r < 0 ? -1 : fd);
}

int opener_helper_run(int socket, const void *context)
{
	struct opener opener = {.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	struct request request;
	ssize_t got;
	int rc = clock_gettime(CLOCK_REALTIME, &opener.began) || opener.root < 0 ? -errno : 0;

	(void)context;
	rights_of_caller(&opener.caller);
	while (!rc) {
		_cleanup_close_ int fd = -1;

		got = packet_receive(socket, &request, offsetof(struct request, fd) - 1, PACKET_FOREVER, &fd);
		if (got < (ssize_t)sizeof(request.head))
			break;
		((char *)&request)[got] = '\0';
		request.fd = fd;
		rc = request_serve(&opener, socket, &request);
	}
	return rc;
}
