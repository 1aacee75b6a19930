/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile.h"

#include "tests/make_events.h"
#include "tests/test.h"

enum { KERNEL = 1, PROGRAM = 2, LIBRARY = 3, OTHER = 4, BPF = 5, ANON = 6 };

#define K(offset) ((uint64_t)KERNEL << 32 | (offset))
#define SYMBOL(at, bytes, text) {.address = (at), .size = (bytes), .name = {(text), sizeof(text) - 1}}

static const struct profile_filter everything = {.to = UINT64_MAX};
static const struct profile_names no_files = {0};

struct scratch {
	char path[64];
	struct profile *profile;
};

static struct made_trace *begin(struct scratch *scratch)
{
	struct made_trace *trace;
	struct event_source source = {.id = 1,
				      .kind = SOURCE_CPU,
				      .weight = WEIGHT_NS,
				      .frequency = 1000,
				      .period = 1000000,
				      .start = 1000,
				      .stop = 2000001000,
				      .flags = SOURCE_USER_STACKS};

	*scratch = (struct scratch){.path = "/tmp/rwalker-test-XXXXXX"};
	close(mkstemp(scratch->path));
	trace = made_trace_begin(scratch->path);
	made_trace_meta(trace, "hostname", "here");
	made_trace_meta(trace, "boot_id", "1-2-3");
	made_trace_source(trace, &source, "cpu-clock");
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
	static const struct event_symbol symbols[] = {SYMBOL(0x2000, 0x100, "main"), SYMBOL(0x2100, 0x40, "_ZN3foo3barEi")};

	made_trace_embed(trace, PROGRAM, segments, 2, symbols, 2);
}

static int load(struct scratch *scratch, const struct profile_filter *filter)
{
	const char *paths[] = {scratch->path};

	return profile_create(paths, 1, filter, &no_files, &scratch->profile);
}

static void end(struct scratch *scratch)
{
	profile_destroy(scratch->profile);
	unlink(scratch->path);
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

static void names_kernel_and_user_frames(struct test *t)
{
	static const uint64_t kernel[] = {K(0x310), K(0x240), K(0x180), 0};
	static const uint64_t user[] = {0x401910, 0x401830, 0};
	const struct profile_source *sources;
	const struct profile_entry *entries;
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	char text[512];

	made_trace_map(trace, 500, 7, 0x401000, 0x2000, 0x1000, PROGRAM, MAPPING_INITIAL);
	for (uint64_t i = 0; i < 3; i++)
		made_trace_sample(trace, &(struct made_sample){.time = 2000 + i,
							       .tgid = 7,
							       .tid = 7,
							       .comm = "program",
							       .kernel = kernel,
							       .user = user});
	embed(trace);
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 1);
	CHECK_INT(t, entries[0].samples, 3);
	CHECK_INT(t, entries[0].weight, 3000000);
	REQUIRE(t, profile_sources(scratch.profile, &sources) == 1);
	CHECK_INT(t, sources[0].weight, 3000000);
	CHECK_INT(t, sources[0].duration, 2000000000);
	CHECK_STR(t, sources[0].weight_unit, "ns");
	/* file offset = address - 0x401000 + 0x1000; link-time address = offset + 0x1000 */
	CHECK_STR(t, entry_chain(scratch.profile, 0, text, sizeof(text)),
		  "[program]+0x2830;[program]+0x2910;entry+0x80;do_read+0x40;copy_to+0x10");
	end(&scratch);
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
	static const uint64_t user[] = {0x401100, 0};
	static const uint64_t times[] = {2000, 3500, 4500, 6500, 7500};
	static const uint32_t tgids[] = {7, 8, 8, 8, 8};
	static const char *const want[] = {"main", "main", "[unknown]", "[other]", "main"};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	const struct profile_entry *entries;
	const struct profile_task *tasks;
	char text[512];
	size_t count;

	made_trace_map(trace, 500, 7, 0x401000, 0x2000, 0xf00, PROGRAM, MAPPING_INITIAL);
	made_trace_fork(trace, 3000, 7, 8);
	made_trace_exec(trace, 4000, 8, "other");
	made_trace_map(trace, 5000, 8, 0x401000, 0x2000, 0x1000, OTHER, 0);
	made_trace_exit(trace, 6000, 8);
	made_trace_fork(trace, 7000, 7, 8); /* the number is used again */
	for (size_t i = 0; i < 5; i++)
		made_trace_sample(trace, &(struct made_sample){.time = times[i],
							       .tgid = tgids[i],
							       .tid = tgids[i],
							       .start = i,
							       .comm = "x",
							       .user = user});
	embed(trace);
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 5);
	tasks = profile_tasks(scratch.profile, &count);
	for (size_t i = 0; i < 5; i++) {
		const char *got = chain(scratch.profile, entries[i].node, text, sizeof(text));

		CHECK(t, strstr(got, want[tasks[entries[i].task].start]) != NULL);
	}
	end(&scratch);
}

/* Without the state at 4500 the address 0x401100 would be in the parent's mapping. */
static void sorts_events_of_several_chunks(struct test *t)
{
	static const uint64_t user[] = {0x401100, 0};
	struct scratch scratch;
	struct made_trace *trace = begin(&scratch);
	const struct profile_entry *entries;
	char text[512];

	made_trace_map(trace, 500, 7, 0x401000, 0x2000, 0xf00, PROGRAM, MAPPING_INITIAL);
	for (uint64_t i = 0; i < 100; i++) { /* two CPUs, one drained late */
		made_trace_sample(trace, &(struct made_sample){.time = 2000 + (99 - i) * 10,
							       .cpu = 1,
							       .tgid = 7,
							       .tid = 7,
							       .comm = "x",
							       .user = user});
		if (i % 10 == 9)
			made_trace_flush(trace);
	}
	made_trace_exec(trace, 2500, 7, "x");
	made_trace_map(trace, 2505, 7, 0x401000, 0x2000, 0x1000, OTHER, 0);
	embed(trace);
	made_trace_end(trace);
	REQUIRE(t, load(&scratch, &everything) == 0);
	REQUIRE(t, profile_entries(scratch.profile, &entries) == 3);
	for (size_t i = 0; i < 3; i++) {
		const char *got = chain(scratch.profile, entries[i].node, text, sizeof(text));
		uint64_t samples = strstr(got, "main") ? 50 : strstr(got, "other") ? 49 : 1;

		CHECK_INT(t, entries[i].samples, samples);
	}
	end(&scratch);
}

TEST_MAIN(TEST(names_kernel_and_user_frames), TEST(takes_the_byte_before_a_return_address),
	  TEST(follows_fork_exec_and_exit), TEST(sorts_events_of_several_chunks))
