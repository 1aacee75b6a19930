/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile.h"

#include "tests/test.h"
#include "tests/unit/report/made_profile.h"

enum { KERNEL = 1, PROGRAM = 2, LIBRARY = 3, OTHER = 4, BPF = 5, ANON = 6 };

#define K(offset) ((uint64_t)KERNEL << 32 | (offset))
#define SYMBOL(at, bytes, text) {.address = (at), .size = (bytes), .name = {(text), sizeof(text) - 1}}

static struct made_trace *begin(struct scratch *scratch)
{
	struct made_trace *trace = made_profile_begin(scratch);

	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "aabb");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_module(trace, LIBRARY, MODULE_FILE, "/usr/lib/library.so", "0304");
	made_trace_module(trace, OTHER, MODULE_FILE, "/usr/bin/other", "");
	made_trace_module(trace, BPF, MODULE_BPF, "bpf_prog_abc_x", "");
	made_trace_module(trace, ANON, MODULE_ANONYMOUS, "[anon]", "");
	made_trace_kernel_symbol(trace, KERNEL, 0x100, 0x100, "entry");
	made_trace_kernel_symbol(trace, KERNEL, 0x200, 0x100, "do_read");
	made_trace_kernel_symbol(trace, KERNEL, 0x300, 0x100, "copy_to");
	return trace;
}

static void embed(struct made_trace *trace)
{
	static const struct event_segment segments[] = {
		{.file_offset = 0, .address = 0, .file_size = 0x800, .memory_size = 0x800, .flags = 4},
		{.file_offset = 0x800, .address = 0x1800, .file_size = 0x2000, .memory_size = 0x2000, .flags = 5},
	};
	static const struct event_symbol symbols[] = {SYMBOL(0x2000, 0x100, "main"),
						      SYMBOL(0x2100, 0x40, "_ZN3foo3barEi")};

	made_trace_embed(trace, PROGRAM, segments, 2, symbols, 2);
}

/* "root;...;leaf" of an entry: name+0xoffset, or [module]+0xaddress. */
static const char *chain(struct profile *profile, uint32_t node, char *text, size_t room)
{
	size_t count, depth = 0, used = 0;
	const struct profile_node *nodes = profile_nodes(profile, &count);
	const struct profile_frame *frames = profile_frames(profile, &count);
	const struct profile_module *modules = profile_modules(profile, &count);
	uint32_t path[64];

	for (text[0] = '\0'; node && depth < 64; node = nodes[node].parent)
		path[depth++] = nodes[node].frame;
	while (depth) {
		uint32_t frame = path[--depth];
		const struct profile_symbol *symbol = profile_symbol(profile, frame);

		used += (size_t)(symbol->name ?
					 snprintf(text + used, room - used, "%s+0x%llx", symbol->name,
						  (unsigned long long)symbol->offset) :
					 snprintf(text + used, room - used, "[%s]+0x%llx",
						  modules[frames[frame].module].name,
						  (unsigned long long)frames[frame].address));
		used += (size_t)snprintf(text + used, room - used, "%s", depth ? ";" : "");
	}
	return text;
}

static const char *entry_chain(struct profile *profile, size_t number, char *text, size_t room)
{
	const struct profile_entry *entries;
	size_t count = profile_entries(profile, &entries);

	return number < count ? chain(profile, entries[number].node, text, room) : "no such entry";
}

static void takes_the_byte_before_a_return_address(struct test *t)
{
	static const uint64_t user[] = {0x401100, 0x401100, 0x401140, 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	made_trace_map(trace, 500, 7, 0x401000, 0x2000, 0x1000, PROGRAM, MAPPING_INITIAL);
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "p", .user = user});
	embed(trace);
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)), "foo::bar+0x40;main+0x100;foo::bar+0x0");
	end(&scratch);
}

