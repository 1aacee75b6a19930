/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --waits-on against texts written by hand: every kind of object, waits of one summed up, what is left out. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.filters = ""};

#define HEAD                                                                                                   \
	"# ms of each object; what was waited for longest stands first; p50, p99 and longest: of single waits\n" \
	"#     blocked    run queue    waits          p50          p99      longest  kind       who             what\n"
#define ONE_MS "        1.000        0.000        1        1.000        1.000        1.000"

static uint32_t add_object(struct profile *profile, struct profile_object object)
{
	object.comm = object.comm ? object.comm : "";
	object.name = object.name ? object.name : "";
	object.local = object.local ? object.local : "";
	object.peer = object.peer ? object.peer : "";
	profile->objects[profile->object_count] = object;
	return (uint32_t)profile->object_count++;
}

enum { POLL = 6, EPOLL };

static struct profile *profile_with_calls(void)
{
	static const struct profile_operation operations[] = {
		{.name = ""},
		{.kind = PROFILE_IN_CALL, .name = "read", .direction = PROFILE_READS},
		{.kind = PROFILE_IN_FAULT, .name = "page fault"},
		{.kind = PROFILE_IN_COMPAT_CALL, .name = "poll"},
		{.kind = PROFILE_IN_KERNEL_THREAD, .name = "kernel thread"},
		{.kind = PROFILE_IN_STOPPED, .name = "stopped"},
		{.kind = PROFILE_IN_CALL, .name = "poll", .many = true},
		{.kind = PROFILE_IN_CALL, .name = "epoll_wait", .many = true}};
	struct profile *profile = fake_recorded();

	memcpy(profile->operations, operations, sizeof(operations));
	profile->operation_count = sizeof(operations) / sizeof(operations[0]);
	(void)add_object(profile, (struct profile_object){0});
	return profile;
}

/* From `at` ms on, for `length` us. */
static struct profile_wait *add_wait(struct profile *profile, uint64_t at, uint64_t length, uint32_t operation,
				     uint32_t object)
{
	struct profile_wait *wait = fake_wait(profile, "app", 7, "schedule", BOOT + at * MS,
					      BOOT + at * MS + length * MICROSECOND);

	wait->operation = operation;
	wait->object = object;
	return wait;
}

static void sums_up_waits_of_an_object(struct test *t)
{
	struct profile *profile = profile_with_calls();
	uint32_t one = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE, .inode = 42});
	uint32_t same = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE, .inode = 42});

	(void)add_wait(profile, 10, 2000, 1, one);
	(void)add_wait(profile, 20, 4000, 1, same);
	add_wait(profile, 30, 9000, 1, one)->run_queue = 500 * MICROSECOND;
	(void)add_wait(profile, 40, 1000, 2, 0);
	(void)add_wait(profile, 50, 1000, 4, 0);
	add_wait(profile, 60, 1000, 0, 0)->wait_class = PROFILE_PREEMPTED;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD
			   "       14.500        0.500        3        4.000        9.000        9.000  pipe       "
			   "app             in read of pipe:42\n"
			   ONE_MS "  -          app             in a page fault\n"
			   "# not among them, runnable all the time: 1 wait, 1.0 ms\n"
			   "# not among them, as what they were for is not known: 1 wait, 1.0 ms\n");
	free(profile);
}

struct named {
	struct profile_object object;
	const char *text;
};

static void check_names(struct test *t, const struct named *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct profile *profile = profile_with_calls();
		char *text;

		(void)add_wait(profile, 10, 1000, 1, add_object(profile, all[i].object));
		CHECK_INT(t, fake_view(profile, waits_on_view, &plain, &text), 0);
		test_check(t, strstr(text, all[i].text) && strstr(text, all[i].text)[strlen(all[i].text)] == '\n',
			   "'%s' is not in:\n%s", all[i].text, text);
		free(text);
		free(profile);
	}
}

