/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/time_units.h"
#include "report/page/html.h"
#include "report/view/object_text.h"
#include "report/view/waits.h"

/*
 * The waits for which a page has no room, as sums: how much of each bin of time each task spent in
 * them. The bins of a recording are equally long; the first one begins with it.
 */

struct bins { /* of one task in one recording; waits do not overlap, so bins are completed one by one */
	struct html_page *page;
	uint32_t recording, task;
	uint64_t number; /* of the bin that the sums are of */
	uint64_t blocked, run_queue, other; /* ns */
};

static void write_bin(struct bins *bins)
{
	struct html_page *page = bins->page;

	if (!bins->blocked && !bins->run_queue && !bins->other)
		return;
	column_add(html_column(page, COLUMN_BIN_TASK), page->tasks.number_of[bins->task]);
	column_add(html_column(page, COLUMN_BIN_RECORDING), bins->recording);
	column_add(html_column(page, COLUMN_BIN_FIRST), bins->number);
	column_add(html_column(page, COLUMN_BIN_BLOCKED), bins->blocked / page->unit);
	column_add(html_column(page, COLUMN_BIN_RUN_QUEUE), bins->run_queue / page->unit);
	column_add(html_column(page, COLUMN_BIN_OTHER), bins->other / page->unit);
	bins->blocked = bins->run_queue = bins->other = 0;
}

static void enter_bin(struct bins *bins, uint64_t number)
{
	if (number == bins->number)
		return;
	write_bin(bins);
	bins->number = number;
}

/* Adds [from, to) ns after the recording's start to one of the sums. */
static void add_span(struct bins *bins, uint64_t from, uint64_t to, uint64_t *sum)
{
	uint64_t length = bins->page->limit.bin;

	while (from < to) {
		uint64_t number = from / length, end;

		if (__builtin_mul_overflow(number + 1, length, &end) || end > to)
			end = to;
		enter_bin(bins, number);
		*sum += end - from;
		from = end;
	}
}

static void add_wait(struct bins *bins, const struct profile_wait *wait, const struct profile_recording *recording)
{
	uint64_t out = wait->out > recording->start ? wait->out : recording->start,
		 in = wait->in < recording->stop ? wait->in : recording->stop,
		 since = wait->in - wait->run_queue;

	if (bins->recording != wait->recording || bins->task != wait->task) {
		write_bin(bins);
		bins->recording = wait->recording;
		bins->task = wait->task;
		bins->number = 0;
	}
	if (out >= in)
		return;
	if (wait->wait_class != WAIT_BLOCKED) {
		add_span(bins, out - recording->start, in - recording->start, &bins->other);
		return;
	}
	since = since < out ? out : since > in ? in : since;
	add_span(bins, out - recording->start, since - recording->start, &bins->blocked);
	add_span(bins, since - recording->start, in - recording->start, &bins->run_queue);
}

/* Waits overlap only in a trace that is wrong; they could use up all memory. */
static bool is_too_much(struct html_page *page)
{
	uint64_t most = page->context->settings->max_page;

	return most && html_column(page, COLUMN_BIN_FIRST)->count > most;
}

int html_write_bins(struct html_page *page)
{
	const struct waits *waits = &page->reader.waits;
	struct bins bins = {.page = page};

	columns_clear(&page->columns, COLUMN_BIN_TASK, COLUMN_BIN_OTHER + 1);
	if (!page->limit.bin)
		return 0;
	for (size_t i = 0; i < waits->count && !is_too_much(page); i++)
		if (wait_is_shown(&waits->items[i]) && wait_length(&waits->items[i]) < page->limit.least_wait)
			add_wait(&bins, &waits->items[i], &waits->recordings[waits->items[i].recording]);
	write_bin(&bins);
	return 0;
}

/* --- html samples --- */

/*
 * The single samples of a page, by source, recording, CPU and time. This order takes the fewest
 * bytes: the next sample of a CPU comes one step later, mostly of the same thread. Wakeups are the
 * ends of waits, which the page has: they are samples only if the waits were not requested.
 */

struct sample {
	int64_t time;
	uint64_t weight;
	uint32_t series, task, stack, probe;
};

struct series { /* the samples of a CPU; without padding, because it is a key */
	uint32_t source, recording, cpu, number;
};

enum { SERIES_KEY = 3 * sizeof(uint32_t) };

