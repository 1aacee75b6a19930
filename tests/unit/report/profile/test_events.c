/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Single events: their order, and the recorder's own frames that do not belong to their chains. */
#include "report/profile/profile.h"

#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { CPU = 1, POINTS = 4, FUNCTIONS = 5 };

#define K(offset) (UINT64_C(1) << 32 | (offset))

static const struct profile_filter each_event = {.to = UINT64_MAX, .needs = PROFILE_EACH_EVENT};

/* One kernel function every 0x10 bytes, from 0x100 on. */
static const char *const functions[] = {
	"vfs_write", "ksys_write", "entry", "bpf_prog_0123456789abcdef_hit", "bpf_trampoline_64424", "bpf_trace_run3",
	"__traceiter_sched_switch", "__schedule", "bpf_prog_load", "kprobe_ftrace_handler",
	"ftrace_regs_call", "fprobe_handler", "rethook_try_hook", "bpf_trace_run1",
	"vfs_write.isra.0", "ftrace_modify_all_code",
};

enum function { WRITE, KSYS_WRITE, ENTRY, PROG, TRAMPOLINE, RUN, TRACEITER, SCHEDULE, PROG_LOAD,
		KPROBE, FTRACE, FPROBE, RETHOOK, RUN1, WRITE_ISRA, MODIFY };

static uint64_t at(enum function function)
{
	return K(0x100 + (uint64_t)function * 0x10 + 1);
}

static struct made_trace *begin(struct scratch *scratch)
{
	struct made_trace *trace = scratch_begin(scratch);

	made_trace_cpu_clock(trace, 0);
	made_trace_source(trace, &(struct event_source){.id = FUNCTIONS, .kind = SOURCE_KFUNC, .weight = WEIGHT_COUNT}, "vfs_*");
	made_trace_source(trace, &(struct event_source){.id = POINTS, .kind = SOURCE_TRACEPOINT, .weight = WEIGHT_COUNT}, "sched:*");
	made_trace_probe(trace, 2, POINTS, HOOK_RAW_TRACEPOINT, "sched:sched_switch");
	made_trace_probe(trace, 70, FUNCTIONS, HOOK_FENTRY, "vfs_write");
	made_trace_module(trace, 1, MODULE_KERNEL, "[kernel]", "aabb");
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		made_trace_kernel_symbol(trace, 1, 0x100 + i * 0x10, 0x10, functions[i]);
	return trace;
}

static void hit(struct made_trace *trace, uint32_t source, uint32_t probe, uint64_t time, const uint64_t *kernel)
{
	made_trace_sample(trace, &(struct made_sample){.time = time, .cpu = 1, .source = source,
						       .probe = probe, .tgid = 7,
						       .tid = 8, .comm = "dd", .kernel = kernel});
}

/* "leaf caller ..." of a call chain. */
static const char *chain(struct profile *profile, uint32_t node, char text[256])
{
	const struct profile_node *nodes;
	size_t count, used = 0;

	nodes = profile_nodes(profile, &count);
	for (text[0] = '\0'; node; node = nodes[node].parent) {
		const char *name = profile_symbol(profile, nodes[node].frame)->name;

		used += (size_t)snprintf(text + used, 256 - used, "%s%s", used ? " " : "", name ? name : "?");
	}
	return text;
}

static size_t collect(const struct profile *profile, struct profile_event list[static 8])
{
	struct profile_events events;
	size_t count = 0;

	profile_events_begin(profile, &events);
	while (count < 8 && profile_events_next(&events, &list[count]))
		count++;
	return count;
}

