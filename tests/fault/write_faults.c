/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every call of the write path fails the n-th time it is made, for every n: once or from then on,
 * with nothing or a part written before. What is left must be a valid trace with every chunk whose
 * write returned, or an error must be reported.
 */
#include "tests/fault/steps.h"
#include "tests/test.h"

enum { COUNT = 120, PER_CHUNK = 10 };

static struct steps_written record(struct memory_io *m, const struct trace_writer_settings *settings)
{
	memory_io_open(m);
	return steps_write(&m->io, 3, settings, COUNT, PER_CHUNK, true);
}

static void check(struct test *t, struct memory_io *m, const struct steps_whole *whole, const struct steps_written *o,
		  const char *what)
{
	bool untold = !o->created && !o->added && !o->closed, cut_failed = m->call == CALL_TRUNCATE || m->is_pipe;
	struct steps_found found;

	m->call = CALL_NONE;
	m->is_pipe = false;
	memory_io_open(m);
	found = steps_check(&m->io, 3, whole);
	if (o->created && !cut_failed) {
		test_check(t, m->length == 0, "%s: no trace was made, and %zu bytes are left", what, m->length);
		return;
	}
	test_check(t, !found.wrong && !found.unnamed, "%s: %zu chunks wrong, %zu unnamed", what, found.wrong,
		   found.unnamed);
	test_check(t, found.steps >= o->acknowledged, "%s: %zu steps of %u whose write returned", what, found.steps,
		   o->acknowledged);
	test_check(t, !found.damage.chunks && !found.damage.bytes, "%s: %llu chunks and %llu bytes damaged", what,
		   (unsigned long long)found.damage.chunks, (unsigned long long)found.damage.bytes);
	test_check(t, cut_failed || !found.damage.torn_tail, "%s: a torn tail is left", what);
	if (untold)
		test_check(t, found.steps == COUNT && found.closed == 1,
			   "%s: nothing was told, and %zu of %u steps are there",
			   what, found.steps, COUNT);
	if (m->blocks != m->length && !cut_failed)
		test_check(t, 0, "%s: preallocated blocks are left behind", what);
}

static const struct error {
	const char *name;
	int error;
} errors[] = {{"ENOSPC", -ENOSPC}, {"EIO", -EIO}, {"EINTR", -EINTR}, {"EDQUOT", -EDQUOT},
	      {"EFBIG", -EFBIG}, {"EPIPE", -EPIPE}, {"short", FAULT_SHORT}};

/* The call fails the n-th time, for n = 1, 2 ... until it is made less often than that. Returns the number of runs. */
static unsigned int run_all(struct test *t, const struct steps_whole *whole, struct memory_io model,
			    const struct error *error, const char *call)
{
	struct trace_writer_settings settings = {.free_floor = 1000};
	unsigned int runs = 0;
	char what[128];

	for (unsigned int nth = 1; nth < 1000; nth++, runs++) {
		struct memory_io m = model;
		unsigned int called;
		struct steps_written o;

		m.nth = nth;
		m.error = error->error;
		o = record(&m, &settings);
		called = m.counts[m.call];
		snprintf(what, sizeof(what), "%s %u%s %s after %zu bytes%s", call, nth,
			 m.sticky ? "+" : "", error->name, m.parts, m.is_pipe ? ", pipe" : "");
		check(t, &m, whole, &o, what);
		memory_io_close(&m);
		if (called < nth)
			break;
	}
	return runs;
}

static void run_call(struct test *t, enum memory_call call, const char *name, bool is_pipe)
{
	static const size_t parts[] = {0, 1, 60};
	struct steps_whole whole = steps_whole_make(COUNT, PER_CHUNK);
	unsigned int runs = 0;

	for (size_t e = 0; e < sizeof(errors) / sizeof(*errors); e++) {
		if (call != CALL_WRITEV && errors[e].error >= 0)
			continue;
		for (size_t p = 0; p < (call == CALL_WRITEV ? 3 : 1); p++)
			for (int sticky = 0; sticky < 2; sticky++) {
				struct memory_io model = {.call = call, .sticky = sticky,
							  .parts = parts[p], .is_pipe = is_pipe};

				runs += run_all(t, &whole, model, &errors[e], name);
			}
	}
	printf("# %s%s: %u faults\n", name, is_pipe ? " on a pipe" : "", runs);
	free(whole.chunks);
}

static void every_writev_may_fail(struct test *t)
{
	run_call(t, CALL_WRITEV, "writev", false);
}

static void every_writev_to_a_pipe_may_fail(struct test *t)
{
	run_call(t, CALL_WRITEV, "writev", true);
}

static void every_truncate_may_fail(struct test *t)
{
	run_call(t, CALL_TRUNCATE, "ftruncate", false);
}

static void every_preallocation_may_fail(struct test *t)
{
	run_call(t, CALL_PREALLOCATE, "fallocate", false);
}

static void every_sync_may_fail(struct test *t)
{
	run_call(t, CALL_SYNC, "fdatasync", false);
}

static void every_look_at_free_space_may_fail(struct test *t)
{
	run_call(t, CALL_FREE_BYTES, "fstatvfs", false);
}

/* With and without preallocation. Without it, no space can be reserved, but what was written must be complete. */
static void a_disk_of_every_size_may_be_full(struct test *t)
{
	struct steps_whole whole = steps_whole_make(COUNT, PER_CHUNK);
	unsigned int closed = 0, runs = 0;

	for (int cannot = 0; cannot < 2; cannot++)
		for (uint64_t disk = 1; disk < 40000; disk += 97, runs++) {
			struct memory_io m = {.disk = disk, .cannot_preallocate = cannot};
			struct steps_written o = record(&m, &(struct trace_writer_settings){0});
			struct steps_found found;
			char what[64];

			snprintf(what, sizeof(what), "disk of %llu bytes%s",
				 (unsigned long long)disk, cannot ? ", no preallocation" : "");
			found = steps_check(&m.io, 3, &whole);
			closed += found.closed == 1;
			if (!cannot && !o.created)
				test_check(t, found.closed == 1, "%s: not closed", what);
			if (o.added && found.closed)
				CHECK_INT(t, found.end_reason, RWK_END_NO_SPACE);
			check(t, &m, &whole, &o, what);
			memory_io_close(&m);
		}
	printf("# %u sizes, %u traces closed\n", runs, closed);
	free(whole.chunks);
}

TEST_MAIN(TEST(every_writev_may_fail), TEST(every_writev_to_a_pipe_may_fail), TEST(every_truncate_may_fail),
	  TEST(every_preallocation_may_fail), TEST(every_sync_may_fail), TEST(every_look_at_free_space_may_fail),
	  TEST(a_disk_of_every_size_may_be_full))
