/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/wait/at.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "common/printable.h"
#include "report/profile/profile_account.h"
#include "report/view/frame_text.h"
#include "report/view/functions.h"
#include "report/view/moment_parse.h"
#include "report/view/object_text.h"
#include "report/view/page.h"
#include "report/view/view.h"
#include "report/view/wait_text.h"

struct stays { /* the waits of a recording, grouped by thread */
	const struct wait_index *index;
	size_t first, count;
};

static const struct profile_wait *wait_of(const struct stays *stays, size_t number)
{
	return &stays->index->waits->items[stays->index->order[stays->first + number]];
}

static bool same_thread(const struct stays *stays, uint32_t left, uint32_t right)
{
	return stays->index->thread_of[left] == stays->index->thread_of[right];
}

static bool has_come_in(const struct profile_wait *wait)
{
	return !(wait->flags & PROFILE_WAIT_NOT_ENDED);
}

static int find_cpus(struct running_at *running, const struct stays *stays)
{
	size_t highest = 0;

	for (size_t i = 0; i < stays->count; i++) {
		const struct profile_wait *wait = wait_of(stays, i);

		highest = wait->out_cpu > highest ? wait->out_cpu : highest;
		highest = wait->in_cpu > highest ? wait->in_cpu : highest;
	}
	running->count = stays->count ? highest + 1 : 0;
	running->cpus = calloc(running->count + 1, sizeof(*running->cpus));
	if (!running->cpus)
		return -ENOMEM;
	for (size_t i = 0; i < running->count; i++)
		running->cpus[i].task = PROFILE_NO_TASK;
	for (size_t i = 0; i < stays->count; i++) {
		running->cpus[wait_of(stays, i)->out_cpu].exists = true;
		running->cpus[wait_of(stays, i)->in_cpu].exists = true;
	}
	return 0;
}

/* Whether the thread runs at the given time, from its switch-in after one wait to its switch-out with the next. */
static bool is_stay(const struct profile_wait *wait, const struct profile_wait *next, uint64_t time)
{
	if (!has_come_in(wait) || next->out_cpu != wait->in_cpu || next->wait_class == WAIT_STARTED)
		return false;
	return wait->in <= time && next->out > time && !(next->flags & PROFILE_WAIT_OUT_BOUND);
}

static void store_stay(struct running_cpu *cpu, const struct profile_wait *wait, const struct profile_wait *next)
{
	if (cpu->task != PROFILE_NO_TASK && cpu->in >= wait->in)
		return;
	cpu->task = wait->task;
	cpu->left_as = next->task;
	cpu->in = wait->in;
	cpu->out = next->out;
}

/*
 * The thread that was on a CPU at the given time; of two candidates, the one switched in later. A
 * wait may begin and end within the one before: their times are by two clocks. The thread runs from
 * the end of the longer one.
 */
static void find_stays(struct running_at *running, const struct stays *stays, uint64_t time)
{
	const struct profile_wait *wait = stays->count ? wait_of(stays, 0) : NULL;

	for (size_t i = 1; i < stays->count; i++) {
		const struct profile_wait *next = wait_of(stays, i);
		const bool same = same_thread(stays, wait->task, next->task);

		if (same && is_stay(wait, next, time))
			store_stay(&running->cpus[wait->in_cpu], wait, next);
		if (!same || next->in >= wait->in)
			wait = next;
	}
}

static void drop_contradictions(struct running_at *running, const struct stays *stays)
{
	for (size_t i = 0; i < stays->count; i++) {
		const struct profile_wait *wait = wait_of(stays, i);
		struct running_cpu *cpu = &running->cpus[wait->in_cpu];

		if (cpu->task != PROFILE_NO_TASK && !same_thread(stays, cpu->task, wait->task) &&
		    has_come_in(wait) && wait->in >= cpu->in && wait->in < cpu->out)
			cpu->task = PROFILE_NO_TASK;
	}
}