struct spell { /* consecutive samples of one task in a series */
	uint32_t series; /* plus 1 */
	uint32_t number;
};

struct sampled {
	struct html_page *page;
	struct hash_map known; /* series */
	ARRAY(struct series) series;
	ARRAY(struct sample) samples;
	uint64_t *counts, *weights; /* by source */
	bool differ; /* samples of a source differ in weight, or their weight is not an equal share of the source's */
	struct spell *last; /* by task of the page */
	uint32_t newest; /* the last task written as new */
};

static bool is_sample(const struct html_page *page, const struct profile_event *event)
{
	return event->kind == PROFILE_EVENT_SAMPLE ||
	       (event->kind == PROFILE_EVENT_WAKEUP && !page->reader.waits.count);
}

static int sampled_init(struct sampled *sampled, struct html_page *page)
{
	int r;

	*sampled = (struct sampled){.page = page};
	r = hash_map_init(&sampled->known);
	sampled->counts = calloc(page->reader.source_count + 1, sizeof(*sampled->counts));
	sampled->weights = calloc(page->reader.source_count + 1, sizeof(*sampled->weights));
	sampled->last = calloc(page->tasks.count + 1, sizeof(*sampled->last));
	return r < 0 || !sampled->counts || !sampled->weights || !sampled->last ? -ENOMEM : 0;
}

static void sampled_deinit(struct sampled *sampled)
{
	hash_map_deinit(&sampled->known);
	array_free(&sampled->series);
	array_free(&sampled->samples);
	free(sampled->counts);
	free(sampled->weights);
	free(sampled->last);
}

/* --- gathering --- */

static int find_series(struct sampled *sampled, const struct profile_event *event, uint32_t *ret_series)
{
	struct series key = {event->source, event->recording, event->cpu == PROFILE_NO_CPU ? 0 : event->cpu + 1U,
			     (uint32_t)sampled->series.count};
	uint64_t *number;
	int r;

	if (sampled->samples.count) {
		*ret_series = sampled->samples.items[sampled->samples.count - 1].series;
		if (!memcmp(&sampled->series.items[*ret_series], &key, SERIES_KEY))
			return 0;
	}
	r = hash_map_add(&sampled->known, &key, SERIES_KEY, key.number, &number);
	if (r < 0)
		return r;
	*ret_series = (uint32_t)*number;
	return r > 0 ? array_push(&sampled->series, key) : 0;
}

static int gather_one(struct sampled *sampled, const struct profile_event *event)
{
	struct html_page *page = sampled->page;
	const struct profile_source *source = &page->reader.sources[event->source];
	uint64_t samples = source->samples ? source->samples : 1;
	struct sample sample = {.time = html_ticks(page, event->recording, event->time),
				.weight = event->weight,
				.task = page->tasks.number_of[event->task],
				.stack = stacks_find(&page->stacks, event->node),
				.probe = event->probe == PROFILE_NO_PROBE ? 0 : event->probe + 1};
	int r = find_series(sampled, event, &sample.series);

	sampled->counts[event->source]++;
	sampled->weights[event->source] += event->weight;
	sampled->differ |= event->weight != source->weight / samples || source->weight % samples;
	return r < 0 ? r : array_push(&sampled->samples, sample);
}

static int gather(struct sampled *sampled)
{
	struct html_page *page = sampled->page;
	struct profile_event event;
	int r;

	event_reader_rewind(&page->reader);
	while ((r = event_reader_next(&page->reader, &event)) > 0) {
		if (!is_sample(page, &event))
			continue;
		r = gather_one(sampled, &event);
		if (r < 0)
			break;
	}
	return r;
}

/* --- order --- */

static int compare_series(const void *left, const void *right)
{
	const uint32_t *l = left, *r = right;

	for (size_t i = 0; i < SERIES_KEY / sizeof(*l); i++)
		if (l[i] != r[i])
			return l[i] < r[i] ? -1 : 1;
	return 0;
}

/* Groups the samples by series, and keeps their order within each. `ends`: by series; the caller has zeroed it. */
static void sort_samples(const struct sampled *sampled, size_t *ends, uint32_t *order)
{
	size_t begin = 0;

	for (size_t i = 0; i < sampled->samples.count; i++)
		ends[sampled->samples.items[i].series]++;
	for (size_t i = 0; i < sampled->series.count; i++) {
		size_t *end = &ends[sampled->series.items[i].number], count = *end;

		*end = begin;
		begin += count;
	}
	for (size_t i = 0; i < sampled->samples.count; i++)
		order[ends[sampled->samples.items[i].series]++] = (uint32_t)i;
}

