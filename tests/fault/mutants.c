/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * mutants FIRST COUNT TRACE...: passes mutants FIRST to FIRST + COUNT - 1 of these traces
 * through the reporter. Their checksums are right, so that wrong data reaches the code
 * behind the checksums. A child does the work; if it crashes, or needs more than a minute for a
 * mutant, the mutant's number is printed and a new child goes on. mutants --write N FILE TRACE...:
 * writes that mutant to a file, to reproduce a finding.
 *
 * Each mutant is read whole into a profile, with a filter drawn at random: every record decoded,
 * every stack looked up, every snapshot unwound. Two of the views print it, in turn, so that each
 * prints more than 100,000 of a million; all of them print every hundredth. Each of the tools
 * --info, --needs, --dump, --condense and --scrub gets every tenth mutant; the output of the last
 * two is read completely, too. AddressSanitizer finds leaks every 5,000 mutants.
 */
#include <fcntl.h>
#include <sys/wait.h>

#include "common/log.h"
#include "format/event_layout.h"
#include "tests/fault/mutant.h"
#include "tests/fault/report_run.h"

/*
 * What the mutants are made of: undamaged traces, taken apart, that together hold every kind of record and chunk, which is
 * checked.
 */
/* Bytes to keep of a chunk of EVENTS: the rest has no new forms, but costs time with every mutant. */
enum { MUTANT_EVENTS = 2048 };

static void mutant_need(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "mutants: a seed is no undamaged trace: %s\n", what);
	exit(2);
}

/* Drops the last records. The remaining ones do not refer to them. */
static void mutant_shorten(struct mutant_piece *piece)
{
	struct mutant_record record = {0};
	size_t count = 0, at = 0;

	while (mutant_find_record(piece, count, &record) == count + 1 && record.at + record.length <= MUTANT_EVENTS) {
		at = record.at + record.length;
		count++;
	}
	if (count)
		piece->length = at;
}

static void mutant_load_chunk(struct mutant *seed, const uint8_t *bytes, size_t left)
{
	struct mutant_piece *piece = &seed->pieces[seed->count++];
	uint8_t *payload;

	piece->kind = MUTANT_CHUNK;
	memcpy(&piece->chunk, bytes, sizeof(piece->chunk));
	mutant_need(rwk_chunk_length(&piece->chunk) <= left, "a chunk is cut off");
	payload = malloc(piece->chunk.raw_size + (size_t)1);
	mutant_need(payload && rwk_chunk_unpack(&piece->chunk, bytes + sizeof(piece->chunk), payload) == 0,
		    "a payload");
	piece->payload = payload;
	piece->length = piece->chunk.raw_size;
	piece->plain = piece->chunk.codec == RWK_CODEC_NONE;
	if (piece->chunk.type == RWK_CHUNK_EVENTS && piece->length > MUTANT_EVENTS)
		mutant_shorten(piece);
}

/* Returns the bytes of the piece at `at`. */
static size_t mutant_load_piece(struct mutant *seed, const uint8_t *bytes, size_t left)
{
	struct mutant_piece *piece = &seed->pieces[seed->count];

	if (left >= sizeof(piece->chunk) && !memcmp(bytes, RWK_CHUNK_MAGIC, 4)) {
		mutant_load_chunk(seed, bytes, left);
		return rwk_chunk_length(&piece->chunk);
	}
	seed->count++;
	if (left >= sizeof(piece->file) && !memcmp(bytes, RWK_MAGIC, 8)) {
		piece->kind = MUTANT_HEADER;
		memcpy(&piece->file, bytes, sizeof(piece->file));
		return piece->file.header_size;
	}
	mutant_need(left >= sizeof(piece->trailer) && !memcmp(bytes, RWK_TRAILER_MAGIC, 8), "unknown bytes");
	piece->kind = MUTANT_TRAILER;
	memcpy(&piece->trailer, bytes, sizeof(piece->trailer));
	return sizeof(piece->trailer);
}

