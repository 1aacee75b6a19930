/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --chains compared with hand-written text: what held a wait in the end, and what is printed if that is unknown. */
#include "report/wait/chains.h"
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings longest = {.min_share = 2500, .filters = ""};
static const struct view_settings thread_1 = {.min_share = 2500, .filters = "", .chain_target = "1", .chain_tid = 1};

/* The lines of the trees, without headings and those that only lead on. */
static void check_tree(struct test *t, struct profile *p, const struct view_settings *settings, const char *want)
{
	char *got, *kept;

	CHECK_INT(t, fake_view(p, chains_view.print, settings, &got), 0);
	kept = got;
	for (char *line = got, *next; *line; line = next) {
		next = strchr(line, '\n') + 1;
		if (line[0] == '#' || line[0] == '\n' || !strncmp(line, "    |\n", 6))
			continue;
		memmove(kept, line, (size_t)(next - line));
		kept += next - line;
	}
	*kept = '\0';
	fake_check_text(t, got, want);
	free(got);
}

/* B slept through the first half of A's wait and worked through the second; it had another name when it slept. */
static void tells_work_from_sleep(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	wait = add_wait(p, "A", 1, LOCK, 100, 300);
	add_waker(p, wait, "worker", 2, UNLOCK, 300);
	add_waker(p, add_wait(p, "sleeper", 2, SLEEP, 0, 100), "nobody", 0, "", 100);
	wait = add_wait(p, "sleeper", 2, SLEEP, 100, 200);
	add_waker(p, wait, "dd", 4, "burn@x;do_work;asm_common_interrupt;nvme_irq;try_to_wake_up", 200);
	wait->waker_context = WAKER_IRQ;
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  A blocked in futex_wait_queue (lock)  (200.0ms, 1 wait)\n"
		   "    |--50.00%--woken by worker in futex_wake (unlock), "
		   "which was blocked in do_nanosleep (snooze)  (100.0ms)\n"
		   "    |          woken by irq in nvme_irq  (100.0ms)\n"
		   "     --50.00%--woken by worker in futex_wake (unlock), which was running  (100.0ms)\n");
	fake_free(p);
}

/* A short wait of B seems to be within its long one. A began to wait after it, and so waited for the long one. */
static void follows_the_longer_of_two(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	add_waker(p, add_wait(p, "A", 1, LOCK, 150, 300), "B", 2, UNLOCK, 300);
	wait = add_wait(p, "B", 2, SLEEP, 50, 250);
	add_waker(p, wait, "idler", 4, TIMER, 250);
	wait->waker_context = WAKER_IRQ;
	add_waker(p, add_wait(p, "B", 2, READ, 100, 101), "C", 3, WRITE, 101);
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  A blocked in futex_wait_queue (lock)  (150.0ms, 1 wait)\n"
		   "    |--66.67%--woken by B in futex_wake (unlock), "
		   "which was blocked in do_nanosleep (snooze)  (100.0ms)\n"
		   "    |          woken by a timer in hrtimer_wakeup  (100.0ms)\n"
		   "     --33.33%--woken by B in futex_wake (unlock), which was running  (50.0ms)\n");
	fake_free(p);
}

/* Each says that the other woke it while it slept itself. */
static void stops_at_a_cycle(struct test *t)
{
	struct profile *p = fake_recorded();

	add_waker(p, add_wait(p, "A", 1, "f@app;lock_a;schedule", 0, 100), "B", 2, "wake_a", 100);
	add_waker(p, add_wait(p, "B", 2, "g@app;lock_b;schedule", 10, 90), "A", 1, "wake_b", 90);
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  A blocked in lock_a (f)  (100.0ms, 1 wait)\n"
		   "    |--80.00%--woken by B in wake_a, which was blocked in lock_b (g)  (80.0ms)\n"
		   "    |          woken by A in wake_b, which was blocked in lock_a (f)  (80.0ms)\n"
		   "    |          cycle: this wait is on the way here already  (80.0ms)\n"
		   "     --20.00%--woken by B in wake_a, which was running  (20.0ms)\n");
	fake_free(p);
}

