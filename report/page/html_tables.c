/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/page/html.h"
#include "report/profile/profile_waits.h"
#include "report/view/object_text.h"
#include "report/view/waits.h"

/* The functions of a page, their modules, and the places of its stacks. */

enum function_kind { FUNCTION_USER, FUNCTION_KERNEL, FUNCTION_INLINED, FUNCTION_JIT, FUNCTION_NOTE };

/* Whether it is code of a program in no file, but with a name: JIT code. */
static bool is_jit(const struct profile_frame *frame, const struct profile_module *modules, size_t module_count)
{
	const char *name = frame->module < module_count ? modules[frame->module].name : NULL;

	return frame->module && name && !strcmp(name, "[anon]");
}

static enum function_kind kind_of(const struct html_page *page, size_t number)
{
	const struct merge *merge = &page->stacks.merge;
	const struct merge_function *row = &merge->functions.items[page->stacks.function[number]];
	struct profile *profile = merge->sides[row->side].profile;
	size_t frame_count, module_count;
	const struct profile_frame *frame = profile_frames(profile, &frame_count) + row->frame;
	const struct profile_module *modules = profile_modules(profile, &module_count);

	if (frame->note)
		return FUNCTION_NOTE;
	if (functions_inlined(row->functions, row->number)[0])
		return FUNCTION_INLINED;
	if (frame->kernel)
		return FUNCTION_KERNEL;
	return is_jit(frame, modules, module_count) ? FUNCTION_JIT : FUNCTION_USER;
}

struct function_writer {
	struct html_page *page;
	struct column_text functions, modules;
};

static int write_function(struct function_writer *writer, size_t number)
{
	const struct stacks *stacks = &writer->page->stacks;
	const struct merge_function *row = &stacks->merge.functions.items[stacks->function[number]];
	uint64_t module;
	/* "[libfoo.so]", or "" if it is part of the name, as for code without a symbol */
	int r = column_text_add(&writer->modules, functions_module(row->functions, row->number), false, &module);

	if (r < 0)
		return r;
	json_write(&writer->functions.json, "%s", functions_name(row->functions, row->number));
	column_add(html_column(writer->page, COLUMN_FUNCTION_MODULE), module);
	column_add(html_column(writer->page, COLUMN_FUNCTION_KIND), kind_of(writer->page, number));
	return 0;
}

/* Its number in the page + 1; 0: there is none. */
static uint32_t number_of_word(const struct stacks *stacks, uint32_t word)
{
	return word ? stacks->number_of[stacks->merge.sides[0].function_of[word] - 1] + 1 : 0;
}

/* Only chains that waited or called for a wakeup have places; the others need none. */
static int write_places(struct html_page *page)
{
	for (size_t i = 0; i < page->stacks.count; i++) {
		struct place place = {0};
		int r = 0;

		if (page->stacks.waited[page->stacks.nodes[i]])
			r = places_find(&page->places, page->stacks.nodes[i], &place, NULL);
		if (r < 0)
			return r;
		column_add(html_column(page, COLUMN_PLACE_KERNEL), number_of_word(&page->stacks, place.kernel));
		column_add(html_column(page, COLUMN_PLACE_USER), number_of_word(&page->stacks, place.user));
	}
	return 0;
}

int html_write_functions(struct html_page *page)
{
	struct function_writer writer = {.page = page};
	int r = column_text_open(&writer.functions, '['), closed;

	if (!r)
		r = column_text_open(&writer.modules, '[');
	for (size_t i = 0; i < page->stacks.function_count && !r; i++)
		r = write_function(&writer, i);
	closed = column_text_close(&writer.functions, html_column(page, COLUMN_FUNCTIONS));
	r = r < 0 ? r : closed;
	closed = column_text_close(&writer.modules, html_column(page, COLUMN_MODULES));
	r = r < 0 ? r : closed;
	return r < 0 ? r : write_places(page);
}

/* --- html entries --- */

/*
 * The sums of a page, exact whatever its unit: by source, stack and task. Sources have none if their single samples
 * add up to them.
 */

struct entry {
	uint32_t source, stack, task;
	uint64_t count, weight, run_queue;
};

