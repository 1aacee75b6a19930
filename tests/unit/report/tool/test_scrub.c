/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * No text of a record stays without a row that says so: each field of each kind, filled with a name that no row keeps,
 * is another text afterwards, or none. So a kind that is added to the format is scrubbed, too.
 */
#include "report/tool/scrub.h"

#include <errno.h>
#include <string.h>

#include "format/event_layout.h"
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

TEST_MAIN(TEST(no_text_stays), TEST(a_name_has_one_stand_in), TEST(plain_kernel_threads_stay))
