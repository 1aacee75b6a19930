/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "report/profile/profile_internal.h"
#include "report/symbol/modules.h"

/* --- profile intern --- */

/* Equal texts have the same pointer, so structs with names can be compared by pointers. */
static int intern_text(struct profile *profile, const char *text, const char **ret_text)
{
	return text_pool_add(&profile->texts, text, strlen(text), ret_text);
}

struct wanted_host {
	const struct profile *profile;
	struct profile_host host;
};

static bool same_host(const void *context, uint32_t number)
{
	const struct wanted_host *wanted = context;
	const struct profile_host *host = &wanted->profile->hosts.items[number];

	return host->boot_id == wanted->host.boot_id && host->name == wanted->host.name;
}

int profile_intern_host(struct profile *profile, const struct trace_model *model, uint32_t *ret_host)
{
	struct wanted_host wanted = {.profile = profile};
	struct index_slot *slot;
	uint32_t hash;

	if (intern_text(profile, model->boot_id, &wanted.host.boot_id) < 0 ||
	    intern_text(profile, model->host, &wanted.host.name) < 0)
		return -ENOMEM;
	*ret_host = (uint32_t)profile->hosts.count;
	if (!model->boot_id[0] && !model->host[0])
		return array_push(&profile->hosts, wanted.host);
	hash = index_table_hash(&profile->host_table, (uintptr_t)wanted.host.boot_id,
				(uintptr_t)wanted.host.name);
	slot = index_table_find(&profile->host_table, hash, same_host, &wanted);
	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&profile->hosts, wanted.host) < 0)
			return -ENOMEM;
		index_table_set(&profile->host_table, slot, hash, (uint32_t)(profile->hosts.count - 1));
	}
	*ret_host = slot->number - 1;
	return 0;
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

struct wanted_source {
	const struct profile *profile;
	struct profile_source source;
	struct source_notes notes;
};

static bool same_source(const void *context, uint32_t number)
{
	const struct wanted_source *wanted = context;
	const struct profile_source *source = &wanted->profile->sources.items[number];

	return source->kind == wanted->source.kind && source->name == wanted->source.name &&
	       wanted->profile->source_notes.items[number].unit == wanted->notes.unit;
}

int profile_intern_source(struct profile *profile, const struct trace_model *model,
			  const struct trace_source *source, uint32_t *ret_source)
{
	struct wanted_source wanted = {.profile = profile,
				       .source = {.kind = profile_kind_of(source->event.kind),
						  .weight_unit = "samples"},
				       .notes = {.unit = unit_of(source->event.weight)}};
	int r = intern_text(profile, source->name, &wanted.source.name);
	uint32_t hash = index_table_hash(&profile->source_table, (uintptr_t)wanted.source.name,
					 (uint64_t)wanted.source.kind << 8 |
						 (unsigned char)wanted.notes.unit[0]);
	struct index_slot *slot = index_table_find(&profile->source_table, hash, same_source, &wanted);

	if (r < 0 || !slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&profile->sources, wanted.source) < 0 ||
		    array_push(&profile->source_notes, wanted.notes) < 0)
			return -ENOMEM;
		index_table_set(&profile->source_table, slot, hash, (uint32_t)(profile->sources.count - 1));
	}
	describe_source(model, source, &profile->sources.items[slot->number - 1]);
	*ret_source = slot->number - 1;
	return 0;
}

/* --- probes --- */

struct wanted_probe {
	const struct profile_probe *probes;
	uint32_t source;
	const char *name;
};

static bool same_probe(const void *context, uint32_t number)
{
	const struct wanted_probe *wanted = context;

	return wanted->probes[number].source == wanted->source && wanted->probes[number].name == wanted->name;
}

