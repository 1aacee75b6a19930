/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Escape sequences, control characters and bidirectional overrides in comms, symbols, modules,
 * paths, states and the account are never printed raw, in any view with any setting; and a large,
 * deep tree is printed in reasonable time.
 */
#include <zlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/report/view/fake_view.h"

#define EVIL "x\033]0;owned\007\033[2J\177\r\n\xc2\x9b" "31m\xe2\x80\xae" "y\xff"

static struct profile *evil_profile(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, EVIL, "samples");

	fake_entry(p, cpu, EVIL, 1, "f@" EVIL ";" EVIL "@app;?@" EVIL, 60);
	fake_entry(p, cpu, EVIL, 2, "f@other;g@app;h@app", 40);
	fake_entry(p, cpu, EVIL, 2, "", 40);
	(void)fake_recording(p, 0, SECOND);
	(void)fake_event(p, cpu, fake_probe(p, EVIL, 1), EVIL, 1, 1, "f@" EVIL ";" EVIL "@app;?@" EVIL);
	(void)fake_event(p, cpu, PROFILE_NO_PROBE, EVIL, 1, 1, EVIL);
	p->modules[0].path = p->modules[0].build_id = EVIL;
	(void)fake_source(p, PROFILE_TASKS, EVIL, "samples");
	p->walks[p->walk_count++] = (struct profile_walk){.number = 1, .seen = 1};
	(void)fake_walked(p, 0, EVIL, 5, "D\033[31m", EVIL "+0x1");
	p->sources[1].samples = 1;
	p->origins[p->origin_count++] = (struct profile_origin){.host = EVIL, .kernel = EVIL, .machine = EVIL};
	fake_note(p, EVIL, 0);
	return p;
}

/*
 * Bytes that must not be printed: controls except newline and tab, which an export has, and the
 * multi-byte ones among EVIL.
 */
static bool is_clean(const char *text)
{
	for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
		if ((*byte < 0x20 && *byte != '\n' && *byte != '\t') || *byte == 0x7f || *byte == 0xff)
			return false;
	return !strstr(text, "\xc2\x9b") && !strstr(text, "\xe2\x80\xae") && !strstr(text, "\r");
}

static void prints_nothing_raw(struct test *t)
{
	for (unsigned int bits = 0; bits < 32; bits++)
		for (int kind = -1; kind < VIEW_KINDS; kind++) {
			struct profile *p;
			struct view_settings settings = {
				.addresses = bits & 1,
				.offsets = bits & 2,
				.per_process = bits & 4,
				.delimited = bits & 8,
				.user_only = bits & 16,
				.timestamps = bits & 16,
				.interval = bits & 8 ? SECOND / 4 : 0,
				.filters = "",
			};
			struct profile *base;
			char *text;

			if (kind >= 0 && views[kind].binary)
				continue; /* these are below */
			p = evil_profile();
			base = evil_profile();
			base->sources[0].recorded = p->sources[0].recorded = SECOND;
			base->entry_count = 0;
			p->base = base;
			if (kind == VIEW_SVG)
				p->source_count = 1;
			if (kind == VIEW_FOLDED)
				p->source_count = 1;
			text = fake_print(p, kind < 0 ? NULL : &views[kind], &settings);
			/* There are no waits, and machine-readable lines have no other text. */
			CHECK(t, strstr(text, "owned") || kind == VIEW_FOLDED_WAKERS);
			CHECK(t, is_clean(text));
			free(text);
			free(base);
			free(p);
		}
}

/* What a view writes to a file of its own; the caller frees it. */
static uint8_t *print_file(struct profile *p, const struct view *view, size_t *ret_size)
{
	const struct view_settings settings = {.filters = ""};
	struct view_context context = {.profile = p, .settings = &settings};
	int fd = memfd_create("export", MFD_CLOEXEC), kept = dup(fd);
	uint8_t *bytes;
	off_t size;

	p->notes[0].text = "what the account says is printable";
	context.out = fdopen(fd, "w+");
	if (kept < 0 || !context.out || views_print(&context, view) < 0 || fclose(context.out) != 0)
		abort();
	size = lseek(kept, 0, SEEK_END);
	bytes = malloc((size_t)size + 1);
	if (!bytes || size <= 0 || pread(kept, bytes, (size_t)size, 0) != size)
		abort();
	close(kept);
	*ret_size = (size_t)size;
	return bytes;
}

