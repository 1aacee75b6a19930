/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/waits_on.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/log.h"
#include "common/printable.h"
#include "report/profile/figures.h"
#include "report/view/object_text.h"
#include "report/view/task_names.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"
#include "report/view/waits.h"

enum { MOST_KNOWN = 1 << 20 };

/* What is known holds for one profile only: another one has other numbers. */
static int begin(struct object_pattern *pattern, const struct profile *profile)
{
	if (pattern->known.table.slots && pattern->profile == profile && pattern->known.entries.count < MOST_KNOWN)
		return 0;
	hash_map_deinit(&pattern->known);
	pattern->profile = profile;
	return hash_map_init(&pattern->known);
}

static int write_text(const struct profile *profile, const struct profile_wait *wait, char **ret_text)
{
	struct waits waits = {.profile = profile};
	size_t length, count;
	uint32_t thing;
	FILE *stream;

	(void)profile_objects(profile, &waits.objects);
	(void)profile_operations(profile, &waits.operations);
	waits.tasks = profile_tasks(profile, &count);
	stream = open_memstream(ret_text, &length);
	if (!stream)
		return -ENOMEM;
	thing = wait->object;
	if (thing)
		(void)fprintf(stream, "%s ", object_kind_name(waits.objects[thing].kind));
	wait_write_object(stream, "", &waits, wait);
	return fclose(stream) ? -ENOMEM : 0;
}

static int matches(const struct object_pattern *pattern, const struct profile *profile, const struct profile_wait *wait)
{
	_cleanup_free_ char *text = NULL;
	int r = write_text(profile, wait, &text);

	return r < 0 ? r : *text && !regexec(&pattern->expression, text, 0, NULL, 0);
}

static int passes(void *context, const struct profile *profile, const struct profile_wait *wait)
{
	struct object_pattern *pattern = context;
	const struct wait_text_key key = wait_text_key_of(wait);
	const uint64_t *known;
	int r;

	if (!wait->object && !wait->operation)
		return 0;
	r = begin(pattern, profile);
	if (r < 0)
		return r;
	known = hash_map_find(&pattern->known, &key, sizeof(key));
	if (known)
		return (int)*known;
	r = matches(pattern, profile, wait);
	return r < 0 || hash_map_add(&pattern->known, &key, sizeof(key), (uint64_t)r, NULL) < 0 ? -ENOMEM : r;
}

struct profile_wait_test object_pattern_test(struct object_pattern *pattern)
{
	return (struct profile_wait_test){passes, pattern};
}

void object_pattern_deinit(struct object_pattern *pattern)
{
	hash_map_deinit(&pattern->known);
	regfree(&pattern->expression);
}

/* --- wait objects --- */

/*
 * The blocked waits of a source by what they were for, the descriptor that ended those for several,
 * the call, the comm that waited, and its container. Objects that read the same are one, also those
 * of several recordings. Ordered by sum, then text, call, what ended them, comm and container.
 */

struct wait_object_row {
	struct object_key object; /* of `texts` */
	uint32_t comm;
	const struct profile_cgroup *cgroup; /* one of its container; NULL if in none or not known */
	struct object_alike alike;
	size_t first, count; /* lengths[first ...], ascending */
	uint64_t blocked, run_queue; /* ns within the recording and the requested times */
};

struct wait_object_count {
	size_t waits;
	uint64_t weight;
};

struct wait_objects {
	struct waits waits;
	struct task_names names;
	struct object_texts texts;
	struct wait_object_row *rows;
	size_t row_count;
	uint64_t *lengths;
	uint64_t weight; /* of all rows */
	bool containers; /* some waits were in a container */
	struct wait_object_count runnable, unknown; /* waits in no row */
};

/* The percentile of its waits' lengths, by nearest rank. */
static uint64_t wait_objects_rank(const struct wait_objects *objects, const struct wait_object_row *row,
					 unsigned int percent)
{
	return objects->lengths[row->first + (row->count * percent + 99) / 100 - 1];
}

struct member {
	uint64_t length;
	uint32_t row;
};

struct row_key { /* without padding */
	struct object_key object;
	uint64_t comm;
	const char *container, *id; /* equal texts of a profile are one */
};

struct sorter {
	struct wait_objects *objects;
	const struct view_context *context;
	struct hash_map known_rows;
	ARRAY(struct wait_object_row) rows;
	ARRAY(struct member) members;
};

static void sorter_deinit(struct sorter *sorter)
{
	hash_map_deinit(&sorter->known_rows);
	array_free(&sorter->members);
	array_free(&sorter->rows);
}

/* --- rows --- */

static const struct profile_cgroup *container_of(struct sorter *sorter, uint32_t task)
{
	const struct profile_cgroup *cgroup = sorter->objects->waits.tasks[task].cgroup;

	if (!*profile_container(cgroup))
		return NULL;
	sorter->objects->containers = true;
	return cgroup;
}

