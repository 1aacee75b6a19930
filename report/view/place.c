/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/printable.h"
#include "report/profile/profile_waits.h"
#include "report/view/page.h"

enum part { /* kinds of kernel functions that matter here */
	PART_SLEEP,	/* on the way to sleep */
	PART_WAKEUP,	/* on the way to a wakeup */
	PART_ONLOOKER,	/* of tracers */
	PART_TIMER,	/* runs timers that have expired, in an interrupt or a softirq */
	PART_SOFTIRQ,	/* entry of a softirq: root-ward is what it interrupted */
	PART_INTERRUPT, /* entry of an interrupt: likewise */
	PART_ENTRY,	/* at the root of every chain: entry to and exit from the kernel */
	PART_OTHER,
	PARTS = PART_OTHER
};

enum { MOST_NAMES = 24 };

/*
 * Prefixes of names: ".isra.0" and the like may follow, and some stand for families of functions.
 * Names that all architectures have come first.
 */
static const char *const part_names[PARTS][MOST_NAMES] = {
	[PART_SLEEP] = {
		"__schedule", "schedule", "io_schedule", "rt_mutex_schedule", "poll_schedule_timeout",
		"finish_task_switch", "preempt_schedule", "__preempt_schedule", "__cond_resched",
		"_cond_resched", "dynamic_cond_resched", "irqentry_exit_cond_resched",
		"raw_irqentry_exit_cond_resched", "dynamic_irqentry_exit_cond_resched",
		/* x86 */ "__switch_to",
		/* aarch64 */ "cpu_switch_to", "arm64_preempt_schedule_irq",
	},
	[PART_WAKEUP] = {
		"try_to_wake_up", "ttwu_", "wake_up_process", "wake_up_state", "wake_up_q", "wake_q_add",
		"rt_mutex_wake_up_q", "__wake_up", "swake_up", "default_wake_function",
		"autoremove_wake_function", "woken_wake_function", "ep_autoremove_wake_function",
		"ep_poll_callback", "pollwake",
	},
	[PART_ONLOOKER] = {
		"__traceiter_", "trace_event_raw_event_", "bpf_", "__bpf_",
	},
	[PART_TIMER] = {
		"__hrtimer_run_queues", "hrtimer_run_softirq", "call_timer_fn", "expire_timers",
		"__run_timers", "run_timer_softirq",
	},
	[PART_SOFTIRQ] = {
		"do_softirq", "__do_softirq", "handle_softirqs", "run_ksoftirqd", "irq_exit", "__irq_exit",
		/* aarch64 */ "____do_softirq",
	},
	[PART_INTERRUPT] = {
		"generic_handle_arch_irq", "generic_handle_domain_irq", "handle_domain_irq",
		"__handle_domain_irq",
		/* x86 */ "asm_", "sysvec_", "__sysvec_", "common_interrupt", "__common_interrupt",
		"__handle_irq", "ret_from_intr",
		/* aarch64 */ "el1", "__el1_", "el0_interrupt", "el0_irq", "__el0_irq", "__el0_fiq",
		"el0t_64_irq", "el0t_64_fiq", "gic_handle_irq", "do_interrupt_handler", "call_on_irq_stack",
	},
	[PART_ENTRY] = {
		"ret_from_fork", "exit_to_user_mode", "irqentry_exit", "syscall_exit_to_user_mode",
		"do_notify_resume",
		/* x86 */ "entry_", "do_syscall_64", "x64_sys_call", "do_int80", "do_fast_syscall_32",
		"__do_fast_syscall_32",
		/* aarch64 */ "el0", "do_el0_svc", "invoke_syscall", "arm64_exit_to_user_mode",
	},
};

/* Libraries in which every program waits. */
static const char *const libraries[] = {"libc.", "libc-", "libpthread", "ld-", "ld.so", "libstdc++", "[vdso]"};

