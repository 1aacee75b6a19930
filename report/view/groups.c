/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"

static int compare_hosts(const struct profile_task *left, const struct profile_task *right)
{
	return COMPARE(left->host, right->host);
}

static int compare_comms(const struct profile_task *left, const struct profile_task *right)
{
	return strcmp(left->comm, right->comm);
}

static int compare_processes(const struct profile_task *left, const struct profile_task *right)
{
	return compare_hosts(left, right) ?: COMPARE(left->tgid, right->tgid);
}

/* A thread is one group, whatever its comm. */
static int compare_threads(const struct profile_task *left, const struct profile_task *right)
{
	return compare_hosts(left, right) ?: COMPARE(left->tid, right->tid) ?:
	       COMPARE(left->start, right->start);
}

static const struct profile_cgroup *known_cgroup(const struct profile_task *task)
{
	return task->cgroup && task->cgroup->known ? task->cgroup : NULL;
}

/* Tasks in no container are one group, and so are tasks whose container was not recorded. */
static int compare_containers(const struct profile_task *left, const struct profile_task *right)
{
	const struct profile_cgroup *l = known_cgroup(left), *r = known_cgroup(right);
	int order;

	if (!l || !r)
		return (l != NULL) - (r != NULL);
	order = strcmp(l->container, r->container);
	return order ? order : strcmp(l->id, r->id);
}

static int compare_cgroups(const struct profile_task *left, const struct profile_task *right)
{
	return strcmp(profile_cgroup_path(left->cgroup), profile_cgroup_path(right->cgroup));
}

static void write_host(const struct profile_task *task, FILE *out)
{
	(void)fprintf(out, "host %" PRIu32, task->host);
}

static void write_comm(const struct profile_task *task, FILE *out)
{
	(void)fputs("comm ", out);
	printable_write(out, task->comm, strlen(task->comm));
}

static void write_process(const struct profile_task *task, FILE *out)
{
	(void)fprintf(out, "pid %" PRIu32, task->tgid);
}

static void write_thread(const struct profile_task *task, FILE *out)
{
	(void)fprintf(out, "tid %" PRIu32, task->tid);
}

/* "container 3f4e5d6c7b8a" */
static void write_container(const struct profile_task *task, FILE *out)
{
	if (!known_cgroup(task))
		(void)fputs("container not known", out);
	else if (!*task->cgroup->container)
		(void)fputs("no container", out);
	else
		(void)fprintf(out, "container %s", task->cgroup->container);
}

static void write_cgroup(const struct profile_task *task, FILE *out)
{
	const char *path = profile_cgroup_path(task->cgroup);

	(void)fputs(*path ? "cgroup " : "cgroup not recorded", out);
	printable_write(out, path, strlen(path));
}

static const struct group_field fields[] = {
	{.name = "comm", .plural = "comms", .compare = compare_comms, .write = write_comm, .is_comm = true},
	{.name = "process", .plural = "processes", .compare = compare_processes, .write = write_process,
	 .has_host = true},
	{.name = "thread", .plural = "threads", .compare = compare_threads, .write = write_thread,
	 .has_host = true},
	{.name = "cpu", .plural = "CPUs"},
	{.name = "container", .plural = "containers", .compare = compare_containers,
	 .write = write_container, .is_cgroup = true},
	{.name = "cgroup", .plural = "cgroups", .compare = compare_cgroups, .write = write_cgroup,
	 .is_cgroup = true},
	{.name = "host", .plural = "hosts", .compare = compare_hosts, .write = write_host},
};

const char group_field_names[] = "comm, process, thread, container, cgroup, cpu or host";

const struct group_field *group_field_find(const char *name)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(name, fields[i].name))
			return &fields[i];
	return NULL;
}

static int compare_tasks(const void *left, const void *right, void *context)
{
	const struct groups *groups = context;

	return groups->field->compare(&groups->tasks[*(const uint32_t *)left],
				      &groups->tasks[*(const uint32_t *)right]);
}

static void number_tasks(struct groups *groups, uint32_t *order, size_t count)
{
	qsort_r(order, count, sizeof(*order), compare_tasks, groups);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_tasks(&order[i - 1], &order[i], groups) != 0)
			groups->example[groups->count++] = order[i];
		groups->of_task[order[i]] = (uint32_t)groups->count - 1;
	}
}

bool groups_is_unknown(const struct groups *groups, uint32_t group)
{
	return !groups->field->compare && group == PROFILE_NO_CPU;
}