/* --- writing --- */

/* 1: the task of the previous sample; n >= 2: that of n spells ago; 0: a task that is new in this series. */
static void write_task(struct sampled *sampled, const struct sample *sample, struct spell *spell, bool same)
{
	struct spell *last = &sampled->last[sample->task];
	struct html_page *page = sampled->page;

	spell->number += !same;
	if (same)
		column_add(html_column(page, COLUMN_SAMPLE_TASK), 1);
	else if (last->series == spell->series)
		column_add(html_column(page, COLUMN_SAMPLE_TASK), spell->number - last->number);
	else
		column_add(html_column(page, COLUMN_SAMPLE_TASK), 0);
	if (last->series != spell->series) {
		column_add_signed(html_column(page, COLUMN_SAMPLE_NEW_TASK),
				  (int64_t)sample->task - sampled->newest);
		sampled->newest = sample->task;
	}
	*last = *spell;
}

static void write_sample(struct sampled *sampled, const struct sample *sample, const struct sample *before,
			 int64_t step)
{
	struct html_page *page = sampled->page;

	column_add_signed(html_column(page, COLUMN_SAMPLE_TIME),
			  before ? sample->time - before->time - step : sample->time);
	column_add(html_column(page, COLUMN_SAMPLE_STACK), sample->stack);
	if (page->reader.probe_count)
		column_add(html_column(page, COLUMN_SAMPLE_PROBE), sample->probe);
	if (sampled->differ)
		column_add(html_column(page, COLUMN_SAMPLE_WEIGHT), sample->weight);
}

/* Writes the samples order[first ... end). */
static void write_series(struct sampled *sampled, const struct series *series, const uint32_t *order, size_t first,
			 size_t end)
{
	struct column *runs = html_column(sampled->page, COLUMN_SAMPLE_RUNS);
	const struct sample *before = NULL;
	struct spell spell = {.series = series->number + 1};
	int64_t step = (int64_t)html_step(sampled->page, series->source);

	column_add(runs, series->source);
	column_add(runs, series->recording);
	column_add(runs, series->cpu);
	column_add(runs, end - first);
	for (size_t i = first; i < end; i++) {
		const struct sample *sample = &sampled->samples.items[order[i]];

		write_sample(sampled, sample, before, step);
		write_task(sampled, sample, &spell, before && before->task == sample->task);
		before = sample;
	}
}

static int write_all(struct sampled *sampled)
{
	_cleanup_free_ size_t *ends = calloc(sampled->series.count + 1, sizeof(*ends));
	_cleanup_free_ uint32_t *order = calloc(sampled->samples.count + 1, sizeof(*order));
	size_t first = 0;

	if (!ends || !order || sampled->samples.count > UINT32_MAX)
		return -ENOMEM;
	if (sampled->series.count)
		qsort(sampled->series.items, sampled->series.count, sizeof(struct series), compare_series);
	sort_samples(sampled, ends, order);
	for (size_t i = 0; i < sampled->series.count; i++) {
		const struct series *series = &sampled->series.items[i];

		write_series(sampled, series, order, first, ends[series->number]);
		first = ends[series->number];
	}
	return 0;
}

uint64_t html_step(const struct html_page *page, uint32_t number)
{
	const struct profile_source *source = &page->reader.sources[number];

	if (source->kind != PROFILE_CPU || !source->samples || strcmp(source->weight_unit, "ns") != 0)
		return 0;
	return (uint64_t)html_cut(source->weight / source->samples / page->unit);
}

/* Finds the sources whose single samples add up to their sums. */
static void find_complete(const struct sampled *sampled)
{
	const struct event_reader *reader = &sampled->page->reader;

	for (size_t i = 0; i < reader->source_count; i++)
		sampled->page->complete[i] = sampled->counts[i] && sampled->counts[i] == reader->sources[i].samples &&
					     sampled->weights[i] == reader->sources[i].weight;
}