static const char what_is_not_known[] =
		   ">>> 72.00%  A blocked in lock_a  (720.0ms, 5 waits)\n"
		   "    |--20.00%--unknown: waker not recorded  (200.0ms)\n"
		   "    |--16.00%--woken by gone in wake_a, unknown: nothing is recorded of that time  (160.0ms)\n"
		   "    |--14.00%--woken by odd in wake_a, unknown: "
	"it, or an interrupt that came upon it  (140.0ms)\n"
		   "    |--12.00%--woken by swapper/1 in flush_smp_call_function_queue, "
		   "on an idle CPU  (120.0ms)\n"
		   "     --10.00%--woken by softirq  (100.0ms)\n"
		   ">>> 20.00%  A blocked  (200.0ms, 1 wait)\n"
		   "    not ended  (200.0ms)\n"
		   ">>> 8.00%  A preempted in asm_sysvec_reschedule (work)  (80.0ms, 1 wait)\n"
		   "    runnable, waiting for a CPU  (80.0ms)\n";

static void says_what_is_not_known(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait;

	(void)add_wait(p, "A", 1, "lock_a", 0, 200);
	wait = add_wait(p, "A", 1, "lock_a", 200, 360);
	add_waker(p, wait, "gone", 9, "wake_a", 360);
	wait = add_wait(p, "A", 1, "lock_a", 400, 540);
	add_waker(p, wait, "odd", 8, "wake_a", 540);
	wait->waker_context = WAKER_UNKNOWN;
	wait = add_wait(p, "A", 1, "lock_a", 600, 720);
	add_waker(p, wait, "swapper/1", 0, "flush_smp_call_function_queue;ttwu_do_activate", 720);
	wait = add_wait(p, "A", 1, "lock_a", 800, 900);
	wait->waker_context = WAKER_SOFTIRQ;
	add_wait(p, "A", 1, "work@app;asm_sysvec_reschedule;schedule", 1000, 1080)->wait_class = WAIT_PREEMPTED;
	add_wait(p, "A", 1, "", 2000, 2200)->flags = PROFILE_WAIT_NOT_ENDED;
	check_tree(t, p, &thread_1, what_is_not_known);
	fake_free(p);
}

/* A thread that starts, posts and ends without a long wait of its own; and one whose past the sums do not hold. */
static void knows_short_lives(struct test *t)
{
	struct profile *p = fake_recorded();

	add_waker(p, add_wait(p, "A", 1, "do_wait", 0, 100), "timer_thread", 2, "sem_post", 100);
	add_waker(p, add_wait(p, "A", 1, "do_wait", 200, 300), "older", 3, "sem_post", 300);
	p->sums.items[0] = (struct profile_task_sums){
		.task = 1, .from = BOOT + 80 * MS, .to = BOOT + 120 * MS, .running = 40 * MS};
	p->sums.items[0].kinds[WAIT_SUM_STARTED].count = 1;
	p->sums.items[1] = (struct profile_task_sums){
		.task = 2, .from = BOOT + 230 * MS, .to = BOOT + 330 * MS, .running = 100 * MS};
	p->sums.count = 2;
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  A blocked in do_wait  (200.0ms, 2 waits)\n"
		   "    |--40.00%--woken by timer_thread in sem_post, which did not exist yet  (80.0ms)\n"
		   "    |--35.00%--woken by older in sem_post, which was running  (70.0ms)\n"
		   "    |--15.00%--woken by older in sem_post, "
		   "unknown: nothing is recorded of that time  (30.0ms)\n"
		   "     --10.00%--woken by timer_thread in sem_post, which was running  (20.0ms)\n");
	fake_free(p);
}

/* Only what is within the recording and the requested times counts. */
static void divides_what_was_requested(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = fake_wait(p, "A", 1, "lock_a", BOOT - 100 * MS, BOOT + 100 * MS);

	wait->flags = PROFILE_WAIT_BEGAN_BEFORE;
	wait->weight = 50 * MS;
	p->recording_notes.items[0].to = BOOT + 50 * MS; /* --time */
	add_waker(p, wait, "B", 2, "wake_a", 100);
	add_waker(p, fake_wait(p, "B", 2, "lock_b", BOOT - 50 * MS, BOOT + 20 * MS), "idle", 0, "wake_b", 20);
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  A blocked in lock_a  (50.0ms, 1 wait)\n"
		   "    |--60.00%--woken by B in wake_a, which was running  (30.0ms)\n"
		   "     --40.00%--woken by B in wake_a, which was blocked in lock_b  (20.0ms)\n"
		   "               woken by idle in wake_b, on an idle CPU  (20.0ms)\n");
	fake_free(p);
}

