/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Round trips, and bytes written by hand from FORMAT.md: the second half shows what the first cannot. */
#include <stdlib.h>

#include "format/event_decoder.h"
#include "format/event_encoder.h"
#include "format/event_layout.h"
#include "format/limits.h"
#include "tests/test.h"

enum { CPUS = 8 };

static struct event_encoder *new_encoder(size_t room)
{
	struct event_encoder *encoder = NULL;

	return event_encoder_create(room, CPUS, &encoder) < 0 ? NULL : encoder;
}

static struct event_text text(const char *string)
{
	return (struct event_text){string, (uint32_t)strlen(string)};
}

static int text_is(struct event_text got, const char *want)
{
	return got.length == strlen(want) && !memcmp(got.bytes, want, got.length);
}

/* Opens the encoder's payload for reading. */
static void start(struct event_decoder *decoder, const struct event_encoder *encoder)
{
	uint64_t first, last;
	const void *bytes;
	size_t length = event_encoder_payload(encoder, &bytes, &first, &last);

	event_decoder_start(decoder, bytes, length);
}

static int is_same_field(const struct event_field *field, const void *a, const void *b)
{
	const struct event_text *text = event_field_text(field, a);

	if (field->type == FIELD_TEXT || field->type == FIELD_BYTES)
		return text->length == event_field_text(field, b)->length &&
		       !memcmp(text->bytes, event_field_text(field, b)->bytes, text->length);
	return event_field_value(field, a) == event_field_value(field, b);
}

static void check_same_fields(struct test *t, const struct event *got, const struct event *want)
{
	const struct event_layout *layout = event_layout_find(want->kind);

	for (const struct event_field *field = layout->fields; field->type; field++)
		test_check(t, is_same_field(field, &got->meta, &want->meta), "%s.%s", layout->name, field->name);
}

static void state_records_come_back(struct test *t)
{
	struct event_encoder *encoder = new_encoder(EVENT_ENCODER_MIN_ROOM);
	struct event_decoder *decoder = NULL;
	const uint64_t big = UINT64_MAX;
	const struct event events[] = {
		{.kind = EVENT_META, .meta = {text("host.name"), text("box")}},
		{.kind = EVENT_CLOCK, .clock = {1000, 2, 3}},
		{.kind = EVENT_SOURCE, .source = {1, SOURCE_CPU, WEIGHT_NS, text("cpu"), 99, 1001, 9, 50, 3}},
		{.kind = EVENT_MODULE, .module = {7, MODULE_FILE, text("/bin/a"), {"\0\1\2", 3}, big, 12, 0, 1}},
		{.kind = EVENT_MAPPING, .mapping = {70, 42, 0x7fff00000000, 4096, 0, 7, MAPPING_INITIAL}},
		{.kind = EVENT_MAPPING, .mapping = {71, 42, 0x400000, 4096, 8192, 7, 0}},
		{.kind = EVENT_FORK, .fork = {72, 43, 43, 42}},
		{.kind = EVENT_COMM, .comm = {73, 43, 43, COMM_EXEC, text("x\033[2Jy")}},
		{.kind = EVENT_EXIT, .exit = {74, 43, 43}},
		{.kind = EVENT_KERNEL_SYMBOL, .kernel_symbol = {1, 0x1234, 77, text("do_idle")}},
		{.kind = EVENT_LOSS, .loss = {75, 1, 3, LOSS_RING_FULL, big}},
		{.kind = EVENT_COST, .cost = {76, 1, 2, 3, 4, 5, 6}},
		{.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = {77, 5, 110}},
		{.kind = EVENT_PROBE, .probe = {9, 2, HOOK_KPROBE_MULTI, text("tcp_sendmsg")}},
		{.kind = EVENT_PROBE_HITS, .probe_hits = {78, 9, big, 5, 6}},
		{.kind = EVENT_COUNTER, .counter = {79, 1, 3, big, 5, 6, 7, 8, big, 10}},
		{.kind = EVENT_UNSURE, .unsure = {78, 99, 3, UNSURE_LOST, big}},
		{.kind = EVENT_OBJECT, .object = {RWK_MAX_OBJECTS, OBJECT_TCP, OBJECT_CUT, UINT32_MAX, 8, big, big,
						  big, 9, 1, 65535, 65534, big, LOCK_SPIN,
						  text("cgroup_mutex"), OBJECT_IN_SHARED, big, big}},
		{.kind = EVENT_WINDOW, .window = {80, big, big, big, big, big}},
		{.kind = EVENT_TRIGGER, .trigger = {big, 81, text("wait:D>1s"), 7, UINT32_MAX, text("a\033b"), big, 9}},
		{.kind = EVENT_BUDGET, .budget = {big, BUDGET_PAUSED, big, big, big, 10000}},
		{.kind = EVENT_OBJECT_NAME, .object_name = {5, text("/a\033b"), {"0123456789abcdef", 16},
							    {"fedcba9876543210", 16}}},
		{.kind = EVENT_CGROUP, .cgroup = {80, big, CGROUP_REMOVED, text("/a\033b.slice")}},
		{.kind = EVENT_WALK, .walk = {78, 1, 2, WALK_END, 3, 4}},
	};
	struct event got;

	REQUIRE(t, encoder && event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		CHECK_INT(t, event_encode(encoder, &events[i]), 0);
	start(decoder, encoder);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		REQUIRE(t, event_decoder_next(decoder, &got) == 1);
		CHECK_INT(t, got.kind, events[i].kind);
		check_same_fields(t, &got, &events[i]);
	}
	CHECK_INT(t, event_decoder_next(decoder, &got), 0);
	event_encoder_destroy(encoder);
	event_decoder_destroy(decoder);
}

