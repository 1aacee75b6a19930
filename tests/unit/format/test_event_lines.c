/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * EMBED_LINES: bytes written by hand from FORMAT.md, what they mean, what is invalid; and what the
 * encoder writes is read again.
 */
#include "format/event_lines.h"

#include "format/event_decoder.h"
#include "format/event_encoder.h"
#include "format/limits.h"
#include "tests/random.h"
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

/* --- what the encoder makes --- */

enum { COUNT = 5000, TEXTS = 300, LEVELS = 5 };

struct made {
	struct event_line lines[COUNT];
	struct event_line_level levels[COUNT][LEVELS];
	char texts[TEXTS][80];
};

static struct made *make_lines(void)
{
	struct made *made = calloc(1, sizeof(*made));
	struct random random = random_make(5);
	uint64_t address = 0;

	for (size_t i = 0; i < TEXTS; i++)
		(void)snprintf(made->texts[i], sizeof(made->texts[i]), "_ZN4some4long9namespace8function%zuEv", i);
	for (size_t i = 0; i < COUNT; i++) {
		made->lines[i] = (struct event_line){address += random_below(&random, 1000), made->levels[i],
						     (uint32_t)random_below(&random, LEVELS + 1)};
		for (size_t j = 0; j < made->lines[i].level_count; j++) {
			const char *function = made->texts[random_below(&random, TEXTS)];
			const char *file = made->texts[random_below(&random, TEXTS)];

			made->levels[i][j] = (struct event_line_level){
				.function = {function, (uint32_t)strlen(function)},
				.file = {file, random_below(&random, 5) ? (uint32_t)strlen(file) : 0},
				.line = (uint32_t)random_next(&random),
			};
		}
	}
	return made;
}

static bool same_line(const struct event_line *a, const struct event_line *b)
{
	if (a->address != b->address || a->level_count != b->level_count)
		return false;
	for (uint32_t i = 0; i < a->level_count; i++)
		if (a->levels[i].line != b->levels[i].line ||
		    a->levels[i].function.length != b->levels[i].function.length ||
		    a->levels[i].file.length != b->levels[i].file.length ||
		    memcmp(a->levels[i].function.bytes, b->levels[i].function.bytes,
			   a->levels[i].function.length) != 0 ||
		    memcmp(a->levels[i].file.bytes, b->levels[i].file.bytes, a->levels[i].file.length) != 0)
			return false;
	return true;
}

/* The encoder's record is these lines. */
static void check_record(struct test *t, struct event_encoder *encoder, const struct event_line *lines, size_t count)
{
	struct event_lines reader = {0};
	uint64_t first, last;
	struct event_decoder *decoder;
	struct event_line line;
	struct event event;
	const void *bytes;
	size_t length = event_encoder_payload(encoder, &bytes, &first, &last), i = 0;

	decoder = decode(bytes, length, &event);
	REQUIRE(t, event.kind == EVENT_EMBED_LINES && event.embed_lines.count == count &&
			   event.embed_lines.module == 9);
	CHECK_INT(t, event_lines_start(&reader, &event), 0);
	while (event_lines_next(&reader, &line) == 1 && i < count)
		CHECK(t, same_line(&line, &lines[i++]));
	CHECK_INT(t, i, count);
	event_lines_deinit(&reader);
	event_decoder_destroy(decoder);
}

static void what_is_written_is_read(struct test *t)
{
	struct made *made = make_lines();
	struct event_encoder *encoder;
	size_t done = 0, taken, records = 0;

	REQUIRE(t, event_encoder_create(EVENT_ENCODER_MIN_ROOM, 0, &encoder) == 0);
	while (done < COUNT) {
		REQUIRE(t, event_encode_embed_lines(encoder, 9, made->lines + done, COUNT - done,
						    &taken) == 0 && taken > 0);
		check_record(t, encoder, made->lines + done, taken);
		done += taken;
		records++;
		event_encoder_reset(encoder);
	}
	CHECK(t, records > 1);
	CHECK_INT(t, event_encode_embed_lines(encoder, 9, made->lines, 0, &taken), -EINVAL);
	made->lines[1].address = 0;
	made->lines[0].address = 1;
	CHECK_INT(t, event_encode_embed_lines(encoder, 9, made->lines, 2, &taken), -EINVAL); /* not ascending */
	event_encoder_destroy(encoder);
	free(made);
}

TEST_MAIN(TEST(reads_what_is_written_by_hand), TEST(refuses_what_is_none), TEST(what_is_written_is_read))
