/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Damaged traces through the reporter: a profile is made of them and views are printed. No crash
 * (under ASan and UBSan); every wait in the profile is one that was written, with its own waker and
 * stacks; only those of damaged chunks are missing, or, if a chunk of names was hit, those that
 * nothing is known about without it; and the account reports the damage.
 */
#include <errno.h>

#include "format/chunk.h"
#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_waits.h"
#include "tests/fault/level.h"
#include "tests/fault/report_run.h"
#include "tests/fault/synthetic.h"
#include "tests/test.h"

enum { STEPS = 80, PER_CHUNK = 4, HEADER = sizeof(struct rwk_file_header) };

struct found {
	size_t waits, wrong, alone; /* alone: without the user stack, which was in another chunk */
	bool lost;
};

/*
 * Leaf first. Frames are interned: we know the address of the first occurrence of each, and no two
 * modules share one.
 */
static bool is_chain(const struct profile *profile, uint32_t node, const struct event_stacks *want)
{
	size_t count;
	const struct profile_node *nodes = profile_nodes(profile, &count);
	const struct profile_frame *frames = profile_frames(profile, &count);
	uint32_t i = 0;

	for (; node; node = nodes[node].parent, i++) {
		const struct profile_frame *frame = &frames[nodes[node].frame];

		if (i >= want->kernel_count + want->user_count || frame->kernel != (i < want->kernel_count))
			return false;
		if (frame->kernel ? frame->address != (uint32_t)want->kernel[i] :
				    frame->run_time_address != want->user[i - want->kernel_count])
			return false;
	}
	return i == want->kernel_count + want->user_count;
}

static bool is_task(const struct profile *profile, uint32_t number, const struct event_task *want)
{
	size_t count;
	const struct profile_task *tasks = profile_tasks(profile, &count);

	return number < count && tasks[number].tgid == want->tgid && tasks[number].tid == want->tid &&
	       tasks[number].start == want->start && !strcmp(tasks[number].comm, want->comm);
}

static bool is_waker(const struct profile *profile, const struct profile_wait *got, const struct syn_waits *want)
{
	static const struct event_stacks none = {0};

	if (!want->wait.context)
		return got->waker == PROFILE_NO_TASK && !got->woken && !got->waker_node && !got->waker_context;
	return got->waker_context == want->wait.context && got->woken == got->in - want->wait.woken &&
	       is_task(profile, got->waker, &want->waker.task) &&
	       is_chain(profile, got->waker_node, want->records & SYN_WAKE ? &want->waker.stacks : &none);
}

/* Whether the user stack of the wait's system call, which comes later, is correct; *ret_alone: it is missing. */
static bool is_sleeper(const struct profile *profile, const struct profile_wait *got, const struct syn_waits *want,
		       bool *ret_alone)
{
	struct syn_waits later;
	struct event_stacks stacks = want->sleeper.stacks;

	*ret_alone = false;
	if (!is_task(profile, got->task, &want->sleeper.task))
		return false;
	if (!syn_user_is_later(want->number))
		return is_chain(profile, got->node, &stacks);
	syn_make_waits(want->number + SYN_LATER, &later);
	if (!(later.records & SYN_USER_STACK) || !later.returner.stacks.user_count)
		return is_chain(profile, got->node, &stacks) && got->chain_flags & CHAIN_USER_MISSING;
	*ret_alone = is_chain(profile, got->node, &stacks);
	stacks.user = later.returner.user;
	stacks.user_count = later.returner.stacks.user_count;
	return *ret_alone ? got->chain_flags & CHAIN_USER_MISSING : is_chain(profile, got->node, &stacks);
}

static uint8_t flags_of(uint64_t flags)
{
	return (flags & WAIT_BEGAN_BEFORE ? PROFILE_WAIT_BEGAN_BEFORE : 0) |
	       (flags & WAIT_OUT_LATEST ? PROFILE_WAIT_OUT_BOUND : 0) |
	       (flags & WAIT_NOT_ENDED ? PROFILE_WAIT_NOT_ENDED : 0) | (flags & WAIT_IOWAIT ? PROFILE_WAIT_IOWAIT : 0);
}