/* A chain of a hundred hops ends after 64 of them, and says so. */
static void stops_in_the_deep(struct test *t)
{
	enum { HOPS = 100 };
	struct profile *p = fake_recorded();
	char *text;

	for (uint32_t i = 0; i < HOPS; i++)
		add_waker(p, add_wait(p, "A", i + 1, "lock", 0, 1000 - i), "A", i + 2, "wake", 1000 - i);
	REQUIRE(t, !fake_view(p, chains_view.print, &thread_1, &text));
	CHECK(t, strstr(text, "not followed: too many hops  (936.0ms)\n"));
	free(text);
	fake_free(p);
}

struct small_follower { /* of a profile's waits, with bounds of the test's own */
	struct waits waits;
	struct task_names names;
	struct wait_index index;
	struct functions *functions;
	struct places places;
	struct chains_tree tree;
	struct follower follower;
};

static int small_follower_init(struct small_follower *small, struct profile *p)
{
	if (waits_init(&small->waits, p) || task_names_init(&small->names, p) ||
	    wait_index_init(&small->index, &small->waits) ||
	    functions_create(p, FUNCTIONS_BY_NAME, "", &small->functions) ||
	    places_init(&small->places, p, small->functions, (struct frame_style){0}) ||
	    chains_tree_init(&small->tree))
		return -ENOMEM;
	small->follower = (struct follower){.waits = &small->waits,
					    .index = &small->index,
					    .names = &small->names,
					    .places = &small->places,
					    .tree = &small->tree,
					    .moments = 100};
	small->tree.room = 1000;
	return 0;
}

static void small_follower_deinit(struct small_follower *small)
{
	chains_tree_deinit(&small->tree);
	places_deinit(&small->places);
	functions_destroy(small->functions);
	wait_index_deinit(&small->index);
	task_names_deinit(&small->names);
}

static uint64_t weight_of_kind(const struct chains_tree *tree, enum step_kind kind)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < tree->nodes.count; i++)
		weight += tree->steps.items[i].kind == kind ? tree->nodes.items[i].self : 0;
	return weight;
}

static bool is_about(uint64_t got, uint64_t want)
{
	return got > want - want / 20 && got < want + want / 20;
}

/* Time between waits is running time as far as the kernel's account has it: of a lost wait, nothing is known. */
static void running_needs_evidence(struct test *t)
{
	static const struct {
		uint64_t running, ran; /* ms: by the account of 1000; told of the 900 */
	} cases[] = {{1000, 900}, {970, 900}, {50, 45}, {500, 400}, {0, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = fake_recorded();
		struct small_follower small = {0};

		add_waker(p, add_wait(p, "A", 1, "lock", 0, 900), "B", 2, "wake", 900);
		p->sums.items[p->sums.count++] = (struct profile_task_sums){
			.task = 1, .from = BOOT, .to = BOOT + 1000 * MS, .running = cases[i].running * MS};
		REQUIRE(t, !small_follower_init(&small, p));
		small.follower.work = 100;
		CHECK_INT(t, follower_divide(&small.follower, 0, small.waits.items[0].weight), 0);
		CHECK_INT(t, weight_of_kind(&small.tree, STEP_RAN), cases[i].ran * MS);
		CHECK_INT(t, weight_of_kind(&small.tree, STEP_UNSEEN), (900 - cases[i].ran) * MS);
		small_follower_deinit(&small);
		fake_free(p);
	}
}

/* Ten naps of 40 ms within a second; work for three of them, then moments, then nothing. */
static void looks_at_moments(struct test *t)
{
	static const struct {
		uint64_t work, moment_work, sampled;
	} cases[] = {{100, 0, 0}, {3, 100, 760 * MS}, {0, 100, 1000 * MS}, {0, 0, 0}};
	struct profile *p = fake_recorded();

	p->recordings.items[0].least_wait = MS;
	add_waker(p, add_wait(p, "A", 1, "lock", 0, 1000), "B", 2, "wake", 1000);
	for (uint64_t i = 0; i < 10; i++)
		(void)add_wait(p, "B", 2, "nap", i * 100, i * 100 + 40);
	p->sums.items[p->sums.count++] = (struct profile_task_sums){.task = 1, .kinds[0].total = 100 * MS};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct small_follower small = {0};
		uint64_t brief, napped, much;

		REQUIRE(t, !small_follower_init(&small, p));
		small.follower.work = cases[i].work;
		small.follower.moment_work = cases[i].moment_work;
		CHECK_INT(t, follower_divide(&small.follower, 0, small.waits.items[0].weight), 0);
		brief = weight_of_kind(&small.tree, STEP_RAN_OR_BRIEF);
		napped = weight_of_kind(&small.tree, STEP_NO_WAKER);
		much = weight_of_kind(&small.tree, STEP_TOO_MUCH);
		CHECK_INT(t, weight_of_kind(&small.tree, STEP_RAN) + brief + napped + much, 1000 * MS);
		CHECK_INT(t, much, i < 3 ? 0 : 1000 * MS);
		CHECK(t, much || is_about(napped, 400 * MS));
		CHECK(t, much || (brief > 50 * MS && brief < 200 * MS + 1)); /* 100 of each of the two parts at most */
		CHECK_INT(t, small.follower.sampled, cases[i].sampled);
		small_follower_deinit(&small);
	}
	fake_free(p);
}

