/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Commands on the trace itself: what --scrub must not leave, the equations of --info, what --condense keeps together. */
#include "report/tool/tool_internal.h"

#include <stdbool.h>
#include <string.h>

#include "format/event_layout.h"
#include "format/section_id.h"
#include "report/read/trace_file.h"
#include "report/tool/tool.h"
#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

static const char NAME[] = "/PRIVATE/NAME";

static struct event_text *text_field(struct event *event, const struct event_field *field)
{
	bool is_text = field->type == FIELD_TEXT || field->type == FIELD_BYTES;

	return is_text ? (struct event_text *)((char *)event_record(event) + field->offset) : NULL;
}

static void fill(struct event *event, const struct event_layout *layout)
{
	for (const struct event_field *field = layout->fields; field->type; field++)
		if (text_field(event, field))
			*text_field(event, field) = (struct event_text){NAME, sizeof(NAME) - 1};
}

static bool holds_name(const struct event_text *text)
{
	return text->length >= 4 && memmem(text->bytes, text->length, "PRIV", 4);
}

/*
 * No text of a record stays without a row that says so: each field of each kind, filled with a name that no row keeps,
 * is another text afterwards, or none. So a kind that is added to the format is scrubbed, too.
 */
static void no_text_stays(struct test *t)
{
	static struct trace_model model;
	struct scrub *scrub;
	unsigned int texts = 0;

	REQUIRE(t, !trace_model_init(&model, NULL, 0) && !scrub_create(NULL, &scrub));
	for (uint64_t kind = 0; kind < 256; kind++) {
		const struct event_layout *layout = event_layout_find(kind);
		struct event event = {.kind = (enum event_kind)kind};
		int r;

		if (!layout)
			continue;
		fill(&event, layout);
		r = scrub_record(scrub, &model, &event);
		CHECK(t, r >= 0);
		for (const struct event_field *field = layout->fields; r > 0 && field->type; field++) {
			const struct event_text *text = text_field(&event, field);

			texts += text != NULL;
			test_check(t, !text || !holds_name(text), "%s of %s stays", field->name, layout->name);
		}
	}
	CHECK(t, texts > 5);
	scrub_destroy(scrub);
	trace_model_deinit(&model);
}

/* Such a thread's name may hold that of a device or a server. */
static void plain_kernel_threads_stay(struct test *t)
{
	struct event_task plain = {.flags = TASK_KERNEL_THREAD, .comm = "kworker/u8:2"};
	struct event_task named = {.flags = TASK_KERNEL_THREAD, .comm = "fileserver-mana"};
	struct event_task user = {.comm = "kworker/u8:2"};
	struct scrub *scrub;

	REQUIRE(t, !scrub_create(NULL, &scrub));
	CHECK(t, scrub_task(scrub, &plain) > 0 && scrub_task(scrub, &named) > 0 && scrub_task(scrub, &user) > 0);
	CHECK_STR(t, plain.comm, "kworker/u8:2");
	CHECK(t, !strstr(named.comm, "fileserver") && strcmp(user.comm, plain.comm) != 0);
	scrub_destroy(scrub);
}

/* --- info --- */

static void add_losses(struct made_trace *trace, uint32_t cpu, const uint64_t totals[static LOSS_CAUSES])
{
	struct event_loss loss = {.time = 100, .source = 1, .cpu = cpu};

	for (loss.cause = 0; loss.cause < LOSS_CAUSES; loss.cause++) {
		loss.total = totals[loss.cause];
		if (loss.total)
			made_trace_add(trace, &(struct event){.kind = EVENT_LOSS, .loss = loss});
	}
}