static void names_every_kind(struct test *t)
{
	static const struct named all[] = {
		{{.kind = PROFILE_OBJECT_FILE, .name = "/a\033b"}, "in read of /a\\x1bb"},
		{{.kind = PROFILE_OBJECT_FILE, .name = "/a", .flags = PROFILE_OBJECT_DELETED},
		 "in read of /a (deleted)"},
		{{.kind = PROFILE_OBJECT_FILE, .name = "/a", .flags = PROFILE_OBJECT_CUT}, "in read of …/a"},
		{{.kind = PROFILE_OBJECT_FILE, .device = 65024, .inode = 5}, "in read of file inode 5 of device 254:0"},
		{{.kind = PROFILE_OBJECT_TCP, .port = 80, .local = "0.0.0.0", .flags = PROFILE_OBJECT_LISTENS},
		 "in read of tcp 0.0.0.0:80 (listening)"},
		{{.kind = PROFILE_OBJECT_TCP, .port = 80, .peer_port = 9, .local = "::1", .peer = "::2"},
		 "in read of tcp [::1]:80 → [::2]:9"},
		{{.kind = PROFILE_OBJECT_TCP, .port = 80, .peer_port = 9, .name = "peer#1"},
		 "in read of tcp :80 → peer#1:9"},
		{{.kind = PROFILE_OBJECT_UNIX, .inode = 7}, "in read of unix:7"},
		{{.kind = PROFILE_OBJECT_UNIX, .name = "x", .flags = PROFILE_OBJECT_ABSTRACT}, "in read of unix @x"},
		{{.kind = PROFILE_OBJECT_EVENTFD, .descriptor = 8, .process = 7, .comm = "app"},
		 "in read of eventfd 7 of app 7"},
		{{.kind = PROFILE_OBJECT_EPOLL, .descriptor = 8, .process = 7}, "on epoll 7 of process 7"},
		{{.kind = PROFILE_OBJECT_FUTEX, .address = 0xabc, .process = 7, .comm = "app"},
		 "on futex 0xabc of app 7"},
		{{.kind = PROFILE_OBJECT_CHILD}, "any child"},
		{{.kind = PROFILE_OBJECT_CHILD, .process = 9, .comm = "sh"}, "child sh 9"},
		{{.kind = PROFILE_OBJECT_WORK, .name = "flush_to_disk"}, "in work flush_to_disk"},
		{{.kind = PROFILE_OBJECT_LOCK, .lock = PROFILE_LOCK_MUTEX, .address = 3}, "in read on mutex #3"},
		{{.kind = PROFILE_OBJECT_LOCK, .lock = PROFILE_LOCK_RWSEM, .address = 3, .name = "uts_sem"},
		 "in read on rwsem uts_sem"},
		{{.kind = PROFILE_OBJECT_LOCK, .lock = 99}, "in read on lock"},
		{{.kind = PROFILE_OBJECT_LOCK, .flags = PROFILE_OBJECT_MMAP_LOCK, .process = 7, .comm = "app"},
		 "in read on mmap_lock of app 7"},
		{{.kind = PROFILE_OBJECT_BLOCK, .device = 0xfe03}, "in read of block device 254:3"},
	};

	check_names(t, all, sizeof(all) / sizeof(all[0]));
}

#define FUTEX .kind = PROFILE_OBJECT_FUTEX, .address = 0xabc, .process = 7, .comm = "app"

static void names_futexes(struct test *t)
{
	static const struct named all[] = {
		{{FUTEX, .mapping = PROFILE_IN_HEAP},
		 "on futex 0xabc in heap of app 7"},
		{{FUTEX, .mapping = PROFILE_IN_STACK},
		 "on futex 0xabc in stack of app 7"},
		{{FUTEX, .mapping = PROFILE_IN_MEMORY},
		 "on futex 0xabc of app 7"},
		{{FUTEX, .mapping = PROFILE_IN_FILE,
		  .name = "/usr/lib/lib\033store.so.1"},
		 "on futex 0xabc in lib\\x1bstore.so.1 of app 7"},
		{{FUTEX, .mapping = PROFILE_IN_SHARED,
		  .name = "/dev/shm/table", .offset = 0x40, .inode = 5},
		 "on futex in shared file /dev/shm/table+0x40"},
		{{FUTEX, .mapping = PROFILE_IN_SHARED,
		  .flags = PROFILE_OBJECT_DELETED, .name = "/dev/zero", .offset = 0x40, .inode = 5},
		 "on futex in shared memory 5+0x40"},
	};

	check_names(t, all, sizeof(all) / sizeof(all[0]));
}

