/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What processes are called. */
#include "report/profile/tables/profile_processes.h"
#include "tests/test.h"

enum { PID = 100, OTHER = 200 };

static void note(struct profile *p, uint32_t scope, uint32_t tgid, uint32_t tid, const char *comm, uint64_t time)
{
	const struct profile_task task = {.tgid = tgid, .tid = tid, .comm = comm};

	if (array_push(&p->tasks, task) < 0 ||
	    profile_note_comm(p, scope, &task, (uint32_t)p->tasks.count - 1, time) < 0)
		abort();
}

static const char *name_of(const struct profile *p, uint32_t scope, uint32_t tgid)
{
	const struct profile_process *process = profile_find_process(p, scope, tgid);

	return process ? process->comm : "nobody";
}

/* The first thread's last comm, in whatever order events come; the kernel's records count, too. */
static void follows_the_first_thread(struct test *t)
{
	struct profile p = {0};
	const struct profile_task main = {.tgid = PID, .tid = PID, .comm = "java"};

	REQUIRE(t, hash_map_init(&p.process_numbers) == 0);
	CHECK_STR(t, name_of(&p, 0, PID), "nobody");
	note(&p, 0, PID, PID + 1, "cruncher", 90);
	CHECK_STR(t, name_of(&p, 0, PID), "cruncher");
	CHECK(t, profile_note_comm(&p, 0, &main, PROFILE_NO_TASK, 10) == 0);
	CHECK_STR(t, name_of(&p, 0, PID), "java");
	CHECK_STR(t, profile_process_comm(&p, 0), "java");
	note(&p, 0, PID, PID + 2, "worker", 99);
	note(&p, 0, OTHER, OTHER, "cc1", 50);
	note(&p, 0, OTHER, OTHER, "gcc", 40);
	CHECK_STR(t, profile_process_comm(&p, 1), "java");
	CHECK_STR(t, profile_process_comm(&p, 2), "cc1");
	CHECK_STR(t, profile_process_comm(&p, 3), "cc1");
	CHECK_INT(t, profile_find_process(&p, 0, OTHER)->task, 2);
	CHECK_INT(t, profile_find_process(&p, 0, PID)->task, PROFILE_NO_TASK);
	note(&p, 1, OTHER, OTHER, "later", 10); /* another recording has another process with this number */
	CHECK_STR(t, name_of(&p, 0, OTHER), "cc1");
	CHECK_STR(t, name_of(&p, 1, OTHER), "later");
	array_free(&p.tasks);
	array_free(&p.processes);
	array_free(&p.process_of);
	hash_map_deinit(&p.process_numbers);
}

TEST_MAIN(TEST(follows_the_first_thread))
