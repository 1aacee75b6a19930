/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/profile_internal.h"
#include "report/symbol/modules.h"

/* --- finding or adding an item --- */

struct wanted {
	const struct profile *profile;
	const void *item;
};

/* Equal texts have the same pointer, so structs with names can be compared by pointers. */
static int intern_text(struct profile *profile, const char *text, const char **ret_text)
{
	return text_pool_add(&profile->texts, text, strlen(text), ret_text);
}

static bool same_host(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_host *host = &wanted->profile->hosts.items[number], *item = wanted->item;

	return host->boot_id == item->boot_id && host->name == item->name;
}

int profile_intern_host(struct profile *profile, const struct trace_model *model, uint32_t *ret_host)
{
	struct profile_host host;
	const struct wanted wanted = {profile, &host};
	uint32_t hash;
	int r = 1;

	if (intern_text(profile, model->boot_id, &host.boot_id) < 0 || intern_text(profile, model->host, &host.name) < 0)
		return -ENOMEM;
	*ret_host = (uint32_t)profile->hosts.count;
	hash = index_table_hash(&profile->host_table, (uintptr_t)host.boot_id, (uintptr_t)host.name);
	if (model->boot_id[0] || model->host[0])
		r = index_table_add(&profile->host_table, hash, same_host, &wanted, *ret_host, ret_host);
	return r <= 0 ? r : array_push(&profile->hosts, host);
}

/* --- sources --- */

enum profile_source_kind profile_kind_of(uint32_t kind)
{
	static const enum profile_source_kind kinds[] = {
		[SOURCE_CPU] = PROFILE_CPU,	    [SOURCE_OFFCPU] = PROFILE_OFFCPU,
		[SOURCE_WAKERS] = PROFILE_WAKERS,   [SOURCE_TRACEPOINT] = PROFILE_TRACEPOINT,
		[SOURCE_KFUNC] = PROFILE_KFUNC,	    [SOURCE_TASKS] = PROFILE_TASKS,
	};

	return kind && kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : PROFILE_SOURCE_KINDS;
}

static const char *unit_of(uint32_t weight)
{
	return weight == WEIGHT_NS ? "ns" : weight == WEIGHT_CYCLES ? "cycles" : "samples";
}

uint64_t profile_duration_of(const struct trace_model *model, const struct event_source *source)
{
	uint64_t stop = source->stop > source->start ? source->stop : model->last_time;

	return stop > source->start ? stop - source->start : 0;
}

static void describe_source(const struct trace_model *model, const struct trace_source *source,
			    struct profile_source *described)
{
	uint64_t duration = profile_duration_of(model, &source->event);

	if (source->event.frequency > described->frequency)
		described->frequency = source->event.frequency;
	if (duration > described->duration)
		described->duration = duration;
	described->user_stacks |= !!(source->event.flags & SOURCE_USER_STACKS);
	described->software_fallback |= !!(source->event.flags & SOURCE_SOFTWARE_FALLBACK);
}

static bool same_source(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_source *source = &wanted->profile->sources.items[number], *item = wanted->item;

	return source->kind == item->kind && source->name == item->name &&
	       wanted->profile->source_notes.items[number].unit == item->weight_unit;
}

int profile_intern_source(struct profile *profile, const struct trace_model *model,
			  const struct trace_source *source, uint32_t *ret_source)
{
	struct profile_source item = {.kind = profile_kind_of(source->event.kind),
				      .weight_unit = unit_of(source->event.weight)};
	const struct source_notes notes = {.unit = item.weight_unit};
	const struct wanted wanted = {profile, &item};
	int r = intern_text(profile, source->name, &item.name);
	uint32_t hash = index_table_hash(&profile->source_table, (uintptr_t)item.name,
					 (uint64_t)item.kind << 8 | (unsigned char)notes.unit[0]);

	if (!r)
		r = index_table_add(&profile->source_table, hash, same_source, &wanted,
				    (uint32_t)profile->sources.count, ret_source);
	item.weight_unit = "samples"; /* until a weight is seen */
	if (r < 0 || (r > 0 && (array_push(&profile->sources, item) < 0 ||
				array_push(&profile->source_notes, notes) < 0)))
		return -ENOMEM;
	describe_source(model, source, &profile->sources.items[*ret_source]);
	return 0;
}

/* --- probes --- */

static bool same_probe(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_probe *probe = &wanted->profile->probes.items[number], *item = wanted->item;

	return probe->source == item->source && probe->name == item->name;
}