/* Extreme numbers, overlapping waits of one thread: no crash, no endless loop. */
static void bears_hostile_numbers(struct test *t)
{
	struct profile *p = fake_recorded();
	char *text;

	fake_waker(p, fake_wait(p, "A", 1, "f", 0, UINT64_MAX), "B", 2, "wake", UINT64_MAX);
	fake_waker(p, fake_wait(p, "A", 1, "f", 0, UINT64_MAX), "B", 2, "wake", 0);
	fake_waker(p, fake_wait(p, "A", 1, "f", UINT64_MAX, UINT64_MAX), "B", 2, "wake", UINT64_MAX);
	p->waits.items[2].weight = UINT64_MAX;
	for (uint64_t i = 0; i < 50; i++)
		fake_waker(p, fake_wait(p, "B", 2, "g", BOOT + i, UINT64_MAX - i * SECOND), "A", 1, "wake", BOOT + i);
	p->sums.items[p->sums.count++] = (struct profile_task_sums){.recording = 7, .kinds[0].total = UINT64_MAX};
	p->sums.items[p->sums.count++] = (struct profile_task_sums){.kinds = {{.total = UINT64_MAX}, {.total = UINT64_MAX}}};
	CHECK_INT(t, fake_view(p, chains_view.print, &longest, &text), 0);
	CHECK(t, strstr(text, "# followed: 53 waits, "));
	free(text);
	p->sums.items[0].task = 2;
	CHECK_INT(t, fake_view(p, chains_view.print, &longest, &text), -EBADMSG);
	free(text);
	fake_free(p);
}

/* --- which waits are followed --- */

/* Nobody holds a sleeper, unless it then waits longer for a CPU; a user who names a thread wants all of its waits. */
static void leaves_out_timers(struct test *t)
{
	static const struct {
		bool named, starved, followed;
	} cases[] = {{false, false, false}, {false, true, true}, {true, false, true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = three_hops();
		struct view_settings settings = longest;
		char *text;

		settings.names_tasks = cases[i].named;
		p->waits.items[2].run_queue = cases[i].starved ? 161 * MS : 160 * MS;
		CHECK_INT(t, fake_view(p, chains_view.print, &settings, &text), 0);
		test_check(t, !!strstr(text, "# followed: 3 waits") == cases[i].followed, "case %zu: %s", i, text);
		test_check(t, !!strstr(text, "as a timer ended them: 1 wait,") != cases[i].followed, "case %zu: %s", i,
			   text);
		free(text);
		fake_free(p);
	}
}

/* Waits that do not pass filters are no targets, but may be on the way; nor are those of kernel threads, set apart. */
static void follows_into_everyone(struct test *t)
{
	static const uint8_t beside[] = {PROFILE_WAIT_UNASKED, PROFILE_WAIT_APART};

	for (size_t i = 0; i < sizeof(beside); i++) {
		struct profile *p = three_hops();
		char *text;

		p->waits.items[1].flags = p->waits.items[2].flags = beside[i];
		for (size_t k = 1; k < 3; k++)
			p->tasks.items[p->waits.items[k].task].kernel_thread = beside[i] == PROFILE_WAIT_APART;
		CHECK_INT(t, fake_view(p, chains_view.print, &longest, &text), 0);
		CHECK(t, strstr(text, "# followed: 1 wait, 300.0 ms;") && !strstr(text, "not among them"));
		CHECK(t, strstr(text, "woken by C in pipe_write (produce), which was blocked in do_nanosleep "));
		free(text);
		fake_free(p);
	}
}

/* --- what waits were for --- */

/* If the waker is unknown, or the wait has not ended, the chain goes on with whoever held the lock all the time. */
static void goes_on_with_owners(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "A", 1, LOCK, 100, 400);

	p->operations.items[0].name = "";
	p->operations.count = 1;
	p->objects.items[1] = (struct profile_object){
		.kind = OBJECT_FUTEX, .address = 1, .comm = "", .name = ""};
	p->objects.count = 2;
	wait->flags = PROFILE_WAIT_NOT_ENDED;
	wait->object = 1;
	wait->held = HELD_BY_OWNER | HELD_AT_END | PROFILE_HELD_ALL;
	wait->owner = fake_task(p, "B", 2, 2);
	add_wait(p, "B", 2, READ, 100, 300)->flags = PROFILE_WAIT_NOT_ENDED;
	p->recordings.items[0].least_wait = 1000;
	check_tree(t, p, &longest,
		   ">>> 100.00%  A blocked in futex_wait_queue (lock), on futex 0x1 (held by B 2)  (300.0ms, 1 wait)\n"
		   "    |--66.67%--held by B, which was blocked in pipe_read (consume)  (200.0ms)\n"
		   "    |          not ended  (200.0ms)\n"
		   "     --33.33%--held by B, unknown: it ran, or its waits were shorter than -m 0  "
		   "(100.0ms)\n");
	p->sums.items[p->sums.count++] = (struct profile_task_sums){ /* it has ended */
		.task = wait->owner, .from = BOOT, .to = BOOT + 320 * MS, .running = 120 * MS};
	check_tree(t, p, &longest,
		   ">>> 100.00%  A blocked in futex_wait_queue (lock), on futex 0x1 (held by B 2)  (300.0ms, 1 wait)\n"
		   "    |--66.67%--held by B, which was blocked in pipe_read (consume)  (200.0ms)\n"
		   "    |          not ended  (200.0ms)\n"
		   "    |--26.67%--held by B, unknown: nothing is recorded of that time  (80.0ms)\n"
		   "     --6.67%--held by B, which was running  (20.0ms)\n");
	wait->held = HELD_BY_OWNER; /* it may have let go */
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  A blocked in futex_wait_queue (lock), on futex 0x1 (held at first by B 2)  "
		   "(300.0ms, 1 wait)\n"
		   "    not ended  (300.0ms)\n");
	fake_free(p);
}