static void follows_fork_exec_and_exit(struct test *t)
{
	static const uint64_t user[] = {0x401000, 0x401004, 0}, times[] = {2000, 3500, 4500, 6500, 7500};
	static const uint32_t tgids[] = {7, 8, 8, 8, 8};
	static const char *const want[] = {"main", "main", "[unknown]", "[other]", "main"};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	const struct profile_entry *entries;
	const struct profile_task *tasks;
	char text[512];
	size_t count;

	made_trace_map(trace, 500, 7, 0x401000, 0x2000, 0x1000, PROGRAM, MAPPING_INITIAL);
	made_trace_fork(trace, 3000, 7, 8);
	made_trace_exec(trace, 4000, 8, "other");
	made_trace_map(trace, 5000, 8, 0x401000, 0x2000, 0x1000, OTHER, 0);
	made_trace_exit(trace, 6000, 8);
	made_trace_fork(trace, 7000, 7, 8); /* the pid is reused */
	for (size_t i = 0; i < 5; i++)
		made_trace_sample(trace, &(struct made_sample){.time = times[i], .tgid = tgids[i],
							       .tid = tgids[i], .start = i,
							       .comm = "x", .user = user});
	embed(trace);
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 5);
	tasks = profile_tasks(scratch.profile, &count);
	for (size_t i = 0; i < 5; i++)
		CHECK(t, strstr(chain(scratch.profile, entries[i].node, text, sizeof(text)),
				want[tasks[entries[i].task].start]) != NULL);
	end(&scratch);
}

/* --- what else is in traces --- */

static void weighs_by_period(struct test *t)
{
	static const uint64_t kernel[] = {K(0x210), 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	const struct profile_source *sources;
	struct event_source cycles = {.id = 2, .kind = SOURCE_CPU, .weight = WEIGHT_CYCLES};
	struct event_source calls = {.id = 3, .kind = SOURCE_KFUNC, .weight = WEIGHT_COUNT};

	made_trace_source(trace, &calls, "ksys_write");
	made_trace_source(trace, &cycles, "cycles");
	for (uint64_t i = 0; i < 6; i++)
		made_trace_sample(trace, &(struct made_sample){.time = 2000 + i,
							       .source = 1 + i % 3,
							       .period = i % 3 == 1 ? 1000 + i : 0,
							       .tgid = 7,
							       .tid = 7,
							       .comm = "x",
							       .kernel = kernel});
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_sources(scratch.profile, &sources) == 3);
	CHECK_STR(t, sources[0].name, "cpu-clock");
	CHECK_INT(t, sources[0].weight, 2000000);
	CHECK_STR(t, sources[1].name, "cycles");
	CHECK_STR(t, sources[1].weight_unit, "cycles");
	CHECK_INT(t, sources[1].weight, 1001 + 1004);
	CHECK_STR(t, sources[2].name, "ksys_write");
	CHECK_STR(t, sources[2].weight_unit, "samples");
	CHECK_INT(t, sources[2].weight, 2);
	end(&scratch);
}

/* Frames of a frame-pointer walk through code without them: those at the root end are dropped, the leaf stays. */
static void trims_rubbish_at_the_root_end(struct test *t)
{
	static const uint64_t rubbish[] = {0x401000, 0x10, 0x401104, 0x20, 0x30, 0}, leaf[] = {0x40, 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	made_trace_map(trace, 500, 7, 0x401000, 0x2000, 0x1000, PROGRAM, MAPPING_INITIAL);
	embed(trace);
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7,
						       .comm = "x", .user = rubbish});
	made_trace_sample(trace, &(struct made_sample){.time = 2001, .tgid = 7, .tid = 7, .comm = "x", .user = leaf});
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)), "foo::bar+0x4;[[unknown]]+0x10;main+0x0");
	CHECK_STR(t, entry_chain(scratch.profile, 1, text, sizeof(text)), "[[unknown]]+0x40");
	end(&scratch);
}

static void takes_the_recorder_out_of_kernel_stacks(struct test *t)
{
	static const uint64_t own[] = {K(0x510), (uint64_t)BPF << 32 | 0x20, K(0x610), K(0x210), 0};
	static const uint64_t other[] = {(uint64_t)BPF << 32 | 0x30, K(0x610), K(0x210), 0};
	static const char *const want[] = {"do_read+0x10", "do_read+0x10;bpf_trace_run2+0x10;bpf_prog_abc_x+0x30",
					   "do_read+0x10"};
	struct event_source calls = {.id = 2, .kind = SOURCE_TRACEPOINT, .weight = WEIGHT_COUNT};
	const struct profile_entry *entries;
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	made_trace_source(trace, &calls, "sched_switch");
	made_trace_kernel_symbol(trace, KERNEL, 0x500, 0x100, "bpf_get_stack");
	made_trace_kernel_symbol(trace, KERNEL, 0x600, 0x100, "bpf_trace_run2");
	for (uint64_t i = 0; i < 3; i++)
		made_trace_sample(trace, &(struct made_sample){.time = 2000 + i,
							       .source = 1 + i / 2,
							       .tgid = 7,
							       .tid = 7,
							       .comm = "x",
							       .kernel = i ? other : own});
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 3);
	for (size_t i = 0; i < 3; i++)
		CHECK_STR(t, entry_chain(scratch.profile, i, text, sizeof(text)), want[i]);
	end(&scratch);
}