int running_at_init(struct running_at *running, const struct profile_recording *recording,
		    const struct wait_index *index, size_t first, size_t count, uint64_t time)
{
	const struct stays stays = {.index = index, .first = first, .count = count};
	int r;

	*running = (struct running_at){0};
	r = find_cpus(running, &stays);
	if (r < 0 || recording->least_wait || time < recording->start || time > recording->stop)
		return r;
	find_stays(running, &stays, time);
	drop_contradictions(running, &stays);
	return 0;
}

void running_at_deinit(struct running_at *running)
{
	free(running->cpus);
	*running = (struct running_at){0};
}

/* --- waits at --- */

/*
 * The tasks that waited at a given time, or at any time of a window around it: each with its wait
 * at that time, else the longest of its waits in the window. Tasks whose call chains read the same
 * are grouped.
 *
 * Recordings are searched one after another. Then the results are sorted: by recording; stacks by
 * their task that had waited longest, the longest last; the tasks of a stack likewise.
 */

struct window {
	uint64_t from, time, to; /* from <= time <= to */
};

struct waiting {
	uint64_t waited;      /* ns until the given time; 0 unless `now` */
	uint64_t others_time; /* of the task's other waits in the window */
	uint32_t wait, others, stack; /* stack: node of the profile that represents all that read the same */
	bool now;	      /* at the given time itself */
};

struct waiting_stack {
	uint32_t node;
	size_t first, count; /* tasks[first ...] */
};

struct waits_at {
	ARRAY(struct waiting) tasks;
	ARRAY(struct waiting_stack) stacks;
};

struct waits_found { /* in one recording */
	size_t first_task, task_count, first_stack, stack_count;
	size_t unclear; /* waits that may not have begun yet */
};

static bool lasts_until(const struct profile_wait *wait, uint64_t time)
{
	return wait->flags & PROFILE_WAIT_NOT_ENDED ? wait->in >= time : wait->in > time;
}

static struct waiting measure(const struct waits *waits, size_t number, uint64_t time)
{
	const struct profile_wait *wait = &waits->items[number];
	struct waiting waiting = {.wait = (uint32_t)number,
				  .now = wait->out <= time && lasts_until(wait, time)};

	if (waiting.now)
		waiting.waited = time - wait->out;
	return waiting;
}

static uint64_t length_of(const struct waits *waits, const struct waiting *waiting)
{
	return wait_length(&waits->items[waiting->wait]);
}

/* Merges another wait of a task into what was found for it before. */
static void merge(const struct waits *waits, struct waiting *task, struct waiting waiting)
{
	uint64_t found = length_of(waits, task), length = length_of(waits, &waiting);
	bool better = waiting.now != task->now ? waiting.now : length > found;

	waiting.others = task->others + 1;
	waiting.others_time = wait_add(task->others_time, better ? found : length);
	if (better) {
		*task = waiting;
	} else {
		task->others = waiting.others;
		task->others_time = waiting.others_time;
	}
}

/* Searches waits[first ... first + count), which belong to one recording and possibly several sources. */
static int waits_at_find(struct waits_at *at, const struct waits *waits, size_t first, size_t count, uint32_t source,
			 struct window window, struct waits_found *ret_found)
{
	struct waits_found found = {.first_task = at->tasks.count};
	uint32_t task = PROFILE_NO_TASK; /* the task found last */

	for (size_t i = first; i < first + count; i++) {
		const struct profile_wait *wait = &waits->items[i];

		if (wait->source != source || !wait_is_shown(wait) || !lasts_until(wait, window.from))
			continue;
		if (wait->out > window.to) {
			found.unclear += wait->flags & PROFILE_WAIT_OUT_BOUND ? 1 : 0;
			continue;
		}
		if (wait->task == task) {
			merge(waits, &at->tasks.items[at->tasks.count - 1], measure(waits, i, window.time));
			continue;
		}
		if (array_push(&at->tasks, measure(waits, i, window.time)) < 0)
			return -ENOMEM;
		task = wait->task;
	}
	found.task_count = at->tasks.count - found.first_task;
	*ret_found = found;
	return 0;
}