static void write_cpu(uint32_t group, FILE *out)
{
	if (group == PROFILE_NO_CPU)
		(void)fputs("CPU not recorded", out);
	else
		(void)fprintf(out, "CPU %" PRIu32, group);
}

/* --- all of them --- */

int groups_init(struct groups *groups, const struct profile *profile, const struct group_field *field)
{
	_cleanup_free_ uint32_t *order = NULL;
	size_t count;

	*groups = (struct groups){.field = field, .profile = profile, .count = 1};
	groups->tasks = profile_tasks(profile, &count);
	for (size_t i = 1; i < count; i++)
		groups->several_hosts |= groups->tasks[i].host != groups->tasks[0].host;
	if (field && !field->compare)
		groups->count = PROFILE_NO_CPU + 1;
	if (!field || !field->compare)
		return 0;
	groups->count = 0;
	order = calloc(count + 1, sizeof(*order));
	groups->of_task = calloc(count + 1, sizeof(*groups->of_task));
	groups->example = calloc(count + 1, sizeof(*groups->example));
	if (!order || !groups->of_task || !groups->example) {
		groups_deinit(groups);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	number_tasks(groups, order, count);
	return 0;
}

void groups_deinit(struct groups *groups)
{
	free(groups->of_task);
	free(groups->example);
	*groups = (struct groups){0};
}

void groups_write(const struct groups *groups, uint32_t group, FILE *out)
{
	const struct profile_task *task;

	if (!groups->field->compare) {
		write_cpu(group, out);
		return;
	}
	task = &groups->tasks[groups->example[group]];
	groups->field->write(task, out);
	if (groups->field->has_host && groups->several_hosts)
		(void)fprintf(out, " host %" PRIu32, task->host);
}

/* --- rows --- */

static int allocate(struct rows *rows, size_t count)
{
	rows->items = calloc(count ? count : 1, sizeof(*rows->items));
	return rows->items ? 0 : -ENOMEM;
}

static uint16_t walked_cpu(const struct profile_walk_task *walked)
{
	return walked->cpu < PROFILE_NO_CPU ? (uint16_t)walked->cpu : PROFILE_NO_CPU;
}

static int collect_walked(struct rows *rows, const struct profile *profile)
{
	const struct profile_walk_task *walked;
	size_t count = profile_walk_tasks(profile, &walked);

	if (allocate(rows, count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		rows->items[rows->count++] = (struct row){.node = walked[i].node,
							  .task = walked[i].task,
							  .flags = (uint16_t)walked[i].flags,
							  .cpu = walked_cpu(&walked[i]),
							  .samples = 1,
							  .weight = 1,
							  .state = walked[i].state[0]};
	return 0;
}

static int collect_sampled(struct rows *rows, const struct profile *profile, uint32_t source)
{
	const struct profile_entry *entries;
	size_t count = profile_entries(profile, &entries), first = 0, last;

	while (first < count && entries[first].source != source)
		first++;
	for (last = first; last < count && entries[last].source == source;)
		last++;
	if (allocate(rows, last - first) < 0)
		return -ENOMEM;
	for (size_t i = first; i < last; i++)
		rows->items[rows->count++] = (struct row){.node = entries[i].node,
							  .task = entries[i].task,
							  .flags = entries[i].flags,
							  .cpu = entries[i].cpu,
							  .samples = entries[i].samples,
							  .weight = entries[i].weight,
							  .run_queue = entries[i].run_queue,
							  .throttled = entries[i].throttled};
	return 0;
}

static int copy_chosen(struct rows *rows, const struct group_choice *only)
{
	if (allocate(rows, only->row_count) < 0)
		return -ENOMEM;
	rows->count = only->row_count;
	if (rows->count)
		memcpy(rows->items, only->rows, rows->count * sizeof(*rows->items));
	return 0;
}

int rows_init(struct rows *rows, const struct profile *profile, uint32_t source, const struct group_choice *only)
{
	const struct profile_source *sources;

	*rows = (struct rows){0};
	if (only)
		return copy_chosen(rows, only);
	(void)profile_sources(profile, &sources);
	if (sources[source].kind == PROFILE_TASKS)
		return collect_walked(rows, profile);
	return collect_sampled(rows, profile, source);
}

uint64_t rows_samples(const struct rows *rows)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < rows->count; i++)
		samples += rows->items[i].samples;
	return samples;
}

void rows_deinit(struct rows *rows)
{
	free(rows->items);
	*rows = (struct rows){0};
}
