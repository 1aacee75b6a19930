/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What waits were for: the processes at the other ends, the owners of locks, which waits timed out. */
#include "report/profile/profile_internal.h"
#include "report/profile/profile_objects.h"
#include "report/profile/profile_waits.h"
#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { START = MADE_START, STOP = 90000, READ = 0, WRITE = 1, POLL = 7, NANOSLEEP = 35, RECVFROM = 45, EPOLL_WAIT = 232 };
enum { CAT = 10, CC = 20, AS = 30, NGINX = 40, REDIS = 50 };
enum { PIPE = 1, FRONT, BACK, LONELY, ONE, TWO, BARE, APART, SOME, SOME_BACK, AGAIN, CHILD };

static const uint64_t in_write[] = {1ULL << 32 | 0x110, 1ULL << 32 | 0x210, 0},
		      in_timer[] = {1ULL << 32 | 0x110, 1ULL << 32 | 0x310, 1ULL << 32 | 0x210, 0};

static struct made_trace *begin(struct scratch *scratch)
{
	static const char *const functions[] = {"schedule", "anon_pipe_write", "hrtimer_wakeup"};
	struct made_trace *trace = made_waits_begin(scratch, STOP, 3, functions);

	made_trace_check(event_log_want_names(trace->log), "names");
	return trace;
}

static void add_tcp(struct made_trace *trace, uint32_t number, uint64_t net, uint8_t from, uint32_t port, uint8_t to,
		    uint32_t peer)
{
	const char address[16] = {[10] = '\xff', '\xff', 10, 0, 0, (char)from},
		   other[16] = {[10] = '\xff', '\xff', 10, 0, 0, (char)to};
	const struct event_object object = {.number = number, .kind = OBJECT_TCP, .state = 1, .port = port,
					    .peer_port = peer, .inode = number, .net = net};
	const struct event_object_name name = {.number = number, .path = {"", 0}, .address = {address, sizeof(address)},
					       .peer_address = {other, sizeof(other)}};

	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = object});
	if (from)
		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT_NAME, .object_name = name});
}

static void add_objects(struct made_trace *trace)
{
	static const struct event_object objects[] = {
		{.number = PIPE, .kind = OBJECT_PIPE, .device = 14, .inode = 7},
		{.number = ONE, .kind = OBJECT_UNIX, .state = 1, .inode = 70, .peer = 71},
		{.number = TWO, .kind = OBJECT_UNIX, .state = 1, .inode = 71, .peer = 70},
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = objects[i]});
	add_tcp(trace, FRONT, 5, 1, 50000, 1, 6379);
	add_tcp(trace, BACK, 5, 1, 6379, 1, 50000);
	add_tcp(trace, LONELY, 5, 1, 6379, 2, 50000); /* of another machine */
	add_tcp(trace, BARE, 5, 0, 50000, 0, 6379);   /* ports alone are not enough */
	add_tcp(trace, APART, 6, 1, 6379, 1, 50000);  /* of another network namespace */
	add_tcp(trace, SOME, 0, 1, 50000, 1, 6379);   /* of an unknown one */
	add_tcp(trace, SOME_BACK, 0, 1, 6379, 1, 50000);
}

static void add_wait(struct made_trace *trace, uint64_t time, uint32_t tgid, const char *comm, uint64_t call,
		     struct event_wait wait)
{
	struct event_task task = made_task(tgid, tgid, 5, comm);
	const struct event_task others[WAIT_OTHERS] = {[WAIT_WAKER] = made_task(CC, CC, 5, "cc1")};

	wait.time = time;
	wait.length = 100;
	wait.state = 1;
	wait.flags |= WAIT_HAS_CALL;
	wait.call = call << WAIT_CALL_BITS | WAIT_IN_CALL;
	made_wait(trace, &task, others, wait);
}

static void add_wake(struct made_trace *trace, uint64_t time, enum waker_context context, const uint64_t *stack)
{
	struct event_task task = made_task(CC, CC, 5, "cc1"), target = made_task(CAT, CAT, 5, "cat");
	struct event_wake wake = {.source = MADE_WAKERS, .time = time, .context = context};
	struct event_stacks stacks = {.kernel = stack, .kernel_count = made_count(stack)};

	made_trace_check(event_log_add_wake(trace->log, &wake, &task, &target, &stacks), "wake");
}

/* cc1 writes, which it never waits for. */
static void add_write(struct made_trace *trace, uint64_t time)
{
	add_wake(trace, time, WAKER_TASK, in_write);
}