/* Ignores what does not fit into the pieces. The payloads are never freed. */
static void mutant_load(struct mutant *seed, const uint8_t *bytes, size_t length)
{
	*seed = (struct mutant){0};
	for (size_t at = 0; at < length && seed->count < MUTANT_PIECES / 2;)
		at += mutant_load_piece(seed, bytes + at, length - at);
	seed->first = seed->pieces[0].file;
	mutant_need(seed->count > 1 && seed->pieces[0].kind == MUTANT_HEADER, "no file header");
}

/* A small trace gives more mutants per second, and a change is a larger part of it, so it is used more often. */
enum { MUTANT_SEEDS = 64, MUTANT_SMALL = 4096, MUTANT_TIMES = 9 };

static void seeds_add(struct mutant_scene *scene, struct mutant *seeds, const uint8_t *bytes, size_t length)
{
	if (scene->seed_count < MUTANT_SEEDS)
		mutant_load(&seeds[scene->seed_count++], bytes, length);
}

static bool piece_has_record(const struct mutant_piece *piece, uint64_t kind)
{
	struct mutant_record record = {0};

	if (piece->kind != MUTANT_CHUNK)
		return false;
	for (size_t i = 0; mutant_find_record(piece, i, &record) == i + 1; i++)
		if (piece->payload[record.body] == kind)
			return true;
	return false;
}

static bool seeds_have_record(const struct mutant_scene *scene, uint64_t kind)
{
	for (size_t i = 0; i < scene->seed_count; i++)
		for (size_t k = 0; k < scene->seeds[i].count; k++)
			if (piece_has_record(&scene->seeds[i].pieces[k], kind))
				return true;
	return false;
}

static bool seeds_have_chunk(const struct mutant_scene *scene, unsigned int type)
{
	for (size_t i = 0; i < scene->seed_count; i++)
		for (size_t k = 0; k < scene->seeds[i].count; k++)
			if (scene->seeds[i].pieces[k].kind == MUTANT_CHUNK &&
			    scene->seeds[i].pieces[k].chunk.type == type)
				return true;
	return false;
}

static void seeds_add_file(struct mutant_scene *scene, struct mutant *seeds, const char *path)
{
	static uint8_t bytes[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));

	if (length <= 0 || length == (ssize_t)sizeof(bytes)) {
		fprintf(stderr, "mutants: cannot use '%s'\n", path);
		exit(2);
	}
	for (int times = length < MUTANT_SMALL ? MUTANT_TIMES : 1; times > 0; times--)
		seeds_add(scene, seeds, bytes, (size_t)length);
	close(fd);
}

static void seeds_add_files(struct mutant_scene *scene, struct mutant *seeds, char **paths, int count)
{
	for (int i = 0; i < count; i++)
		seeds_add_file(scene, seeds, paths[i]);
	for (uint64_t kind = 0; kind < 128; kind++)
		mutant_need(!event_layout_find(kind) || seeds_have_record(scene, kind), "a kind of record is missing");
	for (unsigned int type = RWK_CHUNK_STATE; type <= RWK_CHUNK_NAMES; type++)
		mutant_need(seeds_have_chunk(scene, type), "a type of chunk is missing");
}

/*
 * What the reporter must do with any trace whose checksums are right: read it, or refuse it for one
 * of the known reasons, print every view and tool without a raw byte, and condense it into a trace
 * that is not reported as damaged. Filters and settings are drawn at random.
 */
static struct profile_filter mutant_filter(struct random *random)
{
	struct profile_filter filter = {.to = UINT64_MAX, .needs = PROFILE_EACH_EVENT};
	uint64_t choice = random_below(random, 16);

	if (choice == 0)
		filter.sources = 1U << random_below(random, PROFILE_SOURCE_KINDS);
	else if (choice == 1)
		filter.user_only = true;
	else if (choice == 2)
		filter.kernel_only = true;
	else if (choice == 3)
		filter.needs |= PROFILE_EACH_ADDRESS;
	else if (choice == 4)
		filter.from_moment = (struct profile_moment){PROFILE_MOMENT_WALL, random_next(random)};
	else if (choice == 5)
		filter.to_moment = (struct profile_moment){PROFILE_MOMENT_OFFSET, random_next(random) >> 30};
	else if (choice == 6)
		filter.least_wait = 1 << 20;
	else if (choice < 10)
		filter.apart = true;
	if (choice == 6 || choice > 7)
		filter.needs |= PROFILE_EVERYONE;
	return filter;
}