/* Trailing names of the `count` may be missing. */
static bool begins_with_one(const char *name, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count && beginnings[i]; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

/* The first part that matches. */
static enum part part_of(const char *function)
{
	enum part part = PART_SLEEP;

	while (part < PARTS && !begins_with_one(function, part_names[part], MOST_NAMES))
		part++;
	return part;
}

bool place_is_wakeup(const char *function)
{
	enum part part = part_of(function);

	return part == PART_WAKEUP || part == PART_ONLOOKER;
}

int places_init(struct places *places, struct profile *profile, struct functions *functions,
		struct frame_style style)
{
	size_t frame_count; /* functions_find() checks it */

	*places = (struct places){.functions = functions, .style = style};
	places->nodes = profile_nodes(profile, &places->node_count);
	places->frames = profile_frames(profile, &frame_count);
	places->modules = profile_modules(profile, &places->module_count);
	places->known = calloc(places->node_count + 1, sizeof(*places->known));
	places->parts = calloc(frame_count + 2, sizeof(*places->parts));
	return places->known && places->parts ? 0 : -ENOMEM;
}

/* The same for a function's number, cached. There are at most as many functions as frames, and FUNCTION_NONE. */
static enum part part_of_function(const struct places *places, uint32_t function)
{
	uint8_t *known = &places->parts[function];

	if (!*known)
		*known = (uint8_t)part_of(functions_name(places->functions, function)) + 1;
	return (enum part)(*known - 1);
}

void places_deinit(struct places *places)
{
	free(places->known);
	free(places->parts);
	*places = (struct places){0};
}

enum worth { /* rank of a frame as a word: the highest is used, of equal ones the leaf-most */
	WORTH_NOTHING,
	WORTH_LITTLE, /* plumbing: it is in every chain */
	WORTH_SOMETHING,
	WORTH_ALL
};

struct chain_reader {
	enum worth kernel, user; /* of the words found */
	bool slept;		 /* the leaf is on the way to sleep: what an interrupt interrupted is where it slept */
	bool entered;		 /* past the entry of an interrupt */
};

static enum worth kernel_worth(struct chain_reader *reader, enum part part)
{
	static const enum worth worths[] = {
		[PART_SLEEP] = WORTH_LITTLE, [PART_WAKEUP] = WORTH_LITTLE,  [PART_ONLOOKER] = WORTH_LITTLE,
		[PART_TIMER] = WORTH_ALL,    [PART_SOFTIRQ] = WORTH_ALL,    [PART_INTERRUPT] = WORTH_ALL,
		[PART_OTHER] = WORTH_ALL,    [PART_ENTRY] = WORTH_SOMETHING};

	reader->slept = reader->slept || part == PART_SLEEP;
	return part == PART_INTERRUPT && reader->slept ? WORTH_SOMETHING : worths[part];
}

static enum worth user_worth(const struct places *places, const struct profile_frame *frame)
{
	const char *module = frame->module < places->module_count ?
			     places->modules[frame->module].name : NULL;
	bool library = module && begins_with_one(module, libraries, sizeof(libraries) / sizeof(libraries[0]));

	return library ? WORTH_LITTLE : WORTH_ALL;
}

static void read_frame(const struct places *places, struct chain_reader *reader, uint32_t number,
		       uint32_t function, struct known_place *place)
{
	const struct profile_frame *frame = &places->frames[number];
	enum part part = frame->kernel ? part_of_function(places, function) : PART_OTHER;
	enum worth worth = frame->kernel ? kernel_worth(reader, part) : user_worth(places, frame);
	enum worth *found = frame->kernel ? &reader->kernel : &reader->user;
	uint32_t *word = frame->kernel ? &place->place.kernel : &place->place.user;

	/* The word is a function that was not inlined: so it does not depend on whether DWARF was available. */
	if (frame->inline_depth)
		return;
	if (worth > *found) {
		*word = places->style.addresses || places->style.offsets ? number + 1 : function;
		*found = worth;
	}
	place->timer = place->timer || (part == PART_TIMER && !reader->entered);
	reader->entered = reader->entered || part == PART_SOFTIRQ || part == PART_INTERRUPT;
}

/* Reads from the leaf towards the root. */
static int read_chain(const struct places *places, uint32_t node, struct known_place *place)
{
	struct chain_reader reader = {0};

	while (node && reader.user < WORTH_ALL) {
		const struct profile_node *row = &places->nodes[node];
		uint32_t function;
		int r = functions_find(places->functions, row->frame, &function);

		if (r < 0 || row->parent >= node)
			return r < 0 ? r : -EBADMSG;
		if (places->frames[row->frame].note == NOTE_CALLER_UNKNOWN) { /* who called the library */
			place->place.user = 0;
			return 0;
		}
		read_frame(places, &reader, row->frame, function, place);
		node = row->parent;
	}
	return 0;
}

int places_find(struct places *places, uint32_t node, struct place *ret_place, bool *ret_timer)
{
	struct known_place *known;

	if (node >= places->node_count)
		return -EBADMSG;
	known = &places->known[node];
	if (!known->known) {
		struct known_place found = {.known = true};
		int r = read_chain(places, node, &found);

		if (r < 0)
			return r;
		*known = found;
	}
	*ret_place = known->place;
	if (ret_timer)
		*ret_timer = known->timer;
	return 0;
}

static int places_find_callers(const struct places *places, uint32_t node, uint32_t callers[PLACE_CALLERS])
{
	bool inside = false; /* root-ward of place.user */
	size_t count = 0;

	memset(callers, 0, PLACE_CALLERS * sizeof(*callers));
	while (node && count < PLACE_CALLERS) {
		const struct profile_node *row = &places->nodes[node];
		const struct profile_frame *frame = &places->frames[row->frame];
		uint32_t function;
		int r = functions_find(places->functions, row->frame, &function);

		if (r < 0 || row->parent >= node)
			return r < 0 ? r : -EBADMSG;
		node = row->parent;
		if (frame->kernel || frame->inline_depth || user_worth(places, frame) < WORTH_ALL)
			continue;
		if (inside && functions_name(places->functions, function)[0] != '[')
			callers[count++] = function;
		inside = true;
	}
	return 0;
}

static bool is_frame(const struct places *places, uint32_t word)
{
	return word && (places->style.addresses || places->style.offsets);
}

/* The function of a word. */
static uint32_t function_of(const struct places *places, uint32_t word)
{
	uint32_t function = word;

	if (is_frame(places, word))
		(void)functions_find(places->functions, word - 1, &function);
	return function;
}

static int compare_words(const struct places *places, uint32_t left, uint32_t right)
{
	int order = functions_compare(places->functions, function_of(places, left),
				      function_of(places, right));

	if (!order && is_frame(places, left) && is_frame(places, right)) {
		uint64_t l = places->frames[left - 1].address, r = places->frames[right - 1].address;

		order = (l > r) - (l < r);
	}
	return order ? order : (left > right) - (left < right);
}

int places_compare(const struct places *places, struct place left, struct place right)
{
	return compare_words(places, left.kernel, right.kernel) ?: compare_words(places, left.user, right.user);
}

static void write_word(const struct places *places, uint32_t word, FILE *out)
{
	if (is_frame(places, word))
		functions_write_frame(places->functions, word - 1, places->style, out);
	else
		functions_write(places->functions, word, out);
}

void place_write(const struct places *places, const char *before, struct place place, FILE *out)
{
	bool both = place.kernel && place.user;

	(void)fputs(place.kernel || place.user ? before : "", out);
	if (place.kernel)
		write_word(places, place.kernel, out);
	if (!place.user)
		return;
	(void)fputs(both ? " (" : "", out);
	write_word(places, place.user, out);
	(void)fputs(both ? ")" : "", out);
}

/* --- throughout --- */

enum { MOST_BELOW = 5 };

int throughout_init(struct throughout *throughout, const struct profile *profile, struct places *places)
{
	*throughout = (struct throughout){.profile = profile, .places = places};
	return hash_map_init(&throughout->known);
}

void throughout_deinit(struct throughout *throughout)
{
	array_free(&throughout->groups);
	hash_map_deinit(&throughout->known);
}

int throughout_add(struct throughout *throughout, const struct profile_wait *wait)
{
	const char *comm = profile_process_comm(throughout->profile, wait->task);
	struct throughout_group group = {0};
	uint64_t *number;
	int r;

	memcpy(group.comm, comm, strnlen(comm, sizeof(group.comm) - 1));
	r = places_find(throughout->places, wait->node, &group.at, NULL);

	if (!r)
		r = places_find_callers(throughout->places, wait->node, group.callers);
	if (!r)
		r = hash_map_add(&throughout->known, &group, sizeof(group), throughout->groups.count, &number);
	if (r > 0)
		r = array_push(&throughout->groups, group);
	if (r < 0)
		return r;
	throughout->groups.items[*number].threads++;
	throughout->threads++;
	return 0;
}

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct throughout_group *l = left, *r = right;

	return COMPARE(r->threads, l->threads) ?: strcmp(l->comm, r->comm) ?: places_compare(context, l->at, r->at) ?:
	       memcmp(l->callers, r->callers, sizeof(l->callers));
}