/* The users of the last wait's object. */
static void check_users(struct test *t, struct profile *profile, uint32_t wait_number, enum profile_direction direction,
			uint32_t processes, uint32_t tgid)
{
	const struct profile_object *objects;
	const struct profile_wait *waits;
	size_t count, task_count;
	const struct profile_task *tasks = profile_tasks(profile, &task_count);
	const struct profile_users *users;

	(void)profile_objects(profile, &objects);
	count = profile_waits(profile, &waits);
	REQUIRE(t, wait_number < count);
	users = &objects[waits[wait_number].object].users[direction];
	CHECK_INT(t, users->processes, processes);
	if (processes)
		CHECK_INT(t, tasks[users->task].tgid, tgid);
}

static void joins_the_ends_of_a_pipe(struct test *t)
{
	struct scratch scratch;
	struct made_trace *trace;
	struct profile *profile;

	trace = begin(&scratch);
	add_objects(trace);
	add_wait(trace, 3000, CAT, "cat", READ, (struct event_wait){.object = PIPE});
	profile = finish(&scratch, trace, &everything);
	check_users(t, profile, 0, PROFILE_READS, 1, CAT);
	check_users(t, profile, 0, PROFILE_WRITES, 0, 0);
	end(&scratch);

	trace = begin(&scratch);
	add_objects(trace);
	add_write(trace, 2990);
	add_wait(trace, 3000, CAT, "cat", READ, (struct event_wait){
		.object = PIPE, .flags = WAIT_HAS_WAKER, .context = WAKER_TASK, .woken = 10});
	profile = finish(&scratch, trace, &everything);
	check_users(t, profile, 0, PROFILE_WRITES, 1, CC);
	end(&scratch);

	trace = begin(&scratch); /* two writers, and one that polls for reading or writing */
	add_objects(trace);
	add_write(trace, 2990);
	add_wait(trace, 3000, CAT, "cat", READ, (struct event_wait){
		.object = PIPE, .flags = WAIT_HAS_WAKER, .context = WAKER_TASK, .woken = 10});
	add_wait(trace, 4000, AS, "as", WRITE, (struct event_wait){.object = PIPE});
	add_wait(trace, 5000, NGINX, "nginx", POLL, (struct event_wait){.object = PIPE});
	profile = finish(&scratch, trace, &everything);
	check_users(t, profile, 0, PROFILE_READS, 1, CAT);
	check_users(t, profile, 0, PROFILE_WRITES, 2, CC);
	end(&scratch);
}

static void joins_the_ends_of_connections(struct test *t)
{
	static const struct {
		uint32_t mine, other;
		uint32_t processes;
	} cases[] = {{FRONT, BACK, 1}, {ONE, TWO, 1}, {FRONT, LONELY, 0}, {BARE, BACK, 0}, {FRONT, FRONT, 0},
		     {FRONT, APART, 0}, {SOME, SOME_BACK, 0}, {FRONT, SOME_BACK, 0}};
	struct scratch scratch;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_trace *trace = begin(&scratch);
		struct profile *profile;

		add_objects(trace);
		add_wait(trace, 3000, NGINX, "nginx", RECVFROM, (struct event_wait){.object = cases[i].mine});
		add_wait(trace, 4000, REDIS, "redis-server", RECVFROM, (struct event_wait){.object = cases[i].other});
		profile = finish(&scratch, trace, &everything);
		check_users(t, profile, 0, PROFILE_NEITHER, cases[i].processes, REDIS);
		check_users(t, profile, 1, PROFILE_NEITHER, cases[i].processes, NGINX);
		end(&scratch);
	}
}

/* Two connections, one after the other, with the same addresses and ports: whose other end is it? */
static void joins_no_ambiguous_connection(struct test *t)
{
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	struct profile *profile;

	add_objects(trace);
	add_tcp(trace, AGAIN, 5, 1, 50000, 1, 6379);
	add_wait(trace, 3000, NGINX, "nginx", RECVFROM, (struct event_wait){.object = FRONT});
	add_wait(trace, 4000, REDIS, "redis-server", RECVFROM, (struct event_wait){.object = BACK});
	add_wait(trace, 5000, NGINX, "nginx", RECVFROM, (struct event_wait){.object = AGAIN});
	profile = finish(&scratch, trace, &everything);
	for (uint32_t i = 0; i < 3; i++)
		check_users(t, profile, i, PROFILE_NEITHER, 0, 0);
	end(&scratch);
}