int profile_intern_probe(struct profile *profile, uint32_t source, const char *name, uint32_t *ret_probe)
{
	struct profile_probe probe = {.source = source, .counted = true};
	const struct wanted wanted = {profile, &probe};
	int r = intern_text(profile, name, &probe.name);

	if (!r)
		r = index_table_add(&profile->probe_table,
				    index_table_hash(&profile->probe_table, (uintptr_t)probe.name, source), same_probe,
				    &wanted, (uint32_t)profile->probes.count, ret_probe);
	if (r > 0)
		r = array_push(&profile->probes, probe) < 0 ? -ENOMEM : array_push(&profile->probe_wanted, false);
	return r;
}

/*
 * --- tasks: a task that changes its name, or is moved to another cgroup, becomes a new one, so each sample has those
 * of its time. Where the cgroup was not recorded, as for wakers, it is the first one that the task was seen in. ---
 */

static bool same_task(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_task *task = &wanted->profile->tasks.items[number], *item = wanted->item;

	return task->tid == item->tid && task->tgid == item->tgid && task->start == item->start &&
	       task->host == item->host && task->comm == item->comm && task->kernel_thread == item->kernel_thread;
}

static bool in_list(const uint32_t *list, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return count == 0;
}

static bool is_wanted(const struct profile_filter *filter, const struct profile_task *task)
{
	if (filter->user_threads ? task->kernel_thread : filter->kernel_threads && !task->kernel_thread)
		return false;
	return profile_cgroup_is_wanted(filter, task->cgroup) && in_list(filter->pids, filter->pid_count, task->tgid) &&
	       in_list(filter->tids, filter->tid_count, task->tid) &&
	       (!filter->comm || regexec(filter->comm, task->comm, 0, NULL, 0) == 0);
}

static bool same_moved_task(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_task *item = wanted->item;

	return wanted->profile->tasks.items[number].cgroup == item->cgroup && same_task(context, number);
}

/* task_table finds tasks whatever their cgroup: each with that of its first record. The others are in moved_table. */
static int find_task(struct profile *profile, struct index_table *table, const struct profile_task *task,
		     uint32_t hash, uint32_t *ret_task)
{
	const struct wanted wanted = {profile, task};
	int r = index_table_add(table, hash, table == &profile->task_table ? same_task : same_moved_task, &wanted,
				(uint32_t)profile->tasks.count, ret_task);

	if (r > 0)
		r = array_push(&profile->tasks, *task) < 0 ? -ENOMEM :
			    array_push(&profile->task_wanted, is_wanted(profile->filter, task));
	return r;
}

int profile_intern_task(struct profile *profile, uint32_t host, const struct event_task *event,
			const struct profile_cgroup *cgroup, uint32_t *ret_task)
{
	struct profile_task task = {.host = host,
				    .tgid = event->tgid,
				    .tid = event->tid,
				    .start = event->start,
				    .cgroup = cgroup,
				    .kernel_thread = event->flags & TASK_KERNEL_THREAD};
	struct profile_task *first;
	uint32_t hash;
	int r = text_pool_add(&profile->texts, event->comm, strnlen(event->comm, sizeof(event->comm)), &task.comm);

	hash = index_table_hash(&profile->task_table, (uint64_t)task.tid << 32 | host,
				task.start ^ (uintptr_t)task.comm);
	if (!r)
		r = find_task(profile, &profile->task_table, &task, hash, ret_task);
	if (r < 0 || !cgroup)
		return r;
	first = &profile->tasks.items[*ret_task];
	if (!first->cgroup) {
		first->cgroup = cgroup;
		profile->task_wanted.items[*ret_task] = is_wanted(profile->filter, first);
	}
	if (first->cgroup == cgroup)
		return 0;
	hash = index_table_hash(&profile->moved_table, hash, (uintptr_t)cgroup);
	return find_task(profile, &profile->moved_table, &task, hash, ret_task);
}

/* --- frames and nodes --- */

static bool same_frame(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_frame *frame = &wanted->profile->frames.items[number], *item = wanted->item;

	return frame->address == item->address && frame->module == item->module && frame->kernel == item->kernel &&
	       frame->caller == item->caller && frame->note == item->note &&
	       (!(wanted->profile->filter->needs & PROFILE_EACH_ADDRESS) ||
		frame->run_time_address == item->run_time_address);
}

