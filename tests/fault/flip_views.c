/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Damaged traces through the reporter: a profile is made of them and views are printed. No crash
 * (under ASan and UBSan); every wait in the profile is one that was written, with its own waker and
 * stacks; only those of damaged chunks are missing, or, if a chunk of names was hit, those that
 * nothing is known about without it; and the account reports the damage.
 */
#include <errno.h>

#include "format/chunk.h"
#include "report/profile/profile_account.h"
#include "report/profile/profile_waits.h"
#include "tests/fault/level.h"
#include "tests/fault/report_run.h"
#include "tests/fault/steps.h"
#include "tests/test.h"

enum { STEPS = 80, PER_CHUNK = 4, HEADER = sizeof(struct rwk_file_header) };

/* A wait in one number, but for the stack of its system call, which comes later and may be in another chunk. */
struct seen_wait {
	uint64_t in, rest, user;
	bool user_missing;
};

struct seen {
	struct seen_wait waits[STEPS]; /* by the number of their step; `in` is 0 where there is none */
	size_t count, strange; /* strange: of no step, or the second one */
	bool lost;
};

/* Frames are interned: we know the address of the first occurrence of each, and no two modules share one. */
static void add_chain(const struct profile *profile, uint32_t node, uint64_t *kernel, uint64_t *user)
{
	size_t count;
	const struct profile_node *nodes = profile_nodes(profile, &count);
	const struct profile_frame *frames = profile_frames(profile, &count);

	for (; node; node = nodes[node].parent) {
		const struct profile_frame *frame = &frames[nodes[node].frame];

		if (frame->kernel)
			*kernel = *kernel * 31 + frame->address;
		else
			*user = *user * 31 + frame->run_time_address;
	}
}

static uint64_t task_number(const struct profile *profile, uint32_t number)
{
	size_t count;
	const struct profile_task *tasks = profile_tasks(profile, &count);

	return number < count ? (uint64_t)tasks[number].tgid << 32 | tasks[number].tid : 0;
}

static struct seen_wait see_wait(const struct profile *profile, const struct profile_wait *wait)
{
	const uint64_t parts[] = {wait->out, wait->weight, wait->run_queue, wait->woken, wait->wait_class, wait->state,
				  wait->in_cpu, wait->out_cpu, wait->flags, wait->waker_context,
				  task_number(profile, wait->task), task_number(profile, wait->waker)};
	struct seen_wait seen = {.in = wait->in, .user_missing = wait->chain_flags & CHAIN_USER_MISSING};
	uint64_t waker = 0;

	add_chain(profile, wait->node, &seen.rest, &seen.user);
	add_chain(profile, wait->waker_node, &waker, &waker);
	seen.rest = seen.rest * 31 + waker;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		seen.rest = seen.rest * 31 + parts[i];
	return seen;
}

static void look(struct profile *profile, struct seen *ret_seen)
{
	const struct profile_wait *waits;

	*ret_seen = (struct seen){.count = profile_waits(profile, &waits), .lost = profile_lost(profile)};
	for (size_t i = 0; i < ret_seen->count; i++) {
		const uint64_t number = (waits[i].in - STEP_BASE) / STEP_NS;

		if (number < STEPS && !ret_seen->waits[number].in)
			ret_seen->waits[number] = see_wait(profile, &waits[i]);
		else
			ret_seen->strange++;
	}
}

/* *ret_alone: those without their user stack. */
static size_t count_wrong(const struct seen *got, const struct seen *want, size_t *ret_alone)
{
	size_t wrong = got->strange;

	*ret_alone = 0;
	for (size_t i = 0; i < STEPS; i++) {
		const struct seen_wait *g = &got->waits[i], *w = &want->waits[i];
		const bool alone = g->user_missing && !g->user;

		if (!g->in)
			continue;
		wrong += g->in != w->in || g->rest != w->rest || (g->user != w->user && !alone);
		*ret_alone += g->user != w->user && alone;
	}
	return wrong;
}

/*
 * Every fourth profile is also printed, alternately with all sources and with waits alone, which
 * machine-readable lines need.
 */
static int report(const struct memory_io *m, unsigned long turn, struct seen *ret_seen)
{
	const struct view_settings settings = {
		.filters = "", .at = {PROFILE_MOMENT_OFFSET, STEPS / 2 * STEP_NS}, .at_around = 3 * STEP_NS};
	const struct profile_filter filter = {
		.to = UINT64_MAX, .sources = turn % 8 ? 0 : 1 << PROFILE_OFFCPU, .needs = PROFILE_EACH_EVENT};
	struct text_sink sink = {0};
	struct profile *profile;
	int r = report_run_read(m->bytes, m->length, &filter, &profile);

	if (r < 0)
		return r;
	look(profile, ret_seen);
	if (turn % 4 == 0) {
		r = report_run_print(profile, &settings, UINT32_MAX, &sink);
		r = r < 0 ? r : sink.raw ? -EILSEQ : sink.bytes < 1000 ? -ENODATA : 0;
	}
	profile_destroy(profile);
	return r;
}