static int compare_waiting(const struct waits *waits, const struct waiting *left, const struct waiting *right)
{
	uint64_t left_length = length_of(waits, left), right_length = length_of(waits, right);
	uint32_t left_tid = waits->tasks[waits->items[left->wait].task].tid;
	uint32_t right_tid = waits->tasks[waits->items[right->wait].task].tid;

	if (left->now != right->now)
		return right->now ? -1 : 1;
	return COMPARE(left->waited, right->waited) ?: COMPARE(left_length, right_length) ?:
	       COMPARE(left_tid, right_tid) ?: COMPARE(left->wait, right->wait);
}

struct stack_order {
	const struct waits *waits;
	const struct waiting *tasks;
};

static int compare_tasks(const void *left, const void *right, void *context)
{
	const struct waiting *l = left, *r = right;
	const struct stack_order *order = context;

	return COMPARE(l->stack, r->stack) ?: compare_waiting(order->waits, l, r);
}

/* Orders stacks by the last of their tasks. */
static int compare_stacks(const void *left, const void *right, void *context)
{
	const struct waiting_stack *l = left, *r = right;
	const struct stack_order *order = context;

	return compare_waiting(order->waits, &order->tasks[l->first + l->count - 1],
			       &order->tasks[r->first + r->count - 1]);
}

/* Sorts the stacks and tasks of one recording; the chains of all recordings must have been read. */
static int waits_at_order(struct waits_at *at, const struct waits *waits, const struct readings *readings,
			  struct waits_found *found)
{
	struct stack_order order = {.waits = waits, .tasks = at->tasks.items};
	size_t end = found->first_task + found->task_count;

	found->first_stack = at->stacks.count;
	found->stack_count = 0;
	if (!found->task_count)
		return 0;
	for (size_t i = found->first_task; i < end; i++)
		at->tasks.items[i].stack = readings->as[waits->items[at->tasks.items[i].wait].node];
	qsort_r(at->tasks.items + found->first_task, found->task_count, sizeof(*at->tasks.items),
		compare_tasks, &order);
	for (size_t i = found->first_task; i < end; i++) {
		uint32_t node = at->tasks.items[i].stack;

		if (i == found->first_task || node != at->tasks.items[i - 1].stack) {
			if (array_push(&at->stacks, (struct waiting_stack){.node = node, .first = i}) < 0)
				return -ENOMEM;
			found->stack_count++;
		}
		at->stacks.items[at->stacks.count - 1].count++;
	}
	qsort_r(at->stacks.items + found->first_stack, found->stack_count,
		sizeof(*at->stacks.items), compare_stacks, &order);
	return 0;
}

static void waits_at_deinit(struct waits_at *at)
{
	array_free(&at->tasks);
	array_free(&at->stacks);
}

/* --- at --- */

/* All tasks that waited at a given time, the one that had waited longest last; and what ran then. */

enum { MOST_TASKS = 10 }; /* tasks of a stack with lines of their own; the others are counted */

static const char indent[] = "        ";

struct at_recording {
	struct window window;
	struct waits_found found;
	size_t first_wait, wait_count;
	bool known; /* whether the given time is known */
};

struct at_view {
	const struct view_context *context;
	struct waits waits;
	struct wait_index index; /* created on demand */
	struct functions *functions;
	struct readings readings;
	struct waits_at at;
	struct chain chain;
	struct at_recording *recordings;
};

static void at_view_deinit(struct at_view *view)
{
	wait_index_deinit(&view->index);
	functions_destroy(view->functions);
	readings_deinit(&view->readings);
	waits_at_deinit(&view->at);
	chain_deinit(&view->chain);
	free(view->recordings);
}