/* A child has its name; not if another process had its number before, which was a child, too. */
static void names_no_child_of_many(struct test *t)
{
	for (int births = 1; births <= 2; births++) {
		const struct event_object child = {.number = CHILD, .kind = OBJECT_CHILD, .tgid = CAT};
		struct scratch scratch;
		struct made_trace *trace = begin(&scratch);
		const struct profile_object *objects;
		const struct profile_wait *waits;
		struct profile *profile;

		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = child});
		for (int i = 0; i < births; i++)
			made_trace_add(trace, &(struct event){.kind = EVENT_FORK, .fork = {
				.time = 2000 + 1500 * (uint64_t)i, .tgid = CAT, .tid = CAT, .parent_tgid = NGINX}});
		add_wait(trace, 3000, NGINX, "nginx", RECVFROM, (struct event_wait){.object = CHILD});
		add_wait(trace, 4000, CAT, "cat", READ, (struct event_wait){0});
		profile = finish(&scratch, trace, &everything);
		(void)profile_objects(profile, &objects);
		REQUIRE(t, profile_waits(profile, &waits) == 2);
		CHECK_STR(t, objects[waits[0].object].comm, births == 1 ? "cat" : "");
		check_users(t, profile, 0, PROFILE_NEITHER, births == 1, CAT);
		end(&scratch);
	}
}

/* A timer may interrupt the writer of a pipe. A timer that fires after something was ready does not matter. */
static void knows_whose_time_was_over(struct test *t)
{
	static const struct {
		uint64_t call, context;
		const uint64_t *stack;
		uint32_t ready;
		bool timed_out;
	} cases[] = {
		{POLL, WAKER_IRQ, in_timer, 0, true},	       {EPOLL_WAIT, WAKER_TASK, in_timer, 0, true},
		{POLL, WAKER_IRQ, in_timer, PIPE, false},      {POLL, WAKER_TASK, in_write, 0, false},
		{NANOSLEEP, WAKER_IRQ, in_timer, 0, false}};
	struct scratch scratch;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made_trace *trace = begin(&scratch);
		const struct profile_wait *waits;
		struct profile *profile;

		add_objects(trace);
		add_wake(trace, 2990, cases[i].context, cases[i].stack);
		add_wait(trace, 3000, CAT, "cat", cases[i].call, (struct event_wait){
			.ready_object = cases[i].ready, .flags = WAIT_HAS_WAKER, .context = cases[i].context,
			.woken = 10});
		profile = finish(&scratch, trace, &everything);
		REQUIRE(t, profile_waits(profile, &waits) == 1);
		test_check(t, !(waits->held & PROFILE_TIMED_OUT) == !cases[i].timed_out, "case %zu: %d", i,
			   waits->held);
		end(&scratch);
	}
}

/* As for waits: the operation, the object with the name of its process, and its holder. */
static void binds_what_tasks_slept_for(struct test *t)
{
	const struct event_task task = made_task(7, 8, 5, "sleeper"), owner = made_task(9, 9, 6, "holder");
	struct event_walk_task record = {.time = 2001, .walk = 1, .state = 2, .wait = 7, .bound = WAIT_EXACT,
					 .call = 1 << WAIT_CALL_BITS | WAIT_IN_CALL, .object = 4, .owner = 1,
					 .flags = WALK_TASK_FOR_READING | WALK_TASK_OWNER_READS};
	const struct event_object about = {.number = 4, .kind = OBJECT_LOCK, .tgid = 9, .lock = LOCK_RWSEM,
					   .flags = OBJECT_MMAP_LOCK};
	const struct event_stacks none = {0};
	const struct profile_operation *operations;
	const struct profile_walk_task *rows;
	const struct profile_object *objects;
	const struct profile_task *tasks;
	struct made_trace *trace;
	struct scratch scratch;
	struct profile *profile;
	size_t count;

	trace = begin(&scratch);
	made_trace_source(trace, &(struct event_source){.id = 1, .kind = SOURCE_TASKS, .start = START, .stop = STOP}, "tasks");
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = about});
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK,
					      .walk = {.time = 2000, .number = 1, .source = 1, .seen = 50, .kept = 3}});
	made_trace_check(event_log_add_walk_task(trace->log, &record, &task, &owner, &none), "walk task");
	profile = finish(&scratch, trace, &everything);
	REQUIRE(t, profile_walk_tasks(profile, &rows) == 1);
	tasks = profile_tasks(profile, &count);
	CHECK_INT(t, rows[0].held,
		  HELD_BY_OWNER | HELD_BY_READER | HELD_FROM_READING);
	CHECK_STR(t, tasks[rows[0].owner].comm, "holder");
	REQUIRE(t, rows[0].operation < profile_operations(profile, &operations));
	CHECK_STR(t, operations[rows[0].operation].name, "write");
	REQUIRE(t, rows[0].object && rows[0].object < profile_objects(profile, &objects));
	CHECK_INT(t, objects[rows[0].object].lock, LOCK_RWSEM);
	CHECK_STR(t, objects[rows[0].object].comm, "holder"); /* the process of the mmap_lock */
	end(&scratch);
}