static void limits_are_refused_when_writing(struct test *t)
{
	struct event_encoder *encoder = new_encoder(EVENT_ENCODER_MIN_ROOM);
	static char name[RWK_MAX_STRING + 1];
	struct event event = {.kind = EVENT_MODULE, .module = {.id = 1, .path = {name, sizeof(name)}}};
	struct event_sample sample = {.cpu = CPUS};
	struct event_task task = {.tid = 1};
	uint64_t frames[RWK_MAX_PATH + 1] = {0};
	struct event_stacks stacks = {.user = frames, .user_count = RWK_MAX_PATH + 1};

	REQUIRE(t, encoder);
	memset(name, 'x', sizeof(name));
	CHECK_INT(t, event_encode(encoder, &event), -EINVAL);
	event.module.path.length--;
	CHECK_INT(t, event_encode(encoder, &event), 0);
	event.module.id = RWK_MAX_MODULES + 1;
	CHECK_INT(t, event_encode(encoder, &event), -EINVAL);
	CHECK_INT(t, event_encode_sample(encoder, &sample, &task, &(struct event_stacks){0}), -EINVAL);
	sample.cpu = 0;
	CHECK_INT(t, event_encode_sample(encoder, &sample, &task, &stacks), -EINVAL);
	stacks.user_count--;
	CHECK_INT(t, event_encode_sample(encoder, &sample, &task, &stacks), 0);
	event_encoder_destroy(encoder);
}

/* --- samples compared with a plain model: every stack kept as a list ------------------------------- */

enum { SAMPLES = 20000, DEPTH = 40 };