static int add_to_row(struct sorter *sorter, uint32_t number, const struct object_key *object)
{
	const struct profile_wait *wait = &sorter->objects->waits.items[number];
	const struct profile_cgroup *cgroup = container_of(sorter, wait->task);
	const struct row_key key = {*object, sorter->objects->names.comm_of[wait->task],
				    cgroup ? cgroup->container : "", cgroup ? cgroup->id : ""};
	uint64_t run_queue = wait->run_queue < wait->weight ? wait->run_queue : wait->weight, *known;
	struct wait_object_row *row;
	int r = hash_map_add(&sorter->known_rows, &key, sizeof(key), sorter->rows.count, &known);

	if (r > 0)
		r = array_push(&sorter->rows, (struct wait_object_row){.object = *object, .comm = (uint32_t)key.comm,
								       .cgroup = cgroup});
	if (r < 0)
		return r;
	row = &sorter->rows.items[*known];
	if (row->count++)
		object_alike_add(&row->alike, &sorter->objects->waits, wait, object);
	else
		object_alike_begin(&row->alike, wait);
	row->blocked = wait_add(row->blocked, wait->weight - run_queue);
	row->run_queue = wait_add(row->run_queue, run_queue);
	sorter->objects->weight = wait_add(sorter->objects->weight, wait->weight);
	return array_push(&sorter->members, (struct member){wait_length(wait), (uint32_t)*known});
}

static void leave_out(struct wait_object_count *count, const struct profile_wait *wait)
{
	count->waits++;
	count->weight = wait_add(count->weight, wait->weight);
}

static int add_wait(struct sorter *sorter, uint32_t number)
{
	const struct profile_wait *wait = &sorter->objects->waits.items[number];
	const uint32_t wanted = sorter->context->settings->waits_on;
	const uint32_t thing = wait->object;
	struct object_key key;

	if (wait->wait_class != WAIT_BLOCKED) {
		leave_out(&sorter->objects->runnable, wait);
		return 0;
	}
	if (!wait_has_object(&sorter->objects->waits, wait)) {
		leave_out(&sorter->objects->unknown, wait);
		return 0;
	}
	if (wanted && (!thing || sorter->objects->waits.objects[thing].kind != wanted))
		return 0;
	return object_texts_key(&sorter->objects->texts, wait, true, &key) ?: add_to_row(sorter, number, &key);
}

static int add_waits(struct sorter *sorter, uint32_t source)
{
	const struct waits *waits = &sorter->objects->waits;
	int r = 0;

	for (uint32_t i = 0; i < waits->count && !r; i++)
		if (waits->items[i].source == source && wait_is_shown(&waits->items[i]))
			r = add_wait(sorter, i);
	return r;
}

/* --- order --- */

static int compare_members(const void *left, const void *right)
{
	const struct member *l = left, *r = right;

	return COMPARE(l->row, r->row) ?: COMPARE(l->length, r->length);
}

static int compare_objects(const struct wait_objects *objects, const struct object_key *left,
			   const struct object_key *right)
{
	const struct profile_operation *operations = objects->waits.operations;
	const struct object_texts *texts = &objects->texts;

	return strcmp(object_text(texts, left->thing), object_text(texts, right->thing)) ?:
	       strcmp(operations[left->operation].name, operations[right->operation].name) ?:
	       strcmp(object_text(texts, left->ready), object_text(texts, right->ready)) ?:
	       (int)left->timed_out - (int)right->timed_out;
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct wait_objects *objects = context;
	const struct wait_object_row *l = left, *r = right;
	const uint64_t of_l = wait_add(l->blocked, l->run_queue), of_r = wait_add(r->blocked, r->run_queue);

	return COMPARE(of_r, of_l) ?: compare_objects(objects, &l->object, &r->object) ?: COMPARE(l->comm, r->comm) ?:
	       strcmp(profile_container(l->cgroup), profile_container(r->cgroup)) ?:
	       strcmp(l->cgroup ? l->cgroup->id : "", r->cgroup ? r->cgroup->id : "");
}

static int finish(struct sorter *sorter)
{
	struct wait_objects *objects = sorter->objects;
	size_t count = sorter->members.count;

	objects->lengths = calloc(count + 1, sizeof(*objects->lengths));
	if (!objects->lengths)
		return -ENOMEM;
	if (count)
		qsort(sorter->members.items, count, sizeof(*sorter->members.items), compare_members);
	for (size_t i = count; i-- > 0;) {
		objects->lengths[i] = sorter->members.items[i].length;
		sorter->rows.items[sorter->members.items[i].row].first = i;
	}
	objects->rows = sorter->rows.items;
	objects->row_count = sorter->rows.count;
	sorter->rows.items = NULL;
	if (objects->row_count)
		qsort_r(objects->rows, objects->row_count, sizeof(*objects->rows), compare_rows, objects);
	return 0;
}

static int wait_objects_init(struct wait_objects *objects, const struct view_context *context, uint32_t source)
{
	_cleanup_(sorter_deinit) struct sorter sorter = {.objects = objects, .context = context};

	*objects = (struct wait_objects){0};
	return waits_init(&objects->waits, context->profile) ?:
	       task_names_init(&objects->names, context->profile) ?:
	       object_texts_init(&objects->texts, &objects->waits) ?:
	       hash_map_init(&sorter.known_rows) ?:
	       add_waits(&sorter, source) ?:
	       finish(&sorter);
}

