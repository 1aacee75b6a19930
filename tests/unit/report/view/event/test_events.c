/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * --events and --export perf-script compared with hand-written text; the first ones are the example
 * of bcc's stacksnoop.
 */
#include "tests/unit/report/view/fake_events.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

#define SYNC_FS "entry_SYSCALL_64_fastpath+0x16;sys_sync+0x35;iterate_supers+0x99;ext4_sync_fs+0x1"

/* Two calls of ext4_sync_fs by one thread. */
static struct profile *sync_fs(void)
{
	static const uint64_t addresses[] = {0xffffffff81775cb6, 0xffffffff8121ba25,
					     0xffffffff811ed7f9, 0xffffffff81280461};
	struct profile *p = fake_profile();
	uint32_t kfunc, probe;

	(void)fake_recording(p, BOOT, BOOT + 5 * SECOND);
	kfunc = fake_source(p, PROFILE_KFUNC, "ext4_sync_fs", "samples");
	p->sources[kfunc].user_stacks = false;
	probe = fake_probe(p, "ext4_sync_fs", 2);
	p->realtime = WALL_CLOCK - BOOT;
	fake_event(p, kfunc, probe, "sync", 22352, BOOT + 132250004, SYNC_FS);
	fake_event(p, kfunc, probe, "sync", 22352, BOOT + 132275000, SYNC_FS);
	for (size_t i = 0; i < p->frame_count; i++)
		p->frames[i].run_time_address = addresses[i % 4];
	return p;
}

static void prints_as_stacksnoop_does(struct test *t)
{
	struct profile *p = sync_fs();

	fake_check(t, p, VIEW_EVENTS, &plain,
		   "# kfunc ext4_sync_fs: 2 events in 5.00 s, kernel stacks\n"
		   "# recorded from 1000.000000000 s on, 2026-11-21 12:00:00.000000 UTC\n"
		   "TIME(s)            STACK\n"
		   "1000.132250004     \n"
		   "1000.132250004     ip: ffffffff81280461 ext4_sync_fs\n"
		   "1000.132250004     r0: ffffffff811ed7f9 iterate_supers\n"
		   "1000.132250004     r1: ffffffff8121ba25 sys_sync\n"
		   "1000.132250004     r2: ffffffff81775cb6 entry_SYSCALL_64_fastpath\n"
		   "1000.132275000     \n"
		   "1000.132275000     ip: ffffffff81280461 ext4_sync_fs\n"
		   "1000.132275000     r0: ffffffff811ed7f9 iterate_supers\n"
		   "1000.132275000     r1: ffffffff8121ba25 sys_sync\n"
		   "1000.132275000     r2: ffffffff81775cb6 entry_SYSCALL_64_fastpath\n"
		   "\n"
		   "# ext4_sync_fs: 2 hits, 0.4/s\n");
	free(p);
}

static void prints_more_fields_and_offsets(struct test *t)
{
	struct profile *p = sync_fs();
	struct view_settings settings = plain;

	settings.addresses = settings.offsets = true;
	p->event_count = 1;
	fake_check(t, p, VIEW_EVENTS, &settings,
		   "# kfunc ext4_sync_fs: 2 events in 5.00 s, kernel stacks\n"
		   "# recorded from 1000.000000000 s on, 2026-11-21 12:00:00.000000 UTC\n"
		   "TIME(s)            COMM         PID    CPU STACK\n"
		   "1000.132250004     sync         22352  1   \n"
		   "1000.132250004     sync         22352  1   ip: ffffffff81280461 ext4_sync_fs+0x1\n"
		   "1000.132250004     sync         22352  1   r0: ffffffff811ed7f9 iterate_supers+0x99\n"
		   "1000.132250004     sync         22352  1   r1: ffffffff8121ba25 sys_sync+0x35\n"
		   "1000.132250004     sync         22352  1   r2: ffffffff81775cb6 entry_SYSCALL_64_fastpath+0x16\n"
		   "\n"
		   "# ext4_sync_fs: 2 hits, 0.4/s\n");
	free(p);
}