static struct view_settings mutant_settings(struct random *random, const struct profile_filter *filter)
{
	uint64_t bits = random_next(random);

	return (struct view_settings){
		.filters = "",
		.user_only = filter->user_only,
		.kernel_only = filter->kernel_only,
		.some_waits = filter->least_wait,
		.addresses = bits & 1,
		.offsets = bits & 2,
		.timestamps = bits & 4,
		.per_process = bits & 8,
		.delimited = bits & 16,
		.min_share = bits & 32 ? 2500 : 0,
		.max_groups = bits & 64 ? 3 : 0,
		.at = {PROFILE_MOMENT_OFFSET, random_next(random) >> (40 + bits % 20)},
		.at_around = bits & 128 ? 1ULL << 30 : 0,
	};
}

enum { MUTANT_ALL_VIEWS = 100, MUTANT_TOOLS = 10 };

struct mutant_run {
	uint64_t number;
	struct random random; /* which filters and settings */
	const char *path, *condensed; /* of the mutant; of the file that tools may write */
	const char *wrong; /* what went wrong; NULL: nothing */
	int result;	   /* of the step that went wrong */
};

static void mutant_expect(struct mutant_run *run, bool condition, const char *what, int result)
{
	if (condition || run->wrong)
		return;
	run->wrong = what;
	run->result = result;
}

/* Two views per mutant, each pair in turn; sometimes all. */
static uint32_t mutant_wanted(uint64_t number)
{
	unsigned int first = number % VIEW_COUNT, other = 1 + number / VIEW_COUNT % (VIEW_COUNT - 1);

	if (number % MUTANT_ALL_VIEWS == 0)
		return UINT32_MAX;
	return 1U << first | 1U << (first + other) % VIEW_COUNT;
}

static void mutant_views(struct mutant_run *run)
{
	const struct profile_filter filter = mutant_filter(&run->random);
	const struct view_settings settings = mutant_settings(&run->random, &filter);
	const uint32_t wanted = mutant_wanted(run->number);
	struct text_sink sink = {0};
	struct profile *profile;
	int r = profile_create(&run->path, 1, &filter, &(struct profile_names){0}, &profile);

	/* -EINVAL: no recording contains that moment. */
	mutant_expect(run, report_run_may_return(r) || (r == -EINVAL && (filter.from_moment.kind || filter.to_moment.kind)),
		      "the profile", r);
	if (r < 0)
		return;
	r = report_run_print(profile, &settings, wanted, &sink);
	mutant_expect(run, r == 0, "a view", r);
	mutant_expect(run, !sink.raw, "a view prints raw bytes", 0);
	profile_destroy(profile);
}

/* Judges a mutant completely. One of MUTANT_TOOLS mutants goes through each tool. */
static void mutant_judge(struct mutant_run *run)
{
	static const struct tool *const tools[] = {&info_tool, &needs_tool, &dump_tool, &condense_tool, &scrub_tool};
	const uint64_t turn = run->number % MUTANT_TOOLS;

	mutant_views(run);
	if (run->wrong || turn >= sizeof(tools) / sizeof(*tools))
		return;
	run->wrong = report_run_tool(tools[turn], run->path, run->condensed, random_below(&run->random, 2), &run->result);
	if (!run->wrong && !run->result && tools[turn]->writes)
		run->wrong = report_run_rewritten(run->condensed, &run->result);
	(void)unlink(run->condensed);
}

enum { SECONDS_EACH = 60, BATCH = 5000 };

struct mutants {
	struct mutant_scene scene;
	struct mutant_writer writer;
	struct mutant seeds[MUTANT_SEEDS];
	char path[32], condensed[64];
	int fd;
	uint64_t *at; /* the mutant that the child works on; shared memory */
	uint64_t failed;
};