static bool is_wait(const struct profile *profile, const struct profile_wait *got, bool *ret_alone)
{
	uint64_t number = (got->in - SYN_BASE) / SYN_STEP;
	const struct event_wait *want;
	struct syn_waits made;
	uint64_t out;

	*ret_alone = false;
	if (number >= STEPS)
		return false;
	syn_make_waits((uint32_t)number, &made);
	want = &made.wait;
	out = want->time - want->length;
	return got->in == want->time && got->out == out && got->run_queue == want->run_queue &&
	       got->weight == want->time - (out > SYN_BASE ? out : SYN_BASE) && got->wait_class == want->wait_class &&
	       got->state == want->state && got->in_cpu == want->cpu && got->out_cpu == want->out_cpu &&
	       got->flags == flags_of(want->flags) &&
	       !(got->chain_flags & CHAIN_KERNEL_TRUNCATED) == !(want->flags & WAIT_KERNEL_TRUNCATED) &&
	       is_waker(profile, got, &made) && is_sleeper(profile, got, &made, ret_alone);
}

static struct found look(struct profile *profile)
{
	const struct profile_wait *waits;
	struct found found = {.waits = profile_waits(profile, &waits)};
	uint8_t seen[STEPS] = {0};

	for (size_t i = 0; i < found.waits; i++) {
		bool alone, right = is_wait(profile, &waits[i], &alone);

		found.wrong += !right || seen[(waits[i].in - SYN_BASE) / SYN_STEP]++;
		found.alone += alone;
	}
	found.lost = profile_lost(profile);
	return found;
}

/*
 * Every fourth profile is also printed, alternately with all sources and with waits alone, which
 * machine-readable lines need.
 */
static int report(const struct memory_io *m, unsigned long turn, struct found *ret_found)
{
	const struct view_settings settings = {
		.filters = "", .at = {PROFILE_MOMENT_OFFSET, STEPS / 2 * SYN_STEP}, .at_around = 3 * SYN_STEP};
	const struct profile_filter filter = {
		.to = UINT64_MAX, .sources = turn % 8 ? 0 : 1 << PROFILE_OFFCPU, .each_event = true};
	struct text_sink sink = {0};
	struct profile *profile;
	int r = report_run_read(m->bytes, m->length, &filter, &profile);

	if (r < 0)
		return r;
	*ret_found = look(profile);
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
		struct memory_io m = syn_trace(STEPS, PER_CHUNK, turn > 0);
		struct found found = {0};

		CHECK_INT(t, report(&m, turn, &found), 0);
		CHECK_INT(t, found.waits, STEPS);
		CHECK_INT(t, found.wrong, 0);
		CHECK_INT(t, found.alone, 0);
		CHECK_INT(t, found.lost, turn == 0);
		memory_io_close(&m);
	}
}

