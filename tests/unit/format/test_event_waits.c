/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Records of waits: round trips through many chunks, and bytes written by hand from FORMAT.md. */
#include <errno.h>
#include <stdlib.h>

#include "format/event_decoder.h"
#include "format/event_encoder.h"
#include "tests/random.h"
#include "tests/test.h"

enum { CPUS = 4, EVENTS = 4000, FRAMES = 12, TASKS = 9 };

struct model {
	enum event_kind kind;
	union {
		struct event_wait wait;
		struct event_wake wake;
		struct event_user_stack user_stack;
		struct event_wait_sums sums;
	};
	uint32_t task, other, owner; /* which of TASKS */
	uint64_t kernel[FRAMES], user[FRAMES];
	uint32_t kernel_count, user_count;
};

static struct event_task task_of(uint32_t number)
{
	struct event_task task = {.tgid = 100 + number / 2, .tid = 100 + number, .start = 7 + number};

	snprintf(task.comm, sizeof(task.comm), "task-%u", number);
	return task;
}

static uint32_t pick(struct random *state, uint32_t below)
{
	return (uint32_t)(random_below(state, below));
}

static uint32_t make_frames(struct random *state, uint64_t base, uint64_t frames[FRAMES])
{
	uint32_t count = pick(state, FRAMES + 1);

	for (uint32_t i = 0; i < count; i++)
		frames[i] = base + (i > 3 ? i : pick(state, 40)) * 16;
	return count;
}

static void make_wait(struct random *state, uint64_t time, uint64_t last, struct model *model)
{
	struct event_wait *wait = &model->wait;

	*wait = (struct event_wait){
		.cpu = pick(state, CPUS),
		.source = 3,
		.time = time,
		.wait_class = pick(state, WAIT_CLASSES),
		.state = pick(state, 3),
		.flags = pick(state, 2) ? WAIT_IOWAIT | WAIT_BEGAN_BEFORE : 0,
	};
	wait->out_cpu = pick(state, 3) ? wait->cpu : pick(state, CPUS);
	/* Often it begins when the one before ended, as when each task makes way for the next. */
	wait->length = pick(state, 2) ? time - last : random_below(state, time);
	wait->throttled = pick(state, 4) ? 0 : wait->length / 4;
	wait->throttler = wait->throttled ? pick(state, 3) : 0;
	wait->run_queue = wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_STARTED ?
				  wait->length / 2 : wait->length - wait->throttled;
	if (wait->wait_class == WAIT_BLOCKED && pick(state, 2)) {
		wait->context = 1 + pick(state, WAKER_UNKNOWN);
		wait->woken = wait->length / 3;
	}
	wait->owner = pick(state, 3) == 0;
	wait->ready = pick(state, 3) ? 0 : 1 + pick(state, 99);
	wait->ready_object = wait->ready ? wait->ready / 2 : pick(state, 2) * 7;
	if (!model->user_count)
		wait->missing = pick(state, 2) ? USER_MISSING_FAULT : 0;
}

static void make(struct random *state, uint64_t time, uint64_t last, struct model *model)
{
	*model = (struct model){.task = pick(state, TASKS), .other = pick(state, TASKS), .owner = pick(state, TASKS)};
	model->kernel_count = make_frames(state, UINT64_C(1) << 32, model->kernel);
	model->user_count = make_frames(state, 0x7f0000001000, model->user);
	switch (pick(state, 6)) {
	case 0:
		model->kind = EVENT_WAKE;
		model->wake = (struct event_wake){.cpu = pick(state, CPUS), .source = 4, .context = 2, .time = time};
		break;
	case 1:
		model->kind = EVENT_USER_STACK;
		model->kernel_count = 0;
		model->user_stack = (struct event_user_stack){.cpu = 1, .source = 3, .time = time,
							      .since = time - last};
		break;
	case 2:
		model->kind = EVENT_WAIT_SUMS;
		model->sums = (struct event_wait_sums){.time = time, .source = 3, .span = 5, .running = time / 2};
		for (uint32_t i = 0; i < WAIT_SUM_KINDS; i++)
			if (pick(state, 2))
				model->sums.kinds[i] = (struct event_wait_sum){1 + i, time, time / 3, time / 4};
		break;
	default:
		model->kind = EVENT_WAIT;
		make_wait(state, time, last, model);
	}
}

