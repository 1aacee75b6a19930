/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_lists.h"

#include <errno.h>
#include <string.h>

#include "format/call_names.h"

enum { TRIGGERS_MAX = 65536, BUDGETS_MAX = 65536 };
enum { UNSURE_MAX = 4096, COUNTERS_MAX = 2 * RWK_MAX_CPUS }; /* each new one is compared to all */

/* --- what waits were for --- */

struct wanted {
	const struct trace_model *model;
	uint32_t number;
};

static bool same_object(const void *context, uint32_t place)
{
	const struct wanted *wanted = context;

	return wanted->model->objects.items[place].about.number == wanted->number;
}

struct trace_object *trace_model_object(const struct trace_model *model, uint32_t number)
{
	const struct wanted wanted = {model, number};
	uint32_t hash = index_table_hash(&model->object_table, number, 0);
	const struct index_slot *slot = index_table_lookup(&model->object_table, hash, same_object, &wanted);

	return slot ? &model->objects.items[slot->number - 1] : NULL;
}

size_t trace_model_call_name(const struct trace_model *model, uint64_t call, const char **ret_name)
{
	const char *machine = trace_model_meta(model, "machine");
	bool compat = (call & ((1 << WAIT_CALL_BITS) - 1)) == WAIT_IN_COMPAT_CALL;

	return call_name(call_table_of(machine ? machine : "", compat), call >> WAIT_CALL_BITS, ret_name);
}

/* *ret_object is NULL if the number is invalid. */
static int find(struct trace_model *model, uint32_t number, struct trace_object **ret_object)
{
	const struct wanted wanted = {model, number};
	uint32_t hash = index_table_hash(&model->object_table, number, 0);
	struct index_slot *slot;

	*ret_object = NULL;
	if (!number || number > RWK_MAX_OBJECTS) {
		model->unknown_records++;
		return 0;
	}
	slot = index_table_find(&model->object_table, hash, same_object, &wanted);
	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&model->objects, (struct trace_object){.about = {.number = number}, .path = ""}) < 0)
			return -ENOMEM;
		index_table_set(&model->object_table, slot, hash, (uint32_t)(model->objects.count - 1));
	}
	*ret_object = &model->objects.items[slot->number - 1];
	return 0;
}

int trace_lists_object(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_object *object;
	int r = find(model, event->object.number, &object);

	(void)chunk;
	if (r < 0 || !object)
		return r;
	object->about = event->object;
	object->about.name = (struct event_text){0}; /* it is valid during this call only */
	if (object->about.kind != OBJECT_LOCK && object->about.kind != OBJECT_BLOCK)
		return 0;
	return text_pool_add(&model->texts, event->object.name.bytes, event->object.name.length, &object->path);
}

static bool is_address(const struct event_text *text)
{
	return text->length == RWK_MAX_ADDRESS;
}

int trace_lists_object_name(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_object_name *name = &event->object_name;
	struct trace_object *object;
	int r = find(model, name->number, &object);

	(void)chunk;
	if (r < 0 || !object)
		return r;
	object->has_addresses = is_address(&name->address) && is_address(&name->peer_address);
	if (object->has_addresses) {
		memcpy(object->address, name->address.bytes, RWK_MAX_ADDRESS);
		memcpy(object->peer_address, name->peer_address.bytes, RWK_MAX_ADDRESS);
	}
	return text_pool_add(&model->texts, name->path.bytes, name->path.length, &object->path);
}

/* --- control groups --- */

struct wanted_cgroup {
	const struct trace_model *model;
	uint64_t id;
};

static bool same_cgroup(const void *context, uint32_t place)
{
	const struct wanted_cgroup *wanted = context;

	return wanted->model->cgroups.items[place].id == wanted->id;
}

const struct trace_cgroup *trace_model_cgroup(const struct trace_model *model, uint64_t id)
{
	const struct wanted_cgroup wanted = {model, id};
	uint32_t hash = index_table_hash(&model->cgroup_table, id, 0);
	const struct index_slot *slot = index_table_lookup(&model->cgroup_table, hash, same_cgroup, &wanted);

	return slot ? &model->cgroups.items[slot->number - 1] : NULL;
}