/* More overlapping chunks than can be read at once: late ones are put in order afterwards. */
static void comes_in_order_from_a_trace_out_of_order(struct test *t)
{
	const uint64_t writes[] = {at(WRITE), 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	struct profile_events events;
	struct profile_event event;
	struct profile *profile;
	uint64_t last = 0;
	size_t count = 0;

	for (uint64_t i = 0; i < 40; i++) {
		hit(trace, FUNCTIONS, 70, 1000 + i, writes);
		hit(trace, FUNCTIONS, 70, 6000 - i * 2, writes);
		made_trace_flush(trace);
	}
	profile = finish(&scratch, trace, &each_event);
	CHECK(t, account_has(profile, "came too late", NULL));
	profile_events_begin(profile, &events);
	for (; profile_events_next(&events, &event); count++, last = event.time)
		CHECK(t, event.time >= last);
	CHECK_INT(t, count, 80);
	end(&scratch);
}

enum { MOST = 8 };
static const struct {
	uint32_t source, probe;
	const char *function; /* traced by the probe, NULL: as made */
	enum function kernel[MOST]; /* leaf first, ends with ENTRY */
	const char *want;
} ways_in[] = {
	{FUNCTIONS, 70, NULL, {PROG, TRAMPOLINE, WRITE, KSYS_WRITE, ENTRY}, "vfs_write ksys_write entry"},
	{FUNCTIONS, 70, NULL, {WRITE, KSYS_WRITE, ENTRY}, "vfs_write ksys_write entry"},
	{FUNCTIONS, 70, NULL, {PROG, TRAMPOLINE, WRITE_ISRA, ENTRY}, "vfs_write.isra.0 entry"},
	{FUNCTIONS, 70, NULL, {PROG, KPROBE, FTRACE, FPROBE, RETHOOK, WRITE, ENTRY}, "vfs_write entry"},
	{POINTS, 2, NULL, {PROG, RUN, TRACEITER, SCHEDULE, ENTRY}, "__schedule entry"},
	{POINTS, 2, NULL, {PROG, RUN, PROG_LOAD, ENTRY}, "bpf_prog_load entry"},
	/* the traced function may look like the recorder's way in */
	{FUNCTIONS, 80, "bpf_prog_load", {PROG, TRAMPOLINE, PROG_LOAD, ENTRY}, "bpf_prog_load entry"},
	{FUNCTIONS, 80, "bpf_trace_run1", {PROG, TRAMPOLINE, RUN1, TRACEITER, SCHEDULE, ENTRY},
	 "bpf_trace_run1 __traceiter_sched_switch __schedule entry"},
	{FUNCTIONS, 80, "ftrace_modify_all_code", {PROG, KPROBE, FTRACE, MODIFY, FTRACE, ENTRY},
	 "ftrace_modify_all_code ftrace_regs_call entry"},
	{FUNCTIONS, 80, "module:kprobe_ftrace_handler", {KPROBE, FTRACE, ENTRY},
	 "kprobe_ftrace_handler ftrace_regs_call entry"},
	/* only the recorder's way in is left */
	{POINTS, 2, NULL, {PROG, RUN, TRACEITER, ENTRY}, "entry"},
	/* a CPU that was sampled there was busy with it */
	{CPU, 0, NULL, {KPROBE, FTRACE, WRITE, ENTRY},
	 "kprobe_ftrace_handler ftrace_regs_call vfs_write entry"},
	{CPU, 0, NULL, {PROG, TRAMPOLINE, WRITE, ENTRY},
	 "bpf_prog_0123456789abcdef_hit bpf_trampoline_64424 vfs_write entry"},
};

static void strips_the_way_in(struct test *t)
{
	char text[256];
	struct profile_event list[8];

	for (size_t i = 0; i < sizeof(ways_in) / sizeof(ways_in[0]); i++) {
		struct scratch scratch;
		struct made_trace *trace = begin(&scratch);
		uint64_t kernel[MOST + 1] = {0};
		struct profile *profile;

		if (ways_in[i].function)
			made_trace_probe(trace, 80, FUNCTIONS, HOOK_FENTRY, ways_in[i].function);
		for (size_t k = 0; !k || ways_in[i].kernel[k - 1] != ENTRY; k++)
			kernel[k] = at(ways_in[i].kernel[k]);
		hit(trace, ways_in[i].source, ways_in[i].probe, 2000, kernel);
		profile = finish(&scratch, trace, &each_event);
		REQUIRE(t, collect(profile, list) == 1);
		CHECK_STR(t, chain(profile, list[0].node, text), ways_in[i].want);
		end(&scratch);
	}
}

TEST_MAIN(TEST(comes_in_order_from_a_trace_out_of_order), TEST(strips_the_way_in))