static int find_in_recording(struct at_view *view, uint32_t number, uint32_t source, size_t *first)
{
	const struct view_settings *settings = view->context->settings;
	struct at_recording *recording = &view->recordings[number];
	struct window *window = &recording->window;
	size_t next;

	waits_skip_recording(&view->waits, *first, number, &next);
	recording->first_wait = *first;
	recording->wait_count = next - *first;
	*first = next;
	recording->known = profile_moment_time(view->context->profile, number, &settings->at, &window->time);
	if (!recording->known)
		return 0;
	window->from = window->time > settings->at_around ? window->time - settings->at_around : 0;
	window->to = wait_add(window->time, settings->at_around);
	return waits_at_find(&view->at, &view->waits, recording->first_wait, recording->wait_count,
			     source, *window, &recording->found);
}

static int read_chains(struct at_view *view)
{
	int r = 0;

	for (size_t i = 0; !r && i < view->at.tasks.count; i++)
		r = readings_want(&view->readings, view->waits.items[view->at.tasks.items[i].wait].node);
	if (!r)
		r = readings_read(&view->readings, view->functions, frame_list_style(view->context->settings));
	for (size_t i = 0; !r && i < view->waits.recording_count; i++)
		r = waits_at_order(&view->at, &view->waits, &view->readings, &view->recordings[i].found);
	return r;
}

static int at_view_init(struct at_view *view, const struct view_context *context, uint32_t source)
{
	size_t first = 0;
	int r;

	*view = (struct at_view){.context = context};
	r = waits_init(&view->waits, context->profile) ?:
	    readings_init(&view->readings, context->profile) ?:
	    functions_create(context->profile, FUNCTIONS_BY_ADDRESS, page_no_frames(context->settings),
			     &view->functions);
	if (r < 0)
		return r;
	view->recordings = calloc(view->waits.recording_count + 1, sizeof(*view->recordings));
	if (!view->recordings)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < view->waits.recording_count; i++)
		r = find_in_recording(view, i, source, &first);
	return r < 0 ? r : read_chains(view);
}

/* "for 2.003 s"; if the wait is in the window but not at the given time, when it was. */
static void print_age(const struct at_view *view, const struct waiting *task, uint64_t time)
{
	const struct profile_wait *wait = &view->waits.items[task->wait];
	FILE *out = view->context->out;
	uint64_t runnable;

	if (!task->now) {
		if (wait->out > time)
			(void)fprintf(out, "from %s later on", wait_figure(wait->out - time).text);
		else
			(void)fprintf(out, "until %s before", wait_figure(time - wait->in).text);
		return;
	}
	(void)fputs("for ", out);
	wait_write_length(out, task->waited, wait_age_bound(wait));
	runnable = wait->in - wait->run_queue;
	if ((wait->wait_class == WAIT_BLOCKED || wait->wait_class == WAIT_THROTTLED) && wait->run_queue &&
	    time >= runnable)
		(void)fprintf(out, ", since %s on the run queue", wait_figure(time - runnable).text);
}

static void print_task(const struct at_view *view, const struct waiting *task, uint64_t time)
{
	const struct profile_wait *wait = &view->waits.items[task->wait];
	FILE *out = view->context->out;

	wait_write_task(out, &view->waits.tasks[wait->task]);
	(void)fputs(", ", out);
	wait_write_state(out, wait);
	wait_write_object(out, ", ", &view->waits, wait);
	(void)fputs(", ", out);
	print_age(view, task, time);
	(void)fprintf(out, "\n%s", indent);
	wait_write_length(out, wait_length(wait), wait_length_bound(wait));
	(void)fprintf(out, " from %s", wait_offset(&view->waits, wait->recording, wait->out).text);
	wait_write_out_bound(out, wait);
	(void)fputs(": ", out);
	wait_write_end(out, &view->waits, wait);
	if (wait->run_queue)
		(void)fprintf(out, ", run queue %s", wait_figure(wait->run_queue).text);
	(void)fputc('\n', out);
	if (task->others)
		(void)fprintf(out, "%sother waits within the window: %" PRIu32 ", %s in all\n",
			      indent, task->others, wait_figure(task->others_time).text);
}

