/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What --scrub does not know is left out: kinds of records, and keys of META. tests/golden has whole traces. */
#include "report/scrub/scrub.h"

#include <stdlib.h>

#include "tests/make_trace.h"
#include "tests/test.h"

static struct scrub *scrubber(struct pseudonyms **names)
{
	static const struct scrub_settings all = {.classes = SCRUB_ALL};
	static const uint8_t key[PSEUDONYM_KEY] = {1};
	struct scrub *scrub;

	if (pseudonyms_create(key, PSEUDONYM_DIGITS, names) < 0 || scrub_create(&all, *names, &scrub) < 0)
		abort();
	return scrub;
}

static void leaves_out_kinds(struct test *t)
{
	static const uint32_t kinds[] = {0, 22, 31, EVENT_TASK, 40, 63, EVENT_EMBED_SYMBOLS, EVENT_PERF_MAP,
					 EVENT_EMBED_LINES, EVENT_EMBED_UNWIND, 69, EVENT_SNAPSHOT, 99, 1000,
					 UINT32_MAX};
	struct pseudonyms *names;
	struct scrub *scrub = scrubber(&names);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = {.kind = (enum event_kind)kinds[i]};
		struct event_task task = {0};

		test_check(t, scrub_record(scrub, &event) == 0, "a record of kind %u is written", kinds[i]);
		test_check(t, scrub_event(scrub, &event, &task, NULL, NULL) == 0, "an event of kind %u is written",
			   kinds[i]);
	}
	scrub_destroy(scrub);
	pseudonyms_destroy(names);
}

static int take_meta(struct scrub *scrub, const char *key, const char *value, struct event *ret_event)
{
	*ret_event = (struct event){.kind = EVENT_META, .meta = {made_text(key), made_text(value)}};
	return scrub_record(scrub, ret_event);
}

static void leaves_out_keys(struct test *t)
{
	static const char *const keys[] = {"file-header", "command_line", "memory", "boot_id", "kernel_version",
					   "condensed", "scrubbed", "adds_to", "", "hostname2", "host", "recorder "};
	struct pseudonyms *names;
	struct scrub *scrub = scrubber(&names);
	struct event event;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		test_check(t, take_meta(scrub, keys[i], "1", &event) == 0, "key '%s' is written", keys[i]);
	CHECK_INT(t, take_meta(scrub, "cpus", "4", &event), 1);
	CHECK_INT(t, take_meta(scrub, "cpus", "4 of alice", &event), 0);
	CHECK_INT(t, take_meta(scrub, "nodes", "0:0-3,8 1:4-7", &event), 1);
	CHECK_INT(t, take_meta(scrub, "nodes", "0:0-3 alice", &event), 0);
	CHECK_INT(t, take_meta(scrub, "recorder", "rwalker-record 0.1.0", &event), 1);
	CHECK_INT(t, take_meta(scrub, "recorder", "alice 0.1.0", &event), 0);
	CHECK_INT(t, take_meta(scrub, "machine", "x86_64", &event), 1);
	CHECK_INT(t, take_meta(scrub, "machine", "alice", &event), 0);
	CHECK_INT(t, take_meta(scrub, "hostname", "alice", &event), 1);
	CHECK(t, event.meta.value.length == strlen("host_") + PSEUDONYM_DIGITS);
	CHECK_INT(t, take_meta(scrub, "kernel_release", "6.1.0-alice", &event), 1);
	CHECK_INT(t, event.meta.value.length, strlen("6.1.0"));
	scrub_destroy(scrub);
	pseudonyms_destroy(names);
}

TEST_MAIN(TEST(leaves_out_kinds), TEST(leaves_out_keys))
