/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/task_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"

static int compare_texts(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int add_comm(struct task_names *names, struct hash_map *numbers, const char *comm, uint32_t *ret_number)
{
	uint64_t *number;
	int r = hash_map_add(numbers, comm, strlen(comm), names->comm_count, &number);

	if (r < 0)
		return r;
	if (r > 0)
		names->comms[names->comm_count++] = comm;
	*ret_number = (uint32_t)*number;
	return 0;
}

/* Collects the distinct comms, in the order of the tasks. */
static int collect_comms(struct task_names *names, const struct profile *profile, const struct profile_task *tasks,
			 size_t count, struct hash_map *numbers)
{
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		r = add_comm(names, numbers, tasks[i].comm, &names->comm_of[i]);
		if (!r)
			r = add_comm(names, numbers,
				     tasks[i].tid == tasks[i].tgid ? tasks[i].comm :
								     profile_process_comm(profile, (uint32_t)i),
				     &names->name_of[i]);
	}
	return r;
}

/* Many tasks share few comms, so only the distinct comms are sorted. */
static int number_comms(struct task_names *names, const struct profile *profile, const struct profile_task *tasks,
			size_t count)
{
	_cleanup_(hash_map_deinit) struct hash_map numbers = {0};
	_cleanup_free_ uint32_t *place_of = NULL;
	int r = hash_map_init(&numbers) ?: collect_comms(names, profile, tasks, count, &numbers);

	place_of = calloc(names->comm_count + 1, sizeof(*place_of));
	if (r < 0 || !place_of)
		return -ENOMEM;
	if (names->comm_count)
		qsort(names->comms, names->comm_count, sizeof(*names->comms), compare_texts);
	for (size_t i = 0; i < names->comm_count; i++)
		place_of[*hash_map_find(&numbers, names->comms[i], strlen(names->comms[i]))] = (uint32_t)i;
	for (size_t i = 0; i < count; i++) {
		names->comm_of[i] = place_of[names->comm_of[i]];
		names->name_of[i] = place_of[names->name_of[i]];
	}
	return 0;
}

static int number_processes(struct task_names *names, const struct profile *profile, const struct profile_task *tasks,
			    size_t count)
{
	_cleanup_free_ struct radix_key *order = calloc(count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = (struct radix_key){.key = (uint64_t)tasks[i].host << 32 | tasks[i].tgid,
					      .number = (uint32_t)i};
	if (radix_sort(&order, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct profile_task *task = &tasks[order[i].number];

		if (!i || order[i - 1].key != order[i].key)
			names->processes[names->process_count++] =
				(struct task_process){.host = task->host, .tgid = task->tgid};
		names->processes[names->process_count - 1].comm = profile_process_comm(profile, order[i].number);
		names->process_of[order[i].number] = (uint32_t)names->process_count - 1;
		names->host_count += !i || order[i - 1].key >> 32 != order[i].key >> 32;
	}
	return 0;
}

int task_names_init(struct task_names *names, const struct profile *profile)
{
	const struct profile_task *tasks;
	size_t count, room;
	int r;

	*names = (struct task_names){0};
	tasks = profile_tasks(profile, &count);
	room = count ? count : 1;
	names->comm_of = calloc(room, sizeof(*names->comm_of));
	names->process_of = calloc(room, sizeof(*names->process_of));
	names->name_of = calloc(room, sizeof(*names->name_of));
	names->comms = calloc(2 * room, sizeof(*names->comms));
	names->processes = calloc(room, sizeof(*names->processes));
	r = names->comm_of && names->process_of && names->name_of && names->comms && names->processes ? 0 : -ENOMEM;
	if (!r)
		r = number_comms(names, profile, tasks, count);
	if (!r)
		r = number_processes(names, profile, tasks, count);
	if (r < 0)
		task_names_deinit(names);
	return r;
}

void task_names_deinit(struct task_names *names)
{
	free(names->comm_of);
	free(names->name_of);
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

void task_names_write_owner(const struct task_names *names, uint32_t comm, uint32_t process, bool per_process, FILE *out)
{
	(void)fprintf(out, "    %-16s ", "-");
	printable_write(out, names->comms[comm], strlen(names->comms[comm]));
	if (per_process) {
		(void)fputs(" (", out);
		task_names_write_process(names, process, out);
		(void)fputc(')', out);
	}
	(void)fputc('\n', out);
}

/* --- comm list --- */

int comm_list_init(struct comm_list *list, const struct task_names *names)
{
	size_t room = names->comm_count ? names->comm_count : 1;

	*list = (struct comm_list){.names = names};
	list->weights = calloc(room, sizeof(*list->weights));
	list->present = calloc(room, sizeof(*list->present));
	if (list->weights && list->present)
		return 0;
	comm_list_deinit(list);
	return -ENOMEM;
}

void comm_list_deinit(struct comm_list *list)
{
	free(list->weights);
	free(list->present);
	*list = (struct comm_list){0};
}

void comm_list_add(struct comm_list *list, uint32_t task, uint64_t weight)
{
	uint32_t comm = list->names->comm_of[task];

	if (!list->weights[comm])
		list->present[list->present_count++] = comm;
	list->weights[comm] += weight ? weight : 1;
}

static int compare(const void *left, const void *right, void *context)
{
	const uint64_t *weights = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	return COMPARE(weights[r], weights[l]) ?: COMPARE(l, r);
}

void comm_list_write(struct comm_list *list, size_t most, FILE *out)
{
	qsort_r(list->present, list->present_count, sizeof(*list->present), compare, list->weights);
	for (size_t i = 0; i < list->present_count && i < most; i++) {
		const char *comm = list->names->comms[list->present[i]];

		if (i)
			(void)fputs(", ", out);
		printable_write(out, comm, strlen(comm));
	}
	if (list->present_count > most)
		(void)fprintf(out, " (+%zu more)", list->present_count - most);
	for (size_t i = 0; i < list->present_count; i++)
		list->weights[list->present[i]] = 0;
	list->present_count = 0;
}