/* For a stack that many tasks share: a summary of the tasks without lines of their own. */
static void print_more(const struct at_view *view, const struct waiting_stack *stack, size_t hidden)
{
	const struct waiting *tasks = &view->at.tasks.items[stack->first];
	FILE *out = view->context->out;

	if (stack->count == 1)
		return;
	(void)fprintf(out, "%zu tasks in this stack", stack->count);
	if (hidden && tasks[hidden - 1].now)
		(void)fprintf(out, "; not listed are %zu that had waited for %s at most", hidden,
			      wait_figure(tasks[hidden - 1].waited).text);
	else if (hidden)
		(void)fprintf(out, "; not listed are %zu that did not wait at the moment itself", hidden);
	(void)fputs(":\n", out);
}

static int print_stack(struct at_view *view, const struct waiting_stack *stack, uint64_t time)
{
	size_t hidden = stack->count > MOST_TASKS ? stack->count - MOST_TASKS : 0;
	int r = chain_read(&view->chain, view->context->profile, stack->node);

	if (r < 0)
		return r;
	(void)fputc('\n', view->context->out);
	print_more(view, stack, hidden);
	for (size_t i = hidden; i < stack->count; i++)
		print_task(view, &view->at.tasks.items[stack->first + i], time);
	frame_list_write(view->context, view->functions, &view->chain);
	return 0;
}

/* "1,3-7": the unknown CPUs. */
static void print_unknown_cpus(const struct running_at *running, FILE *out)
{
	const char *before = "# not known what ran on CPU ";

	for (size_t first = 0, next; first < running->count; first = next) {
		next = first + 1;
		if (!running->cpus[first].exists || running->cpus[first].task != PROFILE_NO_TASK)
			continue;
		while (next < running->count && running->cpus[next].exists &&
		       running->cpus[next].task == PROFILE_NO_TASK)
			next++;
		(void)fprintf(out, "%s%zu", before, first);
		if (next - first > 1)
			(void)fprintf(out, "-%zu", next - 1);
		before = ",";
	}
	if (before[0] == ',')
		(void)fputc('\n', out);
}

/* "# ran on CPU 1: sh tid 7 pid 7, dd when it left, from +1.0 s to +1.5 s" */
static void print_stay(const struct at_view *view, uint32_t recording, size_t number,
		       const struct running_cpu *cpu)
{
	const struct profile_task *tasks = view->waits.tasks;
	FILE *out = view->context->out;

	(void)fprintf(out, "# ran on CPU %zu: ", number);
	wait_write_task(out, &tasks[cpu->task]);
	if (cpu->left_as != cpu->task) {
		(void)fputs(", ", out);
		printable_write(out, tasks[cpu->left_as].comm, strlen(tasks[cpu->left_as].comm));
		(void)fputs(" when it left", out);
	}
	(void)fprintf(out, ", from %s", wait_offset(&view->waits, recording, cpu->in).text);
	(void)fprintf(out, " to %s\n", wait_offset(&view->waits, recording, cpu->out).text);
}

/* Why it is unknown what ran: not every wait is in the recording. */
static void print_unknown(const struct profile_recording *recording, FILE *out)
{
	(void)fprintf(out, "# unknown what ran: waits shorter than %s were only counted; those are not here either\n",
		      wait_figure(recording->least_wait).text);
}