static bool is_alone(const struct throughout *throughout, const struct throughout_group *group)
{
	size_t alike = 0;

	for (size_t i = 0; i < throughout->groups.count; i++) {
		const struct throughout_group *other = &throughout->groups.items[i];

		alike += !strcmp(other->comm, group->comm) && !memcmp(&other->at, &group->at, sizeof(group->at));
	}
	return alike == 1;
}

static void write_group(const struct throughout *throughout, const struct throughout_group *group, FILE *out)
{
	const size_t callers = is_alone(throughout, group) ? 0 : PLACE_CALLERS;
	const struct places *places = throughout->places;

	(void)fprintf(out, "%u ", group->threads);
	printable_write(out, group->comm, strlen(group->comm));
	place_write(places, " in ", (struct place){.kernel = group->at.kernel}, out);
	if (!group->at.user)
		return;
	place_write(places, group->at.kernel ? " (" : " in ", (struct place){.user = group->at.user}, out);
	for (size_t i = 0; i < callers && group->callers[i]; i++) {
		(void)fputs(" < ", out);
		functions_write(places->functions, group->callers[i], out);
	}
	(void)fputs(group->at.kernel ? ")" : "", out);
}

void throughout_write(struct throughout *throughout, size_t most, FILE *out)
{
	const size_t count = throughout->groups.count, shown = most < count ? most : count;
	size_t others = throughout->threads;

	if (count)
		qsort_r(throughout->groups.items, count, sizeof(*throughout->groups.items), compare_groups,
			throughout->places);
	for (size_t i = 0; i < shown; i++) {
		(void)fputs(i ? ", " : "", out);
		write_group(throughout, &throughout->groups.items[i], out);
		others -= throughout->groups.items[i].threads;
	}
	if (others)
		(void)fprintf(out, ", and %zu other%s at %zu place%s", others, plural(others), count - shown,
			      plural(count - shown));
}