int html_write_samples(struct html_page *page)
{
	_cleanup_(sampled_deinit) struct sampled sampled;
	int r = sampled_init(&sampled, page);

	columns_clear(&page->columns, COLUMN_SAMPLE_RUNS, COLUMN_SAMPLE_WEIGHT + 1);
	if (!r && !page->limit.no_samples)
		r = gather(&sampled);
	if (!r)
		r = write_all(&sampled);
	if (!r)
		find_complete(&sampled);
	return r;
}

/* --- html waits --- */

/*
 * The single waits of a page, by recording, task and start. The start of each is written as a gap
 * after the one before, so gaps and lengths add up. What many waits have in common is numbered:
 * kinds, and wakers with their stacks and the step that ends a chain there.
 */

enum { RECENT = 1024 };

enum waker_step { STEP_LOOK_ON, STEP_OF_TIMER, STEP_OF_SOFTIRQ, STEP_OF_IRQ, STEP_OF_IDLE, STEP_OF_ODD_CONTEXT };

struct number_key { /* of a kind or a waker */
	uint32_t words[4];
};

/* Numbers of keys that occurred before; most are found in the cache `recent`. */
struct numbers {
	struct hash_map known;
	struct recent {
		struct number_key key;
		uint32_t number; /* plus 1 */
	} recent[RECENT];
};

/* What waits were for, as numbered texts. */
struct purposes {
	const struct waits *waits;
	struct hash_map known; /* by struct wait_text_key: number of the text */
	struct column_text list;
};

struct wait_writer {
	struct html_page *page;
	struct numbers kinds, wakers, nexts;
	struct column_text kinds_text;
	struct purposes purposes;
	bool has_purpose; /* at least one wait has a purpose */
	uint32_t recording, task;
	uint64_t length; /* waits of this task in this recording so far */
	int64_t end;	 /* of the last of these, ticks */
};

/* --- what they were for --- */

/*
 * Writes the text in two parts. The first is what waits for the same object have in common, the
 * second what may differ: who held it, how long a sleep was to be, what was ready. If that is in the
 * middle of the text, the second part is empty, and the whole text follows.
 */
static int write_text(struct purposes *purposes, const struct profile_wait *wait, const char *text)
{
	struct profile_wait alike = *wait;
	struct json *json = &purposes->list.json;
	_cleanup_free_ char *begin = NULL;
	size_t length;
	int r;

	alike.asked = 0;
	alike.held = 0;
	alike.ready_descriptor = 0;
	alike.ready = 0;
	if (!wait->object)
		alike.held = wait->held & PROFILE_TIMED_OUT;
	r = wait_object_text(purposes->waits, &alike, &begin);
	if (r < 0)
		return r;
	length = strlen(begin);
	if (strncmp(text, begin, length) != 0)
		json_write(json, "[%s,'',%s]", begin, text);
	else
		json_write(json, "[%s,%s]", begin, text + length);
	return 0;
}

static int number_text(struct purposes *purposes, const struct profile_wait *wait, uint64_t *ret_number)
{
	_cleanup_free_ char *text = NULL;
	int r = wait_object_text(purposes->waits, wait, &text) ?:
		column_text_find(&purposes->list, text, strlen(text), ret_number);

	if (r < 0)
		return r;
	++*ret_number;
	return r > 0 ? write_text(purposes, wait, text) : 0;
}

/* The text's number + 1; 0: nothing is known. 0, -ENOMEM. */
static int purposes_find(struct purposes *purposes, const struct profile_wait *wait, uint64_t *ret_number)
{
	const struct wait_text_key key = wait_text_key_of(wait);
	uint64_t number, *known;
	int r;

	*ret_number = 0;
	if (!wait_has_object(purposes->waits, wait))
		return 0;
	known = hash_map_find(&purposes->known, &key, sizeof(key));
	if (known) {
		*ret_number = *known;
		return 0;
	}
	r = number_text(purposes, wait, &number) ?:
	    hash_map_add(&purposes->known, &key, sizeof(key), number, NULL);
	if (r < 0)
		return r;
	*ret_number = number;
	return 0;
}

/* --- kinds and wakers --- */

/* 1 if it is new, 0 if not, -ENOMEM. */
static int find_number(struct numbers *numbers, const struct number_key *key, uint64_t *ret_number)
{
	const uint32_t *words = key->words;
	struct recent *recent =
		&numbers->recent[(words[0] * 31 + words[1] * 7 + words[2] * 3 + words[3]) % RECENT];
	uint64_t *number;
	int r;

	if (recent->number && !memcmp(&recent->key, key, sizeof(*key))) {
		*ret_number = recent->number - 1;
		return 0;
	}
	r = hash_map_add(&numbers->known, key, sizeof(*key), numbers->known.entries.count, &number);
	if (r < 0)
		return r;
	*recent = (struct recent){*key, (uint32_t)*number + 1};
	*ret_number = *number;
	return r;
}