/* The equations of the losses: CPU 1 lacks three events. */
static void info_keeps_the_books(struct test *t)
{
	static const uint64_t good[LOSS_CAUSES] = {
		[LOSS_SEEN] = 1000, [LOSS_RECORDED] = 600, [LOSS_IDLE] = 300, [LOSS_OWN] = 40, [LOSS_FILTERED] = 30,
		[LOSS_RING_FULL] = 20, [LOSS_NESTED] = 10, [LOSS_NOT_DELIVERED] = 5};
	static const uint64_t bad[LOSS_CAUSES] = {
		[LOSS_SEEN] = 150, [LOSS_RECORDED] = 97, [LOSS_RATE_LIMITED] = 20, [LOSS_BRIEF] = 30};
	struct event counter = {.kind = EVENT_COUNTER,
				.counter = {.time = 30, .source = 1, .missed = 5, .missed_idle = 4, .enabled = 9000000000,
					    .running = 6000000000, .throttled = 250000000}};
	struct scratch scratch;
	struct made_trace *trace = made_profile_begin(&scratch);
	const char *path = scratch.path;
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &everything, .names = &no_files,
				       .verbose = true};
	bool damaged = false;
	char *text;
	size_t length;

	add_losses(trace, 0, good);
	add_losses(trace, 1, bad);
	made_trace_add(trace, &counter);
	made_trace_end(trace);
	request.out = open_memstream(&text, &length);
	REQUIRE(t, !info_tool.run(&request, &damaged) && !fclose(request.out));
	CHECK(t, damaged); /* events were lost */
	CHECK(t, strstr(text, "CPU 0: 1000 seen = 600 recorded + 300 idle + 40 own + 30 filtered + 30 lost; "
			      "5 more were counted by the kernel but not delivered, "
			      "4 of them while the CPU was idle\n"));
	CHECK(t, strstr(text, "CPU 0: others had the counter for 3.00 of 9.00 s\n"));
	CHECK(t, strstr(text, "CPU 0: stopped for 0.25 s, for it was too frequent\n"));
	CHECK(t, strstr(text, "CPU 1: 150 seen = 97 recorded + 0 idle + 0 own + 0 filtered + 0 lost + 30 brief + "
			      "20 rate-limited; the counts do not add up: 3 events are unaccounted for\n"));
	free(text);
	(void)unlink(path);
}

/* --- condense --- */

/* A recorded section. Its id becomes *ret_id. */
static void add_recorded(struct made_trace *trace, char ret_id[static SECTION_ID_TEXT])
{
	section_id_text(trace_writer_header(trace->writer), ret_id);
	made_trace_cpu_clock(trace, 0);
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 12, .tid = 12, .comm = "x"});
	made_trace_end(trace);
}

/* A section adds to one of two recorded sections, not the one before it; in the new trace that has another id. */
static void what_is_added_to_is_the_same_section(struct test *t)
{
	static const char in[] = TEST_FOLDER "/test_tool.rwk", out[] = TEST_FOLDER "/test_tool.out.rwk";
	const char *path = in;
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &everything, .names = &no_files,
				       .output = out, .out = stdout};
	char first[SECTION_ID_TEXT], second[SECTION_ID_TEXT], text[2 * SECTION_ID_TEXT];
	struct made_trace *added;
	struct trace_file *file;
	bool damaged;

	add_recorded(made_trace_begin(in), first);
	add_recorded(made_trace_begin_at(in, O_APPEND), second);
	added = made_trace_begin_at(in, O_APPEND);
	(void)snprintf(text, sizeof(text), "%s %032d", first, 0);
	made_trace_meta(added, SECTION_ADDS_TO, text);
	made_trace_end(added);
	(void)unlink(out);
	REQUIRE(t, !condense_tool.run(&request, &damaged) && !trace_file_open(out, NULL, &file));
	REQUIRE(t, file->model_count == 3);
	CHECK_INT(t, trace_file_adds_to(file, 2, 0), 1);
	CHECK_INT(t, trace_file_adds_to(file, 2, 1), 0);
	CHECK(t, !strstr(trace_model_meta(&file->models[2], SECTION_ADDS_TO), first));
	trace_file_close(file);
}

TEST_MAIN(TEST(no_text_stays), TEST(plain_kernel_threads_stay), TEST(info_keeps_the_books),
	  TEST(what_is_added_to_is_the_same_section))