static void sums_are_those_that_were_written(struct test *t)
{
	struct memory_io m = syn_trace(STEPS, PER_CHUNK, true);
	uint64_t want[3 * PROFILE_SUM_KINDS] = {0}, got[3 * PROFILE_SUM_KINDS] = {0};
	const struct profile_filter filter = {.to = UINT64_MAX};
	const struct profile_task_sums *sums;
	struct profile *profile;
	size_t count;

	REQUIRE(t, report_run_read(m.bytes, m.length, &filter, &profile) == 0);
	count = profile_task_sums(profile, &sums);
	for (uint32_t number = 0; number < STEPS; number++) {
		struct syn_waits made;

		syn_make_waits(number, &made);
		for (size_t i = 0; i < PROFILE_SUM_KINDS && made.records & SYN_SUMS; i++) {
			want[3 * i] += made.sums.kinds[i].count;
			want[3 * i + 1] += made.sums.kinds[i].total;
			want[3 * i + 2] += made.sums.kinds[i].run_queue;
		}
	}
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < PROFILE_SUM_KINDS; i++) {
			got[3 * i] += sums[k].kinds[i].count;
			got[3 * i + 1] += sums[k].kinds[i].total;
			got[3 * i + 2] += sums[k].kinds[i].run_queue;
		}
	CHECK_MEM(t, got, want, sizeof(want));
	CHECK(t, count > 4 && want[0] && want[3 * PROFILE_SUM_KINDS - 1]);
	profile_destroy(profile);
	memory_io_close(&m);
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
	struct memory_io m = syn_trace(STEPS, PER_CHUNK, true);

	for (unsigned long i = 0; i < flips; i++) {
		size_t byte = HEADER + random_below(&random, m.length - HEADER);
		int bit = (int)random_below(&random, 8), r;
		struct found found = {0};

		m.bytes[byte] ^= (uint8_t)(1 << bit);
		r = report(&m, i, &found);
		m.bytes[byte] ^= (uint8_t)(1 << bit);
		test_check(t, !r && (is_in(&m, byte, RWK_CHUNK_STATE) ||
				     (!found.wrong && found.waits + 2 * PER_CHUNK >= STEPS &&
				      found.alone <= 2 * SYN_LATER)),
			   "byte %zu bit %d: error %d, %zu waits, %zu wrong, %zu without user stack",
			   byte, bit, r, found.waits, found.wrong, found.alone);
		test_check(t, found.lost, "byte %zu bit %d: silent", byte, bit);
	}
	printf("# %lu flips of a trace of %zu bytes\n", flips, m.length);
	memory_io_close(&m);
}

static void a_cut_trace_is_read_up_to_there(struct test *t)
{
	unsigned long cuts = level_choose(16, 10000);
	struct random random = random_make(37);
	struct memory_io m = syn_trace(STEPS, PER_CHUNK, true);
	size_t whole = m.length;

	for (unsigned long i = 0; i < cuts; i++) {
		struct found found = {0};
		int r;

		m.length = 1 + random_below(&random, whole);
		r = report(&m, i, &found);
		test_check(t, r == (m.length < HEADER ? -ENODATA : 0) && !found.wrong,
			   "cut at %zu: error %d, %zu of %zu waits wrong",
			   m.length, r, found.wrong, found.waits);
	}
	printf("# %lu cuts of a trace of %zu bytes\n", cuts, whole);
	memory_io_close(&m);
}

static void a_smear_is_not_believed(struct test *t)
{
	unsigned long smears = level_choose(16, 10000);
	struct random random = random_make(38);
	struct memory_io m = syn_trace(STEPS, PER_CHUNK, true);
	uint8_t *whole = malloc(m.length);

	REQUIRE(t, whole != NULL);
	memcpy(whole, m.bytes, m.length);
	for (unsigned long i = 0; i < smears; i++) {
		size_t length = 1 + random_below(&random, 2000);
		size_t from = HEADER + random_below(&random, m.length - HEADER - length);
		struct found found = {0};
		int r;

		for (size_t k = 0; k < length; k++)
			m.bytes[from + k] = (uint8_t)random_next(&random);
		r = report(&m, i, &found);
		memcpy(m.bytes + from, whole + from, length);
		test_check(t, !r, "smear of %zu at %zu: error %d", length, from, r);
		test_check(t, found.lost || found.waits == STEPS, "smear of %zu at %zu: silent", length, from);
	}
	printf("# %lu smears of 1 to 2000 bytes\n", smears);
	free(whole);
	memory_io_close(&m);
}

TEST_MAIN(TEST(all_waits_are_there), TEST(sums_are_those_that_were_written), TEST(one_bit_costs_the_waits_of_one_chunk),
	  TEST(a_cut_trace_is_read_up_to_there), TEST(a_smear_is_not_believed))
