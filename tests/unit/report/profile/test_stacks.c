/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* From the addresses of a stack to the frames of a chain: their names, the marks between them, what is left out. */
#include "report/profile/profile_internal.h"

#include <stdbool.h>

#include "format/stack_mark.h"
#include "report/profile/profile.h"
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
	(void)finish(&scratch, trace, &everything);
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)), "foo::bar+0x40;main+0x100;foo::bar+0x0");
	end(&scratch);
}

/* --- what else is in traces --- */

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
	(void)finish(&scratch, trace, &everything);
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)), "foo::bar+0x4;[[unknown]]+0x10;main+0x0");
	CHECK_STR(t, entry_chain(scratch.profile, 1, text, sizeof(text)), "[[unknown]]+0x40");
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
	(void)finish(&scratch, trace, &everything);
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
	(void)finish(&scratch, trace, &everything);
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
	(void)finish(&scratch, trace, &everything);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 3);
	for (size_t i = 0; i < 3; i++)
		CHECK_STR(t, entry_chain(scratch.profile, i, text, sizeof(text)), want[i]);
	end(&scratch);
}

/* --- marks --- */

#define MARK(name) (STACK_MARKS + MARK_##name)

/* --- writing --- */

static void check_nodes(struct test *t, const struct unwind_chain *chain, const uint64_t *want, size_t count)
{
	uint64_t got[RWK_MAX_PATH];
	bool cut;
	size_t written = chain_write_marks(chain, got, &cut);

	CHECK(t, !cut);
	REQUIRE(t, CHECK_INT(t, written, count));
	for (size_t i = 0; i < count; i++)
		CHECK_INT(t, got[i], want[i]);
}

static void marks_stand_where_they_belong(struct test *t)
{
	static const struct unwind_chain clean = {
		.addresses = {0x10, 0x20, 0x30},
		.how = {UNWIND_BY_REGISTERS | UNWIND_EXACT, UNWIND_BY_CFI, UNWIND_BY_FRAME_POINTER},
		.count = 3,
		.stop = UNWIND_CLEAN,
	};
	static const struct unwind_chain signal = {
		.addresses = {0x10, 0x20, 0x30, 0x40},
		.how = {UNWIND_BY_REGISTERS, UNWIND_BY_CFI, UNWIND_BY_CFI | UNWIND_EXACT, UNWIND_BY_OUTER_RECORD},
		.count = 4,
		.stop = UNWIND_BAD_RETURN,
	};
	static const struct unwind_chain tail = {
		.addresses = {0x10, 0x20, 0x30},
		.how = {UNWIND_BY_REGISTERS, UNWIND_BY_TAIL, UNWIND_BY_TAIL},
		.count = 3,
		.stop = UNWIND_TRUNCATED,
	};
	static const struct unwind_chain leaf = {.addresses = {0x10}, .count = 1, .stop = UNWIND_NO_CFI};
	static const uint64_t clean_nodes[] = {0x10, 0x20, 0x30, MARK(CLEAN)};
	static const uint64_t signal_nodes[] = {0x10, 0x20, 0x30, MARK(EXACT), MARK(CALLER_UNKNOWN), 0x40,
						MARK(BAD_RETURN)};
	static const uint64_t tail_nodes[] = {0x10, MARK(TAIL), 0x20, 0x30, MARK(CONTINUED)};
	static const uint64_t leaf_nodes[] = {0x10, MARK(NO_CFI)};

	check_nodes(t, &clean, clean_nodes, 4);
	check_nodes(t, &signal, signal_nodes, 7);
	check_nodes(t, &tail, tail_nodes, 5);
	check_nodes(t, &leaf, leaf_nodes, 2);
}

/* 1024 frames fit with 64 marks, and no more: beyond that, the root end is dropped. */
static void no_path_is_too_long(struct test *t)
{
	static struct unwind_chain chain = {.count = UNWIND_DEPTH, .stop = UNWIND_TOO_DEEP};
	static uint64_t nodes[RWK_MAX_PATH];
	bool cut;

	for (size_t i = 0; i < UNWIND_DEPTH; i++) {
		chain.addresses[i] = 0x1000 + i;
		chain.how[i] = UNWIND_BY_CFI | (i && i < 64 ? UNWIND_EXACT : 0);
	}
	CHECK_INT(t, chain_write_marks(&chain, nodes, &cut), RWK_MAX_PATH);
	CHECK(t, !cut);
	CHECK_INT(t, nodes[RWK_MAX_PATH - 1], MARK(TOO_DEEP));
	CHECK_INT(t, nodes[RWK_MAX_PATH - 2], 0x1000 + UNWIND_DEPTH - 1);
	chain.how[64] |= UNWIND_EXACT;
	chain.stop = UNWIND_CLEAN;
	CHECK_INT(t, chain_write_marks(&chain, nodes, &cut), RWK_MAX_PATH);
	CHECK(t, cut);
	CHECK_INT(t, nodes[RWK_MAX_PATH - 1], MARK(TOO_DEEP));
	CHECK_INT(t, nodes[RWK_MAX_PATH - 2], 0x1000 + UNWIND_DEPTH - 2);
}