static void write_kind(struct wait_writer *writer, const struct profile_wait *wait)
{
	struct json *json = &writer->kinds_text.json;
	char state[24];

	profile_state_text(wait->state, 0, state);
	json_write(json, "[%u,%u,%u,%-s,%u]", wait->wait_class, wake_context(wait), wait->flags,
		   wait_is_of_vfork(writer->purposes.waits, wait) ? "vfork" : state, wait_length_bound(wait));
}

static int find_kind(struct wait_writer *writer, const struct profile_wait *wait, uint64_t *ret_number)
{
	const uint32_t vfork = wait_is_of_vfork(writer->purposes.waits, wait) ? UINT32_C(1) << 31 : 0;
	const struct number_key key = {{wait->wait_class, wake_context(wait), wait->flags, wait->state | vfork}};
	int r = find_number(&writer->kinds, &key, ret_number);

	if (r > 0)
		write_kind(writer, wait);
	return r < 0 ? r : 0;
}

/* What chains_follow.c does at such a waker. */
static int step_of(struct html_page *page, const struct profile_wait *wait, enum waker_context context,
		   uint32_t *ret_step)
{
	struct place place;
	bool timer;
	int r;

	if (context == WAKER_UNKNOWN) {
		*ret_step = STEP_OF_ODD_CONTEXT;
	} else if (context == WAKER_TASK) {
		*ret_step = page->reader.waits.tasks[wait->waker].tid ? STEP_LOOK_ON : STEP_OF_IDLE;
	} else {
		r = places_find(&page->places, wait->waker_node, &place, &timer);
		if (r < 0)
			return r;
		*ret_step = timer			      ? STEP_OF_TIMER :
			    context == WAKER_IRQ ? STEP_OF_IRQ :
							   STEP_OF_SOFTIRQ;
	}
	return 0;
}

/* Its number + 1; 0 if there is none. A wait that has not ended may have a waker, too: a wakeup without a switch-in. */
static int find_waker(struct wait_writer *writer, const struct profile_wait *wait, uint64_t *ret_number)
{
	struct html_page *page = writer->page;
	enum waker_context context = wait->waker_context;
	struct number_key key = {{0, stacks_find(&page->stacks, wait->waker_node)}};
	int r;

	*ret_number = 0;
	if (context == WAKER_NONE || (wait->waker == PROFILE_NO_TASK && !wake_is_interrupt(context)))
		return 0;
	if (wait->waker != PROFILE_NO_TASK)
		key.words[0] = page->tasks.number_of[wait->waker] + 1;
	r = step_of(page, wait, context, &key.words[2]) ?: find_number(&writer->wakers, &key, ret_number);
	if (r < 0)
		return r;
	if (r > 0) {
		column_add(html_column(page, COLUMN_WAKER_TASK), key.words[0]);
		column_add(html_column(page, COLUMN_WAKER_STACK), key.words[1]);
		column_add(html_column(page, COLUMN_WAKER_STEP), key.words[2]);
	}
	++*ret_number;
	return 0;
}

/* The task with which a chain continues instead of the waker: its number + 1; 0 if there is none. */
static int find_next(struct wait_writer *writer, const struct profile_wait *wait, uint64_t *ret_number)
{
	struct html_page *page = writer->page;
	struct number_key key = {{0}};
	struct wait_next next;
	int r = wait_next_find(&page->reader.waits, &page->places, wait, &next);

	*ret_number = 0;
	if (r < 0 || next.by == WAIT_NEXT_WAKER)
		return r;
	key.words[0] = page->tasks.number_of[next.task];
	key.words[1] = next.by;
	r = find_number(&writer->nexts, &key, ret_number);
	if (r > 0) {
		column_add(html_column(page, COLUMN_NEXT_TASK), key.words[0]);
		column_add(html_column(page, COLUMN_NEXT_BY), key.words[1]);
	}
	++*ret_number;
	return r < 0 ? r : 0;
}