static int compare_entries(const void *left, const void *right)
{
	const struct entry *l = left, *r = right;

	return COMPARE(l->source, r->source) ?: COMPARE(l->stack, r->stack) ?: COMPARE(l->task, r->task);
}

static void write_entry(struct html_page *page, const struct entry *entry)
{
	column_add(html_column(page, COLUMN_ENTRY_SOURCE), entry->source);
	column_add(html_column(page, COLUMN_ENTRY_STACK), entry->stack);
	column_add(html_column(page, COLUMN_ENTRY_TASK), entry->task);
	column_add(html_column(page, COLUMN_ENTRY_COUNT), entry->count);
	column_add(html_column(page, COLUMN_ENTRY_WEIGHT), entry->weight);
	column_add(html_column(page, COLUMN_ENTRY_RUN_QUEUE), entry->run_queue);
}

static void write_base_entry(struct html_page *page, const struct entry *entry)
{
	column_add(html_column(page, COLUMN_BASE_SOURCE), entry->source);
	column_add(html_column(page, COLUMN_BASE_STACK), entry->stack);
	column_add(html_column(page, COLUMN_BASE_COUNT), entry->count);
	column_add(html_column(page, COLUMN_BASE_WEIGHT), entry->weight);
	column_add(html_column(page, COLUMN_BASE_RUN_QUEUE), entry->run_queue);
}

/* Merges entries of the profile whose stacks read the same. */
static void write_merged(struct html_page *page, struct entry *entries, size_t count,
			 void (*write)(struct html_page *, const struct entry *))
{
	qsort(entries, count, sizeof(*entries), compare_entries);
	for (size_t i = 0, end; i < count; i = end) {
		struct entry sum = entries[i];

		for (end = i + 1; end < count && !compare_entries(&entries[i], &entries[end]); end++) {
			sum.count += entries[end].count;
			sum.weight += entries[end].weight;
			sum.run_queue += entries[end].run_queue;
		}
		write(page, &sum);
	}
}

uint32_t html_base_source(const struct html_page *page, const struct profile_source *source)
{
	for (uint32_t i = 0; i < page->reader.source_count; i++) {
		const struct profile_source *own = &page->reader.sources[i];

		if (own->kind == source->kind && (!strcmp(own->name, source->name) || own->kind < PROFILE_TRACEPOINT))
			return i;
	}
	return UINT32_MAX;
}

/* The same for --base, by stack only, without sources that the page does not have. */
static int write_base(struct html_page *page)
{
	const struct profile_entry *rows;
	const struct profile_source *sources;
	size_t count = profile_entries(page->context->base, &rows), kept = 0;
	size_t source_count = profile_sources(page->context->base, &sources);
	_cleanup_free_ struct entry *entries = calloc(count + 1, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t source;

		if (rows[i].source >= source_count)
			return -EBADMSG;
		source = html_base_source(page, &sources[rows[i].source]);
		if (source != UINT32_MAX)
			entries[kept++] = (struct entry){
				.source = source,
				.stack = stacks_find(&page->stacks, merge_node(&page->stacks.merge, 1, rows[i].node)),
				.count = rows[i].samples,
				.weight = rows[i].weight,
				.run_queue = rows[i].run_queue};
	}
	write_merged(page, entries, kept, write_base_entry);
	return 0;
}

int html_write_entries(struct html_page *page)
{
	const struct profile_entry *rows;
	size_t count = profile_entries(page->profile, &rows), kept = 0;
	_cleanup_free_ struct entry *entries = calloc(count + 1, sizeof(*entries));

	columns_clear(&page->columns, COLUMN_ENTRY_SOURCE, COLUMN_BASE_RUN_QUEUE + 1);
	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (rows[i].source >= page->reader.source_count)
			return -EBADMSG;
		if (page->complete[rows[i].source])
			continue;
		entries[kept++] = (struct entry){.source = rows[i].source,
					    .stack = stacks_find(&page->stacks, rows[i].node),
					    .task = page->tasks.number_of[rows[i].task],
					    .count = rows[i].samples,
					    .weight = rows[i].weight,
					    .run_queue = rows[i].run_queue};
	}
	write_merged(page, entries, kept, write_entry);
	return page->context->base ? write_base(page) : 0;
}

