/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/line_child.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/resolve/dwarf_door.h"
#include "report/resolve/line_wire.h"

/* Of AddressSanitizer, whose shadow memory is larger than any limit; absent without it. */
extern void __asan_init(void) __attribute__((weak));

/* --- the child --- */

static void lower(int resource, uint64_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most)
		limit.rlim_max = most;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(resource, &limit);
}

static uint64_t file_bytes(const struct line_job *job)
{
	uint64_t bytes = 0;
	struct stat status;

	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++)
		if (job->files[i] >= 0 && fstat(job->files[i], &status) == 0)
			bytes += (uint64_t)status.st_size;
	return bytes;
}

/* What the process has already does not count. */
static void limit_memory(const struct line_job *job)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long long size = 0, data = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (file) {
		if (fscanf(file, "%llu %*u %*u %*u %*u %llu", &size, &data) != 2)
			size = data = 0;
		(void)fclose(file);
	}
	lower(RLIMIT_AS, size * page + file_bytes(job) + LINE_CHILD_BYTES);
	lower(RLIMIT_DATA, data * page + LINE_CHILD_BYTES);
}

static void confine(const struct line_job *job)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)signal(SIGXCPU, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGINT, SIG_IGN); /* the terminal sends it to all; the parent says what becomes of this one */
	(void)signal(SIGTERM, SIG_DFL);
	if (nowhere >= 0)
		(void)dup2(nowhere, STDERR_FILENO); /* malloc and assert have words for a broken file */
	lower(RLIMIT_CORE, 0);
	lower(RLIMIT_CPU, LINE_CHILD_SECONDS);
	if (!__asan_init)
		limit_memory(job);
}

/* dwz names what it shares ".../.dwz/x86_64-linux-gnu/foo.debug". */
static int open_shared(const struct local_files *files, const char *name, const struct build_id *id, struct local_elf *ret_elf)
{
	const char *shared = strstr(name, "/.dwz/");
	char path[PATH_MAX];
	int r = -ENOENT;

	for (size_t i = 0; shared && files->debug_dirs && files->debug_dirs[i] && r < 0; i++) {
		int length = snprintf(path, sizeof(path), "%s%s", files->debug_dirs[i], shared);

		if (length > 0 && (size_t)length < sizeof(path) && !local_path_climbs(shared))
			r = local_elf_open_named(path, id, ret_elf);
	}
	return r;
}

/* Relative names are seen from the file that has them. */
static int open_beside(int fd, const char *name, const struct build_id *id, struct local_elf *ret_elf)
{
	char link[64], path[PATH_MAX], full[PATH_MAX];
	char *slash;
	ssize_t length;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0)
		return -ENOENT;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash == path)
		return -ENOENT;
	*slash = '\0';
	length = snprintf(full, sizeof(full), "%s/%s", path, name);
	return length > 0 && (size_t)length < sizeof(full) ? local_elf_open_named(full, id, ret_elf) : -ENOENT;
}

/* Whatever the name, only the build-id makes it the right file. It stays open until the child ends. */
static void find_alternate(const struct line_job *job, struct dwarf_lines *lines, int fd)
{
	struct local_elf alternate = {.fd = -1};
	struct build_id id;
	const char *name;
	int r;

	if (!dwarf_lines_alternate(lines, &name, &id))
		return;
	r = local_elf_open_debug(job->local, &id, &alternate);
	if (r < 0)
		r = open_shared(job->local, name, &id, &alternate);
	if (r < 0 && name[0] == '/')
		r = local_elf_open(job->local, name, &id, &alternate);
	else if (r < 0)
		r = open_beside(fd, name, &id, &alternate);
	(void)dwarf_lines_set_alternate(lines, r < 0 ? -1 : alternate.fd);
}

static int open_lines(const struct line_job *job, struct dwarf_lines **ret_lines)
{
	int worst = -ENODATA;

	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++) {
		int r = job->files[i] < 0 ? -ENODATA : dwarf_lines_open(job->files[i], ret_lines);

		if (r == 0) {
			find_alternate(job, *ret_lines, job->files[i]);
			return 0;
		}
		if (r != -ENODATA)
			worst = r;
	}
	return worst;
}

static int send_answer(void *context, size_t number, const struct line_level *levels, size_t count)
{
	struct wire_writer *writer = context;
	int r = wire_writer_answer(writer, number, levels, count);

	return r < 0 ? r : wire_writer_flush(writer, false);
}