static void wait_objects_deinit(struct wait_objects *objects)
{
	object_texts_deinit(&objects->texts);
	free(objects->rows);
	free(objects->lengths);
	task_names_deinit(&objects->names);
}

/* --- waits on --- */

/*
 * Blocked waits by what they were for, who waited, in which call, and what ended those for several
 * descriptors. The largest sum comes first.
 */

static void write_comm(FILE *out, const char *comm)
{
	enum { WIDTH = 15, ROOM = 4 * WIDTH + 1 };
	char text[ROOM];

	(void)printable_escape(text, sizeof(text), comm, strlen(comm));
	(void)fprintf(out, "%-*s ", WIDTH, text);
}

static void write_container(FILE *out, const struct profile_cgroup *cgroup)
{
	enum { WIDTH = 12, ROOM = 256 };
	const char *container = profile_container(cgroup);
	char text[ROOM];

	(void)printable_escape(text, sizeof(text), *container ? container : "-", *container ? strlen(container) : 1);
	(void)fprintf(out, "%-*s ", WIDTH, text);
}

static void write_row(const struct view_context *context, const struct wait_objects *objects,
		      const struct wait_object_row *row)
{
	const uint32_t thing = row->alike.wait.object;
	FILE *out = context->out;

	wait_write_ms(out, row->blocked);
	wait_write_ms(out, row->run_queue);
	(void)fprintf(out, " %8zu", row->count);
	wait_write_ms(out, wait_objects_rank(objects, row, 50));
	wait_write_ms(out, wait_objects_rank(objects, row, 99));
	wait_write_ms(out, wait_objects_rank(objects, row, 100));
	(void)fprintf(out, "  %-10s ", thing ? object_kind_name(objects->waits.objects[thing].kind) : "-");
	write_comm(out, objects->names.comms[row->comm]);
	if (objects->containers)
		write_container(out, row->cgroup);
	object_alike_write(out, "", &objects->waits, &row->alike);
	(void)fputc('\n', out);
}

static bool is_shown(const struct view_context *context, const struct wait_objects *objects, size_t number)
{
	const struct view_settings *settings = context->settings;
	const struct wait_object_row *row = &objects->rows[number];

	return (!settings->max_groups || number < settings->max_groups) &&
	       figure_reaches(row->blocked + row->run_queue, objects->weight, settings->min_share);
}

static void print_left(const struct wait_objects *objects, size_t shown, FILE *out)
{
	uint64_t weight = 0;

	for (size_t i = shown; i < objects->row_count; i++)
		weight += objects->rows[i].blocked + objects->rows[i].run_queue;
	if (shown < objects->row_count)
		(void)fprintf(out, "# lines not shown: %zu, %s%% in all\n", objects->row_count - shown,
			      figure_percent(weight, objects->weight).text);
	if (objects->runnable.waits)
		(void)fprintf(out, "# not among them, runnable all the time: %zu wait%s, %s ms\n",
			      objects->runnable.waits, plural(objects->runnable.waits),
			      figure_milliseconds(objects->runnable.weight).text);
	if (objects->unknown.waits)
		(void)fprintf(out, "# not among them, as what they were for is not known: %zu wait%s, %s ms\n",
			      objects->unknown.waits, plural(objects->unknown.waits),
			      figure_milliseconds(objects->unknown.weight).text);
}

static int show_waits_on(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(wait_objects_deinit) struct wait_objects objects;
	FILE *out = context->out;
	size_t shown = 0;
	int r = wait_objects_init(&objects, context, number);

	(void)source;
	if (r < 0)
		return r;
	(void)fputs("# ms of each object; what was waited for longest stands first; "
		    "p50, p99 and longest: of single waits\n", out);
	(void)fprintf(out, "#%12s%13s%9s%13s%13s%13s  %-10s %-15s %s%s\n", "blocked", "run queue", "waits", "p50",
		      "p99", "longest", "kind", "who", objects.containers ? "container    " : "", "what");
	for (; shown < objects.row_count && is_shown(context, &objects, shown); shown++)
		write_row(context, &objects, &objects.rows[shown]);
	print_left(&objects, shown, out);
	return 0;
}

static int parse_kind(struct view_settings *settings, const char *value)
{
	enum object_kind kind = value ? object_kind_find(value) : OBJECT_NONE;

	settings->waits_on = kind;
	if (kind == OBJECT_KINDS)
		return log_error(EINVAL, "--waits-on must be %s, not '%s'", object_kind_names, value);
	return 0;
}

const struct view waits_on_view = {
	VIEW_ARGUMENT("waits-on", "[=KIND]", .help = "what was waited for: files, pipes, sockets ...", .often = true),
	.print = show_waits_on, .parse = parse_kind, .kinds = VIEW_WAITED, .beside = VIEW_WOKEN, .stackless = true,
};
