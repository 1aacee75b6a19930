/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/view.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/export/export.h"
#include "report/view/text/object_text.h"
#include "report/view/text/object_texts.h"
#include "report/view/text/page.h"

/*
 * --export speedscope: a "sampled" profile for each source and host. A sample is a stack, from the comm to the leaf as
 * in --folded, with the sum of its weights, lightest first. In a container, the stack begins with the container; for
 * waits and walked tasks, it ends with what they were for, or its kind if there are too many different things. The
 * unit is ns if that is the unit of the source's weight, else none.
 */

enum { SOURCE, HOST, FRAMES }; /* a sum's key: source, host, numbers of frames */

struct sum {
	uint64_t weight;
	const uint32_t *key;
	size_t length;
};

struct scope {
	struct export export;
	struct hash_map frames, sums; /* name, LF, module: the frame's number. Key: weight */
	ARRAY(uint32_t) key; /* being made */
	struct json list; /* of frames; it writes to text: */
	char *text;
	size_t length;
};

static void scope_deinit(struct scope *scope)
{
	export_close(&scope->export);
	hash_map_deinit(&scope->frames);
	hash_map_deinit(&scope->sums);
	array_free(&scope->key);
	if (scope->list.out)
		(void)fclose(scope->list.out);
	free(scope->text);
}

static int scope_init(struct scope *scope, const struct view_context *context)
{
	int r = export_open(&scope->export, context);

	if (!r)
		r = hash_map_init(&scope->frames);
	if (!r)
		r = hash_map_init(&scope->sums);
	json_init(&scope->list, open_memstream(&scope->text, &scope->length));
	return r < 0 ? r : scope->list.out ? 0 : -ENOMEM;
}

/* --- the frames of a stack --- */

/* Adds a frame to the key, and to the list if it is new. The texts are printable. */
static void add_frame(void *owner, const char *name, const char *after, const char *module)
{
	struct scope *scope = owner;
	_cleanup_free_ char *text = NULL;
	int length = asprintf(&text, "%s%s\n%s", name, after, module), r = -ENOMEM;
	uint64_t *number;

	if (length >= 0)
		r = hash_map_add(&scope->frames, text, (size_t)length, scope->frames.count, &number);
	export_check(&scope->export, r < 0 ? r : array_push(&scope->key, (uint32_t)*number));
	if (r <= 0)
		return;
	*strchr(text, '\n') = '\0'; /* printable names have none */
	json_write(&scope->list, "\n{'name':%s", text);
	if (module[0])
		json_write(&scope->list, "'file':%s", module);
	json_write(&scope->list, "}");
}

/* "container 3f4e5d6c7b8a" if it is in one, and "comm", or "comm-123" if split by process. */
static void add_owner(struct scope *scope, const struct profile_task *task)
{
	_cleanup_free_ char *comm = printable_copy(task->comm);
	const char *container = profile_container(task->cgroup);
	char pid[16] = "";

	export_check(&scope->export, comm ? 0 : -ENOMEM);
	if (*container)
		add_frame(scope, "container ", container, "");
	if (scope->export.context->settings->per_process)
		(void)snprintf(pid, sizeof(pid), "-%" PRIu32, task->tgid);
	add_frame(scope, comm ? comm : "", pid, "");
}

/* What it waited for, by its text, or its kind if there are too many. */
static void add_object(struct scope *scope, uint32_t number)
{
	const struct profile_object *objects, *object;
	const bool few = profile_objects(scope->export.context->profile, &objects) <= OBJECT_TEXTS_FEW;
	_cleanup_free_ char *text = NULL;

	if (!number)
		return;
	object = &objects[number];
	export_check(&scope->export, few ? object_to_text(object, &text) : 0);
	add_frame(scope, object->kind == PROFILE_OBJECT_CHILD || object->kind == PROFILE_OBJECT_SLEEP ? "" : "on ",
		  text ? text : object_kind_name(object->kind), "");
}

/* --- sums --- */

static void add_sum(struct scope *scope, const struct export_event *event, uint64_t weight)
{
	const struct profile_task *task = &scope->export.tasks[event->of.task];
	uint64_t *sum = NULL;

	scope->key.count = 0;
	export_check(&scope->export, array_push(&scope->key, event->of.source));
	export_check(&scope->export, array_push(&scope->key, task->host));
	add_owner(scope, task);
	export_frames(&scope->export, event, add_frame, scope);
	add_object(scope, event->of.object);
	export_check(&scope->export, hash_map_add(&scope->sums, scope->key.items,
						  scope->key.count * sizeof(uint32_t), 0, &sum));
	if (sum)
		*sum += weight;
}

static int compare_stacks(const void *left, const void *right)
{
	const struct export_event *l = left, *r = right;

	return memcmp(&l->of, &r->of, sizeof(l->of));
}

