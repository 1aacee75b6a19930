/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/dwarf/lines.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "report/dwarf/dwarf_internal.h"

/* Defined by AddressSanitizer, whose shadow memory exceeds any limit; absent without it. */
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

/* Whether one more page can be mapped if the limit is `bytes`. */
static bool has_room(int resource, uint64_t bytes, const struct rlimit *usual)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *place;

	(void)setrlimit(resource, &(struct rlimit){bytes, usual->rlim_max});
	place = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	(void)setrlimit(resource, usual);
	return place != MAP_FAILED && !munmap(place, page);
}

/* The bytes that the process uses now, to a megabyte. Found by trying limits: in a jail there is no /proc. */
static uint64_t bytes_used(int resource)
{
	enum { STEP_BITS = 20, ADDRESS_BITS = 47 };
	struct rlimit usual;
	uint64_t used = 0;

	if (getrlimit(resource, &usual) < 0)
		return 0;
	for (int bit = ADDRESS_BITS - 1; bit >= STEP_BITS; bit--) {
		const uint64_t step = UINT64_C(1) << bit;

		if (used + step <= usual.rlim_max && !has_room(resource, used + step, &usual))
			used += step;
	}
	return used + (UINT64_C(1) << STEP_BITS);
}

/* The limit comes on top of the memory that the process already uses. */
static void limit_memory(const struct line_job *job)
{
	const uint64_t size = bytes_used(RLIMIT_AS), data = bytes_used(RLIMIT_DATA);
	uint64_t bytes = LINE_CHILD_BYTES;
	struct rlimit limit;

	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 2 < bytes)
		bytes = limit.rlim_cur / 2;
	lower(RLIMIT_AS, size + file_bytes(job) + bytes);
	lower(RLIMIT_DATA, data + bytes);
}

/* malloc and assert print messages about a malformed file: stderr becomes stdin, which is /dev/null in the jail. */
static void confine(const struct line_job *job)
{
	(void)signal(SIGXCPU, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGINT, SIG_IGN); /* the terminal sends it to all; the parent decides when to end this child */
	(void)signal(SIGTERM, SIG_DFL);
	(void)dup2(STDIN_FILENO, STDERR_FILENO);
	lower(RLIMIT_CORE, 0);
	lower(RLIMIT_CPU, LINE_CHILD_SECONDS);
	if (!__asan_init)
		limit_memory(job);
}

/* --- the leash: the parent may have no right to kill --- */

enum { LEASH_LOOK_MS = 20, LEASH_WAIT_MS = 2000 };

static void look_at_leash(int number, siginfo_t *information, void *context)
{
	const volatile int *leash = information->si_value.sival_ptr;

	(void)number;
	(void)context;
	if (*leash)
		_exit(1);
}

static int follow_leash(int *leash)
{
	const struct sigaction look = {.sa_sigaction = look_at_leash, .sa_flags = SA_SIGINFO | SA_RESTART};
	const struct timespec often = {.tv_nsec = LEASH_LOOK_MS * MILLISECOND};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = leash};
	timer_t timer;

	if (sigaction(SIGALRM, &look, NULL) < 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) < 0)
		return -errno;
	return timer_settime(timer, 0, &(struct itimerspec){often, often}, NULL) < 0 ? -errno : 0;
}

/* The files that dwz shares are named ".../.dwz/x86_64-linux-gnu/foo.debug". */
static int open_shared(const struct local_files *files, const char *name, const struct build_id *id,
		       struct local_elf *ret_elf)
{
	const char *shared = strstr(name, "/.dwz/");
	char path[PATH_MAX];
	int r = -ENOENT;

	for (size_t i = 0; shared && files->debug_dirs && files->debug_dirs[i] && r < 0; i++) {
		int length = snprintf(path, sizeof(path), "%s%s", files->debug_dirs[i], shared);

		if (length > 0 && (size_t)length < sizeof(path) && !local_path_climbs(shared))
			r = local_elf_open_named(files, path, id, ret_elf);
	}
	return r;
}

/* A relative name is relative to the folder of the file that contains it. */
static int open_beside(const struct line_job *job, const char *real, const char *name, const struct build_id *id,
		       struct local_elf *ret_elf)
{
	const char *slash = real ? strrchr(real, '/') : NULL;
	char full[PATH_MAX];
	int length;