int profile_intern_frame(struct profile *profile, const struct profile_frame *frame, uint32_t *ret_frame)
{
	const struct wanted wanted = {profile, frame};
	uint32_t hash = index_table_hash(&profile->frame_table, frame->address,
					 ((uint64_t)frame->note << 40 | (uint64_t)frame->module << 2) ^
						 ((unsigned int)frame->kernel << 1 | frame->caller));
	int r = index_table_add(&profile->frame_table, hash, same_frame, &wanted, (uint32_t)profile->frames.count,
				ret_frame);

	if (r > 0 && (profile->frames.count >= NO_NUMBER - 1 || array_push(&profile->frames, *frame) < 0 ||
		      array_push(&profile->overhead, OVERHEAD_UNKNOWN) < 0))
		return -ENOMEM;
	return r < 0 ? r : 0;
}

static bool same_node(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_node *node = &wanted->profile->nodes.items[number], *item = wanted->item;

	return node->parent == item->parent && node->frame == item->frame;
}

int profile_intern_node(struct profile *profile, uint32_t parent, uint32_t frame, uint32_t *ret_node)
{
	const struct profile_node node = {.parent = parent, .frame = frame};
	const struct wanted wanted = {profile, &node};
	uint32_t hash = index_table_hash(&profile->node_table, (uint64_t)parent << 32 | frame, 0);
	int r = index_table_add(&profile->node_table, hash, same_node, &wanted, (uint32_t)profile->nodes.count, ret_node);

	if (r > 0 && (profile->nodes.count >= NO_NUMBER - 1 || array_push(&profile->nodes, node) < 0))
		return -ENOMEM;
	return r < 0 ? r : 0;
}

/* --- entries --- */

static bool same_entry(const void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct profile_entry *entry = &wanted->profile->entries.items[number], *item = wanted->item;

	return entry->node == item->node && entry->task == item->task && entry->source == item->source &&
	       entry->flags == item->flags && entry->cpu == item->cpu;
}

int profile_add_entry(struct profile *profile, const struct profile_entry *entry)
{
	const struct wanted wanted = {profile, entry};
	struct profile_entry *old;
	uint32_t number, hash = index_table_hash(&profile->entry_table, (uint64_t)entry->node << 32 | entry->task,
						 (uint64_t)entry->source << 32 | (uint32_t)entry->cpu << 16 |
							 entry->flags);
	int r = index_table_add(&profile->entry_table, hash, same_entry, &wanted, (uint32_t)profile->entries.count,
				&number);

	if (r < 0 || (r > 0 && profile->entries.count >= NO_NUMBER - 1))
		return -ENOMEM;
	if (r > 0)
		return array_push(&profile->entries, *entry);
	old = &profile->entries.items[number];
	old->samples += entry->samples;
	old->weight += entry->weight;
	old->run_queue += entry->run_queue;
	old->throttled += entry->throttled;
	return 0;
}

/* --- lines and inlined functions --- */

/* The byte of code to look up for the frame: a return address points after the call. */
static uint64_t profile_frame_code(const struct profile_frame *frame)
{
	return frame->caller && frame->address ? frame->address - 1 : frame->address;
}

size_t profile_find_levels(const struct profile *profile, const struct profile_frame *frame,
			   const struct line_level **ret_levels)
{
	if (!frame->module || frame->note)
		return 0;
	return module_lines_find(&profile->modules, frame->module, profile_frame_code(frame), ret_levels);
}

static bool inline_is_wanted(const struct profile *profile, const struct profile_frame *frame)
{
	if (!frame->module || frame->note)
		return false;
	return frame->kernel ? !profile->filter->user_only : !profile->filter->kernel_only;
}

/* --- addresses, module by module --- */

struct code_address {
	uint32_t module;
	uint64_t address;
};

static int compare_code(const void *left, const void *right)
{
	const struct code_address *l = left, *r = right;

	return COMPARE(l->module, r->module) ?: COMPARE(l->address, r->address);
}

/* Equal addresses are adjacent. */
static int resolve_modules(struct profile *profile, const struct code_address *wanted, size_t count)
{
	size_t modules = profile->modules.items.count, asked = 0, unique = 0;
	_cleanup_free_ uint64_t *addresses = calloc(count + 1, sizeof(*addresses));
	_cleanup_free_ struct line_request *requests = calloc(modules + 1, sizeof(*requests));

	if (!addresses || !requests)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		bool first = i == 0 || wanted[i].module != wanted[i - 1].module;

		if (first)
			requests[asked++] = (struct line_request){.module = wanted[i].module,
								  .addresses = addresses + unique};
		else if (wanted[i].address == wanted[i - 1].address)
			continue;
		addresses[unique++] = wanted[i].address;
		requests[asked - 1].count++;
	}
	return module_lines_resolve(&profile->modules, requests, asked);
}