/* --- profile held --- */

/* Whether the owner of a lock is told for all of a wait for it: what was seen of the lock in between. */

enum { NOBODY, SLEEPER, OWNER, OTHER, RENAMED_OWNER, TASKS, LOCK = 1, OTHER_LOCK };
enum { BY = HELD_BY_OWNER, AT_END = HELD_AT_END, CHANGED = HELD_CHANGED };

struct seen {
	uint32_t task, object;
	uint64_t out, in; /* 0: it goes on */
};

static bool is_held_all(struct test *t, uint8_t held, bool ended, struct seen seen)
{
	static struct profile_task tasks[TASKS] = {
		[SLEEPER] = {.tid = 1}, [OWNER] = {.tid = 2, .start = 5}, [OTHER] = {.tid = 3},
		[RENAMED_OWNER] = {.tid = 2, .start = 5}};
	struct profile_object objects[3] = {{0}};
	struct profile_wait waits[] = {
		{.task = SLEEPER, .object = LOCK, .owner = OWNER, .held = held, .out = 100, .in = 900,
		 .flags = ended ? 0 : PROFILE_WAIT_NOT_ENDED},
		{.task = seen.task, .object = seen.object, .out = seen.out, .in = seen.in ? seen.in : 900,
		 .flags = seen.in ? 0 : PROFILE_WAIT_NOT_ENDED},
	};
	struct profile profile = {0};

	profile.tasks.items = tasks;
	profile.tasks.count = TASKS;
	profile.objects.items = objects;
	profile.objects.count = 3;
	profile.waits.items = waits;
	profile.waits.count = 2;
	CHECK_INT(t, profile_mark_held_all(&profile), 0);
	CHECK(t, !(waits[1].held & PROFILE_HELD_ALL));
	return waits[0].held & PROFILE_HELD_ALL;
}

static void nobody_got_it_in_between(struct test *t)
{
	static const struct seen others[] = {
		{OTHER, OTHER_LOCK, 50, 500}, {OTHER, LOCK, 50, 100}, {OTHER, LOCK, 150, 0}, {OTHER, LOCK, 950, 990}};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		CHECK(t, !is_held_all(t, BY, false, others[i])); /* an owner at first may have let go */
		CHECK(t, !is_held_all(t, BY, true, others[i]));
		CHECK(t, is_held_all(t, BY | AT_END, false, others[i]));
		CHECK(t, !is_held_all(t, BY | AT_END | CHANGED, false, others[i]));
		CHECK(t, !is_held_all(t, BY | HELD_BY_READER, false, others[i]));
		CHECK(t, !is_held_all(t, 0, false, others[i]));
	}
}

static void somebody_else_got_it(struct test *t)
{
	const struct seen other = {OTHER, LOCK, 50, 500};

	CHECK(t, !is_held_all(t, BY, false, other));
	CHECK(t, !is_held_all(t, BY, true, other));
	CHECK(t, !is_held_all(t, BY | AT_END, false, other));
	CHECK(t, !is_held_all(t, BY | AT_END | CHANGED, false, other));
}

/* It had queued for the lock before the sleeper came, and got it in between. */
static void the_owner_waited_itself(struct test *t)
{
	CHECK(t, is_held_all(t, BY | AT_END | CHANGED, false, (struct seen){OWNER, LOCK, 50, 500}));
	CHECK(t, is_held_all(t, BY | AT_END | CHANGED, false, (struct seen){RENAMED_OWNER, LOCK, 50, 500}));
	CHECK(t, !is_held_all(t, BY | AT_END | CHANGED, false, (struct seen){OWNER, LOCK, 200, 500}));
	CHECK(t, !is_held_all(t, BY, false, (struct seen){OWNER, LOCK, 50, 500}));
}

TEST_MAIN(TEST(joins_the_ends_of_a_pipe), TEST(joins_the_ends_of_connections),
	  TEST(joins_no_ambiguous_connection), TEST(names_no_child_of_many),
	  TEST(knows_whose_time_was_over), TEST(binds_what_tasks_slept_for),
	  TEST(nobody_got_it_in_between),
	  TEST(somebody_else_got_it), TEST(the_owner_waited_itself))