	if (!slash || slash == real)
		return -ENOENT;
	length = snprintf(full, sizeof(full), "%.*s/%s", (int)(slash - real), real, name);
	return length > 0 && (size_t)length < sizeof(full) ?
	       local_elf_open_named(job->local, full, id, ret_elf) : -ENOENT;
}

/* Only the build-id identifies the right file, whatever its name. It stays open until the child exits. */
static void find_alternate(const struct line_job *job, struct dwarf_lines *lines, const char *real)
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
		r = open_beside(job, real, name, &id, &alternate);
	(void)dwarf_lines_set_alternate(lines, r < 0 ? -1 : alternate.fd, alternate.ours);
}

static int open_lines(const struct line_job *job, struct dwarf_lines **ret_lines)
{
	int worst = -ENODATA;

	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++) {
		int r = job->files[i] < 0 ? -ENODATA : dwarf_lines_open(job->files[i], ret_lines);

		if (!r) {
			find_alternate(job, *ret_lines, job->reals[i]);
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
	case -ENOMEM:
		return -ENOBUFS;
	case -ENODATA:
	case -ENOTSUP:
	case 0:
		return r;
	default:
		return -EBADMSG;
	}
}

static int judge(const struct dwarf_quality *quality)
{
	if (quality->partial)
		return -EBADMSG;
	if (quality->is_split)
		return -EXDEV;
	return quality->not_ours ? -EPERM : 0;
}

/* Memory allocated here is freed by the exit. */
static int answer_all(const struct line_job *job, const struct line_answers *answers,
		      struct wire_writer *writer)
{
	uint64_t *addresses = calloc(answers->count + 1, sizeof(*addresses));
	struct dwarf_lines *lines = NULL;
	struct dwarf_quality quality = {0};
	int r = addresses ? open_lines(job, &lines) : -ENOMEM;

	for (size_t i = 0; i < answers->count && !r; i++)
		addresses[i] = answers->addresses[i] + job->bias;
	if (!r)
		r = dwarf_lines_resolve(lines, addresses, answers->count, false, send_answer,
					writer, &quality);
	return r < 0 ? translate(r) : judge(&quality);
}

static _Noreturn void run_child(const struct line_job *job, const struct line_answers *answers,
				pid_t parent, int fd, int *leash)
{
	struct wire_writer writer;
	int r;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1); /* the parent is gone */
	confine(job);
	opener_use_child_line(job->local->opener);
	if (follow_leash(leash) < 0)
		_exit(1);
	if (wire_writer_init(&writer, fd) < 0)
		_exit(1);
	r = answer_all(job, answers, &writer);
	_exit(wire_writer_end(&writer, r) < 0);
}

/* --- the parent --- */

static int64_t now_ms(void)
{
	return (int64_t)(clock_now(CLOCK_MONOTONIC) / MILLISECOND);
}

/* 1: running; 0: end of file; -errno. */
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

/* Waits, but not forever. False: the child hangs in the kernel; it is left behind, and dies with us. */
static bool has_ended(pid_t child, int *ret_status)
{
	struct timespec step = {.tv_nsec = 10 * MICROSECOND};
	const int64_t end = now_ms() + LEASH_WAIT_MS;
	pid_t ended;

	while ((ended = waitpid(child, ret_status, WNOHANG)) <= 0) {
		if ((ended < 0 && errno != EINTR) || now_ms() > end)
			return false;
		(void)nanosleep(&step, NULL);
		if (step.tv_nsec < (long)MILLISECOND)
			step.tv_nsec *= 2;
	}
	return true;
}

/*
 * --- the limit of CPU time (--max-seconds) is for this process and the children that it has waited
 * for, but the kernel limits each separately: the time of each child is taken off our own limit ---
 */

enum { MICROSECONDS = 1000000 };