struct model {
	struct event_sample sample;
	struct event_task task;
	uint64_t kernel[DEPTH], user[DEPTH];
	uint32_t kernel_count, user_count;
	uint64_t kernel_callers;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void make_stack(uint64_t *state, uint64_t base, uint64_t *frames, uint32_t *ret_count)
{
	uint32_t count = (uint32_t)(next_random(state) % DEPTH);

	for (uint32_t i = 0; i < count; i++) {
		uint64_t choices = i < 3 ? 50 : 3; /* leaves differ, roots are shared */

		frames[i] = base + (count - i) * 4096 + next_random(state) % choices * 16;
		if (next_random(state) % 500 == 0)
			frames[i] = next_random(state);
	}
	*ret_count = count;
}

static void make_sample(uint64_t *state, uint64_t *clocks, struct model *model)
{
	uint32_t cpu = (uint32_t)(next_random(state) % CPUS), tid = (uint32_t)(next_random(state) % 30);

	*model = (struct model){0};
	clocks[cpu] += 250000 + next_random(state) % 5000;
	model->sample = (struct event_sample){.time = clocks[cpu], .cpu = cpu, .source = 1};
	model->sample.period = next_random(state) % 4 ? 0 : next_random(state);
	model->sample.probe = next_random(state) % 2 ? 0 : (uint32_t)(next_random(state) % RWK_MAX_PROBES);
	model->sample.flags = next_random(state) & SAMPLE_USER_TRUNCATED;
	model->sample.missing = next_random(state) % 5 ? 0 : USER_MISSING_FAULT;
	model->task = (struct event_task){.tgid = tid / 3, .tid = tid, .start = tid * 1000000007ul,
					   .cgroup = next_random(state) % 5 ? tid % 3 : UINT64_MAX};
	snprintf(model->task.comm, sizeof(model->task.comm), "task-%u", tid);
	make_stack(state, 5ul << 32, model->kernel, &model->kernel_count);
	make_stack(state, 0x7f0000000000, model->user, &model->user_count);
}

static void check_stack(struct test *t, const struct stack_node *nodes, uint32_t leaf, uint32_t root,
			const uint64_t *frames, uint32_t count)
{
	CHECK_INT(t, nodes[leaf].depth, count);
	CHECK_INT(t, nodes[leaf].root, root);
	for (uint32_t i = 0; i < count && leaf != root; i++, leaf = nodes[leaf].parent)
		if (nodes[leaf].address != frames[i])
			CHECK_INT(t, nodes[leaf].address, frames[i]);
	CHECK_INT(t, leaf, root);
}

static void check_sample(struct test *t, struct event_decoder *decoder, const struct model *model)
{
	struct event got;
	const struct stack_node *nodes;
	const struct event_task *task;
	size_t count;

	do
		REQUIRE(t, event_decoder_next(decoder, &got) == 1);
	while (got.kind == EVENT_TASK);
	REQUIRE(t, got.kind == EVENT_SAMPLE);
	CHECK(t, got.sample.time == model->sample.time && got.sample.cpu == model->sample.cpu);
	CHECK_INT(t, got.sample.probe, model->sample.probe);
	CHECK(t, got.sample.period == model->sample.period && got.sample.missing == model->sample.missing);
	CHECK_INT(t, got.sample.flags & SAMPLE_USER_TRUNCATED, model->sample.flags & SAMPLE_USER_TRUNCATED);
	task = event_decoder_task(decoder, got.sample.task);
	REQUIRE(t, task);
	CHECK(t, task->tid == model->task.tid && task->tgid == model->task.tgid && task->start == model->task.start);
	CHECK(t, task->cgroup == model->task.cgroup);
	CHECK_STR(t, task->comm, model->task.comm);
	nodes = event_decoder_nodes(decoder, &count);
	REQUIRE(t, got.sample.kernel < count && got.sample.user < count);
	check_stack(t, nodes, got.sample.kernel, STACK_KERNEL_ROOT, model->kernel, model->kernel_count);
	check_stack(t, nodes, got.sample.user, STACK_USER_ROOT, model->user, model->user_count);
}

static size_t check_chunk(struct test *t, struct event_encoder *encoder, struct event_decoder *decoder,
			  const struct model *models, size_t count)
{
	struct event got;

	start(decoder, encoder);
	for (size_t i = 0; i < count && !t->failures; i++)
		check_sample(t, decoder, &models[i]);
	CHECK_INT(t, event_decoder_next(decoder, &got), 0);
	event_encoder_reset(encoder);
	return count;
}

typedef void make_function(uint64_t *state, uint64_t *clocks, struct model *model);

static void check_samples_come_back(struct test *t, make_function *make, size_t least_chunks)
{
	struct event_encoder *encoder = new_encoder(EVENT_ENCODER_MIN_ROOM);
	struct model *models = calloc(SAMPLES, sizeof(*models));
	struct event_decoder *decoder = NULL;
	uint64_t state = 88172645463325252, clocks[CPUS] = {0};
	size_t checked = 0, chunks = 0;

	REQUIRE(t, encoder && models && event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < SAMPLES && !t->failures; i++) {
		struct model *m = &models[i];
		struct event_stacks stacks = {.kernel = m->kernel, .user = m->user};
		int r;

		make(&state, clocks, m);
		stacks.kernel_count = m->kernel_count;
		stacks.user_count = m->user_count;
		stacks.kernel_callers = m->kernel_callers;
		r = event_encode_sample(encoder, &m->sample, &m->task, &stacks);
		if (r == -ENOSPC) {
			checked += check_chunk(t, encoder, decoder, models + checked, i - checked);
			chunks++;
			r = event_encode_sample(encoder, &m->sample, &m->task, &stacks);
		}
		CHECK_INT(t, r, 0);
	}
	check_chunk(t, encoder, decoder, models + checked, SAMPLES - checked);
	CHECK(t, chunks >= least_chunks);
	event_encoder_destroy(encoder);
	event_decoder_destroy(decoder);
	free(models);
}

static void samples_come_back_through_many_chunks(struct test *t)
{
	check_samples_come_back(t, make_sample, 6);
}

/* --- bytes by hand ----------------------------------------------------------------------------------- */

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static int decode_all(struct event_decoder *decoder, const uint8_t *bytes, size_t length, size_t *ret_events)
{
	struct event event;
	int r;

	*ret_events = 0;
	event_decoder_start(decoder, bytes, length);
	while ((r = event_decoder_next(decoder, &event)) == 1)
		++*ret_events;
	return r;
}

static void unknown_kinds_and_trailing_fields_are_skipped(struct test *t)
{
	struct event_decoder *decoder = NULL;
	struct event event;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	/*
	 * kind 99 with two bytes; EXIT (8) time +1, tgid 2, tid +1, one field more; EXIT with tgid
	 * +6, without tid: +0
	 */
	event_decoder_start(decoder, BYTES(3, 99, 1, 2, 5, 8, 2, 4, 2, 77, 3, 8, 2, 12));
	REQUIRE(t, event_decoder_next(decoder, &event) == 1);
	CHECK(t, event.kind == EVENT_EXIT && event.exit.time == 1 && event.exit.tgid == 2 && event.exit.tid == 3);
	REQUIRE(t, event_decoder_next(decoder, &event) == 1);
	CHECK(t, event.exit.time == 2 && event.exit.tgid == 9 && event.exit.tid == 9);
	CHECK_INT(t, event_decoder_next(decoder, &event), 0);
	CHECK_INT(t, event_decoder_unknown(decoder), 1);
	event_decoder_destroy(decoder);
}

static const struct {
	const char *what;
	size_t length, good;
	uint8_t bytes[24];
} malformed[] = {
	{"length beyond the end", 3, 0, {9, 8, 2}},
	{"length 0: no kind", 1, 0, {0}},
	{"varint that never ends", 12, 0, {11, 8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}},
	{"varint above 64 bits", 14, 0, {13, 2, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0}},
	{"cut varint", 4, 0, {3, 8, 2, 0x80}},
	{"text beyond its record", 6, 0, {4, 1, 1, 'a', 5, 'b'}},
	{"good, then bad", 7, 1, {3, 8, 2, 8, 3, 8, 0x80}},
	{"32-bit field with 33 bits", 8, 0, {7, 8, 0, 0x80, 0x80, 0x80, 0x80, 0x20}},
	{"tgid below 0", 4, 0, {3, 8, 0, 1}},
	{"start beyond 64 bits", 14, 0, {13, 5, 0, 0, 254, 255, 255, 255, 255, 255, 255, 255, 255, 1}},
	{"sample of an undefined task", 7, 0, {6, 33, 0, 0, 1, 1, 0}},
	{"cpu above the limit", 8, 0, {7, 33, 0x80, 0x40, 0, 0, 0, 0}},
	{"stack below an unknown node", 9, 0, {8, 33, 0, 0, 0, 1, 2, 5, 0}},
	{"kernel stack below the user root", 9, 0, {8, 33, 0, 0, 0, 1, 1, 0, 0}},
	{"more frames than bytes", 9, 0, {8, 33, 0, 0, 0, 1, 2, 0, 9}},
	{"comm of 16 bytes", 23, 0, {22, 32, 2, 2, 1, 0, 16}},
};

static void malformed_records_end_the_chunk(struct test *t)
{
	struct event_decoder *decoder = NULL;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		size_t events;
		int r = decode_all(decoder, malformed[i].bytes, malformed[i].length, &events);

		test_check(t, r == -EBADMSG && events == malformed[i].good, "%s: %d after %zu",
			   malformed[i].what, r, events);
	}
	event_decoder_destroy(decoder);
}

