/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --stacks and --folded by intervals, as bcc's stackcount counts, and what is printed for probes;
 * against hand-written text.
 */
#include "tests/unit/report/view/fake_events.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

#define WRITE "ksys_write+0x5;vfs_write+0x1"
#define RENAME "do_rename+0x5;vfs_write+0x1"

/* vfs_write called six times in 2.5 seconds, not once in the second one. */
static struct profile *writes(void)
{
	struct profile *p = fake_profile();
	uint32_t kfunc, probe;

	(void)fake_recording(p, BOOT, BOOT + 2500 * MS);
	kfunc = fake_source(p, PROFILE_KFUNC, "vfs_write", "samples");
	probe = fake_probe(p, "vfs_write", 6);
	p->realtime = WALL_CLOCK - BOOT;
	fake_event(p, kfunc, probe, "dd", 7, BOOT, WRITE);
	fake_event(p, kfunc, probe, "sh", 8, BOOT + 10 * MS, WRITE);
	fake_event(p, kfunc, probe, "dd", 7, BOOT + 20 * MS, WRITE);
	fake_event(p, kfunc, probe, "dd", 7, BOOT + 2000 * MS, RENAME);
	fake_event(p, kfunc, probe, "dd", 7, BOOT + 2500 * MS, WRITE);
	fake_event(p, kfunc, probe, "dd", 7, BOOT + 2501 * MS, WRITE);
	return p;
}

static const char by_intervals[] =
	"# kfunc vfs_write: 6 events in 5.00 s, kernel and user stacks\n"
	"\n"
	"# from +0.000000 s to +1.000000 s: 3 events\n"
	"12:00:01\n"
	"    vfs_write\n"
	"    ksys_write\n"
	"    -                sh\n"
	"        1\n"
	"\n"
	"    vfs_write\n"
	"    ksys_write\n"
	"    -                dd\n"
	"        2\n"
	"\n"
	"\n"
	"# from +1.000000 s to +2.000000 s: 0 events\n"
	"12:00:02\n"
	"\n"
	"# from +2.000000 s to +2.500000 s: 3 events\n"
	"12:00:02\n"
	"    vfs_write\n"
	"    do_rename\n"
	"    -                dd\n"
	"        1\n"
	"\n"
	"    vfs_write\n"
	"    ksys_write\n"
	"    -                dd\n"
	"        2\n"
	"\n"
	"# vfs_write: 6 hits, 1.2/s\n";

static void counts_by_intervals(struct test *t)
{
	struct profile *p = writes();
	struct view_settings settings = plain;

	settings.interval = SECOND;
	settings.timestamps = true;
	fake_check(t, p, VIEW_STACKS, &settings, by_intervals);
	free(p);
}

static void folds_by_intervals(struct test *t)
{
	struct profile *p = writes();
	struct view_settings settings = plain;

	settings.interval = SECOND;
	settings.timestamps = settings.per_process = settings.offsets = true;
	fake_check(t, p, VIEW_FOLDED, &settings,
		   "12:00:01\n"
		   "sh-8;ksys_write+0x5;vfs_write+0x1 1\n"
		   "dd-7;ksys_write+0x5;vfs_write+0x1 2\n"
		   "12:00:02\n"
		   "12:00:02\n"
		   "dd-7;do_rename+0x5;vfs_write+0x1 1\n"
		   "dd-7;ksys_write+0x5;vfs_write+0x1 2\n");
	settings.timestamps = settings.per_process = settings.offsets = false;
	settings.interval = 2 * SECOND;
	fake_check(t, p, VIEW_FOLDED, &settings,
		   "sh;ksys_write;vfs_write 1\n"
		   "dd;ksys_write;vfs_write 2\n"
		   "dd;do_rename;vfs_write 1\n"
		   "dd;ksys_write;vfs_write 2\n");
	free(p);
}

