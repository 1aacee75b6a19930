/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --digest compared with hand-written text, block by block; and its lines: their number, and how they fold. */
#include "report/wait/digest.h"
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static int print_digest(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	(void)number;
	(void)source;
	return digest_view.print_all(context);
}

static char *digest_of(struct test *t, struct profile *p, const struct view_settings *settings)
{
	char *text;

	CHECK_INT(t, fake_view(p, print_digest, settings, &text), 0);
	return text;
}

/* Whether the digest has the line, or the lines. */
static void expect(struct test *t, const char *text, const char *want)
{
	if (!test_check(t, strstr(text, want) != NULL, "'%.80s' is missing", want))
		printf("# got:\n%s", text);
}

static void expect_not(struct test *t, const char *text, const char *want)
{
	if (!test_check(t, !strstr(text, want), "'%.80s' is there", want))
		printf("# got:\n%s", text);
}

/* A wait that is part of a longer story has no story of its own, nor has a short one. */
static void tells_each_once(struct test *t)
{
	struct profile *p = three_hops();
	char *text;

	p->waits.items[0].out = BOOT + 10 * MS;
	p->waits.items[0].weight = 390 * MS;
	text = digest_of(t, p, &plain);
	expect(t, text, "\nstory 1    A blocked in futex_wait_queue (lock): 390.000 ms in 1 wait  [--chains='^A$']\n");
	expect_not(t, text, "story 2");
	free(text);
	p->sources.items[0].duration = 40 * SECOND;
	text = digest_of(t, p, &plain);
	expect_not(t, text, "story 1");
	expect(t, text, "\nstories    unknown: who ended the waits was not recorded (rwalker-record --wakers)\n");
	free(text);
	(void)fake_source(p, PROFILE_WAKERS, "sched_waking", "ns");
	text = digest_of(t, p, &plain);
	expect(t, text, "\nstories    none of 1% of the recording or longer; the longest of 2: "
			"A blocked in futex_wait_queue (lock): 390.000 ms  [--chains]\n");
	free(text);
	fake_free(p);
}

static void add_objects(struct profile *p)
{
	p->operations.items[0].name = "";
	p->operations.count = 1;
	p->objects.items[1] = (struct profile_object){.kind = OBJECT_FUTEX, .comm = "", .name = ""};
	p->objects.items[2] = (struct profile_object){.kind = OBJECT_TCP, .flags = OBJECT_LISTENS,
						.comm = "", .name = "", .local = "", .peer = ""};
	p->objects.count = 3;
}

enum { WHOLE = PROFILE_WAIT_BEGAN_BEFORE | PROFILE_WAIT_NOT_ENDED };

/* Somebody who waited all the time has a story if it is known for whom: an owner, a child, or another end. */
static void tells_who_waits_for_whom(struct test *t)
{
	static const struct profile_users server = {.processes = 1, .task = 0, .one_thread = true};
	struct profile *p = fake_recorded();
	struct profile_wait *client;
	char *text;

	add_wait(p, "server", 1, "main@s;do_epoll_wait;schedule", 0, 5000)->flags = WHOLE;
	client = add_wait(p, "client", 2, "main@c;tcp_recvmsg;schedule", 0, 5000);
	client->flags = WHOLE;
	(void)fake_source(p, PROFILE_WAKERS, "sched_waking", "ns");
	add_objects(p);
	p->objects.items[1] = (struct profile_object){.kind = OBJECT_UNIX, .comm = "", .name = "",
						.inode = 7, .peer_inode = 8};
	client->object = 1;
	text = digest_of(t, p, &plain);
	expect(t, text, "\nwaited     all the time, 2 threads: 1 client in tcp_recvmsg (main), "
			"1 server in do_epoll_wait (main)  [--tree --throughout]\n"
			"stories    none: of 2 waits, none was in D or ended by a thread, and no owner, child or "
			"other end is known  [--waits-on]\n");
	free(text);
	p->objects.items[1].users[PROFILE_NEITHER] = server;
	text = digest_of(t, p, &plain);
	expect(t, text, "\nstory 1    client blocked in tcp_recvmsg (main): 5.000 s in 1 wait"
			"  [--chains='^client$']\n"
			"           its other end was used by server blocked in do_epoll_wait (main)"
			" <- unknown: it had not ended: 5.000 s (100.00%)\n");
	free(text);
	p->objects.items[1].users[PROFILE_NEITHER].one_thread = false;
	text = digest_of(t, p, &plain);
	expect_not(t, text, "story 1");
	free(text);
	p->objects.items[1] = (struct profile_object){.kind = OBJECT_CHILD, .comm = "", .name = "", .process = 1};
	p->objects.items[1].users[PROFILE_NEITHER] = server;
	text = digest_of(t, p, &plain);
	expect(t, text, "\n           waits for server blocked in do_epoll_wait (main) <- ");
	free(text);
	p->objects.items[1].process = 0; /* one of its group, or of another pid namespace: not any child */
	text = digest_of(t, p, &plain);
	expect(t, text, ", a child, had not ended");
	free(text);
	p->objects.items[1] = (struct profile_object){.kind = OBJECT_FUTEX, .comm = "", .name = ""};
	client->held = HELD_BY_OWNER | PROFILE_HELD_ALL;
	client->owner = 0;
	text = digest_of(t, p, &plain);
	expect(t, text, "\n           held by server blocked in do_epoll_wait (main) <- ");
	free(text);
	fake_free(p);
}