/* An interrupt came at the first byte: before it there is no call, only padding that never runs. */
static void takes_a_first_byte_after_padding(struct test *t)
{
	static const uint64_t kernel[] = {K(0x310), K(0x510), K(0x110), 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	made_trace_kernel_symbol(trace, KERNEL, 0x500, 0x10, "__pfx_walk");
	made_trace_kernel_symbol(trace, KERNEL, 0x510, 0x100, "walk");
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x",
						       .kernel = kernel});
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)), "entry+0x10;walk+0x0;copy_to+0x10");
	end(&scratch);
}

/* Code in assembler has no padding. Behind a call that never returns, the same address is that of the call. */
static void takes_a_first_byte_that_was_interrupted(struct test *t)
{
	static const uint64_t interrupted[] = {K(0x710), K(0x610), K(0x500), K(0x110), 0};
	static const uint64_t called[] = {K(0x810), K(0x500), K(0x110), 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	made_trace_kernel_symbol(trace, KERNEL, 0x4f0, 0x10, "thunk");
	made_trace_kernel_symbol(trace, KERNEL, 0x500, 0x10, "return_thunk");
	made_trace_kernel_symbol(trace, KERNEL, 0x600, 0x100, "asm_sysvec_apic_timer_interrupt");
	made_trace_kernel_symbol(trace, KERNEL, 0x700, 0x100, "tick");
	made_trace_kernel_symbol(trace, KERNEL, 0x800, 0x100, "do_exit");
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x",
						       .kernel = interrupted});
	made_trace_sample(trace, &(struct made_sample){.time = 3000, .tgid = 7, .tid = 7, .comm = "x",
						       .kernel = called});
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)),
		  "entry+0x10;return_thunk+0x0;asm_sysvec_apic_timer_interrupt+0x10;tick+0x10");
	CHECK_STR(t, entry_chain(scratch.profile, 1, text, sizeof(text)), "entry+0x10;thunk+0x10;do_exit+0x10");
	end(&scratch);
}

static void names_jit_code_by_process(struct test *t)
{
	static const struct event_symbol one[] = {SYMBOL(0x700000, 0x100, "js:one")};
	static const struct event_symbol two[] = {SYMBOL(0x700000, 0x100, "js:two")};
	static const uint64_t user[] = {0x700010, 0};
	static const char *const want[] = {"js:one+0x10", "js:two+0x10", "[[anon]]+0x700010"};
	const struct profile_entry *entries;
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	for (uint32_t tgid = 7; tgid < 10; tgid++) {
		made_trace_map(trace, 500, tgid, 0x700000, 0x2000, 0, ANON, MAPPING_INITIAL);
		made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = tgid,
							       .tid = tgid, .comm = "x",
							       .user = user});
	}
	made_trace_check(event_log_add_perf_map(trace->log, 7, one, 1), "perf map");
	made_trace_check(event_log_add_perf_map(trace->log, 8, two, 1), "perf map");
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 3);
	for (size_t i = 0; i < 3; i++)
		CHECK_STR(t, entry_chain(scratch.profile, i, text, sizeof(text)), want[i]);
	end(&scratch);
}

TEST_MAIN(TEST(takes_the_byte_before_a_return_address), TEST(takes_a_first_byte_after_padding),
	  TEST(takes_a_first_byte_that_was_interrupted), TEST(follows_fork_exec_and_exit),
	  TEST(weighs_by_period), TEST(trims_rubbish_at_the_root_end),
	  TEST(takes_the_recorder_out_of_kernel_stacks), TEST(names_jit_code_by_process))