/* --- html cgroups --- */

/* The cgroups of a page's tasks, and their containers, each once. A page without containers has none of these. */

static bool is_there(const struct html_page *page, uint32_t task)
{
	return page->tasks.number_of[task] != UINT32_MAX;
}

static bool has_containers(const struct html_page *page)
{
	for (uint32_t i = 0; i < page->reader.task_count; i++)
		if (is_there(page, i) && *profile_container(page->reader.waits.tasks[i].cgroup))
			return true;
	return false;
}

/* A profile has each cgroup only once. */
static int write_cgroup(struct column_text *cgroups, const struct profile_cgroup *cgroup, uint64_t *ret_number)
{
	int r = column_text_find(cgroups, &cgroup, sizeof(cgroup), ret_number);

	if (r > 0)
		json_write(&cgroups->json, "[%-s,%s]", cgroup->path, cgroup->container);
	return r < 0 ? r : 0;
}

int html_write_cgroups(struct html_page *page)
{
	struct column_text cgroups = {0};
	int r, closed;

	if (!has_containers(page))
		return 0;
	r = column_text_open(&cgroups, '[');
	for (uint32_t i = 0; i < page->reader.task_count && !r; i++) {
		const struct profile_cgroup *cgroup = page->reader.waits.tasks[i].cgroup;
		uint64_t number = 0;

		if (!is_there(page, i))
			continue;
		r = cgroup ? write_cgroup(&cgroups, cgroup, &number) : 0;
		column_add(html_column(page, COLUMN_TASK_CGROUP), cgroup ? number + 1 : 0);
	}
	closed = column_text_close(&cgroups, html_column(page, COLUMN_CGROUPS));
	return r < 0 ? r : closed;
}

/* --- html tasks --- */

/* The tasks and comms of a page: those that something refers to. */

enum { NOT_THERE = UINT32_MAX };

enum task_flag { TASK_KERNEL_THREAD = 1, TASK_APART = 2 };

static int mark(struct html_page *page, uint32_t task)
{
	if (task >= page->reader.task_count)
		return -EBADMSG;
	page->tasks.number_of[task] = 0;
	return 0;
}

static int mark_all(struct html_page *page)
{
	const struct waits *waits = &page->reader.waits;
	const struct profile_entry *entries;
	const struct profile_task_sums *sums;
	const struct profile_walk_task *walked;
	size_t count = profile_entries(page->profile, &entries);
	int r = 0;

	for (size_t i = 0; i < count && !r; i++)
		r = mark(page, entries[i].task);
	count = profile_task_sums(page->profile, &sums);
	for (size_t i = 0; i < count && !r; i++)
		r = mark(page, sums[i].task);
	count = profile_walk_tasks(page->profile, &walked);
	for (size_t i = 0; i < count && !r; i++)
		r = mark(page, walked[i].task);
	for (size_t i = 0; i < waits->count && !r; i++) {
		r = mark(page, waits->items[i].task);
		if (!r && waits->items[i].waker != PROFILE_NO_TASK)
			r = mark(page, waits->items[i].waker);
		if (!r && waits->items[i].held & HELD_BY_OWNER)
			r = mark(page, waits->items[i].owner);
	}
	return r;
}

struct task_writer {
	struct html_page *page;
	struct column_text comms;
	uint32_t tid; /* of the task before */
	uint32_t *threads; /* by thread: the number of its first task, plus 1 */
};

static void write_columns(struct task_writer *writer, const struct profile_task *row, unsigned int flags,
			  uint32_t since_first)
{
	struct html_page *page = writer->page;

	column_add_signed(html_column(page, COLUMN_TASK_TID), (int64_t)row->tid - writer->tid);
	column_add_signed(html_column(page, COLUMN_TASK_PROCESS), (int64_t)row->tid - row->tgid);
	column_add(html_column(page, COLUMN_TASK_HOST), row->host);
	column_add(html_column(page, COLUMN_TASK_FLAGS), flags);
	column_add(html_column(page, COLUMN_TASK_THREAD), since_first);
	writer->tid = row->tid;
}