/* With the time of day alone there is one slice. */
static void tells_the_time_of_the_whole(struct test *t)
{
	struct profile *p = writes();
	struct view_settings settings = plain;

	settings.timestamps = true;
	fake_check(t, p, VIEW_FOLDED, &settings,
		   "12:00:02\n"
		   "dd;do_rename;vfs_write 1\n"
		   "sh;ksys_write;vfs_write 1\n"
		   "dd;ksys_write;vfs_write 4\n");
	p->realtime = 0;
	p->event_count = 1;
	fake_check(t, p, VIEW_STACKS, &settings,
		   "# kfunc vfs_write: 6 events in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "# from +0.000000 s to +2.500000 s: 1 event\n"
		   "wall clock unknown\n"
		   "    vfs_write\n"
		   "    ksys_write\n"
		   "    -                dd\n"
		   "        1\n"
		   "\n"
		   "# vfs_write: 6 hits, 1.2/s\n");
	free(p);
}

/* Waits count where they end, with their whole time. */
static void slices_waits(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;
	struct profile_wait *wait = fake_wait(p, "dd", 7, "io_schedule", BOOT + 100 * MS, BOOT + 3100 * MS);

	settings.interval = 3 * SECOND;
	fake_end(p, wait);
	fake_check(t, p, VIEW_STACKS, &settings,
		   "# offcpu: 1 wait, 3000.0 ms in 5.00 s, kernel and user stacks\n"
		   "# blocked 3000.0 ms (1); 0.0 ms on run queues\n"
		   "\n"
		   "# from +0.000000 s to +3.000000 s: 0 waits\n"
		   "\n"
		   "# from +3.000000 s to +5.000000 s: 1 wait\n"
		   "    io_schedule\n"
		   "    -                dd\n"
		   "        3000000\n"
		   "\n");
	free(p);
}

/* Sources stop a little late. */
static void a_sliver_is_no_slice(struct test *t)
{
	struct profile *p = fake_recorded();
	struct view_settings settings = plain;

	settings.interval = 2 * SECOND;
	p->recordings[0].stop = BOOT + 4100 * MS;
	fake_end(p, fake_wait(p, "dd", 7, "io_schedule", BOOT + 1000 * MS, BOOT + 4050 * MS));
	fake_check(t, p, VIEW_STACKS, &settings,
		   "# offcpu: 1 wait, 3050.0 ms in 5.00 s, kernel and user stacks\n"
		   "# blocked 3050.0 ms (1); 0.0 ms on run queues\n"
		   "\n"
		   "# from +0.000000 s to +2.000000 s: 0 waits\n"
		   "\n"
		   "# from +2.000000 s to +4.100000 s: 1 wait\n"
		   "    io_schedule\n"
		   "    -                dd\n"
		   "        3050000\n"
		   "\n");
	free(p);
}

static const char of_recordings[] =
	"# kfunc vfs_write: 6 events in 5.00 s, kernel and user stacks\n"
	"\n"
	"# from +0.000000 s to +1.250000 s: 4 events (recording 1)\n"
	"    vfs_write\n"
	"    do_rename\n"
	"    -                dd\n"
	"        1\n"
	"\n"
	"    vfs_write\n"
	"    ksys_write\n"
	"    -                sh\n"
	"        1\n"
	"\n"
	"    vfs_write\n"
	"    ksys_write\n"
	"    -                dd\n"
	"        2\n"
	"\n"
	"\n"
	"# from +1.250000 s to +2.500000 s: 0 events (recording 1)\n"
	"\n"
	"# from +0.000000 s to +1000.000000 s: 0 events (recording 2)\n"
	"\n"
	"# from +0.000000 s to +1.000000 s: 2 events (recording 3)\n"
	"    vfs_write\n"
	"    ksys_write\n"
	"    -                dd\n"
	"        2\n"
	"\n"
	"# vfs_write: 6 hits, 1.2/s\n";

/* With several recordings, one without an event of the source is not sliced. */
static void slices_recordings(struct test *t)
{
	struct profile *p = writes();
	struct view_settings settings = plain;

	(void)fake_recording(p, 0, 1000 * SECOND);
	(void)fake_recording(p, 0, SECOND);
	p->events[4].recording = p->events[5].recording = 2;
	p->events[4].time = p->events[5].time = 999 * MS;
	p->events[3].time = BOOT + 21 * MS;
	settings.interval = 1250 * MS;
	fake_check(t, p, VIEW_STACKS, &settings, of_recordings);
	free(p);
}