static void init(struct mutants *m, char **traces, int count)
{
	m->scene.seeds = m->seeds;
	m->scene.scraps.bytes = malloc(MUTANT_SCRAPS);
	m->writer.bytes = malloc(MUTANT_BYTES);
	m->writer.scratch = malloc(lz4_block_scratch());
	m->at = mmap(NULL, sizeof(*m->at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	m->fd = memfd_create("mutant", MFD_CLOEXEC);
	if (!m->scene.scraps.bytes || !m->writer.bytes || !m->writer.scratch || m->at == MAP_FAILED || m->fd < 0)
		abort();
	seeds_add_files(&m->scene, m->seeds, traces, count);
}

static void save(int fd, const struct mutant_writer *writer)
{
	if (ftruncate(fd, 0) < 0 || pwrite(fd, writer->bytes, writer->length, 0) != (ssize_t)writer->length)
		abort();
}

/* Prints what is wrong with mutant `number`, and returns true, if anything is. */
static bool is_wrong(struct mutants *m, uint64_t number)
{
	struct mutant_run run = {.number = number, .random = random_make(~number), .path = m->path,
				 .condensed = m->condensed};

	mutant_make(&m->scene, number, &m->writer);
	save(m->fd, &m->writer);
	mutant_judge(&run);
	(void)unlink(m->condensed);
	if (run.wrong)
		printf("# mutant %llu: %s: %s\n", (unsigned long long)number, run.wrong, strerror(-run.result));
	return run.wrong;
}

/* Runs in the child. The reporter's messages about a mutant are discarded; the sanitizers write to the descriptor. */
static int work(struct mutants *m, uint64_t end)
{
	bool wrong = false;

	stderr = fopen("/dev/null", "we");
	snprintf(m->path, sizeof(m->path), "/proc/self/fd/%d", m->fd);
	snprintf(m->condensed, sizeof(m->condensed), "/dev/shm/mutant.%d", (int)getpid());
	for (; *m->at < end && !wrong; ++*m->at) {
		alarm(SECONDS_EACH);
		wrong = is_wrong(m, *m->at);
	}
	fflush(stdout);
	return wrong ? 3 : 0;
}

static void run_batch(struct mutants *m, uint64_t end)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(work(m, end));
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	if (!status)
		return;
	m->failed++;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		return; /* the child has reported it, and is beyond it */
	printf("# mutant %llu: ended by %s %d\n", (unsigned long long)*m->at,
	       WIFSIGNALED(status) ? "signal" : "exit code",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	++*m->at;
}

static int run(struct mutants *m, uint64_t first, uint64_t count)
{
	for (*m->at = first; *m->at < first + count && m->failed < 20;) {
		uint64_t left = first + count - *m->at;

		run_batch(m, *m->at + (left < BATCH ? left : BATCH));
	}
	printf("%s mutants%s (%llu done, from %llu)\n", m->failed ? "not ok" : "ok", m->failed ? " - see above" : "",
	       (unsigned long long)(*m->at - first), (unsigned long long)first);
	return m->failed ? 1 : 0;
}

static int write_one(struct mutants *m, uint64_t number, const char *path)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	mutant_make(&m->scene, number, &m->writer);
	save(fd, &m->writer);
	return close(fd) < 0;
}

int main(int argc, char **argv)
{
	static struct mutants mutants; /* its memory is used until exit, so it is no leak */
	struct mutants *m = &mutants;
	bool writes = argc > 3 && !strcmp(argv[1], "--write");
	int result;

	if (argc < (writes ? 4 : 3)) {
		fprintf(stderr, "mutants: FIRST COUNT TRACE... | --write N FILE TRACE...\n");
		return 2;
	}
	init(m, argv + 3 + writes, argc - 3 - writes);
	result = writes ? write_one(m, strtoull(argv[2], NULL, 10), argv[3]) :
			  run(m, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	return result;
}