/* --- reading --- */

/* A profile of one sample with this stack, leaf first, ending with 0; program mapped at 0x400000. */
static struct profile *profile_of(struct scratch *scratch, const uint64_t *user)
{
	struct made_trace *trace = made_profile_begin(scratch);

	made_trace_meta(trace, "machine", "x86_64");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_map(trace, 5, 7, 0x400000, 0x10000, 0, PROGRAM, 0);
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x", .user = user});
	return finish(scratch, trace, &everything);
}

/*
 * "frame frame ...", root first: an address, followed by "!" if it is not a return address; a note
 * by its number, as "n3".
 */
static void check_chain(struct test *t, const uint64_t *user, const char *want, const char *line)
{
	struct scratch scratch;
	struct profile *profile = profile_of(&scratch, user);
	const struct profile_entry *entries;
	size_t count, depth = 0, used = 0;
	const struct profile_node *nodes = profile_nodes(profile, &count);
	const struct profile_frame *frames = profile_frames(profile, &count);
	uint32_t path[64];
	char text[256] = "";

	CHECK_INT(t, profile_entries(profile, &entries), 1);
	for (uint32_t node = entries[0].node; node; node = nodes[node].parent)
		path[depth++] = nodes[node].frame;
	while (depth) {
		const struct profile_frame *frame = &frames[path[--depth]];

		if (frame->note)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "n%d ", frame->note);
		else
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%llx%s ",
						 (unsigned long long)frame->run_time_address, frame->caller ? "" : "!");
	}
	CHECK_STR(t, text, want);
	if (line)
		test_check(t, account_has(profile, line, NULL), "the account does not say \"%s\"", line);
	else
		test_check(t, !account_has(profile, "unwound stack", NULL), "the account speaks of unwinding");
	CHECK(t, !account_has(profile, "trimmed", NULL));
	end(&scratch);
}

static void notes_come_of_marks(struct test *t)
{
	check_chain(t, (uint64_t[]){0x400010, 0x400020, 0x400030, MARK(CLEAN), 0}, "400030 400020 400010! ", NULL);
	check_chain(t, (uint64_t[]){0x400010, 0x400020, MARK(TRUNCATED), 0}, "n1 400020 400010! ",
		    "1 unwound stack (100.0%) cut where their copy ends");
	check_chain(t, (uint64_t[]){0x400010, 0x400020, MARK(NO_CFI), 0}, "n2 400020 400010! ",
		    "1 unwound stack (100.0%) ending in code without unwind information");
	check_chain(t, (uint64_t[]){0x400010, MARK(BAD_RETURN), 0}, "n3 400010! ",
		    "1 unwound stack (100.0%) ending at an address that is not code");
	check_chain(t, (uint64_t[]){0x400010, MARK(TOO_DEEP), 0}, "n4 400010! ",
		    "1 unwound stack (100.0%) cut at the depth limit");
	check_chain(t, (uint64_t[]){0x400010, MARK(TAIL), 0x400020, MARK(CONTINUED), 0}, "400020 n5 400010! ",
		    "1 unwound stack (100.0%) with callers by frame pointer beyond their copy");
	check_chain(t, (uint64_t[]){0x400010, MARK(CALLER_UNKNOWN), 0x400020, MARK(CLEAN), 0}, "400020 n9 400010! ",
		    "1 unwound stack (100.0%) with a caller by frame pointer of a function that may have none");
}

static void reads_marks(struct test *t)
{
	/* a frame of a signal is no caller */
	check_chain(t, (uint64_t[]){0x400010, 0x400020, 0x400030, MARK(EXACT), 0x400040, MARK(CLEAN), 0},
		    "400040 400030! 400020 400010! ", NULL);
	/* an address in no mapping at the root end is garbage from frame pointers, but not if the chain was unwound */
	check_chain(t, (uint64_t[]){0x400010, 0x900020, MARK(CLEAN), 0}, "900020 400010! ", NULL);
	/* and what makes no sense */
	check_chain(t, (uint64_t[]){MARK(EXACT), 0x400020, MARK(CLEAN), 0}, "400020 ", NULL);
	check_chain(t, (uint64_t[]){0x400010, STACK_MARKS + 255, 0x400020, MARK(CLEAN), 0}, "400020 400010! ", NULL);
	check_chain(t, (uint64_t[]){0x400010, STACK_MARKS + 255, 0}, "400010! ", NULL);
	check_chain(t, (uint64_t[]){MARK(CLEAN), 0}, "", NULL);
}

/* --- addresses --- */

/*
 * Addresses of the process at hand: one program at two places in memory; the rest of a stack while
 * execve replaces its program.
 */

