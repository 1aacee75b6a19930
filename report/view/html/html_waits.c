/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The single waits of a page, by recording, task and start. The start of each is written as a gap
 * after the one before, so gaps and lengths add up. What many waits have in common is numbered:
 * kinds, and wakers with their stacks and the step that ends a chain there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/html/html.h"
#include "report/view/look/wait_next.h"
#include "report/view/text/object_text.h"
#include "report/view/wait/wake_pairs.h"

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
	int r = wait_object_text(purposes->waits, wait, &text);

	if (!r)
		r = column_text_find(&purposes->list, text, strlen(text), ret_number);
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
	r = number_text(purposes, wait, &number);
	if (!r)
		r = hash_map_add(&purposes->known, &key, sizeof(key), number, NULL);
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
	r = hash_map_add(&numbers->known, key, sizeof(*key), numbers->known.count, &number);
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

	profile_wait_state(wait->state, state);
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
	r = step_of(page, wait, context, &key.words[2]);
	if (!r)
		r = find_number(&writer->wakers, &key, ret_number);
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
	int r = find_kind(writer, wait, &kind);

	if (!r)
		r = find_waker(writer, wait, &waker);
	if (!r)
		r = purposes_find(&writer->purposes, wait, &purpose);
	if (!r)
		r = find_next(writer, wait, &next);
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

static int write_all(struct wait_writer *writer)
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
	if (!writer->nexts.known.count)
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
		r = write_all(writer);
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
