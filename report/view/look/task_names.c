/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/task_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

static int compare_comms(const void *left, const void *right, void *context)
{
	const struct profile_task *tasks = *(const struct profile_task *const *)context;

	return strcmp(tasks[*(const uint32_t *)left].comm, tasks[*(const uint32_t *)right].comm);
}

static int compare_processes(const void *left, const void *right, void *context)
{
	const struct profile_task *tasks = *(const struct profile_task *const *)context;
	const struct profile_task *l = &tasks[*(const uint32_t *)left], *r = &tasks[*(const uint32_t *)right];

	if (l->host != r->host)
		return l->host < r->host ? -1 : 1;
	return (l->tgid > r->tgid) - (l->tgid < r->tgid);
}

static void number_comms(struct task_names *names, const struct profile_task *tasks,
			 uint32_t *order, size_t count)
{
	qsort_r(order, count, sizeof(*order), compare_comms, &tasks);
	for (size_t i = 0; i < count; i++) {
		if (!i || strcmp(tasks[order[i - 1]].comm, tasks[order[i]].comm) != 0)
			names->comms[names->comm_count++] = tasks[order[i]].comm;
		names->comm_of[order[i]] = (uint32_t)names->comm_count - 1;
	}
}

static void number_processes(struct task_names *names, const struct profile_task *tasks,
			     uint32_t *order, size_t count)
{
	qsort_r(order, count, sizeof(*order), compare_processes, &tasks);
	for (size_t i = 0; i < count; i++) {
		const struct profile_task *task = &tasks[order[i]];

		if (!i || compare_processes(&order[i - 1], &order[i], &tasks) != 0)
			names->processes[names->process_count++] =
				(struct task_process){.host = task->host, .tgid = task->tgid};
		names->process_of[order[i]] = (uint32_t)names->process_count - 1;
		names->host_count += !i || tasks[order[i - 1]].host != task->host;
	}
}

int task_names_init(struct task_names *names, const struct profile *profile)
{
	_cleanup_free_ uint32_t *order = NULL;
	const struct profile_task *tasks;
	size_t count, room;

	*names = (struct task_names){0};
	tasks = profile_tasks(profile, &count);
	room = count ? count : 1;
	order = calloc(room, sizeof(*order));
	names->comm_of = calloc(room, sizeof(*names->comm_of));
	names->process_of = calloc(room, sizeof(*names->process_of));
	names->comms = calloc(room, sizeof(*names->comms));
	names->processes = calloc(room, sizeof(*names->processes));
	if (!order || !names->comm_of || !names->process_of || !names->comms || !names->processes) {
		task_names_deinit(names);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	number_comms(names, tasks, order, count);
	number_processes(names, tasks, order, count);
	return 0;
}

void task_names_deinit(struct task_names *names)
{
	free(names->comm_of);
	free(names->process_of);
	free(names->comms);
	free(names->processes);
	*names = (struct task_names){0};
}

void task_names_write_process(const struct task_names *names, uint32_t process, FILE *out)
{
	const struct task_process *row = &names->processes[process];

	(void)fprintf(out, "%" PRIu32, row->tgid);
	if (names->host_count > 1)
		(void)fprintf(out, " host %" PRIu32, row->host);
}