static int write_task(struct task_writer *writer, uint32_t task)
{
	struct html_page *page = writer->page;
	const struct profile_task *row = &page->reader.waits.tasks[task];
	uint32_t *thread = &writer->threads[page->tasks.thread_of[task]];
	unsigned int flags = row->kernel_thread ? TASK_KERNEL_THREAD : 0;
	uint64_t comm, process;
	int r = column_text_add(&writer->comms, row->comm, true, &comm) ?:
		column_text_add(&writer->comms, profile_process_comm(page->profile, task), true, &process);

	if (r < 0)
		return r;
	if (profile_task_apart(page->profile, task) != PROFILE_NOT_APART)
		flags |= TASK_APART;
	if (!*thread)
		*thread = (uint32_t)page->tasks.count + 1;
	page->tasks.number_of[task] = (uint32_t)page->tasks.count++;
	column_add(html_column(page, COLUMN_TASK_COMM), comm);
	column_add(html_column(page, COLUMN_TASK_PROCESS_COMM), process);
	write_columns(writer, row, flags, page->tasks.number_of[task] - (*thread - 1));
	return 0;
}

/* Writes all marked tasks. */
static int write_all(struct task_writer *writer)
{
	struct html_page *page = writer->page;
	int r = column_text_open(&writer->comms, '['), closed;

	for (uint32_t i = 0; i < page->reader.task_count && !r; i++)
		if (page->tasks.number_of[i] != NOT_THERE)
			r = write_task(writer, i);
	closed = column_text_close(&writer->comms, html_column(page, COLUMN_COMMS));
	return r < 0 ? r : closed;
}

int html_write_tasks(struct html_page *page)
{
	size_t count = page->reader.task_count;
	_cleanup_free_ uint32_t *threads = calloc(count + 1, sizeof(*threads));
	struct task_writer writer = {.page = page, .threads = threads};

	page->tasks.number_of = malloc((count + 1) * sizeof(*page->tasks.number_of));
	if (!threads || !page->tasks.number_of)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		page->tasks.number_of[i] = NOT_THERE;
	return mark_all(page) ?:
	       wait_index_threads(page->profile, &page->tasks.thread_of) ?:
	       write_all(&writer);
}

/* --- html sums --- */

/* A page's waits that the recorder only counted, with the time of each task on CPUs; and the walked tasks. */

enum sum_flag { SUM_UNASKED = 1 };

static uint64_t ticks_from_start(const struct html_page *page, uint32_t recording, uint64_t time)
{
	int64_t ticks = html_ticks(page, recording, time);

	return ticks > 0 ? (uint64_t)ticks : 0;
}

/* A thread that changed its comm has several rows: the last one has it. */
static uint64_t unknown_of(const struct wait_index *index, const struct profile_task_sums *row)
{
	const struct wait_thread *thread = wait_index_find(index, row->recording, row->task);

	return thread && thread->to == row->to ? thread->unknown : 0;
}

int html_write_sums(struct html_page *page)
{
	_cleanup_(wait_index_deinit) struct wait_index index;
	const struct profile_task_sums *sums;
	size_t count = profile_task_sums(page->profile, &sums);
	int r = wait_index_init(&index, &page->reader.waits);

	if (r < 0)
		return r;
	for (size_t i = 0; i < count; i++) {
		const struct profile_task_sums *row = &sums[i];

		if (row->recording >= page->reader.waits.recording_count)
			return -EBADMSG;
		column_add(html_column(page, COLUMN_SUM_RECORDING), row->recording);
		column_add(html_column(page, COLUMN_SUM_TASK), page->tasks.number_of[row->task]);
		column_add(html_column(page, COLUMN_SUM_FLAGS), row->unasked ? SUM_UNASKED : 0);
		column_add(html_column(page, COLUMN_SUM_FROM), ticks_from_start(page, row->recording, row->from));
		column_add(html_column(page, COLUMN_SUM_TO), ticks_from_start(page, row->recording, row->to));
		column_add(html_column(page, COLUMN_SUM_RUNNING), wait_index_running(&index, row));
		column_add(html_column(page, COLUMN_SUM_UNKNOWN), unknown_of(&index, row));
		for (size_t kind = 0; kind < WAIT_SUM_KINDS; kind++) {
			column_add(html_column(page, COLUMN_SUM_COUNT), row->kinds[kind].count);
			/* The page has no part for what quotas took of them: it is unknown there. */
			column_add(html_column(page, COLUMN_SUM_TOTAL),
				   row->kinds[kind].total - row->kinds[kind].throttled);
			column_add(html_column(page, COLUMN_SUM_RUN_QUEUE), row->kinds[kind].run_queue);
		}
	}
	return 0;
}