static void says_who_held_it(struct test *t)
{
	struct profile *profile = profile_with_calls();
	const uint32_t lock = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_LOCK,
									   .lock = PROFILE_LOCK_RWSEM, .address = 2});
	struct profile_wait *one = add_wait(profile, 10, 1000, 1, lock), *two;

	one->held = PROFILE_HELD_BY_OWNER | PROFILE_HELD_FOR_READING | PROFILE_HELD_FROM_READING;
	one->owner = one->task;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD ONE_MS "  lock       app             "
				"in read on rwsem #2 for reading (last read by app 7)\n");
	one->held = PROFILE_HELD_BY_OWNER;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD ONE_MS "  lock       app             in read on rwsem #2 (held at first by app 7)\n");
	two = add_wait(profile, 20, 1000, 1, lock); /* of another owner, or none that is known: nobody is named */
	two->held = 0;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD "        2.000        0.000        2        1.000        1.000        1.000  "
				"lock       app             in read on rwsem #2\n");
	two->held = PROFILE_HELD_BY_OWNER;
	two->owner = 98;
	fake_check_refused(t, profile, waits_on_view, &plain, *two, "an owner that does not exist");
	free(profile);
}

/* Sockets that print the same, as those of a server's path or port, are one line, but of several processes. */
static void says_who_is_at_the_other_ends(struct test *t)
{
	struct profile *profile = profile_with_calls();
	const struct profile_object socket = {.kind = PROFILE_OBJECT_UNIX, .name = "/s",
					      .users[PROFILE_NEITHER] = {.processes = 1}};
	const uint32_t one = add_object(profile, socket), same = add_object(profile, socket),
		       other = add_object(profile, socket);
	uint32_t task;

	(void)add_wait(profile, 10, 1000, 1, one);
	(void)add_wait(profile, 20, 1000, 1, same);
	task = add_wait(profile, 30, 1000, 0, 0)->task;
	profile->objects[one].users[PROFILE_NEITHER].task = profile->objects[same].users[PROFILE_NEITHER].task = task;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD "        2.000        0.000        2        1.000        1.000        1.000  "
				"unix       app             in read of unix /s (at its other end app 7)\n"
				"# not among them, as what they were for is not known: 1 wait, 1.0 ms\n");
	(void)add_wait(profile, 50, 1000, 1, other);
	profile->objects[other].users[PROFILE_NEITHER].task =
		fake_wait(profile, "peer", 8, "schedule", BOOT + 60 * MS, BOOT + 61 * MS)->task;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD "        3.000        0.000        3        1.000        1.000        1.000  "
				"unix       app             in read of unix /s (at its other end app 7 and others)\n"
				"# not among them, as what they were for is not known: 2 waits, 2.0 ms\n");
	profile->objects[other].users[PROFILE_NEITHER].processes = 0;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD "        3.000        0.000        3        1.000        1.000        1.000  "
				"unix       app             in read of unix /s (at its other end app 7 and others)\n"
				"# not among them, as what they were for is not known: 2 waits, 2.0 ms\n");
	free(profile);
}

static void says_what_was_ready(struct test *t)
{
	struct profile *profile = profile_with_calls();
	const uint32_t epoll = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_EPOLL,
									    .descriptor = 4, .process = 7});
	struct profile_wait *wait = add_wait(profile, 10, 1000, 1, epoll);

	wait->ready_descriptor = 8;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD ONE_MS "  epoll      app             on epoll 3 of process 7 → fd 7\n");
	wait->ready = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE, .inode = 5});
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD ONE_MS "  epoll      app             on epoll 3 of process 7 → fd 7, pipe:5\n");
	wait->ready_descriptor = 0; /* it leads elsewhere now */
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD ONE_MS "  epoll      app             on epoll 3 of process 7 → pipe:5\n");
	free(profile);
}

static struct profile_wait *add_ready(struct profile *profile, uint64_t at, uint32_t operation, uint32_t object,
				      uint32_t ready, uint32_t descriptor)
{
	struct profile_wait *wait = add_wait(profile, at, 1000, operation, object);

	wait->ready = ready;
	wait->ready_descriptor = descriptor ? descriptor + 1 : 0;
	return wait;
}