/* Also for a trace without its end, which is always incomplete: what may have followed is unknown. */
static void all_waits_are_there(struct test *t)
{
	for (unsigned long turn = 0; turn < 8; turn += 4) {
		struct memory_io m = steps_trace(STEPS, PER_CHUNK, turn > 0);
		struct seen seen;
		size_t later = 0;

		CHECK_INT(t, report(&m, turn, &seen), 0);
		CHECK_INT(t, seen.count, STEPS);
		CHECK_INT(t, seen.lost, turn == 0);
		for (size_t i = 0; i < STEPS; i++) {
			const struct event_wait want = step_wait((uint32_t)i);

			CHECK_INT(t, seen.waits[i].in, want.time);
			CHECK(t, !seen.waits[i].user == seen.waits[i].user_missing);
			later += want.flags && seen.waits[i].user;
		}
		CHECK_INT(t, later, STEPS / 2 - 1);
		memory_io_close(&m);
	}
}

static bool is_in(const struct memory_io *m, size_t byte, enum rwk_chunk_type type)
{
	const struct rwk_chunk_header *header = NULL;

	for (size_t at = HEADER; at <= byte && at + sizeof(*header) < m->length; at += rwk_chunk_length(header))
		header = (const void *)(m->bytes + at);
	return header && header->type == type;
}

static void one_bit_costs_the_waits_of_one_chunk(struct test *t)
{
	unsigned long flips = level_choose(48, 30000);
	struct random random = random_make(36);
	struct memory_io m = steps_trace(STEPS, PER_CHUNK, true);
	struct seen whole, seen = {0};

	CHECK_INT(t, report(&m, 0, &whole), 0);
	for (unsigned long i = 0; i < flips; i++) {
		size_t wrong, alone, byte = HEADER + random_below(&random, m.length - HEADER);
		int bit = (int)random_below(&random, 8), r;

		m.bytes[byte] ^= (uint8_t)(1 << bit);
		r = report(&m, i, &seen);
		m.bytes[byte] ^= (uint8_t)(1 << bit);
		wrong = count_wrong(&seen, &whole, &alone);
		test_check(t, !r && (is_in(&m, byte, RWK_CHUNK_STATE) ||
				     (!wrong && seen.count + 2 * PER_CHUNK >= STEPS && alone <= 2 * STEP_LATER)),
			   "byte %zu bit %d: error %d, %zu waits, %zu wrong, %zu without user stack",
			   byte, bit, r, seen.count, wrong, alone);
		test_check(t, seen.lost, "byte %zu bit %d: silent", byte, bit);
	}
	printf("# %lu flips of a trace of %zu bytes\n", flips, m.length);
	memory_io_close(&m);
}

static void a_cut_trace_is_read_up_to_there(struct test *t)
{
	unsigned long cuts = level_choose(16, 10000);
	struct random random = random_make(37);
	struct memory_io m = steps_trace(STEPS, PER_CHUNK, true);
	struct seen whole, seen = {0};
	size_t size = m.length;

	CHECK_INT(t, report(&m, 0, &whole), 0);
	for (unsigned long i = 0; i < cuts; i++) {
		size_t wrong = 0, alone;
		int r;

		m.length = 1 + random_below(&random, size);
		r = report(&m, i, &seen);
		if (!r)
			wrong = count_wrong(&seen, &whole, &alone);
		test_check(t, r == (m.length < HEADER ? -ENODATA : 0) && !wrong, "cut at %zu: error %d, %zu of %zu waits wrong",
			   m.length, r, wrong, seen.count);
	}
	printf("# %lu cuts of a trace of %zu bytes\n", cuts, size);
	memory_io_close(&m);
}

static void a_smear_is_not_believed(struct test *t)
{
	unsigned long smears = level_choose(16, 10000);
	struct random random = random_make(38);
	struct memory_io m = steps_trace(STEPS, PER_CHUNK, true);
	struct seen seen = {0};
	uint8_t *whole = malloc(m.length);

	REQUIRE(t, whole != NULL);
	memcpy(whole, m.bytes, m.length);
	for (unsigned long i = 0; i < smears; i++) {
		size_t length = 1 + random_below(&random, 2000);
		size_t from = HEADER + random_below(&random, m.length - HEADER - length);
		int r;

		for (size_t k = 0; k < length; k++)
			m.bytes[from + k] = (uint8_t)random_next(&random);
		r = report(&m, i, &seen);
		memcpy(m.bytes + from, whole + from, length);
		test_check(t, !r, "smear of %zu at %zu: error %d", length, from, r);
		test_check(t, seen.lost || seen.count == STEPS, "smear of %zu at %zu: silent", length, from);
	}
	printf("# %lu smears of 1 to 2000 bytes\n", smears);
	free(whole);
	memory_io_close(&m);
}

TEST_MAIN(TEST(all_waits_are_there), TEST(one_bit_costs_the_waits_of_one_chunk),
	  TEST(a_cut_trace_is_read_up_to_there), TEST(a_smear_is_not_believed))