static int resolve_frames(struct profile *profile)
{
	_cleanup_free_ struct code_address *wanted = calloc(profile->frames.count + 1, sizeof(*wanted));
	size_t count = 0;

	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < profile->frames.count; i++) {
		const struct profile_frame *frame = &profile->frames.items[i];

		if (inline_is_wanted(profile, frame))
			wanted[count++] = (struct code_address){
				.module = frame->module, .address = profile_frame_code(frame)};
	}
	qsort(wanted, count, sizeof(*wanted), compare_code);
	return resolve_modules(profile, wanted, count);
}

/* --- frames and nodes --- */

struct expansion { /* of a frame */
	uint32_t first, count; /* the frames inlined in it, outermost first */
};

static int expand_frames(struct profile *profile, struct expansion *expansions, bool *ret_any)
{
	size_t frames = profile->frames.count;

	*ret_any = false;
	for (size_t i = 0; i < frames; i++) {
		const struct line_level *levels;
		size_t count = profile_find_levels(profile, &profile->frames.items[i], &levels);

		expansions[i].first = (uint32_t)profile->frames.count;
		for (size_t depth = 1; depth < count; depth++) {
			struct profile_frame frame = profile->frames.items[i];

			frame.inline_depth = (uint16_t)depth;
			if (profile->frames.count >= NO_NUMBER - 1 || array_push(&profile->frames, frame) < 0)
				return -ENOMEM;
			expansions[i].count++;
			*ret_any = true;
		}
	}
	return 0;
}

static int push_node(struct profile *profile, uint32_t frame, uint32_t *node)
{
	if (profile->nodes.count >= NO_NUMBER - 1 ||
	    array_push(&profile->nodes, (struct profile_node){.parent = *node, .frame = frame}) < 0)
		return -ENOMEM;
	*node = (uint32_t)profile->nodes.count - 1;
	return 0;
}

/* A node's parent has a lower number than the node, before and after. */
static int expand_nodes(struct profile *profile, const struct expansion *expansions, uint32_t *moved)
{
	_cleanup_free_ struct profile_node *nodes = profile->nodes.items;
	size_t count = profile->nodes.count;
	int r;

	profile->nodes.items = NULL;
	profile->nodes.count = profile->nodes.capacity = 0;
	r = array_push(&profile->nodes, nodes[0]);
	for (size_t i = 1; i < count && !r; i++) {
		const struct expansion *expansion = &expansions[nodes[i].frame];

		moved[i] = moved[nodes[i].parent];
		r = push_node(profile, nodes[i].frame, &moved[i]);
		for (uint32_t k = 0; k < expansion->count && !r; k++)
			r = push_node(profile, expansion->first + k, &moved[i]);
	}
	return r;
}

static void move_all(struct profile *profile, const uint32_t *moved)
{
	for (size_t i = 0; i < profile->entries.count; i++)
		profile->entries.items[i].node = moved[profile->entries.items[i].node];
	for (size_t i = 0; i < profile->walk_tasks.count; i++)
		profile->walk_tasks.items[i].node = moved[profile->walk_tasks.items[i].node];
	for (size_t i = 0; i < profile->kept.count; i++)
		profile->kept.items[i].node = moved[profile->kept.items[i].node];
	for (size_t i = 0; i < profile->waits.count; i++) {
		struct profile_wait *wait = &profile->waits.items[i];

		wait->node = moved[wait->node];
		wait->waker_node = moved[wait->waker_node];
	}
	for (size_t i = 0; i < profile->throughout.count; i++)
		profile->throughout.items[i].node = moved[profile->throughout.items[i].node];
}

int profile_expand_inlines(struct profile *profile)
{
	_cleanup_free_ struct expansion *expansions = NULL;
	_cleanup_free_ uint32_t *moved = NULL;
	bool any = false;
	int r;

	if (profile->names.quick)
		return 0;
	expansions = calloc(profile->frames.count + 1, sizeof(*expansions));
	moved = calloc(profile->nodes.count + 1, sizeof(*moved));
	r = expansions && moved ? 0 : -ENOMEM;
	if (!r)
		r = resolve_frames(profile);
	if (!r)
		r = expand_frames(profile, expansions, &any);
	if (r < 0 || !any)
		return r;
	r = expand_nodes(profile, expansions, moved);
	if (!r)
		move_all(profile, moved);
	return r;
}