static int encode(struct event_encoder *encoder, struct model *model)
{
	struct event_task task = task_of(model->task), other = task_of(model->other);
	const struct event_task others[WAIT_OTHERS] = {other, task_of(model->owner)};
	struct event_stacks stacks = {
		.kernel = model->kernel,
		.user = model->user,
		.kernel_count = model->kernel_count,
		.user_count = model->user_count,
	};
	struct model copy = *model; /* the encoder writes numbers of the chunk into it */

	switch (model->kind) {
	case EVENT_WAKE:
		return event_encode_wake(encoder, &copy.wake, &task, &other, &stacks);
	case EVENT_USER_STACK:
		return event_encode_user_stack(encoder, &copy.user_stack, &task, &stacks);
	case EVENT_WAIT_SUMS:
		return event_encode_wait_sums(encoder, &copy.sums, &task);
	default:
		return event_encode_wait(encoder, &copy.wait, &task, others, &stacks);
	}
}

static void check_task(struct test *t, const struct event_decoder *decoder, uint32_t number, uint32_t want)
{
	const struct event_task *got = event_decoder_task(decoder, number);

	CHECK(t, got && got->tid == task_of(want).tid && !strcmp(got->comm, task_of(want).comm));
}

static void check_stack(struct test *t, const struct event_decoder *decoder, uint32_t leaf, uint32_t root,
			const uint64_t *frames, uint32_t count)
{
	size_t node_count;
	const struct stack_node *nodes = event_decoder_nodes(decoder, &node_count);

	for (uint32_t i = 0; i < count; i++) {
		REQUIRE(t, leaf < node_count && leaf >= STACK_FIRST_NODE);
		CHECK_INT(t, nodes[leaf].address, frames[i]);
		leaf = nodes[leaf].parent;
	}
	CHECK_INT(t, leaf, root);
}

static void check_wait(struct test *t, const struct event_decoder *decoder, const struct event_wait *got,
		       const struct model *model)
{
	const struct event_wait *want = &model->wait;

	CHECK(t, got->cpu == want->cpu && got->source == want->source && got->wait_class == want->wait_class);
	CHECK(t, got->time == want->time && got->length == want->length && got->run_queue == want->run_queue);
	CHECK(t, got->state == want->state && got->out_cpu == want->out_cpu && got->missing == want->missing);
	CHECK(t, got->context == want->context && got->woken == want->woken);
	CHECK(t, got->throttled == want->throttled && got->throttler == want->throttler);
	CHECK_INT(t, got->flags & (WAIT_IOWAIT | WAIT_BEGAN_BEFORE), want->flags);
	if (want->context)
		check_task(t, decoder, got->waker, model->other);
	if (want->owner)
		check_task(t, decoder, got->owner, model->owner);
	CHECK(t, got->owner ? want->owner : !want->owner);
	CHECK(t, got->ready == want->ready && got->ready_object == want->ready_object);
	check_task(t, decoder, got->task, model->task);
	check_stack(t, decoder, got->kernel, STACK_KERNEL_ROOT, model->kernel, model->kernel_count);
	check_stack(t, decoder, got->user, STACK_USER_ROOT, model->user, model->user_count);
}

static void check_other(struct test *t, const struct event_decoder *decoder, const struct event *got,
			const struct model *model)
{
	if (got->kind == EVENT_WAKE) {
		CHECK(t, got->wake.time == model->wake.time && got->wake.context == 2 && got->wake.source == 4);
		check_task(t, decoder, got->wake.task, model->task);
		check_task(t, decoder, got->wake.target, model->other);
		check_stack(t, decoder, got->wake.kernel, STACK_KERNEL_ROOT, model->kernel, model->kernel_count);
		check_stack(t, decoder, got->wake.user, STACK_USER_ROOT, model->user, model->user_count);
	} else if (got->kind == EVENT_USER_STACK) {
		CHECK(t, got->user_stack.time == model->user_stack.time &&
				 got->user_stack.since == model->user_stack.since);
		check_task(t, decoder, got->user_stack.task, model->task);
		check_stack(t, decoder, got->user_stack.user, STACK_USER_ROOT, model->user, model->user_count);
	} else {
		CHECK(t, got->wait_sums.time == model->sums.time && got->wait_sums.running == model->sums.running);
		CHECK(t, !memcmp(got->wait_sums.kinds, model->sums.kinds, sizeof(model->sums.kinds)));
		check_task(t, decoder, got->wait_sums.task, model->task);
	}
}

static void check_chunk(struct test *t, struct event_decoder *decoder, const struct event_encoder *encoder,
			const struct model *models, size_t count)
{
	uint64_t first, last;
	const void *bytes;
	size_t length = event_encoder_payload(encoder, &bytes, &first, &last), at = 0;
	struct event event;

	event_decoder_start(decoder, bytes, length);
	while (event_decoder_next(decoder, &event) > 0) {
		if (event.kind == EVENT_TASK)
			continue;
		REQUIRE(t, at < count && event.kind == models[at].kind);
		if (event.kind == EVENT_WAIT)
			check_wait(t, decoder, &event.wait, &models[at]);
		else
			check_other(t, decoder, &event, &models[at]);
		at++;
	}
	CHECK_INT(t, at, count);
}