static void add_sums(struct scope *scope)
{
	const size_t count = scope->export.events.count;
	struct export_event *events = scope->export.events.items;

	if (count)
		qsort(events, count, sizeof(*events), compare_stacks);
	for (size_t i = 0, next; i < count && !scope->export.error; i = next) {
		uint64_t weight = 0;

		for (next = i; next < count && !compare_stacks(&events[i], &events[next]); next++)
			weight += events[next].weight;
		add_sum(scope, &events[i], weight);
	}
}

/* By source and host, lightest first; at equal weights in any order that is always the same. */
static int compare_sums(const void *left, const void *right)
{
	const struct sum *l = left, *r = right;
	int order = memcmp(l->key, r->key, FRAMES * sizeof(uint32_t));

	if (order || l->weight != r->weight)
		return order ? order : l->weight < r->weight ? -1 : 1;
	order = memcmp(l->key, r->key, (l->length < r->length ? l->length : r->length) * sizeof(uint32_t));
	return order ? order : (l->length > r->length) - (l->length < r->length);
}

/* --- profiles --- */

static void write_title(struct scope *scope, const struct profile_source *source, uint32_t host)
{
	const char *name = profile_host_name(scope->export.context->profile, host);
	const char *kind = page_kind_name(source->kind);
	struct json *json = &scope->export.json;

	json_write(json, "'");
	(void)fputs(kind, json->out);
	if (source->name[0] && strcmp(source->name, kind) != 0) {
		(void)putc_unlocked(' ', json->out);
		json_escape_name(json, source->name);
	}
	(void)fputs(name[0] ? ", " : "", json->out);
	json_escape_name(json, name);
	if (scope->export.reader.waits.several_hosts)
		(void)fprintf(json->out, " (host %" PRIu32 ")", host);
	(void)putc_unlocked('"', json->out);
}

/* Writes the profile of some sums, which are of one source and host. */
static void write_profile(struct scope *scope, const struct sum *sums, size_t count)
{
	const struct profile_source *source = &scope->export.reader.sources[sums->key[SOURCE]];
	struct json *json = &scope->export.json;
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += sums[i].weight;
	json_write(json, "\n{'type':'sampled','name':");
	write_title(scope, source, sums->key[HOST]);
	json_write(json, "'unit':%s,'startValue':0,'endValue':%ju,'samples':[",
		   strcmp(source->weight_unit, "ns") ? "none" : "nanoseconds", total);
	for (size_t i = 0; i < count; i++) {
		json_write(json, "\n[");
		for (size_t frame = FRAMES; frame < sums[i].length; frame++)
			json_write(json, "%u", sums[i].key[frame]);
		json_write(json, "]");
	}
	json_write(json, "\n],'weights':[");
	for (size_t i = 0; i < count; i++)
		json_write(json, "%ju", sums[i].weight);
	json_write(json, "]}");
}

static int write_profiles(struct scope *scope)
{
	_cleanup_free_ struct sum *sums = calloc(scope->sums.count + 1, sizeof(*sums));
	size_t cursor = 0, count = 0, bytes;
	const void *key;
	uint64_t weight;

	if (!sums)
		return -ENOMEM;
	while (hash_map_next(&scope->sums, &cursor, &key, &bytes, &weight))
		sums[count++] = (struct sum){.weight = weight, .key = key, .length = bytes / sizeof(uint32_t)};
	qsort(sums, count, sizeof(*sums), compare_sums);
	for (size_t i = 0, next; i < count; i = next) {
		for (next = i; next < count && !memcmp(sums[i].key, sums[next].key, FRAMES * sizeof(uint32_t));)
			next++;
		write_profile(scope, &sums[i], next - i);
	}
	return 0;
}

int speedscope_view(const struct view_context *context, uint32_t number, const struct profile_source *all)
{
	_cleanup_(scope_deinit) struct scope scope = {0};
	struct json *json = &scope.export.json;
	int r = scope_init(&scope, context);

	(void)number;
	(void)all;
	if (r < 0)
		return r;
	json_write(&scope.list, "[");
	add_sums(&scope);
	json_write(&scope.list, "\n]");
	if (scope.export.error || scope.list.failed || fflush(scope.list.out) != 0)
		return scope.export.error ? scope.export.error : -ENOMEM;
	json_write(json, "{'$schema':'https://www.speedscope.app/file-format-schema.json',"
			 "'exporter':'rwalker-report','profiles':[");
	export_check(&scope.export, write_profiles(&scope));
	json_write(json, "\n],'shared':{'frames':");
	(void)fwrite_unlocked(scope.text, 1, scope.length, context->out);
	json_write(json, "}}");
	return export_end(&scope.export);
}
