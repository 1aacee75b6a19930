/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Beginnings of names: ".isra.0" and the like follow, and whole families of functions. */
static const char *const plumbing[] = {
	/* on the way to sleep */
	"__schedule",
	"schedule",
	"io_schedule",
	"preempt_schedule",
	"__cond_resched",
	"_cond_resched",
	"rt_mutex_schedule",
	"finish_task_switch",
	"__switch_to",
	"__preempt_schedule",
	"irqentry_exit_cond_resched",
	"poll_schedule_timeout",
	/* on the way to a wakeup */
	"try_to_wake_up",
	"ttwu_",
	"wake_up_process",
	"wake_up_state",
	"wake_up_q",
	"default_wake_function",
	"autoremove_wake_function",
	"woken_wake_function",
	"ep_autoremove_wake_function",
	"ep_poll_callback",
	"pollwake",
	"__wake_up",
	"swake_up",
	"wake_q_add",
	"rt_mutex_wake_up_q",
	/* of whoever looks on */
	"__traceiter_",
	"bpf_",
	"__bpf_",
	"trace_event_raw_event_",
	NULL,
};

/* Libraries that every program waits in. */
static const char *const libraries[] = {"libc.", "libc-", "libpthread", "ld-", "ld.so", "libstdc++", "[vdso]", NULL};

/* What runs timers that have expired, in an interrupt or a softirq. */
static const char *const timers[] = {
	"__hrtimer_run_queues", "hrtimer_run_softirq", "call_timer_fn", "expire_timers", "__run_timers", "run_timer_softirq", NULL};

/* Where an interrupt or softirq was entered: below is what it came upon. */
static const char *const entries[] = {"asm_", "sysvec_", "__sysvec_", "common_interrupt", "__common_interrupt",
				      "irq_exit", "__irq_exit", "do_softirq", "__do_softirq", "handle_softirqs",
				      "__handle_irq", "run_ksoftirqd", "el1", "ret_from_intr", NULL};

static bool begins_with_one(const char *name, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(name, *beginnings, strlen(*beginnings)))
			return true;
	return false;
}

int places_init(struct places *places, struct profile *profile, struct functions *functions)
{
	size_t frame_count; /* functions_find() checks it */

	*places = (struct places){.functions = functions};
	places->nodes = profile_nodes(profile, &places->node_count);
	places->frames = profile_frames(profile, &frame_count);
	places->modules = profile_modules(profile, &places->module_count);
	places->known = calloc(places->node_count + 1, sizeof(*places->known));
	return places->known ? 0 : -ENOMEM;
}

void places_deinit(struct places *places)
{
	free(places->known);
	*places = (struct places){0};
}

static bool says_nothing(const struct places *places, const struct profile_frame *frame, const char *name)
{
	const char *module = frame->module < places->module_count ? places->modules[frame->module].name : NULL;

	return frame->kernel ? begins_with_one(name, plumbing) : module && begins_with_one(module, libraries);
}

struct chain_reader {
	bool kernel_said, user_said; /* a word was found that is no plumbing */
	bool entered;                /* past the entry of an interrupt */
};

static void read_frame(const struct places *places, struct chain_reader *reader, const struct profile_frame *frame,
		       uint32_t function, struct known_place *place)
{
	uint32_t *word = frame->kernel ? &place->place.kernel : &place->place.user;
	bool *said = frame->kernel ? &reader->kernel_said : &reader->user_said;
	const char *name = functions_name(places->functions, function);
	bool nothing = says_nothing(places, frame, name);

	if (!*said && (!nothing || *word == FUNCTION_NONE))
		*word = function;
	*said = *said || !nothing;
	if (!frame->kernel || reader->entered)
		return;
	place->timer = place->timer || begins_with_one(name, timers);
	reader->entered = begins_with_one(name, entries);
}

/* From the leaf on. */
static int read_chain(const struct places *places, uint32_t node, struct known_place *place)
{
	struct chain_reader reader = {0};

	while (node && !reader.user_said) {
		const struct profile_node *row = &places->nodes[node];
		uint32_t function;
		int r = functions_find(places->functions, row->frame, &function);

		if (r < 0 || row->parent >= node)
			return r < 0 ? r : -EBADMSG;
		read_frame(places, &reader, &places->frames[row->frame], function, place);
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

void place_write(const struct places *places, struct place place, FILE *out)
{
	bool both = place.kernel != FUNCTION_NONE && place.user != FUNCTION_NONE;

	if (place.kernel != FUNCTION_NONE)
		functions_write(places->functions, place.kernel, out);
	if (place.user == FUNCTION_NONE)
		return;
	(void)fputs(both ? " (" : "", out);
	functions_write(places->functions, place.user, out);
	(void)fputs(both ? ")" : "", out);
}