static void end_run(struct wait_writer *writer)
{
	struct column *runs = html_column(writer->page, COLUMN_WAIT_RUNS);

	if (!writer->length)
		return;
	column_add(runs, writer->recording);
	column_add(runs, writer->page->tasks.number_of[writer->task]);
	column_add(runs, writer->length);
	writer->length = 0;
	writer->end = 0;
}

static int write_wait(struct wait_writer *writer, const struct profile_wait *wait)
{
	struct html_page *page = writer->page;
	uint64_t queued = profile_wait_is_partly_queued(wait) ? wait->run_queue : 0, kind, waker, purpose, next;
	int64_t out = html_ticks(page, wait->recording, wait->out), in = html_ticks(page, wait->recording, wait->in);
	int64_t woken = html_ticks(page, wait->recording, wait->in - (queued < wait->in ? queued : wait->in));
	int r = find_kind(writer, wait, &kind) ?:
		find_waker(writer, wait, &waker) ?:
		purposes_find(&writer->purposes, wait, &purpose) ?:
		find_next(writer, wait, &next);

	if (r < 0)
		return r;
	writer->has_purpose |= purpose > 0;
	if (writer->recording != wait->recording || writer->task != wait->task)
		end_run(writer);
	writer->recording = wait->recording;
	writer->task = wait->task;
	writer->length++;
	column_add_signed(html_column(page, COLUMN_WAIT_GAP), out - writer->end);
	writer->end = in;
	woken = woken < out ? out : woken;
	column_add(html_column(page, COLUMN_WAIT_SLEEP), (uint64_t)(woken - out));
	column_add(html_column(page, COLUMN_WAIT_RUN_QUEUE), (uint64_t)(in - woken));
	column_add(html_column(page, COLUMN_WAIT_KIND), kind);
	column_add(html_column(page, COLUMN_WAIT_STACK), stacks_find(&page->stacks, wait->node));
	column_add(html_column(page, COLUMN_WAIT_CPU), wait->in_cpu == PROFILE_NO_CPU ? 0 : wait->in_cpu + 1U);
	column_add(html_column(page, COLUMN_WAIT_WAKER), waker);
	column_add(html_column(page, COLUMN_WAIT_PURPOSE), purpose);
	column_add(html_column(page, COLUMN_WAIT_NEXT), next);
	return 0;
}

static int html_waits_write_all(struct wait_writer *writer)
{
	struct html_page *page = writer->page;
	const struct waits *waits = &page->reader.waits;
	int r = 0;

	page->limit.kept_waits = 0;
	for (size_t i = 0; i < waits->count && !r; i++) {
		if (wait_length(&waits->items[i]) < page->limit.least_wait)
			continue;
		page->limit.kept_waits++;
		r = write_wait(writer, &waits->items[i]);
	}
	end_run(writer);
	if (!writer->nexts.known.entries.count)
		columns_clear(&page->columns, COLUMN_WAIT_NEXT, COLUMN_WAIT_NEXT + 1);
	if (!writer->has_purpose)
		columns_clear(&page->columns, COLUMN_WAIT_PURPOSE, COLUMN_WAIT_PURPOSE + 1);
	return r;
}

static int write_with(struct wait_writer *writer, struct html_page *page)
{
	struct hash_map *const maps[] = {&writer->kinds.known, &writer->wakers.known, &writer->nexts.known,
					 &writer->purposes.known};
	int r = 0, closed;

	columns_clear(&page->columns, COLUMN_WAIT_RUNS, COLUMN_WAKER_STEP + 1);
	for (size_t i = 0; i < 4 && !r; i++)
		r = hash_map_init(maps[i]);
	if (!r)
		r = column_text_open(&writer->kinds_text, '[');
	if (!r)
		r = column_text_open(&writer->purposes.list, '[');
	if (!r)
		r = html_waits_write_all(writer);
	closed = column_text_close(&writer->kinds_text, html_column(page, COLUMN_KINDS));
	r = r < 0 ? r : closed;
	closed = column_text_close(&writer->purposes.list, html_column(page, COLUMN_PURPOSES));
	for (size_t i = 0; i < 4; i++)
		hash_map_deinit(maps[i]);
	return r < 0 ? r : closed;
}

int html_write_waits(struct html_page *page)
{
	struct wait_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (!writer)
		return -ENOMEM;
	writer->page = page;
	writer->purposes.waits = &page->reader.waits;
	r = write_with(writer, page);
	free(writer);
	return r;
}