static void prints_the_time_of_day(struct test *t)
{
	struct profile *p = sync_fs();
	struct view_settings settings = plain;

	settings.timestamps = true;
	p->event_count = 1;
	p->events[0].node = 1;
	fake_check(t, p, VIEW_EVENTS, &settings,
		   "# kfunc ext4_sync_fs: 2 events in 5.00 s, kernel stacks\n"
		   "# recorded from 1000.000000000 s on, 2026-11-21 12:00:00.000000 UTC\n"
		   "TIME(UTC)          STACK\n"
		   "12:00:00.132250004 \n"
		   "12:00:00.132250004 ip: ffffffff81775cb6 entry_SYSCALL_64_fastpath\n"
		   "\n"
		   "# ext4_sync_fs: 2 hits, 0.4/s\n");
	p->realtime = 0;
	fake_check(t, p, VIEW_EVENTS, &settings,
		   "# kfunc ext4_sync_fs: 2 events in 5.00 s, kernel stacks\n"
		   "# recorded from 1000.000000000 s on, wall clock unknown\n"
		   "TIME(UTC)          STACK\n"
		   "wall clock unknown \n"
		   "wall clock unknown ip: ffffffff81775cb6 entry_SYSCALL_64_fastpath\n"
		   "\n"
		   "# ext4_sync_fs: 2 hits, 0.4/s\n");
	free(p);
}

/* A sample, a tracepoint, a wakeup from an interrupt, the wait that it ended, and one that had not ended. */
static struct profile *all_kinds(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu, wakers, tracepoint, probe;
	struct profile_wait *wait, *open;

	(void)fake_recording(p, BOOT, BOOT + 5 * SECOND);
	cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "ns");
	(void)fake_source(p, PROFILE_OFFCPU, "sched_switch", "ns");
	wait = fake_wait(p, "dd", 8, "main@dd+0x5;read@libc.so.6+0x1;vfs_read+0x7", BOOT + 1000000, BOOT + 13345678);
	fake_waker(p, wait, "swapper/0", 0, "main@other;asm_sysvec_apic_timer_interrupt;try_to_wake_up+0x3",
		   BOOT + 13335678);
	wait->flags = PROFILE_WAIT_IOWAIT;
	wait->state = 2;
	wait->waker_context = PROFILE_WAKER_IRQ;
	wait->in_cpu = 2;
	open = fake_wait(p, "sh", 9, "do_wait", BOOT + 3 * SECOND, BOOT + 5 * SECOND);
	open->flags = PROFILE_WAIT_NOT_ENDED;
	open->chain_flags = CHAIN_USER_MISSING;
	wakers = fake_source(p, PROFILE_WAKERS, "sched_waking", "ns");
	p->sources[wakers].samples = 1;
	tracepoint = fake_source(p, PROFILE_TRACEPOINT, "sched:*", "samples");
	probe = fake_probe(p, "sched:sched_switch", 1);
	fake_event(p, cpu, PROFILE_NO_PROBE, "dd", 8, BOOT, "main@dd+0x5;?@libc.so.6+0x20")->weight = 1001001;
	fake_event(p, tracepoint, probe, "dd", 8, BOOT + 999999,
		   "schedule+0x2e;__schedule+0x123")->flags = CHAIN_USER_TRUNCATED;
	fake_wakeup(p, wakers, wait);
	fake_end(p, wait);
	fake_end(p, open);
	p->realtime = WALL_CLOCK - BOOT;
	return p;
}