enum { A_PROGRAM = 1, OTHER_PROGRAM = 2 };

static struct made_trace *begin_addresses(struct scratch *scratch)
{
	struct made_trace *trace = made_profile_begin(scratch);

	made_trace_module(trace, A_PROGRAM, MODULE_FILE, "/usr/bin/program", "0102");
	made_trace_module(trace, OTHER_PROGRAM, MODULE_FILE, "/usr/bin/other", "0304");
	return trace;
}

/* The leaf address of the first stack of a process. */
static uint64_t leaf_of(struct profile *profile, uint32_t tgid)
{
	const struct profile_entry *entries;
	size_t count = profile_entries(profile, &entries), unused;
	const struct profile_node *node = NULL;

	for (size_t i = 0; i < count && !node; i++)
		if (profile_tasks(profile, &unused)[entries[i].task].tgid == tgid)
			node = &profile_nodes(profile, &unused)[entries[i].node];
	return node ? profile_frames(profile, &unused)[node->frame].run_time_address : 0;
}

static const struct profile_filter each_address = {.to = UINT64_MAX, .needs = PROFILE_EACH_ADDRESS};

static struct profile *two_processes(struct scratch *scratch, const struct profile_filter *filter)
{
	static const uint64_t first[] = {0x401010, 0x401020, 0}, second[] = {0x7f1010, 0x7f1020, 0};
	struct made_trace *trace = begin_addresses(scratch);

	made_trace_map(trace, 20, 7, 0x401000, 0x2000, 0x1000, A_PROGRAM, 0);
	made_trace_map(trace, 20, 8, 0x7f1000, 0x2000, 0x1000, A_PROGRAM, 0);
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "one", .user = first});
	made_trace_sample(trace, &(struct made_sample){.time = 2100, .tgid = 8, .tid = 8, .comm = "two", .user = second});
	return finish(scratch, trace, filter);
}

/* If addresses are not shown, one function is one frame. */
static void are_those_of_each_process(struct test *t)
{
	struct scratch scratch;
	struct profile *profile = two_processes(&scratch, &everything);
	size_t count, with_addresses;

	CHECK_INT(t, leaf_of(profile, 7), leaf_of(profile, 8));
	(void)profile_frames(profile, &count);
	end(&scratch);
	profile = two_processes(&scratch, &each_address);
	CHECK_INT(t, leaf_of(profile, 7), 0x401010);
	CHECK_INT(t, leaf_of(profile, 8), 0x7f1010);
	(void)profile_frames(profile, &with_addresses);
	CHECK_INT(t, with_addresses, count + 2);
	end(&scratch);
}

/* The module of the leaf of a stack that was taken between an exec and its first mapping. */
static const char *module_in_exec(const uint64_t *user)
{
	static char name[64];
	struct scratch scratch;
	struct made_trace *trace = begin_addresses(&scratch);
	const struct profile_entry *entries;
	struct profile *profile;
	size_t unused;

	made_trace_map(trace, 20, 7, 0x401000, 0x2000, 0x1000, A_PROGRAM, 0);
	made_trace_exec(trace, 1000, 7, "other");
	made_trace_sample(trace, &(struct made_sample){.time = 2000, .tgid = 7, .tid = 7, .comm = "x", .user = user});
	made_trace_map(trace, 3000, 7, 0x501000, 0x2000, 0x1000, OTHER_PROGRAM, 0);
	profile = finish(&scratch, trace, &everything);
	name[0] = '\0';
	if (profile_entries(profile, &entries) == 1)
		(void)snprintf(name, sizeof(name), "%s",
			       profile_modules(profile, &unused)[profile_frames(profile, &unused)[profile_nodes(
									 profile,
									 &unused)[entries[0].node].frame].module].name);
	end(&scratch);
	return name;
}

static void are_of_the_old_program_in_an_exec(struct test *t)
{
	CHECK_STR(t, module_in_exec((const uint64_t[]){0x401010, 0}), "program");
	/* As it was unwound and condensed. */
	CHECK_STR(t, module_in_exec((const uint64_t[]){0x401010, stack_mark_address(MARK_CLEAN), 0}), "program");
	/* A stack with callers is not such a stack. */
	CHECK_STR(t, module_in_exec((const uint64_t[]){0x401010, 0x401020, 0}), "[unknown]");
}

TEST_MAIN(TEST(takes_the_byte_before_a_return_address), TEST(takes_a_first_byte_after_padding),
	  TEST(takes_a_first_byte_that_was_interrupted), TEST(trims_rubbish_at_the_root_end),
	  TEST(names_jit_code_by_process), TEST(marks_stand_where_they_belong),
	  TEST(no_path_is_too_long), TEST(notes_come_of_marks),
	  TEST(reads_marks), TEST(are_those_of_each_process),
	  TEST(are_of_the_old_program_in_an_exec))
