/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * No text of a record stays without a row that says so: each field of each kind, filled with a name that no row keeps,
 * is another text afterwards, or none. So a kind that is added to the format is scrubbed, too.
 */
#include "report/tool/scrub.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "format/event_layout.h"
#include "report/tool/tool.h"
#include "tests/make_events.h"
#include "tests/test.h"

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

static void a_name_has_one_stand_in(struct test *t)
{
	struct event_task one = {.comm = "private-comm"}, other = one, third = {.comm = "another"};
	struct event_text function = {"private-comm", 12};
	struct scrub *scrub;

	REQUIRE(t, !scrub_create(NULL, &scrub));
	CHECK(t, scrub_task(scrub, &one) > 0 && scrub_task(scrub, &other) > 0 && scrub_task(scrub, &third) > 0);
	CHECK(t, scrub_function(scrub, NULL, &function) > 0);
	CHECK_STR(t, one.comm, other.comm);
	CHECK(t, strcmp(one.comm, third.comm) != 0 && strcmp(one.comm, "private-comm") != 0);
	CHECK(t, function.length && strcmp(function.bytes, one.comm) != 0);
	CHECK_INT(t, scrub_count(scrub), 3);
	scrub_destroy(scrub);
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

/* --- tool --- */

/*
 * --info, --needs and --dump of traces made here: the numbers are those that were put in, and
 * nothing is printed raw.
 */

#define EVIL "x\033]0;owned\007\033[2J\177\r\n\xc2\x9b" "31m\xe2\x80\xae" "y\xff"

static void add_loss(struct made_trace *trace, uint32_t source, uint32_t cpu, enum loss_cause cause, uint64_t total)
{
	made_trace_add(trace, &(struct event){.kind = EVENT_LOSS,
					      .loss = {.time = 100, .source = source, .cpu = cpu,
						       .cause = cause, .total = total}});
}

static void add_sample(struct made_trace *trace, uint64_t time, const char *comm, uint64_t kernel, uint64_t user)
{
	struct event_sample sample = {.time = time, .source = 1, .flags = SAMPLE_HAS_KERNEL | SAMPLE_HAS_USER};
	struct event_task task = {.tgid = 7, .tid = 7, .start = 1};
	struct event_stacks stacks = {.kernel = &kernel, .user = &user, .kernel_count = 1, .user_count = 1};

	memcpy(task.comm, comm, strnlen(comm, sizeof(task.comm) - 1));
	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

/* Four samples: each has an address of "app" without a name, three have a kernel function with one. */
static const char *make_trace(const char *text)
{
	static const char path[] = TEST_FOLDER "/test_tool.rwk";
	const struct event_source source = {
		.id = 1, .kind = SOURCE_CPU, .weight = WEIGHT_COUNT, .frequency = 99, .period = 1,
		.start = 10, .stop = 5000000010};
	struct made_trace *trace = made_trace_begin(path);

	made_trace_meta(trace, "hostname", text);
	made_trace_meta(trace, "command_line", text);
	made_trace_meta(trace, text, text);
	made_trace_source(trace, &source, text);
	made_trace_probe(trace, 3, 1, HOOK_KPROBE_MULTI, text);
	made_trace_probe_hits(trace, &(struct event_probe_hits){.probe = 3, .time = 20,
								.hits = 1000, .skipped = 900,
								.missed = 7});
	made_trace_probe(trace, 2, 1, HOOK_FENTRY, "idle");
	made_trace_probe_hits(trace, &(struct event_probe_hits){.probe = 2, .time = 20});
	made_trace_probe(trace, 1, 1, 77, "uncounted");
	made_trace_probe_hits(trace, &(struct event_probe_hits){.probe = 4, .time = 20, .hits = 5});
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "0a0b0c");
	made_trace_module(trace, 2, MODULE_FILE, text, "c0ffee");
	made_trace_map(trace, 10, 7, 0x10000, 0x10000, 0, 2, 0);
	made_trace_add(trace, &(struct event){
				      .kind = EVENT_KERNEL_SYMBOL,
				      .kernel_symbol = {.module = 1, .offset = 0x100, .size = 0x100,
							.name = made_text(text)}});
	add_loss(trace, 1, 0, LOSS_SEEN, 1000);
	add_loss(trace, 1, 0, LOSS_RECORDED, 600);
	add_loss(trace, 1, 0, LOSS_IDLE, 300);
	add_loss(trace, 1, 0, LOSS_OWN, 40);
	add_loss(trace, 1, 0, LOSS_FILTERED, 30);
	add_loss(trace, 1, 0, LOSS_RING_FULL, 20);
	add_loss(trace, 1, 0, LOSS_NESTED, 10);
	add_loss(trace, 1, 0, LOSS_NOT_DELIVERED, 5);
	made_trace_add(trace, &(struct event){.kind = EVENT_COUNTER,
					      .counter = {.time = 30, .source = 1, .cpu = 0,
							  .missed = 5, .missed_idle = 4,
							  .enabled = 9000000000,
							  .running = 6000000000,
							  .throttled = 250000000}});
	add_loss(trace, 1, 1, LOSS_SEEN, 150);
	add_loss(trace, 1, 1, LOSS_RATE_LIMITED, 20);
	add_loss(trace, 1, 1, LOSS_BRIEF, 30);
	add_loss(trace, 1, 1, LOSS_RECORDED, 97);
	for (uint64_t i = 0; i < 4; i++)
		add_sample(trace, 20 + i, text, UINT64_C(1) << 32 | (i ? 0x110 : 0x900), 0x10020);
	made_trace_end(trace);
	return path;
}

/* What a tool prints; the caller frees it. */
static char *run_as(const struct tool *tool, const char *path, bool verbose, bool *ret_damaged)
{
	static const char *const nowhere[] = {"/nonexistent", NULL};
	const struct profile_filter filter = {.to = UINT64_MAX};
	const struct profile_names names = {.debug_dirs = nowhere, .symfs = "/nonexistent"};
	struct tool_request request = {.paths = &path, .path_count = 1, .filter = &filter,
				       .names = &names, .verbose = verbose};
	char *text = NULL;
	size_t length;

	*ret_damaged = false;
	request.out = open_memstream(&text, &length);
	if (!request.out || tool->run(&request, ret_damaged) < 0 || fclose(request.out) != 0)
		abort();
	return text;
}

static char *run(const struct tool *tool, const char *path, bool *ret_damaged)
{
	return run_as(tool, path, true, ret_damaged);
}

static void info_keeps_the_books(struct test *t)
{
	bool damaged;
	char *text = run(&tools[TOOL_INFO], make_trace("app"), &damaged);

	CHECK(t, damaged); /* events were lost */
	CHECK(t, strstr(text, "CPU 0: 1000 seen = 600 recorded + 300 idle + 40 own + 30 filtered + 30 lost; "
			      "5 more were counted by the kernel but not delivered, "
			      "4 of them while the CPU was idle\n"));
	CHECK(t, strstr(text, "CPU 0: others had the counter for 3.00 of 9.00 s\n"));
	CHECK(t, strstr(text, "CPU 0: stopped for 0.25 s, for it was too frequent\n"));
	CHECK(t,
	      strstr(text,
		     "CPU 1: 150 seen = 97 recorded + 0 idle + 0 own + 0 filtered + 0 lost + "
		     "30 brief + 20 rate-limited; the counts do not add up: 3 events are unaccounted for\n"));
	CHECK(t, strstr(text, "wanted     recorded     ring-full        nested\n"));
	CHECK(t, strstr(text, "CPU 0             630          600            20            10\n"));
	CHECK(t, strstr(text, "CPU 1             100           97             0             0\n"));
	CHECK(t, strstr(text, "99 Hz per CPU"));
	CHECK(t, strstr(text, " 4 sample"));
	CHECK(t, strstr(text, "in order"));
	CHECK(t, strstr(text, "app (file): not hit, or not asked for, build-id c0ffee\n"));
	free(text);
}

static void prints_nothing_raw(struct test *t)
{
	static const enum tool_kind printing[] = {TOOL_INFO, TOOL_NEEDS, TOOL_DUMP};

	for (size_t i = 0; i < sizeof(printing) / sizeof(printing[0]); i++) {
		bool damaged;
		char *text = run(&tools[printing[i]], make_trace(EVIL), &damaged);

		CHECK(t, strstr(text, "owned"));
		for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
			CHECK(t, (*byte >= 0x20 || *byte == '\n') && *byte != 0x7f && *byte != 0xff);
		CHECK(t, !strstr(text, "\xc2\x9b") && !strstr(text, "\xe2\x80\xae"));
		free(text);
	}
}

TEST_MAIN(TEST(no_text_stays), TEST(a_name_has_one_stand_in), TEST(plain_kernel_threads_stay),
	  TEST(info_keeps_the_books), TEST(prints_nothing_raw))