/* An interrupt brings what the other end of a connection sent. */
static void goes_on_at_the_other_end(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "nginx", 1, READ, 100, 400);
	struct profile_users *users = &p->objects.items[1].users[PROFILE_NEITHER];

	add_waker(p, wait, "redis", 2, "net_rx_action;tcp_v4_rcv;sock_def_readable", 390);
	wait->waker_context = WAKER_SOFTIRQ;
	p->operations.items[0].name = "";
	p->operations.items[1] = (struct profile_operation){.kind = WAIT_IN_CALL, .name = "recvfrom"};
	p->operations.count = 2;
	p->objects.items[1] = (struct profile_object){.kind = OBJECT_TCP, .port = 1, .comm = "", .name = "",
						.local = "", .peer = ""};
	p->objects.count = 2;
	wait->object = wait->operation = 1;
	*users = (struct profile_users){.processes = 1, .task = fake_task(p, "redis", 2, 2), .one_thread = true};
	(void)add_wait(p, "redis", 2, SLEEP, 100, 300);
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  nginx blocked in pipe_read (consume), in recvfrom of tcp :1 "
		   "(at its other end redis 2)  (300.0ms, 1 wait)\n"
		   "    |--66.67%--its other end was used by redis, which was blocked in do_nanosleep "
		   "(snooze)  (200.0ms)\n"
		   "    |          unknown: waker not recorded  (200.0ms)\n"
		   "    |--30.00%--its other end was used by redis, which was running  (90.0ms)\n"
		   "     --3.33%--runnable, waiting for a CPU  (10.0ms)\n");
	users->one_thread = false; /* which one sent it? */
	check_tree(t, p, &thread_1,
		   ">>> 100.00%  nginx blocked in pipe_read (consume), in recvfrom of tcp :1 "
		   "(at its other end redis 2)  (300.0ms, 1 wait)\n"
		   "    |--96.67%--woken by softirq in sock_def_readable  (290.0ms)\n"
		   "     --3.33%--runnable, waiting for a CPU  (10.0ms)\n");
	fake_free(p);
}

TEST_MAIN(TEST(tells_work_from_sleep), TEST(follows_the_longer_of_two), TEST(stops_at_a_cycle),
	  TEST(says_what_is_not_known), TEST(knows_short_lives), TEST(divides_what_was_requested),
	  TEST(stops_in_the_deep), TEST(running_needs_evidence), TEST(looks_at_moments),
	  TEST(bears_hostile_numbers), TEST(leaves_out_timers), TEST(follows_into_everyone),
	  TEST(goes_on_with_owners), TEST(goes_on_at_the_other_end))