static void refuses_too_many(struct test *t)
{
	struct profile *p = writes();
	struct view_settings settings = plain;
	char *text;

	settings.interval = 1;
	CHECK_INT(t, fake_view(p, stacks_view, &settings, &text), -EINVAL);
	free(text);
	CHECK_INT(t, fake_view(p, folded_view, &settings, &text), -EINVAL);
	free(text);
	p->recordings[0].stop = UINT64_MAX;
	settings.interval = UINT64_MAX / 2;
	CHECK_INT(t, fake_view(p, folded_view, &settings, &text), 0);
	free(text);
	p->recordings[0].stop = 0; /* before it began */
	CHECK_INT(t, fake_view(p, folded_view, &settings, &text), 0);
	free(text);
	free(p);
}

static struct profile *probes(void)
{
	struct profile *p = fake_profile();
	uint32_t source = fake_source(p, PROFILE_KFUNC, "tcp_*", "samples");

	p->probes[fake_probe(p, "tcp_idle", 0)].events = 0;
	(void)fake_probe(p, "tcp_even", 10);
	p->probes[1].events = p->probes[1].samples = 10;
	(void)fake_probe(p, "tcp_hot", 1000);
	p->probes[2].skipped = 900;
	p->probes[2].missed = 7;
	p->probes[2].events = p->probes[2].samples = 80;
	(void)fake_probe(p, "tcp\nkilled", 5);
	p->probes[3].events = p->probes[3].samples = 6;
	(void)fake_probe(p, "tcp_unknown", 0);
	p->probes[4].events = p->probes[4].samples = 3;
	p->probes[4].counted = false;
	fake_entry(p, source, "dd", 7, "a", 99);
	return p;
}

static void tells_where_hits_are_no_events(struct test *t)
{
	struct profile *p = probes();

	fake_check(t, p, VIEW_STACKS, &plain,
		   "# kfunc tcp_*: 99 events of 5 probes in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "    a\n"
		   "    -                dd\n"
		   "        99\n"
		   "\n"
		   "# tcp_hot: 1000 hits, 200.0/s: 80 events, 900 skipped by --rate-limit, 20 lost; "
		   "7 more were missed by the kernel\n"
		   "# tcp_even: 10 hits, 2.0/s\n"
		   "# tcp\\x0akilled: 5 hits, 1.0/s: 6 events, 1 of them after the last count\n"
		   "# tcp_unknown: 3 events; how many hits there were is not known\n"
		   "# not hit: 1 of them\n"
		   "# tcp_*, all 5: 99 events; how many hits there were is not known; "
		   "7 more were missed by the kernel\n");
	free(p);
}

/* What the filters leave is not what was counted. */
static void tells_what_filters_leave(struct test *t)
{
	struct profile *p = probes();
	struct view_settings settings = plain;

	p->probe_count = 2;
	p->probes[1].samples = 4;
	p->entries[0].samples = p->entries[0].weight = p->sources[0].samples = p->sources[0].weight = 4;
	settings.filters = "-c dd";
	fake_check(t, p, VIEW_TREE, &settings,
		   "# kfunc tcp_*: 4 events of 2 probes in 5.00 s, kernel and user stacks\n"
		   "# filters: -c dd\n"
		   "\n"
		   ">>> 100.00%  a  Comms: dd\n"
		   "    |\n"
		   "    a+0x0\n"
		   "\n"
		   "# tcp_even: 10 hits, 2.0/s; 4 of the events pass the filters\n"
		   "# not hit: 1 of them\n"
		   "# tcp_*, all 2: 10 hits, 2.0/s; 4 of the events pass the filters\n");
	p->entry_count = 0;
	p->sources[0].samples = p->sources[0].weight = 0;
	fake_check(t, p, VIEW_TREE, &settings,
		   "# kfunc tcp_*: 0 events of 2 probes in 5.00 s, kernel and user stacks\n"
		   "# filters: -c dd\n"
		   "# nothing passed the filters\n");
	free(p);
}

TEST_MAIN(TEST(counts_by_intervals), TEST(folds_by_intervals), TEST(tells_the_time_of_the_whole), TEST(slices_waits),
	  TEST(a_sliver_is_no_slice), TEST(slices_recordings), TEST(refuses_too_many),
	  TEST(tells_where_hits_are_no_events), TEST(tells_what_filters_leave))
