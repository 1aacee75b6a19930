/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which way a kernel offers for user stacks of waits, according to its BTF: made here as such kernels would have it. */
#include "record/probe/probe_user_way.h"

#include <bpf/btf.h>

#include "tests/test.h"

static const char full[] = "bpf_task_work_schedule_resume_impl", plain[] = "bpf_task_work_schedule_resume",
		  preempt[] = "bpf_preempt_disable";

static void add_function(struct test *t, struct btf *btf, const char *name, int parameters)
{
	int word = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), type = btf__add_func_proto(btf, word);

	for (int i = 0; i < parameters; i++)
		CHECK(t, !btf__add_func_param(btf, "p", word));
	CHECK(t, btf__add_func(btf, name, BTF_FUNC_STATIC, type) > 0);
}

/* For a kernel with these functions; ways that are better than `from` are not considered. */
static struct user_way found(struct test *t, const char *name, int parameters, const char *other,
			     enum ring_user_way from)
{
	struct btf *btf = btf__new_empty();
	struct user_way way = {0};

	CHECK(t, btf != NULL);
	if (name)
		add_function(t, btf, name, parameters);
	if (other)
		add_function(t, btf, other, 0);
	user_way_find(btf, from, false, &way);
	user_way_close(&(struct user_way){.way = way.way, .switch_fd = way.switch_fd});
	btf__free(btf);
	return way;
}

static void task_work_by_either_name(struct test *t)
{
	struct user_way way = found(t, full, 5, preempt, RING_BY_TASK_WORK);

	CHECK_INT(t, way.way, RING_BY_TASK_WORK);
	CHECK(t, !way.plain_name && way.switch_fd == -1);
	way = found(t, plain, 4, preempt, RING_BY_TASK_WORK);
	CHECK_INT(t, way.way, RING_BY_TASK_WORK);
	CHECK(t, way.plain_name);
}

static void not_what_is_called_in_another_way(struct test *t)
{
	CHECK(t, found(t, full, 4, preempt, RING_BY_TASK_WORK).way != RING_BY_TASK_WORK);
	CHECK(t, found(t, plain, 5, preempt, RING_BY_TASK_WORK).way != RING_BY_TASK_WORK);
	CHECK(t, found(t, full, 5, NULL, RING_BY_TASK_WORK).way != RING_BY_TASK_WORK);
	CHECK(t, found(t, NULL, 0, preempt, RING_BY_TASK_WORK).way != RING_BY_TASK_WORK);
}

static void what_was_refused_is_not_taken_again(struct test *t)
{
	struct user_way way = found(t, full, 5, preempt, RING_BY_SYS_EXIT);

	CHECK(t, found(t, full, 5, preempt, RING_BY_SWITCH).way != RING_BY_TASK_WORK);
	CHECK_INT(t, way.way, RING_BY_SYS_EXIT);
	CHECK_INT(t, way.switch_fd, -1);
	user_way_find(NULL, RING_BY_SYS_EXIT, false, &way);
	CHECK_INT(t, way.way, RING_BY_SYS_EXIT);
}

TEST_MAIN(TEST(task_work_by_either_name), TEST(not_what_is_called_in_another_way),
	  TEST(what_was_refused_is_not_taken_again))