static int print_running(struct at_view *view, uint32_t number)
{
	const struct at_recording *found = &view->recordings[number];
	const struct profile_recording *recording = &view->waits.recordings[number];
	_cleanup_(running_at_deinit) struct running_at running = {0};
	FILE *out = view->context->out;
	int r;

	if (recording->least_wait) {
		print_unknown(recording, out);
		return 0;
	}
	r = view->index.waits ? 0 : wait_index_init(&view->index, &view->waits);
	if (!r)
		r = running_at_init(&running, recording, &view->index, found->first_wait,
				    found->wait_count, found->window.time);
	for (size_t i = 0; !r && i < running.count; i++)
		if (running.cpus[i].task != PROFILE_NO_TASK)
			print_stay(view, number, i, &running.cpus[i]);
	if (r < 0)
		return r;
	print_unknown_cpus(&running, out);
	if (profile_lost(view->context->profile))
		(void)fputs("# what ran is what the events say that were not lost\n", out);
	return 0;
}

static void print_moment(const struct at_view *view, uint32_t number)
{
	const struct profile_recording *recording = &view->waits.recordings[number];
	const struct window *window = &view->recordings[number].window;
	uint64_t around = view->context->settings->at_around;
	FILE *out = view->context->out;

	if (!window->time) {
		(void)fputs("# at a time before the host was booted\n", out);
		return;
	}
	(void)fputs("# at ", out);
	wait_write_moment(out, &view->waits, number, window->time);
	if (around)
		(void)fprintf(out, " ± %s", wait_figure(around).text);
	(void)fputc('\n', out);
	if (window->time >= recording->start && window->time <= recording->stop)
		return;
	(void)fputs("# this is outside of the recording, which went from ", out);
	wait_write_moment(out, &view->waits, number, recording->start);
	(void)fprintf(out, " to %s: only waits that were open are known\n",
		      wait_offset(&view->waits, number, recording->stop).text);
}

static void print_found(const struct waits_found *found, FILE *out)
{
	if (found->task_count)
		(void)fprintf(out, "# tasks that waited: %zu, in stacks that differ: %zu\n",
			      found->task_count, found->stack_count);
	else
		(void)fputs("# nothing that is known waited then\n", out);
	if (found->unclear)
		(void)fprintf(out, "# tasks that may have waited, too, as it is not known when they began to: %zu\n",
			      found->unclear);
}

static int print_recording(struct at_view *view, uint32_t number)
{
	const struct at_recording *recording = &view->recordings[number];
	FILE *out = view->context->out;
	int r;

	if (!recording->known) {
		(void)fprintf(out, "# recording %" PRIu32 ": its clocks do not show when that "
				   "was\n", number + 1);
		return 0;
	}
	print_moment(view, number);
	r = print_running(view, number);
	print_found(&recording->found, out);
	for (size_t i = 0; !r && i < recording->found.stack_count; i++)
		r = print_stack(view, &view->at.stacks.items[recording->found.first_stack + i],
				recording->window.time);
	(void)fputc('\n', out);
	return r;
}

static int show_at(const struct view_context *context, uint32_t number, const struct profile_source *source)
{
	_cleanup_(at_view_deinit) struct at_view view;
	int r = at_view_init(&view, context, number);

	(void)source;
	for (uint32_t i = 0; !r && i < view.waits.recording_count; i++)
		r = print_recording(&view, i);
	return r;
}

static int parse_moment(struct view_settings *settings, const char *value)
{
	if (settings->at.kind)
		return log_error(EINVAL, "--at may be given only once");
	if (moment_parse_around(value, &settings->at, &settings->at_around) < 0)
		return log_error(EINVAL, "--at expects a moment such as 2.5s, 2.5s~50ms or "
					 "12:00:03.25, not '%s'", value);
	return 0;
}

const struct view at_view = {
	VIEW_ARGUMENT("at", "TIME[~D]", .help = "what waited and ran then: +2.5s, 12:00:03.25~50ms"),
	.print = show_at, .parse = parse_moment, .kinds = VIEW_WAITED, .beside = VIEW_WOKEN, .needs = PROFILE_EVERYONE,
};