/* A moment on a run queue did not hold up a long wait of which nobody knows who ended it. */
static void names_no_moment(struct test *t)
{
	struct profile *p = fake_recorded();
	struct profile_wait *wait = add_wait(p, "disk", 1, "main@d;io_schedule;schedule", 0, 5000);
	char *text;

	wait->state = 2; /* D */
	wait->run_queue = 1 * MS;
	text = digest_of(t, p, &plain);
	expect(t, text, "\n           held by unknown: waker not recorded: 4.999 s (99.98%)");
	free(text);
	fake_free(p);
}

/* Equal threads are one group, the largest first; threads that waited twice, and kernel threads, are in none. */
static void groups_who_waited_all_the_time(struct test *t)
{
	static const char pipe[] = "main@app;take@app;pipe_read;schedule";
	struct profile *p = fake_recorded();
	struct profile_wait *wait;
	char *text;

	add_wait(p, "app", 9, "main@app;do_sys_poll;schedule", 0, 5000)->flags = WHOLE;
	for (uint32_t tid = 1; tid < 5; tid++)
		add_wait(p, "app", tid, pipe, 0, 5000)->flags = WHOLE;
	add_wait(p, "app", 12, "main@app;serve@app;take@app;pipe_read;schedule", 0, 5000)->flags = WHOLE;
	add_wait(p, "twice", 6, pipe, 0, 2000)->flags = PROFILE_WAIT_BEGAN_BEFORE;
	add_wait(p, "twice", 6, pipe, 2001, 5000)->flags = PROFILE_WAIT_NOT_ENDED;
	add_wait(p, "started", 7, pipe, 1, 5000)->flags = PROFILE_WAIT_NOT_ENDED;
	wait = add_wait(p, "queued", 8, pipe, 0, 5000);
	wait->flags = WHOLE;
	wait->run_queue = 4000 * MS;
	wait = add_wait(p, "kworker/0:1", 10, "worker_thread;schedule", 0, 5000);
	wait->flags = WHOLE;
	p->tasks.items[wait->task].kernel_thread = true;
	wait = add_wait(p, "loop0", 11, "loop_process;schedule", 0, 5000);
	wait->flags = WHOLE;
	wait->state = 2;
	p->tasks.items[wait->task].kernel_thread = true;
	text = digest_of(t, p, &plain);
	expect(t, text, "\ntime       10 threads, ");
	expect(t, text, "; without 1 kernel thread that did nothing  [--summary --throughout]\n"
			"waited     all the time, 6 threads: 4 app in pipe_read (take < main), "
			"1 app in do_sys_poll (main), 1 app in pipe_read (take < serve < main)"
			"  [--tree --throughout]\n");
	free(text);
	fake_free(p);
}

/* A thread that only competed for a CPU comes last, however long; a kernel thread that slept waited for work. */
static void tells_of_the_held_first(struct test *t)
{
	struct profile *p = three_hops();
	struct profile_wait *wait = add_wait(p, "spinner", 7, "main@x;spin@x;schedule", 0, 4000);
	char *text;

	wait->wait_class = WAIT_PREEMPTED;
	wait->run_queue = wait->weight;
	wait->state = 0;
	wait = add_wait(p, "kworker/0:1", 8, "worker_thread;schedule", 0, 3000);
	p->tasks.items[wait->task].kernel_thread = true;
	add_waker(p, wait, "B", 2, UNLOCK, 2990);
	text = digest_of(t, p, &plain);
	expect(t, text, "\nstory 1    B blocked in pipe_read (consume): 310.000 ms in 1 wait  [--chains='^B$']\n");
	expect(t, text,
	       "\nstory 3    spinner preempted in schedule (spin): 4.000 s in 1 wait  [--chains='^spinner$']\n");
	expect_not(t, text, "kworker");
	free(text);
	fake_free(p);
}

static char *write_lines(struct digest_lines *lines, unsigned int width)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	digest_lines_write(lines, width, out);
	(void)fclose(out);
	return text;
}

/* At most 25 lines as printed: the last ones of the highest rank go. */
static void keeps_the_limit(struct test *t)
{
	struct digest_lines lines;
	size_t count = 0;
	char *text;

	CHECK(t, !digest_lines_init(&lines));
	for (size_t i = 0; i < 20; i++)
		(void)digest_line_add(&lines, "first", DIGEST_FIRST, "x", "");
	for (size_t i = 0; i < 5; i++)
		(void)digest_line_add(&lines, "least", DIGEST_LEAST, i ? "later" : "earlier", "");
	(void)digest_line_add(&lines, "more", DIGEST_MORE, "kept", "");
	text = write_lines(&lines, 0);
	for (const char *c = text; *c; c++)
		count += *c == '\n';
	CHECK_INT(t, count, DIGEST_LINES);
	expect(t, text, "least      earlier\n");
	expect(t, text, "more       kept\n");
	free(text);
	digest_lines_deinit(&lines);
}

#define ACCEPT "main@app;accept4@libc.so.6;inet_csk_accept;schedule"

/* A thread that another one woke has a story; a server that waits for connections has none. */
static void leaves_out_waits_for_connections(struct test *t)
{
	struct profile *p = fake_recorded();
	char *text;

	add_objects(p);
	add_waker(p, add_wait(p, "server", 12, ACCEPT, 0, 4000), "client", 20, UNLOCK, 4000);
	text = digest_of(t, p, &plain);
	expect(t, text, "\nstory 1    server blocked in inet_csk_accept (main)");
	free(text);
	p->waits.items[0].object = 2;
	text = digest_of(t, p, &plain);
	expect(t, text, "\nstories    ");
	free(text);
	fake_free(p);
}

TEST_MAIN(TEST(leaves_out_waits_for_connections), TEST(tells_each_once),
	  TEST(tells_who_waits_for_whom), TEST(names_no_moment), TEST(groups_who_waited_all_the_time),
	  TEST(tells_of_the_held_first), TEST(keeps_the_limit))
