/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a condensed trace says beyond its single records: which section adds to which, and what names an address. */
#include "report/tool/tool.h"

#include "format/section_id.h"
#include "report/read/trace_file.h"
#include "report/view/text/view.h"
#include "tests/make_events.h"
#include "tests/test.h"

static const char IN[] = TEST_FOLDER "/test_condense.rwk", OUT[] = TEST_FOLDER "/test_condense.out.rwk";
static const struct profile_filter everything = {.to = UINT64_MAX};

static int condense(void)
{
	const char *path = IN;
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &everything,
				       .names = &(struct profile_names){0}, .output = OUT, .out = stdout};
	bool damaged;

	(void)unlink(OUT);
	return tools[TOOL_CONDENSE].run(&request, &damaged);
}

static void add_source(struct made_trace *trace)
{
	const struct event_source source = {.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_NS, .period = 1, .start = 1,
					    .flags = SOURCE_USER_STACKS};

	made_trace_source(trace, &source, "cpu-clock");
}

static void add_sample(struct made_trace *trace, uint64_t time, const uint64_t *user, uint32_t count)
{
	const struct event_task task = {.tgid = 12, .tid = 12, .start = 3, .comm = "three"};
	struct event_sample sample = {.time = time, .source = 1};
	const struct event_stacks given = {.user = user, .user_count = count};

	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &given), "sample");
}

/* --- sections --- */

/* A recorded section with one sample. Its id becomes *ret_id. */
static void add_recorded(struct made_trace *trace, char ret_id[static SECTION_ID_TEXT])
{
	static const uint64_t user[] = {0x800010};

	section_id_text(trace_writer_header(trace->writer), ret_id);
	add_source(trace);
	add_sample(trace, 90, user, 1);
	made_trace_end(trace);
}

/* A section adds to one of two recorded sections, not the one before it; in the new trace that has another id. */
static void what_is_added_to_is_the_same_section(struct test *t)
{
	char first[SECTION_ID_TEXT], second[SECTION_ID_TEXT], text[2 * SECTION_ID_TEXT];
	struct made_trace *added;
	struct trace_file *file;

	add_recorded(made_trace_begin(IN), first);
	add_recorded(made_trace_begin_at(IN, O_APPEND), second);
	added = made_trace_begin_at(IN, O_APPEND);
	(void)snprintf(text, sizeof(text), "%s %032d", first, 0);
	made_trace_meta(added, SECTION_ADDS_TO, text);
	made_trace_end(added);
	REQUIRE(t, condense() == 0 && trace_file_open(OUT, NULL, &file) == 0);
	REQUIRE(t, file->model_count == 3);
	CHECK_INT(t, trace_file_adds_to(file, 2, 0), 1);
	CHECK_INT(t, trace_file_adds_to(file, 2, 1), 0);
	CHECK(t, !strstr(trace_model_meta(&file->models[2], SECTION_ADDS_TO), first));
	trace_file_close(file);
}

/* --- names --- */

static char *folded(const char *path)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct profile *profile;

	if (!out || profile_create(&path, 1, &everything, &(struct profile_names){0}, &profile) < 0)
		abort();
	const struct view_settings settings = {.filters = ""};
	const struct view_context context = {.profile = profile, .settings = &settings, .out = out};

	if (views_print(&context, &views[VIEW_FOLDED]) < 0 || fclose(out))
		abort();
	profile_destroy(profile);
	return text;
}

/* Mappings after the exec were not recorded. Alone, a leaf is still the program's before; with a caller it is not. */
static void leaves_have_the_names_they_had(struct test *t)
{
	static const uint64_t alone[] = {0x800010}, called[] = {0x800020, 0x900020};
	struct made_trace *trace = made_trace_begin(IN);
	char *old, *new;

	add_source(trace);
	made_trace_module(trace, 2, MODULE_FILE, "/nonexistent/before", "");
	made_trace_map(trace, 4, 12, 0x800000, 0x10000, 0, 2, MAPPING_INITIAL);
	made_trace_exec(trace, 8, 12, "three");
	add_sample(trace, 90, alone, 1);
	add_sample(trace, 91, called, 2);
	made_trace_end(trace);
	REQUIRE(t, condense() == 0);
	old = folded(IN);
	new = folded(OUT);
	CHECK(t, strstr(old, "before"));
	CHECK_STR(t, new, old);
	free(old);
	free(new);
}

TEST_MAIN(TEST(what_is_added_to_is_the_same_section), TEST(leaves_have_the_names_they_had))
