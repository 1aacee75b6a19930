/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --chains of waits that say what they were for: what is printed about it, and where it leads. */
#include "tests/unit/report/view/wait/three_hops.h"

/* Each hop says what it was for, if that is known; a line for several waits, what they were for most of the time. */
static void says_what_each_hop_was_for(struct test *t)
{
	struct profile *p = three_hops();
	struct profile_wait last;

	p->operations[1] = (struct profile_operation){.kind = PROFILE_IN_CALL, .name = "read"};
	p->operations[0].name = "";
	p->operation_count = 2;
	p->objects[1] = (struct profile_object){
		.kind = PROFILE_OBJECT_FUTEX, .address = 0xabc, .comm = "", .name = ""};
	p->objects[2] = (struct profile_object){
		.kind = PROFILE_OBJECT_PIPE, .inode = 5, .comm = "", .name = ""};
	p->object_count = 3;
	p->waits[0].object = 1;
	p->waits[0].held = PROFILE_HELD_BY_OWNER;
	p->waits[0].owner = p->waits[1].task;
	p->waits[1].object = 2;
	p->waits[1].operation = 1;
	(void)add_wait(p, "A", 1, LOCK, 500, 600); /* for what nobody knows */
	last = p->waits[3]; /* they are ordered by task */
	memmove(&p->waits[2], &p->waits[1], 2 * sizeof(last));
	p->waits[1] = last;
	fake_check_printed(
		t, p, chains_view, &thread_1,
		"# followed: 2 waits of thread 1, 400.0 ms; percentages are of that time\n"
		"\n"
		">>> 100.00%  A blocked in futex_wait_queue (lock), 75.00% of it on futex 0xabc "
		"(held at first by B 2)  "
		"(400.0ms, 2 waits)\n"
		"    |\n"
		"    |--62.50%--woken by B in futex_wake (unlock), which was blocked in pipe_read "
		"(consume), in read of pipe:5  (250.0ms)\n"
		"    |          |--57.50%--woken by C in pipe_write (produce), which was blocked "
		"in do_nanosleep (snooze)  (230.0ms)\n"
		"    |          |          woken by a timer in hrtimer_wakeup  (230.0ms)\n"
		"    |          |--2.50%--woken by C in pipe_write (produce), which was running  (10.0ms)\n"
		"    |           --2.50%--woken by C in pipe_write (produce), which was waiting for a CPU  (10.0ms)\n"
		"    |--25.00%--unknown: waker not recorded  (100.0ms)\n"
		"    |--7.50%--woken by B in futex_wake (unlock), which was running  (30.0ms)\n"
		"    |--2.50%--woken by B in futex_wake (unlock), which was waiting for a CPU  (10.0ms)\n"
		"     --2.50%--runnable, waiting for a CPU  (10.0ms)\n"
		"\n");
	free(p);
}

/* If the waker is unknown, or the wait has not ended, the chain goes on with whoever held the lock all the time. */
static void goes_on_with_owners(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "A", 1, LOCK, 100, 400);

	p->operations[0].name = "";
	p->operation_count = 1;
	p->objects[1] = (struct profile_object){
		.kind = PROFILE_OBJECT_FUTEX, .address = 1, .comm = "", .name = ""};
	p->object_count = 2;
	wait->flags = PROFILE_WAIT_NOT_ENDED;
	wait->object = 1;
	wait->held = PROFILE_HELD_BY_OWNER | PROFILE_HELD_AT_END | PROFILE_HELD_ALL;
	wait->owner = fake_task(p, "B", 2, 2);
	add_wait(p, "B", 2, READ, 100, 300)->flags = PROFILE_WAIT_NOT_ENDED;
	p->recordings[0].least_wait = 1000;
	fake_check_printed(
		t, p, chains_view, &longest,
		"# followed: 1 wait, 300.0 ms; percentages are of that time\n"
		"# not among them, as they had not ended: 1 wait, 200.0 ms\n"
		"\n"
		">>> 100.00%  A blocked in futex_wait_queue (lock), on futex 0x1 (held by B 2)  (300.0ms, 1 wait)\n"
		"    |\n"
		"    |--66.67%--held by B, which was blocked in pipe_read (consume)  (200.0ms)\n"
		"    |          not ended  (200.0ms)\n"
		"     --33.33%--held by B, unknown: it ran, or its waits were shorter than -m 0  "
		"(100.0ms)\n"
		"\n");
	wait->held = PROFILE_HELD_BY_OWNER; /* it may have let go */
	fake_check_printed(t, p, chains_view, &thread_1,
			   "# followed: 1 wait of thread 1, 300.0 ms; percentages are of that time\n"
			   "\n"
			   ">>> 100.00%  A blocked in futex_wait_queue (lock), on futex 0x1 (held at first by B 2)  "
			   "(300.0ms, 1 wait)\n"
			   "    |\n"
			   "    not ended  (300.0ms)\n"
			   "\n");
	free(p);
}

/* An interrupt brings what the other end of a connection sent. */
static void goes_on_at_the_other_end(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "nginx", 1, READ, 100, 400);
	struct profile_users *users = &p->objects[1].users[PROFILE_NEITHER];

	add_waker(p, wait, "redis", 2, "net_rx_action;tcp_v4_rcv;sock_def_readable", 390);
	wait->waker_context = PROFILE_WAKER_SOFTIRQ;
	p->operations[0].name = "";
	p->operations[1] = (struct profile_operation){.kind = PROFILE_IN_CALL, .name = "recvfrom"};
	p->operation_count = 2;
	p->objects[1] = (struct profile_object){.kind = PROFILE_OBJECT_TCP, .port = 1, .comm = "", .name = "",
						.local = "", .peer = ""};
	p->object_count = 2;
	wait->object = wait->operation = 1;
	*users = (struct profile_users){.processes = 1, .task = fake_task(p, "redis", 2, 2), .one_thread = true};
	(void)add_wait(p, "redis", 2, SLEEP, 100, 300);
	fake_check_printed(
		t, p, chains_view, &thread_1,
		"# followed: 1 wait of thread 1, 300.0 ms; percentages are of that time\n"
		"\n"
		">>> 100.00%  nginx blocked in pipe_read (consume), in recvfrom of tcp :1 "
		"(at its other end redis 2)  (300.0ms, 1 wait)\n"
		"    |\n"
		"    |--66.67%--woken from its other end by redis, which was blocked in do_nanosleep "
		"(snooze)  (200.0ms)\n"
		"    |          unknown: waker not recorded  (200.0ms)\n"
		"    |--30.00%--woken from its other end by redis, which was running  (90.0ms)\n"
		"     --3.33%--runnable, waiting for a CPU  (10.0ms)\n"
		"\n");
	users->one_thread = false; /* which one sent it? */
	fake_check_printed(
		t, p, chains_view, &thread_1,
		"# followed: 1 wait of thread 1, 300.0 ms; percentages are of that time\n"
		"\n"
		">>> 100.00%  nginx blocked in pipe_read (consume), in recvfrom of tcp :1 "
		"(at its other end redis 2)  (300.0ms, 1 wait)\n"
		"    |\n"
		"    |--96.67%--woken by softirq in sock_def_readable  (290.0ms)\n"
		"     --3.33%--runnable, waiting for a CPU  (10.0ms)\n"
		"\n");
	free(p);
}

TEST_MAIN(TEST(says_what_each_hop_was_for), TEST(goes_on_with_owners), TEST(goes_on_at_the_other_end))