static const char each_event[] =
	"# cpu cpu-clock: 1 sample, 0.0 ms in 5.00 s, kernel and user stacks\n"
	"# offcpu sched_switch: 2 waits, 2012.3 ms in 5.00 s, kernel and user stacks\n"
	"# blocked 2012.3 ms (2); 0.0 ms on run queues\n"
	"# wakers sched_waking: 1 wait, 0.0 ms in 5.00 s, kernel and user stacks\n"
	"# tracepoint sched:*: 1 event in 5.00 s, kernel and user stacks\n"
	"# recorded from 1000.000000000 s on, 2026-11-21 12:00:00.000000 UTC\n"
	"TIME(s)            COMM         PID    CPU STACK\n"
	"1000.000000000     dd           8      1   cpu-clock\n"
	"1000.000000000     dd           8      1   ip: 0000000000001020 [libc.so.6]+0x1020\n"
	"1000.000000000     dd           8      1   r0: 0000000000001005 main [dd]\n"
	"1000.000999999     dd           8      1   sched:sched_switch\n"
	"1000.000999999     dd           8      1   ip: 0000000000001123 __schedule\n"
	"1000.000999999     dd           8      1   r0: 000000000000102e schedule\n"
	"1000.000999999     dd           8      1   [user stack cut at the depth limit]\n"
	"1000.013335678     swapper/0    0      -   wakeup of dd/8, from an irq\n"
	"1000.013335678     swapper/0    0      -   ip: 0000000000001003 try_to_wake_up\n"
	"1000.013335678     swapper/0    0      -   r0: 0000000000001000 asm_sysvec_apic_timer_interrupt\n"
	"1000.013345678     dd           8      2   wait 12.346 ms D iowait (blocked), run queue 10.000 us\n"
	"1000.013345678     dd           8      2   ip: 0000000000001007 vfs_read\n"
	"1000.013345678     dd           8      2   --\n"
	"1000.013345678     dd           8      2   r0: 0000000000001001 read\n"
	"1000.013345678     dd           8      2   r1: 0000000000001005 main [dd]\n"
	"1005.000000000     sh           9      0   wait ≥2.000 s S (blocked), not ended\n"
	"1005.000000000     sh           9      0   ip: 0000000000001000 do_wait\n"
	"1005.000000000     sh           9      0   [Missed User Stack]\n"
	"\n"
	"# sched:sched_switch: 1 hit, 0.2/s\n";

static void says_what_each_event_is(struct test *t)
{
	struct profile *p = all_kinds();
	struct view_settings settings = plain;

	settings.addresses = settings.delimited = true;
	fake_check(t, p, VIEW_EVENTS, &settings, each_event);
	free(p);
}

static void exports_as_perf_script(struct test *t)
{
	struct profile *p = all_kinds();

	p->modules[0].path = "/usr/bin/dd";
	p->tasks[0].comm = " d d";
	fake_check(t, p, VIEW_PERF_SCRIPT, &plain,
		   "_d d     8/8     [001]  1000.000000:    1001001 cpu-clock: \n"
		   "\t            1020 [unknown] (libc.so.6)\n"
		   "\t            1005 main+0x5 ([unknown])\n"
		   "\n"
		   "_d d     8/8     [001]  1000.000999:          1 sched:sched_switch: \n"
		   "\t            1123 __schedule+0x123 ([kernel.kallsyms])\n"
		   "\t            102e schedule+0x2e ([kernel.kallsyms])\n"
		   "\n"
		   "swapper/0     0/0      1000.013335:   12335678 wakeup: \n"
		   "\t            1003 try_to_wake_up+0x3 ([kernel.kallsyms])\n"
		   "\t            1000 asm_sysvec_apic_timer_interrupt+0x0 ([kernel.kallsyms])\n"
		   "\n"
		   "_d d     8/8     [002]  1000.013345:   12345678 offcpu: \n"
		   "\t            1007 vfs_read+0x7 ([kernel.kallsyms])\n"
		   "\t            1001 read+0x1 (libc.so.6)\n"
		   "\t            1005 main+0x5 ([unknown])\n"
		   "\n"
		   "sh     9/9     [000]  1005.000000: 2000000000 offcpu: \n"
		   "\t            1000 do_wait+0x0 ([kernel.kallsyms])\n"
		   "\n");
	free(p);
}

/* One word each, whatever their names are. */
static void exports_functions_as_perf_probes(struct test *t)
{
	struct profile *p = sync_fs();

	p->event_count = 1;
	p->events[0].node = 0;
	p->probes[0].name = "a b\n";
	p->tasks[0].comm = "";
	fake_check(t, p, VIEW_PERF_SCRIPT, &plain,
		   ":22352 22352/22352 [001]  1000.132250:          1 probe:a_b\\x0a: \n\n");
	free(p);
}