/* Names are escaped in files for programs, too, whose texts end in a terminal: printable UTF-8 is all that is left. */
static void check_file(struct test *t, const uint8_t *bytes, size_t size)
{
	static const char *const raw[] = {"\033]0;", "\177\r\n", "\xc2\x9b", "\xe2\x80\xae", "y\xff"};

	CHECK(t, memmem(bytes, size, "x\\x1b]0;owned\\x07", strlen("x\\x1b]0;owned\\x07")) != NULL);
	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++)
		CHECK(t, !memmem(bytes, size, raw[i], strlen(raw[i])));
}

static void databases_have_nothing_raw(struct test *t)
{
	struct profile *p = evil_profile();
	size_t size;
	uint8_t *bytes;

	fake_entry(p, 0, "", 3, "", 1);
	bytes = print_file(p, &views[VIEW_SQLITE], &size);
	CHECK(t, size > 16 && !memcmp(bytes, "SQLite format 3", 16));
	check_file(t, bytes, size);
	free(bytes);
	free(p);
}

static void pprof_has_nothing_raw(struct test *t)
{
	enum { ROOM = 1 << 20 };
	z_stream stream = {.avail_out = ROOM};
	uint8_t *message = malloc(ROOM), *packed;
	struct profile *p = evil_profile();
	size_t size, length = 0;

	packed = print_file(p, &views[VIEW_PPROF], &size);
	stream.next_in = packed;
	stream.avail_in = (uInt)size;
	stream.next_out = message;
	REQUIRE(t, message && inflateInit2(&stream, 15 + 16) == Z_OK);
	CHECK_INT(t, inflate(&stream, Z_FINISH), Z_STREAM_END);
	length = stream.total_out;
	(void)inflateEnd(&stream);
	check_file(t, message, length);
	free(message);
	free(packed);
	free(p);
}

static void one_line_stays_one_line(struct test *t)
{
	struct profile *p = evil_profile();
	struct view_settings settings = {.filters = ""};
	char *text;
	size_t lines = 0;

	p->source_count = 1;
	text = fake_print(p, &views[VIEW_FOLDED], &settings);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	CHECK_INT(t, lines, 4);
	free(text);
	free(p);
}

/* A chain of `depth` calls with a branch at each of them: everything is shown. */
static void prints_deep_trees_in_linear_space(struct test *t)
{
	enum { DEPTH = 150 };
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples"), node = 0;
	struct view_settings settings = {.filters = ""};
	char *text;

	fake_entry(p, cpu, "a", 1, "leaf@x", 1);
	for (uint32_t depth = 0; depth < DEPTH; depth++) {
		uint32_t frame = fake_frame(p, "step@x", 6);

		p->nodes[p->node_count] = (struct profile_node){.parent = node, .frame = frame};
		node = (uint32_t)p->node_count++;
		p->nodes[p->node_count] = (struct profile_node){.parent = node, .frame = 0};
		p->entries[p->entry_count++] = (struct profile_entry){
			.source = cpu, .node = (uint32_t)p->node_count++, .task = 0, .samples = 1, .weight = 1};
		p->sources[cpu].samples = ++p->sources[cpu].weight;
	}
	text = fake_print(p, &views[VIEW_TREE], &settings);
	CHECK(t, strstr(text, "[level 149] "));
	CHECK(t, strlen(text) < 3 * DEPTH * 600);
	free(text);
	free(p);
}

TEST_MAIN(TEST(prints_nothing_raw), TEST(databases_have_nothing_raw), TEST(pprof_has_nothing_raw),
	  TEST(one_line_stays_one_line), TEST(prints_deep_trees_in_linear_space))
