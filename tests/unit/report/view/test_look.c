/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Call chains in two words, on every architecture; and which waits fit --on. */
#include "report/view/place.h"

#include "report/wait/waits_on.h"
#include "tests/unit/report/view/fake_view.h"

/* --- places --- */

#define X86_CALL "main@app;work@app;read@libc.so.6;entry_SYSCALL_64_after_hwframe;do_syscall_64;"
#define ARM_CALL "main@app;work@app;read@libc.so.6;el0t_64_sync;el0t_64_sync_handler;el0_svc;do_el0_svc;" \
		 "el0_svc_common.constprop.0;invoke_syscall;"
#define X86_TICK "asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;"
#define ARM_TICK "el1h_64_irq;el1h_64_irq_handler;el1_interrupt;"
#define ARM_IRQ ARM_TICK "do_interrupt_handler;call_on_irq_stack;gic_handle_irq;generic_handle_domain_irq;" \
			 "handle_percpu_devid_irq;arch_timer_handler_virt;hrtimer_interrupt;"

static const struct {
	const char *chain, *place;
	bool timer;
} chains[] = {
	/* the way to sleep */
	{X86_CALL "vfs_read;pipe_read;schedule;__schedule", "pipe_read (work)", false},
	{ARM_CALL "__arm64_sys_read;vfs_read;pipe_read;schedule;__schedule;__switch_to;cpu_switch_to",
	 "pipe_read (work)", false},
	{X86_CALL "futex_wait;schedule;finish_task_switch.isra.0", "futex_wait (work)", false},
	{ARM_CALL "do_sys_poll;poll_schedule_timeout.constprop.0;schedule_hrtimeout_range;schedule",
	 "do_sys_poll (work)", false},
	/* the way to a wakeup */
	{X86_CALL "pipe_write;__wake_up_sync_key;__wake_up_common;autoremove_wake_function;try_to_wake_up",
	 "pipe_write (work)", false},
	{ARM_CALL "futex_wake;wake_up_q;try_to_wake_up;ttwu_queue;__traceiter_sched_waking;bpf_trace_run1",
	 "futex_wake (work)", false},
	/* an interrupt of some task: the task and its timers have nothing to do with it */
	{"burn@app;" X86_TICK "hrtimer_interrupt;__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up",
	 "hrtimer_wakeup (burn)", true},
	{"cpu_startup_entry;do_idle;" ARM_IRQ "__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up", "hrtimer_wakeup", true},
	{"do_idle;" ARM_TICK "irq_exit_rcu;do_softirq_own_stack;____do_softirq;handle_softirqs;run_timer_softirq;"
			     "call_timer_fn;process_timeout;wake_up_process;try_to_wake_up",
	 "process_timeout", true},
	{"__hrtimer_run_queues;" ARM_TICK "do_interrupt_handler;nvme_irq;try_to_wake_up", "nvme_irq", false},
	{"__hrtimer_run_queues;el0_irq;gic_handle_irq;nvme_irq;try_to_wake_up", "nvme_irq", false},
	{"run_timer_softirq;handle_softirqs;net_rx_action;try_to_wake_up", "net_rx_action", false},
	/* Only the interrupt is left: the interrupted task did not wake anything. */
	{"crunch;" X86_TICK "try_to_wake_up", "sysvec_apic_timer_interrupt", false},
	{"crunch;" ARM_TICK "try_to_wake_up", "el1_interrupt", false},
	/* a task preempted by an interrupt was where the interrupt hit it */
	{X86_CALL "vfs_read;crunch;" X86_TICK "irqentry_exit;raw_irqentry_exit_cond_resched;preempt_schedule_irq;__schedule",
	 "crunch (work)", false},
	{ARM_CALL "vfs_read;crunch;" ARM_TICK "arm64_preempt_schedule_irq;preempt_schedule_irq;__schedule;__switch_to",
	 "crunch (work)", false},
	{X86_CALL "vfs_read;__cond_resched;__schedule", "vfs_read (work)", false},
	/* on the way back to the program there is nothing else to print */
	{"work@app;asm_sysvec_reschedule_ipi;irqentry_exit_to_user_mode;exit_to_user_mode_loop;schedule",
	 "exit_to_user_mode_loop (work)", false},
	{"work@app;el0t_64_irq;el0t_64_irq_handler;el0_interrupt;do_notify_resume;schedule;__switch_to",
	 "do_notify_resume (work)", false},
	{"work@app;el0t_64_sync;el0t_64_sync_handler;el0_svc;schedule;__schedule", "el0_svc (work)", false},
	{"ret_from_fork", "ret_from_fork", false},
	{"ret_from_fork_asm;schedule", "ret_from_fork_asm", false},
	{"schedule;__schedule", "__schedule", false}, /* nothing but plumbing: the leaf */
	{"", "", false},
	/* libraries */
	{"main@app;start_thread@libc.so.6;wait@ld-linux-aarch64.so.1;do_pause", "do_pause (main)", false},
	{"main@app;wait@libpthread.so.0;pause@ld-musl-aarch64.so.1;do_pause;schedule", "do_pause (main)", false},
	{"raise@libc.so.6;do_pause;schedule", "do_pause (raise)", false},
};

static void check_place(struct test *t, const char *chain, const char *want, bool timer)
{
	struct profile *profile = fake_profile();
	uint32_t node = fake_chain(profile, chain);
	struct functions *functions;
	struct places places;
	struct place place;
	bool is_timer;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	REQUIRE(t, out && !functions_create(profile, FUNCTIONS_BY_NAME, "", &functions));
	REQUIRE(t, !places_init(&places, profile, functions, (struct frame_style){0}));
	REQUIRE(t, !places_find(&places, node, &place, &is_timer));
	place_write(&places, "", place, out);
	(void)fclose(out);
	CHECK_STR(t, text, want);
	test_check(t, is_timer == timer, "%s: a timer or not", chain);
	free(text);
	places_deinit(&places);
	functions_destroy(functions);
	fake_free(profile);
}