/* What was ready, and that nothing was, has a row of its own. */
static void has_a_row_for_each_that_was_ready(struct test *t)
{
	struct profile *profile = profile_with_calls();
	const uint32_t pipe = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE, .inode = 5}),
		       same = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE, .inode = 5}),
		       local = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_UNIX, .inode = 6}),
		       epoll = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_EPOLL,
									   .descriptor = 4, .process = 7});

	(void)add_ready(profile, 10, EPOLL, epoll, pipe, 3);
	(void)add_ready(profile, 20, EPOLL, epoll, same, 4); /* in another recording, by another number */
	(void)add_ready(profile, 30, EPOLL, epoll, pipe, 3);
	for (uint64_t i = 0; i < 2; i++)
		(void)add_ready(profile, 40 + 10 * i, EPOLL, epoll, local, 8);
	add_ready(profile, 60, POLL, 0, 0, 0)->held = PROFILE_TIMED_OUT;
	add_ready(profile, 80, EPOLL, epoll, 0, 0)->held = PROFILE_TIMED_OUT;
	profile->objects[pipe].users[PROFILE_WRITES] = (struct profile_users){.processes = 1, .one_thread = true};
	profile->objects[same].users[PROFILE_WRITES] = profile->objects[pipe].users[PROFILE_WRITES];
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD
			   "        3.000        0.000        3        1.000        1.000        1.000  epoll      "
			   "app             on epoll 3 of process 7 → pipe:5 (written by app 7)\n"
			   "        2.000        0.000        2        1.000        1.000        1.000  epoll      "
			   "app             on epoll 3 of process 7 → fd 8, unix:6\n"
			   ONE_MS "  -          app             in poll → timeout\n"
			   ONE_MS "  epoll      app             on epoll 3 of process 7 → timeout\n");
	free(profile);
}

/* A poll for one descriptor is for that, whether it was ready or is still waited for. */
static void sums_up_polls_of_one_descriptor(struct test *t)
{
	struct profile *profile = profile_with_calls();
	const uint32_t local = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_UNIX, .inode = 6}),
		       timer = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_TIMERFD,
									   .descriptor = 8, .process = 7});

	for (uint64_t i = 1; i <= 2; i++)
		(void)add_ready(profile, 10 * i, POLL, local, 0, 0);
	(void)add_ready(profile, 30, POLL, timer, 0, 0);
	add_ready(profile, 40, POLL, local, 0, 0)->flags = PROFILE_WAIT_NOT_ENDED;
	add_ready(profile, 50, POLL, local, 0, 0)->held = PROFILE_TIMED_OUT;
	fake_check_printed(t, profile, waits_on_view, &plain,
			   HEAD
			   "        3.000        0.000        3        1.000        1.000        1.000  unix       "
			   "app             in poll of unix:6\n"
			   ONE_MS "  timerfd    app             in poll of timerfd 7 of process 7\n"
			   ONE_MS "  unix       app             in poll of unix:6 → timeout\n");
	free(profile);
}

static void shows_one_kind(struct test *t)
{
	const struct view_settings futexes = {.filters = "", .waits_on = PROFILE_OBJECT_FUTEX},
				   sleeps = {.filters = "", .waits_on = PROFILE_OBJECT_SLEEP};
	struct profile *profile = profile_with_calls();
	struct profile_wait *wait;

	(void)add_wait(profile, 10, 2000, 1, add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE}));
	(void)add_wait(profile, 20, 1000, 1, add_object(profile, (struct profile_object){
								 .kind = PROFILE_OBJECT_FUTEX, .address = 1}));
	fake_check_printed(t, profile, waits_on_view, &futexes,
			   HEAD ONE_MS "  futex      app             on futex 0x1\n");
	wait = add_wait(profile, 30, 2000, 1, add_object(profile, (struct profile_object){
								  .kind = PROFILE_OBJECT_SLEEP}));
	wait->asked = 1995 * MICROSECOND;
	fake_check_printed(t, profile, waits_on_view, &sleeps,
			   HEAD
			   "        2.000        0.000        1        2.000        2.000        2.000  sleep      "
			   "app             sleep 2.00 ms\n");
	wait->object = 99;
	fake_check_refused(t, profile, waits_on_view, &plain, *wait, "an object that does not exist");
	free(profile);
}

TEST_MAIN(TEST(sums_up_waits_of_an_object), TEST(names_every_kind), TEST(names_futexes), TEST(says_who_held_it),
	  TEST(says_who_is_at_the_other_ends), TEST(says_what_was_ready), TEST(has_a_row_for_each_that_was_ready),
	  TEST(sums_up_polls_of_one_descriptor), TEST(shows_one_kind))