/* A chain of stacks, each below the one before, would be deeper than any stack may be. */
static void depth_is_bounded_across_records(struct test *t)
{
	struct event_decoder *decoder = NULL;
	uint8_t bytes[16 * (RWK_MAX_PATH + 1)];
	size_t length = 0, events;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	for (uint32_t i = 0; i <= RWK_MAX_PATH; i++) {
		uint32_t parent = i ? i + 1 : 0;
		uint8_t record[] = {10, 33, 0, 0, 0, 1, 2, (uint8_t)(parent | 0x80), (uint8_t)(parent >> 7), 1, 2};

		memcpy(bytes + length, record, sizeof(record));
		length += sizeof(record);
	}
	CHECK_INT(t, decode_all(decoder, bytes, length, &events), -EBADMSG);
	CHECK_INT(t, events, RWK_MAX_PATH);
	event_decoder_destroy(decoder);
}

/* Returns how many there are. */
static size_t check_symbols(struct test *t, struct event *event, const struct event_symbol *wanted)
{
	struct event_symbol symbol;
	uint64_t address = 0;
	size_t count = 0;

	for (; event_next_symbol(event, &address, &symbol) == 1; count++) {
		CHECK(t, symbol.address == wanted[count].address && symbol.size == wanted[count].size);
		CHECK(t, text_is(symbol.name, wanted[count].name.bytes));
	}
	return count;
}

