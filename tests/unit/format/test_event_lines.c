/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * EMBED_LINES: bytes written by hand from FORMAT.md, what they mean, what is invalid; and what the
 * encoder writes is read again.
 */
#include "format/event_lines.h"

#include "format/event_decoder.h"
#include "format/event_encoder.h"
#include "tests/test.h"

/* One record: module 3, two addresses. "f" and "a.c" are texts 1 and 2, "m" is 3. */
static const uint8_t by_hand[] = {
	28, 67, 3, 2,			     /* length, kind, module, count */
	0x80, 0x20, 2,			     /* 0x1000, levels */
	1, 1, 'f', 2, 3, 'a', '.', 'c', 20,  /* f, a.c, 20 */
	3, 1, 'm', 2, 0x85, 1,		     /* m, a.c, 133 */
	16, 1,				     /* 0x1010 */
	3, 0, 0,			     /* m, no file, no line */
	0x7f, 0,			     /* 0x108f, nothing known */
};

static struct event_decoder *decode(const void *bytes, size_t length, struct event *event)
{
	struct event_decoder *decoder;

	if (event_decoder_create(&decoder) < 0)
		abort();
	event_decoder_start(decoder, bytes, length);
	if (event_decoder_next(decoder, event) != 1 || event->kind != EVENT_EMBED_LINES)
		event->kind = 0;
	return decoder;
}

static bool is_text(const struct event_text *text, const char *want)
{
	return text->length == strlen(want) && !memcmp(text->bytes, want, text->length);
}

static bool is_level(const struct event_line_level *level, const char *function, const char *file, uint32_t line)
{
	return is_text(&level->function, function) && is_text(&level->file, file) && level->line == line;
}

static void reads_what_is_written_by_hand(struct test *t)
{
	uint8_t bytes[sizeof(by_hand)];
	struct event_lines lines = {0};
	struct event_decoder *decoder;
	struct event_line line;
	struct event event;

	memcpy(bytes, by_hand, sizeof(bytes));
	bytes[3] = 3; /* all three entries */
	decoder = decode(bytes, sizeof(bytes), &event);
	REQUIRE(t, event.kind == EVENT_EMBED_LINES);
	CHECK_INT(t, event.embed_lines.module, 3);
	CHECK_INT(t, event.embed_lines.count, 3);
	for (int run = 0; run < 2; run++) { /* the reader may start again */
		CHECK_INT(t, event_lines_start(&lines, &event), 0);
		REQUIRE(t, event_lines_next(&lines, &line) == 1);
		CHECK(t, line.address == 0x1000 && line.level_count == 2);
		CHECK(t, is_level(&line.levels[0], "f", "a.c", 20) && is_level(&line.levels[1], "m", "a.c", 133));
		REQUIRE(t, event_lines_next(&lines, &line) == 1);
		CHECK(t, line.address == 0x1010 && line.level_count == 1 && is_level(&line.levels[0], "m", "", 0));
		REQUIRE(t, event_lines_next(&lines, &line) == 1);
		CHECK(t, line.address == 0x108f && !line.level_count);
		CHECK_INT(t, event_lines_next(&lines, &line), 0);
	}
	event_lines_deinit(&lines);
	event_decoder_destroy(decoder);
}

/* How reading a record's entries ends: 0 or -errno; -ENOENT if the record itself is refused. */
static int end_of(const uint8_t *bytes, size_t length)
{
	struct event_lines lines = {0};
	struct event_line line;
	struct event event;
	struct event_decoder *decoder = decode(bytes, length, &event);
	int r = -ENOENT;

	if (event.kind == EVENT_EMBED_LINES) {
		r = event_lines_start(&lines, &event);
		while (r >= 0 && (r = event_lines_next(&lines, &line)) > 0)
			;
	}
	event_lines_deinit(&lines);
	event_decoder_destroy(decoder);
	return r;
}

static int end_with(size_t place, uint8_t byte)
{
	uint8_t bytes[sizeof(by_hand)];

	memcpy(bytes, by_hand, sizeof(bytes));
	bytes[place] = byte;
	return end_of(bytes, sizeof(bytes));
}

static void refuses_what_is_none(struct test *t)
{
	static const uint8_t far[] = {20, 67, 3, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1,
				      0, 1, 0, 0, 0, 0, 0};
	static const uint8_t long_line[] = {12, 67, 3, 1, 1, 1, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10};
	static const uint8_t many_levels[] = {8, 67, 3, 1, 1, 0x81, 4, 0, 0};

	CHECK_INT(t, end_with(3, 2), 0);
	CHECK_INT(t, end_with(3, 3), 0);
	CHECK_INT(t, end_with(3, 4), -EBADMSG);	 /* four entries, but there are three */
	CHECK_INT(t, end_with(3, 100), -ENOENT); /* more than fit into the bytes */
	CHECK_INT(t, end_with(7, 2), -EBADMSG);	 /* text 2 before there was a first */
	CHECK_INT(t, end_with(11, 100), -EBADMSG); /* longer than the record */
	CHECK_INT(t, end_of(far, sizeof(far)), -EBADMSG); /* beyond 64 bits */
	CHECK_INT(t, end_of(long_line, sizeof(long_line)), -EBADMSG); /* 2^32 */
	CHECK_INT(t, end_of(many_levels, sizeof(many_levels)), -EBADMSG); /* 513 */
}

TEST_MAIN(TEST(reads_what_is_written_by_hand), TEST(refuses_what_is_none))