static void waits_come_back_through_many_chunks(struct test *t)
{
	struct model *models = calloc(EVENTS, sizeof(*models));
	struct event_encoder *encoder = NULL;
	struct event_decoder *decoder = NULL;
	struct random state = random_make(20261121);
	uint64_t time = 1000000, last = time;
	size_t begun = 0;

	REQUIRE(t, models && event_encoder_create(EVENT_ENCODER_MIN_ROOM, CPUS, &encoder) == 0 &&
			   event_decoder_create(&decoder) == 0);
	for (size_t i = 0; i < EVENTS; i++) {
		int r;

		time += 1 + pick(&state, 5000);
		make(&state, time, last, &models[i]);
		last = models[i].kind == EVENT_WAIT ? time : last;
		r = encode(encoder, &models[i]);
		if (r == -ENOSPC) {
			check_chunk(t, decoder, encoder, models + begun, i - begun);
			event_encoder_reset(encoder);
			begun = i;
			r = encode(encoder, &models[i]);
		}
		CHECK_INT(t, r, 0);
	}
	CHECK(t, begun > 0); /* there were several */
	check_chunk(t, decoder, encoder, models + begun, EVENTS - begun);
	event_decoder_destroy(decoder);
	event_encoder_destroy(encoder);
	free(models);
}

/*
 * cpu 1: a wait of 50 ns that ends at 1000; one that ends at 1010 and began when the first ended;
 * one without a reference.
 */
static void the_bytes_are_those_of_the_specification(struct test *t)
{
	static const uint8_t bytes[] = {
		/* Time +1000; 50 + 4; run queue 7; a field too many. */
		12, 36, 1, 0, 3, 4, 0, 2, 0xd0, 0x0f, 54, 7, 0,
		9,  36, 1, 0, 3, 0, 1, 0, 20,	0,			/* step 10; reference 0 */
		11, 36, 1, 0, 3, 16, 2, 0, 0,	8,    3, 0,		/* the same step; 8 - 4; from CPU 3 */
	};
	static const struct event_wait want[] = {
		{.time = 1000, .length = 50, .run_queue = 7, .out_cpu = 1},
		{.time = 1010, .length = 10, .run_queue = 10, .out_cpu = 1, .wait_class = 1},
		{.time = 1020, .length = 4, .run_queue = 4, .out_cpu = 3, .wait_class = 2},
	};
	struct event_decoder *decoder = NULL;
	struct event event;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	event_decoder_start(decoder, bytes, sizeof(bytes));
	for (size_t i = 0; i < 3; i++) {
		REQUIRE(t, event_decoder_next(decoder, &event) == 1);
		CHECK_INT(t, event.kind, EVENT_WAIT);
		CHECK_INT(t, event.wait.time, want[i].time);
		CHECK_INT(t, event.wait.length, want[i].length);
		CHECK_INT(t, event.wait.run_queue, want[i].run_queue);
		CHECK_INT(t, event.wait.out_cpu, want[i].out_cpu);
		CHECK_INT(t, event.wait.wait_class, want[i].wait_class);
	}
	CHECK_INT(t, event_decoder_next(decoder, &event), 0);
	event_decoder_destroy(decoder);
}

/*
 * A wait that is longer than the time at which it ended, a reference to nothing, a waker that is
 * not a task of the chunk.
 */
static void what_contradicts_itself_is_refused(struct test *t)
{
	static const uint8_t longer[] = {11, 36, 1, 0, 3, 0, 1, 0, 20, 0xff, 0x7f, 0},
			     nothing[] = {9, 36, 1, 0, 3, 0, 1, 0, 20, 3},
			     waker[] = {13, 36, 1, 0, 3, 8, 0, 0, 20, 5, 1, 9, 1};
	struct event_decoder *decoder = NULL;
	struct event event;

	REQUIRE(t, event_decoder_create(&decoder) == 0);
	event_decoder_start(decoder, longer, sizeof(longer));
	CHECK_INT(t, event_decoder_next(decoder, &event), -EBADMSG);
	event_decoder_start(decoder, nothing, sizeof(nothing));
	CHECK(t, event_decoder_next(decoder, &event) == 1 && event.wait.length <= event.wait.time);
	event_decoder_start(decoder, waker, sizeof(waker));
	CHECK_INT(t, event_decoder_next(decoder, &event), -EBADMSG);
	event_decoder_destroy(decoder);
}

TEST_MAIN(TEST(waits_come_back_through_many_chunks), TEST(the_bytes_are_those_of_the_specification),
	  TEST(what_contradicts_itself_is_refused))