static void chains_are_two_words(struct test *t)
{
	for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++)
		check_place(t, chains[i].chain, chains[i].place, chains[i].timer);
}

/* By function, then by address; a place that is empty first. */
static void places_have_one_order(struct test *t)
{
	static const char *const ascending[] = {"", "b@app+0x1", "a+0x1", "a+0x2", "b@app+0x1;a+0x2", "c@app+0x1;a+0x2"};
	enum { CHAINS = sizeof(ascending) / sizeof(ascending[0]) };
	struct profile *profile = fake_profile();
	struct functions *functions;
	struct place found[CHAINS];
	struct places places;
	uint32_t nodes[CHAINS];

	for (size_t i = 0; i < CHAINS; i++)
		nodes[i] = fake_chain(profile, ascending[i]);
	REQUIRE(t, !functions_create(profile, FUNCTIONS_BY_ADDRESS, "", &functions));
	REQUIRE(t, !places_init(&places, profile, functions, (struct frame_style){.offsets = true}));
	for (size_t i = 0; i < CHAINS; i++)
		REQUIRE(t, !places_find(&places, nodes[i], &found[i], NULL));
	for (size_t i = 0; i < CHAINS; i++)
		for (size_t k = 0; k < CHAINS; k++) {
			const int order = places_compare(&places, found[i], found[k]);

			CHECK_INT(t, (order > 0) - (order < 0), (i > k) - (i < k));
		}
	places_deinit(&places);
	functions_destroy(functions);
	fake_free(profile);
}

static void knows_wakeups(struct test *t)
{
	CHECK(t, place_is_wakeup("try_to_wake_up") && place_is_wakeup("ttwu_do_activate.isra.0"));
	CHECK(t, place_is_wakeup("__wake_up_common") && place_is_wakeup("bpf_trace_run1"));
	CHECK(t, !place_is_wakeup("schedule") && !place_is_wakeup("pipe_write") && !place_is_wakeup("hrtimer_wakeup"));
	CHECK(t, !place_is_wakeup("") && !place_is_wakeup("[unknown]"));
}

/* --- object pattern --- */

enum { IN_READ = 1, CALLS };

static uint32_t add_object(struct profile *profile, struct profile_object object)
{
	object.comm = object.comm ? object.comm : "";
	object.name = object.name ? object.name : "";
	object.local = object.local ? object.local : "";
	object.peer = object.peer ? object.peer : "";
	profile->objects.items[profile->objects.count] = object;
	return (uint32_t)profile->objects.count++;
}

static struct profile *profile_with_calls(void)
{
	static const struct profile_operation operations[CALLS] = {{.name = ""},
								  {.kind = WAIT_IN_CALL, .name = "read",
								   .direction = PROFILE_READS}};
	struct profile *profile = fake_recorded();

	memcpy(profile->operations.items, operations, sizeof(operations));
	profile->operations.count = CALLS;
	(void)add_object(profile, (struct profile_object){0});
	return profile;
}

static struct profile_wait *wait_in(struct profile *profile, uint32_t operation, uint32_t object)
{
	struct profile_wait *wait = fake_wait(profile, "app", 7, "schedule", BOOT, BOOT + MS);

	wait->operation = operation;
	wait->object = object;
	return wait;
}

/* Asked twice: the second answer is remembered. */
static void check_fit(struct test *t, const struct profile *profile, const struct profile_wait *wait,
		      const char *expression, int want)
{
	struct object_pattern pattern = {0};
	struct profile_wait_test fits = object_pattern_test(&pattern);

	if (regcomp(&pattern.expression, expression, REG_EXTENDED | REG_NOSUB))
		abort();
	for (int i = 0; i < 2; i++)
		if (!test_check(t, fits.passes(fits.context, profile, wait) == want, "another answer than expected"))
			printf("# about '%s'\n", expression);
	object_pattern_deinit(&pattern);
}

/* A wait without an object has only its call; one without either fits nothing. */
static void fits_what_is_known(struct test *t)
{
	struct profile *profile = profile_with_calls();

	check_fit(t, profile, wait_in(profile, IN_READ, 0), "^in read$", 1);
	check_fit(t, profile, wait_in(profile, 0, 0), ".*", 0);
	fake_free(profile);
}

/* Two waits that differ in one thing only have answers of their own. */
static void tells_waits_apart(struct test *t)
{
	struct profile *profile = profile_with_calls();
	uint32_t futex = add_object(profile, (struct profile_object){
		.kind = OBJECT_FUTEX, .address = 0x40});
	struct object_pattern pattern = {0};
	struct profile_wait_test fits = object_pattern_test(&pattern);
	struct profile_wait *one = wait_in(profile, 0, futex), *other = wait_in(profile, 0, futex);

	one->held = other->held = HELD_BY_OWNER;
	one->owner = fake_task(profile, "main", 9, 9);
	other->owner = fake_task(profile, "clerk", 10, 10);
	if (regcomp(&pattern.expression, "main", REG_EXTENDED | REG_NOSUB))
		abort();
	CHECK_INT(t, fits.passes(fits.context, profile, one), 1);
	CHECK_INT(t, fits.passes(fits.context, profile, other), 0);
	object_pattern_deinit(&pattern);
	fake_free(profile);
}

TEST_MAIN(TEST(chains_are_two_words), TEST(places_have_one_order), TEST(knows_wakeups), TEST(fits_what_is_known),
	  TEST(tells_waits_apart))