static void symbols_come_back_over_several_records(struct test *t)
{
	enum { COUNT = 3000 };
	struct event_encoder *encoder = new_encoder(EVENT_ENCODER_MIN_ROOM);
	struct event_decoder *decoder = NULL;
	static struct event_symbol symbols[COUNT];
	static char names[COUNT][64];
	struct event_segment segment = {0, 0x400000, 100, 200, 5};
	struct event_embed_module module = {3, EMBED_FULL, 62, 1, &segment};
	size_t done = 0, records = 0, taken;
	struct event event;

	REQUIRE(t, encoder && event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "_ZN4some4long9namespace8function%zuEv", i);
		symbols[i] = (struct event_symbol){0x400000 + i / 2 * 64, 32, text(names[i])};
	}
	CHECK_INT(t, event_encode_embed_module(encoder, &module), 0);
	while (done < COUNT) {
		size_t seen = done;
		int r = event_encode_embed_symbols(encoder, 3, symbols + done, COUNT - done, &taken);

		REQUIRE(t, r == 0 && taken > 0);
		start(decoder, encoder);
		while (event_decoder_next(decoder, &event) == 1) {
			if (event.kind == EVENT_EMBED_MODULE) {
				REQUIRE(t, event.embed_module.segment_count == 1);
				CHECK_MEM(t, event.embed_module.segments, &segment, sizeof(segment));
				continue;
			}
			CHECK_INT(t, event.embed_symbols.count, taken);
			seen += check_symbols(t, &event, symbols + seen);
		}
		CHECK_INT(t, seen, done + taken);
		done += taken;
		records++;
		event_encoder_reset(encoder);
	}
	CHECK(t, records > 1);
	symbols[1].address = 0;
	CHECK_INT(t, event_encode_embed_symbols(encoder, 3, symbols, 2, &taken), -EINVAL);
	event_encoder_destroy(encoder);
	event_decoder_destroy(decoder);
}

TEST_MAIN(TEST(state_records_come_back), TEST(limits_are_refused_when_writing),
	  TEST(samples_come_back_through_many_chunks),
	  TEST(unknown_kinds_and_trailing_fields_are_skipped),
	  TEST(malformed_records_end_the_chunk), TEST(depth_is_bounded_across_records),
	  TEST(symbols_come_back_over_several_records))