static int find_cgroup(struct trace_model *model, uint64_t id, struct trace_cgroup **ret_cgroup)
{
	const struct wanted_cgroup wanted = {model, id};
	uint32_t hash = index_table_hash(&model->cgroup_table, id, 0);
	struct index_slot *slot = index_table_find(&model->cgroup_table, hash, same_cgroup, &wanted);

	if (!slot)
		return -ENOMEM;
	if (!slot->number) {
		if (array_push(&model->cgroups, (struct trace_cgroup){.id = id, .path = ""}) < 0)
			return -ENOMEM;
		index_table_set(&model->cgroup_table, slot, hash, (uint32_t)(model->cgroups.count - 1));
	}
	*ret_cgroup = &model->cgroups.items[slot->number - 1];
	return 0;
}

int trace_lists_cgroup(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_cgroup *record = &event->cgroup;
	struct trace_cgroup *cgroup;
	int r = find_cgroup(model, record->id, &cgroup);

	(void)chunk;
	if (r < 0)
		return r;
	if (record->flags & CGROUP_REMOVED)
		cgroup->removed = record->time;
	else
		cgroup->made = record->time;
	cgroup->initial |= !!(record->flags & CGROUP_INITIAL);
	if (!record->path.length)
		return 0;
	return text_pool_add(&model->texts, record->path.bytes, record->path.length, &cgroup->path);
}

/* --- the recording's own --- */

/* A linear search is enough: the recorder limits their number. */
int trace_lists_unsure(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_unsure *record = &event->unsure;

	(void)chunk;
	for (size_t i = 0; i < model->unsure.count; i++) {
		struct event_unsure *known = &model->unsure.items[i];

		if (known->cpu != record->cpu || known->time != record->time)
			continue;
		if (record->until > known->until)
			*known = *record;
		return 0;
	}
	if (model->unsure.count == UNSURE_MAX) {
		model->unknown_records++;
		return 0;
	}
	return array_push(&model->unsure, *record);
}

int trace_lists_window(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	(void)chunk;
	model->window = event->window;
	return 0;
}

int trace_lists_trigger(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	struct trace_trigger trigger = {.about = event->trigger};
	const struct event_text *rule = &event->trigger.rule, *comm = &event->trigger.comm;
	int r;

	(void)chunk;
	if (model->triggers.count == TRIGGERS_MAX) {
		model->unknown_records++;
		return 0;
	}
	r = text_pool_add(&model->texts, rule->bytes, rule->length, &trigger.rule);
	if (!r)
		r = text_pool_add(&model->texts, comm->bytes, comm->length, &trigger.comm);
	return r < 0 ? r : array_push(&model->triggers, trigger);
}

/* A record that is older than the previous one is damaged, or from another section's time. */
int trace_lists_budget(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const size_t count = model->budgets.count;
	const struct event_budget *last = count ? &model->budgets.items[count - 1] : NULL;

	(void)chunk;
	if (count == BUDGETS_MAX || (last && event->budget.time < last->time)) {
		model->unknown_records++;
		return 0;
	}
	return last && last->step == event->budget.step ? 0 : array_push(&model->budgets, event->budget);
}

const struct trace_trigger *trace_model_reason(const struct trace_model *model)
{
	for (size_t i = model->window.dump ? model->triggers.count : 0; i-- > 0;)
		if (model->triggers.items[i].about.dump == model->window.dump)
			return &model->triggers.items[i];
	return NULL;
}

int trace_lists_counter(struct trace_model *model, uint32_t chunk, const struct event *event)
{
	const struct event_counter *record = &event->counter;
	counter_list *list = record->time <= model->window.since ? &model->counters_before : &model->counters;

	(void)chunk;
	for (size_t i = list->count; i-- > 0;) { /* usually it is the last one, or there is none */
		struct event_counter *known = &list->items[i];

		if (known->source != record->source || known->cpu != record->cpu)
			continue;
		if (record->time >= known->time)
			*known = *record;
		return 0;
	}
	if (list->count == COUNTERS_MAX) {
		model->unknown_records++;
		return 0;
	}
	return array_push(list, *record);
}