/* A walk has a host but no recording. All recordings of a host use the same clock, so the nearest one will do. */
static int64_t walk_ticks(const struct html_page *page, const struct profile_walk *walk)
{
	const struct waits *waits = &page->reader.waits;
	uint64_t nearest = UINT64_MAX;
	uint32_t found = 0;

	for (uint32_t i = 0; i < waits->recording_count; i++) {
		const struct profile_recording *recording = &waits->recordings[i];
		uint64_t start = recording->start;
		uint64_t distance = walk->time > start ? walk->time - start : start - walk->time;

		if (recording->host == walk->host && distance < nearest) {
			nearest = distance;
			found = i;
		}
	}
	if (nearest == UINT64_MAX)
		return 0;
	return page->offsets[found] + html_ticks(page, found, walk->time);
}

struct walk_writer {
	struct html_page *page;
	struct column_text walks, states, purposes; /* purposes: what tasks slept for */
};

/* The text's number + 1; 0: nothing is known. 0, -ENOMEM. */
static int find_purpose(struct walk_writer *writer, const struct profile_walk_task *row, uint64_t *ret_number)
{
	const struct profile_wait wait = profile_walk_wait(row);
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(&writer->page->reader.waits, &wait, &text);

	*ret_number = 0;
	if (r < 0 || !text)
		return r;
	r = column_text_add(&writer->purposes, text, false, ret_number);
	*ret_number += !r;
	return r;
}

static void write_walked(struct html_page *page, const struct profile_walk_task *row, uint64_t state,
			 uint64_t purpose)
{
	column_add(html_column(page, COLUMN_WALK_WALK), row->walk);
	column_add(html_column(page, COLUMN_WALK_TASK), page->tasks.number_of[row->task]);
	column_add(html_column(page, COLUMN_WALK_STACK), stacks_find(&page->stacks, row->node));
	column_add(html_column(page, COLUMN_WALK_STATE), state);
	column_add(html_column(page, COLUMN_WALK_WAIT), row->wait);
	column_add(html_column(page, COLUMN_WALK_BOUND), row->bound);
	column_add(html_column(page, COLUMN_WALK_PURPOSE), purpose);
}

static int write_rows(struct walk_writer *writer)
{
	const struct profile_walk *walks;
	const struct profile_walk_task *rows;
	size_t walk_count = profile_walks(writer->page->profile, &walks),
	       count = profile_walk_tasks(writer->page->profile, &rows);
	uint64_t state, purpose;
	int r = 0;

	for (size_t i = 0; i < walk_count; i++)
		json_write(&writer->walks.json, "{'time':%jd}", walk_ticks(writer->page, &walks[i]));
	for (size_t i = 0; i < count && !r; i++) {
		r = rows[i].walk < walk_count ? column_text_add(&writer->states, rows[i].state, true, &state) : -EBADMSG;
		if (!r)
			r = find_purpose(writer, &rows[i], &purpose);
		if (!r)
			write_walked(writer->page, &rows[i], state, purpose);
	}
	return r;
}

int html_write_walks(struct html_page *page)
{
	static const enum column_number columns[] = {COLUMN_WALKS, COLUMN_WALK_STATES, COLUMN_WALK_PURPOSES};
	struct walk_writer writer = {.page = page};
	struct column_text *const texts[] = {&writer.walks, &writer.states, &writer.purposes};
	int r = 0, closed;

	for (size_t i = 0; i < 3 && !r; i++)
		r = column_text_open(texts[i], '[');
	if (!r)
		r = write_rows(&writer);
	for (size_t i = 0; i < 3; i++) {
		closed = column_text_close(texts[i], html_column(page, columns[i]));
		r = r < 0 ? r : closed;
	}
	return r;
}