int profile_intern_probe(struct profile *profile, uint32_t source, const char *name, uint32_t *ret_probe)
{
	struct wanted_probe wanted = {.probes = profile->probes.items, .source = source};
	int r = intern_text(profile, name, &wanted.name);
	uint32_t hash = index_table_hash(&profile->probe_table, (uintptr_t)wanted.name, source);
	struct index_slot *slot = index_table_find(&profile->probe_table, hash, same_probe, &wanted);

	if (r < 0 || !slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&profile->probes, (struct profile_probe){.source = source,
									.name = wanted.name,
									.counted = true}) < 0 ||
		    array_push(&profile->probe_wanted, false) < 0)
			return -ENOMEM;
		index_table_set(&profile->probe_table, slot, hash, (uint32_t)(profile->probes.count - 1));
	}
	*ret_probe = slot->number - 1;
	return 0;
}

/*
 * --- tasks: a task that changes its name, or is moved to another cgroup, becomes a new one, so each sample has those
 * of its time. Where the cgroup was not recorded, as for wakers, it is the first one that the task was seen in. ---
 */

struct wanted_task {
	const struct profile *profile;
	struct profile_task task;
};

static bool same_task(const void *context, uint32_t number)
{
	const struct wanted_task *wanted = context;
	const struct profile_task *task = &wanted->profile->tasks.items[number];

	return task->tid == wanted->task.tid && task->tgid == wanted->task.tgid &&
	       task->start == wanted->task.start && task->host == wanted->task.host &&
	       task->comm == wanted->task.comm && task->kernel_thread == wanted->task.kernel_thread;
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

static int add_task(struct profile *profile, const struct profile_task *task)
{
	if (array_push(&profile->tasks, *task) < 0 ||
	    array_push(&profile->task_wanted, is_wanted(profile->filter, task)) < 0)
		return -ENOMEM;
	return 0;
}

static bool same_moved_task(const void *context, uint32_t number)
{
	const struct wanted_task *wanted = context;

	return wanted->profile->tasks.items[number].cgroup == wanted->task.cgroup && same_task(context, number);
}

/* task_table finds tasks whatever their cgroup: each with that of its first record. The others are in moved_table. */
static int find_task(struct profile *profile, struct index_table *table, const struct wanted_task *wanted,
		     uint32_t hash, uint32_t *ret_task)
{
	struct index_slot *slot =
		index_table_find(table, hash, table == &profile->task_table ? same_task : same_moved_task, wanted);

	if (!slot || (!slot->number && add_task(profile, &wanted->task) < 0))
		return -ENOMEM;
	if (!slot->number)
		index_table_set(table, slot, hash, (uint32_t)(profile->tasks.count - 1));
	*ret_task = slot->number - 1;
	return 0;
}

int profile_intern_task(struct profile *profile, uint32_t host, const struct event_task *task,
			const struct profile_cgroup *cgroup, uint32_t *ret_task)
{
	struct wanted_task wanted = {.profile = profile,
				     .task = {.host = host,
					      .tgid = task->tgid,
					      .tid = task->tid,
					      .start = task->start,
					      .cgroup = cgroup,
					      .kernel_thread = task->flags & TASK_KERNEL_THREAD}};
	struct profile_task *first;
	uint32_t hash;
	int r = text_pool_add(&profile->texts, task->comm, strnlen(task->comm, sizeof(task->comm)),
			      &wanted.task.comm);

	hash = index_table_hash(&profile->task_table, (uint64_t)task->tid << 32 | host,
				task->start ^ (uintptr_t)wanted.task.comm);
	if (!r)
		r = find_task(profile, &profile->task_table, &wanted, hash, ret_task);
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
	return find_task(profile, &profile->moved_table, &wanted, hash, ret_task);
}

/* --- frames and nodes --- */

struct wanted_frame {
	const struct profile *profile;
	const struct profile_frame *frame;
};

static bool same_frame(const void *context, uint32_t number)
{
	const struct wanted_frame *wanted = context;
	const struct profile_frame *frame = &wanted->profile->frames.items[number];

	return frame->address == wanted->frame->address && frame->module == wanted->frame->module &&
	       frame->kernel == wanted->frame->kernel && frame->caller == wanted->frame->caller &&
	       frame->note == wanted->frame->note &&
	       (!(wanted->profile->filter->needs & PROFILE_EACH_ADDRESS) ||
		frame->run_time_address == wanted->frame->run_time_address);
}

int profile_intern_frame(struct profile *profile, const struct profile_frame *frame, uint32_t *ret_frame)
{
	struct wanted_frame wanted = {.profile = profile, .frame = frame};
	uint32_t hash = index_table_hash(&profile->frame_table, frame->address,
					 ((uint64_t)frame->note << 40 | (uint64_t)frame->module << 2) ^
						 ((unsigned int)frame->kernel << 1 | frame->caller));
	struct index_slot *slot = index_table_find(&profile->frame_table, hash, same_frame, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (profile->frames.count >= NO_NUMBER - 1 || array_push(&profile->frames, *frame) < 0 ||
		    array_push(&profile->overhead, OVERHEAD_UNKNOWN) < 0)
			return -ENOMEM;
		index_table_set(&profile->frame_table, slot, hash, (uint32_t)(profile->frames.count - 1));
	}
	*ret_frame = slot->number - 1;
	return 0;
}

struct wanted_node {
	const struct profile_node *nodes;
	struct profile_node node;
};

static bool same_node(const void *context, uint32_t number)
{
	const struct wanted_node *wanted = context;
	const struct profile_node *node = &wanted->nodes[number];

	return node->parent == wanted->node.parent && node->frame == wanted->node.frame;
}

int profile_intern_node(struct profile *profile, uint32_t parent, uint32_t frame, uint32_t *ret_node)
{
	struct wanted_node wanted = {.nodes = profile->nodes.items,
				     .node = {.parent = parent, .frame = frame}};
	uint32_t hash = index_table_hash(&profile->node_table, (uint64_t)parent << 32 | frame, 0);
	struct index_slot *slot = index_table_find(&profile->node_table, hash, same_node, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (profile->nodes.count >= NO_NUMBER - 1 || array_push(&profile->nodes, wanted.node) < 0)
			return -ENOMEM;
		index_table_set(&profile->node_table, slot, hash, (uint32_t)(profile->nodes.count - 1));
	}
	*ret_node = slot->number - 1;
	return 0;
}

/* --- entries --- */

struct wanted_entry {
	const struct profile_entry *entries, *entry;
};

static bool same_entry(const void *context, uint32_t number)
{
	const struct wanted_entry *wanted = context;
	const struct profile_entry *entry = &wanted->entries[number];

	return entry->node == wanted->entry->node && entry->task == wanted->entry->task &&
	       entry->source == wanted->entry->source && entry->flags == wanted->entry->flags &&
	       entry->cpu == wanted->entry->cpu;
}

int profile_add_entry(struct profile *profile, const struct profile_entry *entry)
{
	struct wanted_entry wanted = {.entries = profile->entries.items, .entry = entry};
	uint32_t hash = index_table_hash(&profile->entry_table, (uint64_t)entry->node << 32 | entry->task,
					 (uint64_t)entry->source << 32 | (uint32_t)entry->cpu << 16 | entry->flags);
	struct index_slot *slot = index_table_find(&profile->entry_table, hash, same_entry, &wanted);

	if (!slot)
		return -ENOMEM;
	if (slot->number) {
		struct profile_entry *old = &profile->entries.items[slot->number - 1];

		old->samples += entry->samples;
		old->weight += entry->weight;
		old->run_queue += entry->run_queue;
		old->throttled += entry->throttled;
		return 0;
	}
	if (profile->entries.count >= NO_NUMBER - 1 || array_push(&profile->entries, *entry) < 0)
		return -ENOMEM;
	index_table_set(&profile->entry_table, slot, hash, (uint32_t)(profile->entries.count - 1));
	return 0;
}

/* --- profile levels --- */

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

/* --- inline --- */

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