static int translate(int r)
{
	switch (r) {
	case -E2BIG:
		return -EMSGSIZE;
	case -ENOMEM:
		return -ENOBUFS;
	case -ENODATA:
	case 0:
		return r;
	default:
		return -EBADMSG;
	}
}

/* What is allocated here goes with the process. */
static int answer_all(const struct line_job *job, const struct line_answers *answers, struct wire_writer *writer)
{
	uint64_t *addresses = calloc(answers->count + 1, sizeof(*addresses));
	struct dwarf_lines *lines = NULL;
	bool partial = false;
	int r = addresses ? open_lines(job, &lines) : -ENOMEM;

	for (size_t i = 0; i < answers->count && r == 0; i++)
		addresses[i] = answers->addresses[i] + job->bias;
	if (r == 0)
		r = dwarf_lines_resolve(lines, addresses, answers->count, false, send_answer, writer, &partial);
	return r == 0 && partial ? -EBADMSG : translate(r);
}

static _Noreturn void run_child(const struct line_job *job, const struct line_answers *answers, pid_t parent, int fd)
{
	struct wire_writer writer;
	int r;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1); /* nobody would hear it */
	confine(job);
	if (wire_writer_init(&writer, fd) < 0)
		_exit(1);
	r = answer_all(job, answers, &writer);
	_exit(wire_writer_end(&writer, r) < 0);
}

/* --- the parent --- */

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* 1 more may come, 0 the end. */
static int read_some(struct line_child *child)
{
	enum { STEP = 64 << 10 };
	ssize_t n;

	if (child->bytes.count > WIRE_BYTES_MAX)
		return -EMSGSIZE;
	if (array_reserve(&child->bytes, child->bytes.count + STEP) < 0)
		return -ENOMEM;
	n = read(child->fd, child->bytes.items + child->bytes.count, STEP);
	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	child->bytes.count += (size_t)n;
	return n > 0;
}

/* Why the child ended, where it did not say so itself. */
static int bury(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -EIO;
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return -ETIMEDOUT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

int line_child_start(const struct line_job *job, const struct line_answers *answers, struct line_child *ret_child)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		run_child(job, answers, parent, ends[1]);
	(void)close(ends[1]);
	if (pid < 0) {
		int r = -errno;

		(void)close(ends[0]);
		return r;
	}
	*ret_child = (struct line_child){
		.pid = pid, .fd = ends[0], .end = now_ms() + LINE_CHILD_WAIT_SECONDS * INT64_C(1000), .state = 1};
	return 0;
}

bool line_children_wait(struct line_child *const *children, size_t count, int most_ms)
{
	struct pollfd wanted[LINE_CHILDREN_MAX];
	int64_t now = now_ms();
	bool over = false;

	for (size_t i = 0; i < count; i++) {
		int64_t left = children[i]->end - now;

		wanted[i] = (struct pollfd){.fd = children[i]->fd, .events = POLLIN};
		most_ms = left < most_ms ? (int)(left > 0 ? left : 0) : most_ms;
	}
	if (poll(wanted, count, most_ms) < 0)
		return false; /* a signal: the caller will know */
	now = now_ms();
	for (size_t i = 0; i < count; i++) {
		if (wanted[i].revents)
			children[i]->state = read_some(children[i]);
		else if (now >= children[i]->end)
			children[i]->state = -ETIMEDOUT;
		over |= children[i]->state <= 0;
	}
	return over;
}

/* 0, or how it died. */
static int end_process(struct line_child *child)
{
	int died;

	if (child->state)
		(void)kill(child->pid, SIGKILL);
	died = bury(child->pid);
	(void)close(child->fd);
	child->pid = 0;
	return died;
}

void line_child_end(struct line_child *child)
{
	if (child->pid)
		(void)end_process(child);
	array_free(&child->bytes);
}

int line_child_finish(struct line_child *child, struct text_pool *texts, struct line_answers *answers)
{
	int r = child->state > 0 ? -ECANCELED : child->state, died = end_process(child), said = 0;

	if (r != -ENOMEM) {
		int read = wire_read(child->bytes.items, child->bytes.count, texts, answers, &said);

		r = read < 0 ? read : r;
	}
	array_free(&child->bytes);
	if (r < 0)
		return r;
	return died < 0 ? died : said;
}

int line_child_resolve(const struct line_job *job, struct text_pool *texts, struct line_answers *answers)
{
	struct line_child child, *only = &child;
	int r = line_child_start(job, answers, &child);

	if (r < 0)
		return r;
	while (!line_children_wait(&only, 1, LINE_CHILD_WAIT_SECONDS * 1000))
		;
	return line_child_finish(&child, texts, answers);
}