/* Rounded to the nearest second: the kernel ends a process some microseconds before its last second is full. */
static uint64_t seconds_of(int who)
{
	struct rusage used;

	if (getrusage(who, &used))
		return 0;
	return (uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec +
	       (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec + MICROSECONDS / 2) / MICROSECONDS;
}

/* In a jail a process may not send itself a signal. */
static void run_handler(void)
{
	struct sigaction action;

	if (sigaction(SIGXCPU, NULL, &action) || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
		return;
	action.sa_handler(SIGXCPU);
}

/*
 * `before` is what seconds_of(RUSAGE_CHILDREN) returned before a child ended. If nothing is left of the
 * limit, runs the handler of SIGXCPU, as if the kernel had sent the signal.
 */
static void child_time_charge(uint64_t before)
{
	const uint64_t spent = seconds_of(RUSAGE_CHILDREN) - before;
	struct rlimit limit;

	if (!spent || getrlimit(RLIMIT_CPU, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return;
	limit.rlim_cur = limit.rlim_cur > spent ? limit.rlim_cur - spent : 0;
	if (limit.rlim_cur <= seconds_of(RUSAGE_SELF))
		run_handler();
	else
		(void)setrlimit(RLIMIT_CPU, &limit);
}

/* Waits for the child's end. 0; or why it ended, if it did not report that itself. */
static int bury(pid_t child)
{
	const uint64_t before = seconds_of(RUSAGE_CHILDREN);
	int status;

	if (!has_ended(child, &status))
		return -ETIMEDOUT;
	child_time_charge(before);
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		return -ETIMEDOUT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EIO;
}

/* Starts a child that answers all addresses of `answers`. -errno: it could not be started. */
static int line_child_start(const struct line_job *job, const struct line_answers *answers,
		     struct line_child *ret_child)
{
	int *leash = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), pid;
	int ends[2], r;

	if (leash == MAP_FAILED)
		return -ENOMEM;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		r = -errno;
		goto out;
	}
	pid = fork();
	if (pid == 0)
		run_child(job, answers, parent, ends[1], leash);
	r = pid < 0 ? -errno : 0;
	(void)close(ends[1]);
	if (r < 0) {
		(void)close(ends[0]);
		goto out;
	}
	*ret_child = (struct line_child){.pid = pid, .fd = ends[0], .leash = leash,
					 .end = now_ms() + LINE_CHILD_WAIT_SECONDS * INT64_C(1000),
					 .state = 1};
	return 0;
out:
	(void)munmap(leash, sizeof(*leash));
	return r;
}

bool line_child_wait(struct line_child *child, int most_ms)
{
	struct pollfd wanted = {.fd = child->fd, .events = POLLIN};
	int64_t left = child->end - now_ms();

	if (poll(&wanted, 1, left < most_ms ? (int)(left > 0 ? left : 0) : most_ms) < 0)
		return false; /* a signal: the caller checks */
	if (wanted.revents)
		child->state = read_some(child);
	else if (now_ms() >= child->end)
		child->state = -ETIMEDOUT;
	return child->state <= 0;
}

/* Ends the child and waits for it. Returns 0, or how it died. */
static int end_process(struct line_child *child)
{
	int died;

	if (child->state)
		*child->leash = 1;
	died = bury(child->pid);
	(void)munmap(child->leash, sizeof(*child->leash));
	(void)close(child->fd);
	child->pid = 0;
	return died;
}

static void line_child_end(struct line_child *child)
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

/* --- the cache of names in front of the child --- */

/* Increment it when the same DWARF yields other answers than before, or when they are packed in another way. */
static const char resolver[] = "lines 4";

/* The files, and where alternate files are searched. False: their answers may not be cached. */
static bool describe(const struct line_job *job, const struct build_id *id, struct name_key *key)
{
	struct stat status;

	name_key_start(key, id, resolver);
	for (size_t i = 0; i < sizeof(job->files) / sizeof(job->files[0]); i++) {
		if (job->files[i] < 0)
			continue;
		if (!job->paths[i] || fstat(job->files[i], &status) < 0)
			return false;
		name_key_add_file(key, job->paths[i], &status);
	}
	for (size_t i = 0; job->local->debug_dirs && job->local->debug_dirs[i]; i++)
		name_key_add_text(key, job->local->debug_dirs[i]);
	if (job->local->symfs)
		name_key_add_text(key, job->local->symfs);
	return true;
}

/* Malformed answers are read, and written, again. */
static int load(struct line_query *query, struct text_pool *texts)
{
	_cleanup_(name_value_deinit) struct name_value value = {0};
	int r = name_cache_get(query->cache, &query->key, &value) ?
		wire_unpack(value.bytes, value.size, texts, &query->known) : 0;

	return r == -ENOMEM ? r : 0;
}

/* Adds missing answers from the cache. Sets *ret_left to the number of addresses left, which are in `rest`. */
static int ask_cache(struct line_query *query, struct line_answers *answers, uint64_t *rest, size_t *ret_left)
{
	const struct line_answers *known = &query->known;
	size_t left = 0, place = 0;
	int r = 0;

	for (size_t i = 0; i < answers->count && !r; i++) {
		if (answers->places[i].count)
			continue;
		while (place < known->count && known->addresses[place] < answers->addresses[i])
			place++;
		if (place < known->count && known->addresses[place] == answers->addresses[i]) {
			r = line_answers_put(answers, i, known->places[place].levels, known->places[place].count);
		} else {
			rest[left] = answers->addresses[i];
			query->numbers[left++] = i;
		}
	}
	*ret_left = left;
	return r;
}

int line_query_start(struct line_query *query, struct name_cache *cache, const struct build_id *id,
		     const struct line_job *job, bool reading, struct text_pool *texts, struct line_answers *answers)
{
	_cleanup_free_ uint64_t *rest = calloc(answers->count + 1, sizeof(*rest));
	size_t count = 0;
	int r;

	*query = (struct line_query){.numbers = calloc(answers->count + 1, sizeof(*query->numbers))};
	r = rest && query->numbers ? 0 : -ENOMEM;
	if (!r && cache && describe(job, id, &query->key)) {
		query->cache = cache;
		r = load(query, texts);
	}
	if (!r)
		r = ask_cache(query, answers, rest, &count);
	if (r < 0 || !count)
		return r;
	if (!reading)
		return -ECANCELED;
	r = line_answers_init(&query->rest, rest, count);
	if (!r)
		r = line_child_start(job, &query->rest, &query->child);
	return r < 0 ? r : 1;
}

/* Both lists in the order of their addresses, of which they share none. Points to their levels. */
static int merge(const struct line_answers *known, const struct line_answers *rest, struct line_answers *ret_all)
{
	const size_t count = known->count + rest->count;
	_cleanup_free_ struct line_place *places = calloc(count + 1, sizeof(*places));
	_cleanup_free_ uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	int r;

	if (!places || !addresses)
		return -ENOMEM;
	for (size_t i = 0, k = 0, n = 0; n < count; n++) {
		const bool old = k == rest->count ||
				 (i < known->count && known->addresses[i] < rest->addresses[k]);

		addresses[n] = old ? known->addresses[i] : rest->addresses[k];
		places[n] = old ? known->places[i++] : rest->places[k++];
	}
	r = line_answers_init(ret_all, addresses, count);
	for (size_t n = 0; n < count && !r; n++)
		line_answers_point(ret_all, n, places[n].levels, places[n].count);
	return r;
}

static int save(struct line_query *query)
{
	_cleanup_(wire_writer_deinit) struct wire_writer writer = {0};
	_cleanup_(line_answers_deinit) struct line_answers all = {0};
	int r = wire_writer_init(&writer, -1);

	if (!r)
		r = merge(&query->known, &query->rest, &all);
	if (!r)
		r = wire_pack(&all, &writer);
	if (!r)
		name_cache_put(query->cache, &query->key, writer.bytes.items, writer.bytes.count);
	return r == -ENOMEM ? r : 0;
}

int line_query_finish(struct line_query *query, struct text_pool *texts, struct line_answers *answers)
{
	const int r = line_child_finish(&query->child, texts, &query->rest);
	int kept = 0;

	for (size_t i = 0; i < query->rest.count && !kept; i++) {
		const struct line_place *place = &query->rest.places[i];

		if (place->count)
			kept = line_answers_put(answers, query->numbers[i], place->levels, place->count);
	}
	if (!kept && !r && query->cache) /* incomplete answers are not stored */
		kept = save(query);
	return kept < 0 ? kept : r == -EPERM ? 0 : r;
}

void line_query_deinit(struct line_query *query)
{
	line_child_end(&query->child);
	line_answers_deinit(&query->known);
	line_answers_deinit(&query->rest);
	free(query->numbers);
	*query = (struct line_query){0};
}