struct below { /* what the comment needs, in the order in which it is made */
	struct functions *functions;
	struct places places;
	struct throughout throughout;
};

static void below_deinit(struct below *below)
{
	throughout_deinit(&below->throughout);
	places_deinit(&below->places);
	functions_destroy(below->functions);
}

static int collect(struct below *below, const struct view_context *context, const struct profile_set_apart *apart)
{
	const char *none = page_no_frames(context->settings);
	int r = functions_create(context->profile, FUNCTIONS_BY_NAME, none, &below->functions);
	if (!r)
		r = places_init(&below->places, context->profile, below->functions, (struct frame_style){0});
	if (!r)
		r = throughout_init(&below->throughout, context->profile, &below->places);
	for (size_t i = 0; i < apart->throughout_count && !r; i++)
		r = throughout_add(&below->throughout, &apart->throughout[i]);
	return r;
}

static int comment(const struct view_context *context, const struct profile_set_apart *apart)
{
	_cleanup_(below_deinit) struct below below = {0};
	_cleanup_free_ char *text = NULL;
	int r = collect(&below, context, apart);
	size_t length;
	FILE *out = r < 0 ? NULL : open_memstream(&text, &length);

	if (!out)
		return r < 0 ? r : -ENOMEM;
	throughout_write(&below.throughout, MOST_BELOW, out);
	if (fclose(out))
		return -ENOMEM;
	page_comment(context, context->out, "waited all the time: %s; --throughout shows %s", text,
		     below.throughout.threads == 1 ? "it" : "them");
	return 0;
}

int throughout_comment(const struct view_context *context)
{
	const struct profile_set_apart apart = profile_set_apart(context->profile);
	int r = apart.throughout_count ? comment(context, &apart) : 0;

	if (!r && apart.kernel_threads)
		page_comment(context, context->out, "%zu kernel thread%s that did nothing: --throughout shows %s",
			     apart.kernel_threads, plural(apart.kernel_threads),
			     apart.kernel_threads == 1 ? "it" : "them");
	return r;
}