static void tells_recordings_apart(struct test *t)
{
	struct profile *p = sync_fs();

	(void)fake_recording(p, 7 * SECOND, 9 * SECOND);
	p->recordings[1].host = 1;
	p->events[1].recording = 1;
	p->events[0].node = p->events[1].node = 0;
	p->events[1].time = 8 * SECOND;
	p->realtime = 0;
	fake_check(t, p, VIEW_EVENTS, &plain,
		   "# kfunc ext4_sync_fs: 2 events in 5.00 s, kernel stacks\n"
		   "# recorded from 1000.000000000 s on, wall clock unknown (recording 1, host 0)\n"
		   "TIME(s)            STACK\n"
		   "1000.132250004     \n"
		   "# recorded from 7.000000000 s on, wall clock unknown (recording 2, host 1)\n"
		   "8.000000000        \n"
		   "\n"
		   "# ext4_sync_fs: 2 hits, 0.4/s\n");
	free(p);
}

static void nothing_is_no_header(struct test *t)
{
	struct profile *p = sync_fs();

	p->event_count = p->probe_count = 0;
	p->sources[0].samples = 0;
	fake_check(t, p, VIEW_EVENTS, &plain,
		   "# kfunc ext4_sync_fs: 0 events in 5.00 s, kernel stacks\n"
		   "# nothing was recorded; what was lost is listed below\n");
	p->sources[0].kind = PROFILE_TASKS;
	fake_check(t, p, VIEW_EVENTS, &plain, "# nothing to show: --events has no use for what is here: tasks\n");
	p->sources[0].kind = PROFILE_KFUNC;
	p->sources[0].left_out = true;
	fake_check(t, p, VIEW_EVENTS, &plain,
		   "# nothing to show: the filters or --events have no use for what is here: kfunc\n");
	fake_check(t, p, VIEW_TREE, &plain,
		   "# nothing to show: the filters or --tree have no use for what is here: kfunc\n");
	fake_check(t, p, VIEW_FOLDED, &plain, "");
	free(p);
}

static void check_refused(struct test *t, struct profile *p, enum view_kind kind,
			  struct profile_event spoilt, const char *what)
{
	struct profile_event *last = &p->events[p->event_count - 1], sound = *last;
	char *text;

	*last = spoilt;
	test_check(t, fake_view(p, views[kind].print, &plain, &text) == -EBADMSG, "%s is taken", what);
	free(text);
	*last = sound;
}

static void refuses_contradictions(struct test *t)
{
	static const enum view_kind kinds[] = {VIEW_EVENTS, VIEW_PERF_SCRIPT};
	struct profile *p = all_kinds();
	const struct profile_event last = p->events[p->event_count - 1];
	struct profile_wait wait = *last.wait;

	for (size_t i = 0; i < 2; i++) {
		struct profile_event e = last;

		e.time = BOOT;
		check_refused(t, p, kinds[i], e, "an event out of order");
		e = last, e.task = FAKE_MAX;
		check_refused(t, p, kinds[i], e, "no task");
		e = last, e.node = FAKE_MAX;
		check_refused(t, p, kinds[i], e, "no call chain");
		e = last, e.source = 9;
		check_refused(t, p, kinds[i], e, "no source");
		e = last, e.probe = 7;
		check_refused(t, p, kinds[i], e, "no probe");
		e = last, e.recording = 1;
		check_refused(t, p, kinds[i], e, "no recording");
		e = last, e.wait = NULL;
		check_refused(t, p, kinds[i], e, "no wait");
		e = last, e.wait = &wait, wait = *last.wait, wait.out = wait.in + 1;
		check_refused(t, p, kinds[i], e, "a wait that ends before it begins");
		wait = *last.wait, wait.task = FAKE_MAX;
		check_refused(t, p, kinds[i], e, "a wait of nobody");
		wait = *last.wait, wait.waker_context = 77;
		check_refused(t, p, kinds[i], e, "no waker's context");
		wait = *last.wait, wait.wait_class = 77;
		check_refused(t, p, kinds[i], e, "no class");
	}
	free(p);
}

TEST_MAIN(TEST(prints_as_stacksnoop_does), TEST(prints_more_fields_and_offsets), TEST(prints_the_time_of_day),
	  TEST(says_what_each_event_is), TEST(exports_as_perf_script), TEST(exports_functions_as_perf_probes),
	  TEST(tells_recordings_apart), TEST(nothing_is_no_header), TEST(refuses_contradictions))
