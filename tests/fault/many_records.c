/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * many_records KIND COUNT FILE: a small recording with COUNT records of one kind, which all differ,
 * so that a reader that keeps them needs memory for each. Numbers beyond a limit of the format wrap
 * around. many_records --kinds: prints the names of the kinds, one per line.
 */
#include "format/event_layout.h"
#include "format/limits.h"
#include "tests/make_events.h"

enum { CPUS = 256, KERNEL = 1, PROGRAM, TGID = 100, LIST = 1000, WORDS_EACH = 16, STEP = 1000 };
enum { CPU_CLOCK = 1, OFFCPU, WAKERS, TRACEPOINT, TASKS };

static const uint64_t BEGIN = 1000000000, CODE = 0x400000, CODE_SIZE = 1 << 30;

struct many {
	struct made_trace *trace;
	uint64_t number, count; /* number: of the next record */
	char name[RWK_MAX_COMM + 1];
};

static uint64_t now(const struct many *many)
{
	return BEGIN + many->number * STEP;
}

static struct event_text name_of(struct many *many)
{
	(void)snprintf(many->name, sizeof(many->name), "n%u", (unsigned int)many->number);
	return made_text(many->name);
}

static uint32_t thread_of(const struct many *many)
{
	return 1000 + (uint32_t)many->number;
}

static void add(struct many *many, const struct event *event)
{
	made_trace_add(many->trace, event);
}

/* --- facts --- */

static void add_meta(struct many *many)
{
	made_trace_meta(many->trace, name_of(many).bytes, "value");
}

static void add_clock(struct many *many)
{
	const uint64_t time = now(many);

	add(many, &(struct event){.kind = EVENT_CLOCK, .clock = {time, time, time + many->number, time, 5}});
}

static void add_source(struct many *many)
{
	const struct event_source source = {.id = 10 + (uint32_t)(many->number % (RWK_MAX_SOURCES - 10)),
					    .kind = SOURCE_CPU, .weight = WEIGHT_NS, .start = BEGIN, .stop = BEGIN};

	made_trace_source(many->trace, &source, name_of(many).bytes);
}

static uint32_t module_of(const struct many *many)
{
	return 10 + (uint32_t)(many->number % (RWK_MAX_MODULES - 10));
}

static void add_module(struct many *many)
{
	char id[32];

	(void)snprintf(id, sizeof(id), "%016llx", (unsigned long long)many->number);
	made_trace_module(many->trace, module_of(many), MODULE_FILE, name_of(many).bytes, id);
}

static void add_mapping(struct many *many)
{
	made_trace_map(many->trace, now(many), thread_of(many), CODE, CODE_SIZE, 0, PROGRAM, 0);
}

/* All in one process, side by side. */
static void add_mapping_beside(struct many *many)
{
	made_trace_map(many->trace, now(many), TGID, CODE_SIZE + CODE + many->number * 0x2000, 0x1000, 0, PROGRAM, 0);
}

static void add_fork(struct many *many)
{
	made_trace_fork(many->trace, now(many), TGID, thread_of(many));
}

static void add_comm(struct many *many)
{
	made_trace_exec(many->trace, now(many), thread_of(many), name_of(many).bytes);
}

static void add_exit(struct many *many)
{
	made_trace_exit(many->trace, now(many), thread_of(many));
}

static void add_kernel_symbol(struct many *many)
{
	made_trace_kernel_symbol(many->trace, KERNEL, many->number * 16, 16, name_of(many).bytes);
}

static void add_loss(struct many *many)
{
	const struct event_loss loss = {now(many), (uint32_t)(many->number >> 13) % RWK_MAX_SOURCES,
					(uint32_t)many->number % RWK_MAX_CPUS, LOSS_RING_FULL, many->number};

	add(many, &(struct event){.kind = EVENT_LOSS, .loss = loss});
}

static void add_cost(struct many *many)
{
	add(many, &(struct event){.kind = EVENT_COST, .cost = {now(many), 1, 2, 3, 4, 5, many->number}});
}

static void add_maps_unavailable(struct many *many)
{
	const struct event_maps_unavailable maps = {now(many), thread_of(many), ETIMEDOUT};

	add(many, &(struct event){.kind = EVENT_MAPS_UNAVAILABLE, .maps_unavailable = maps});
}

static uint32_t probe_of(const struct many *many)
{
	return 2 + (uint32_t)(many->number % (RWK_MAX_PROBES - 2));
}

static void add_probe(struct many *many)
{
	made_trace_probe(many->trace, probe_of(many), TRACEPOINT, HOOK_RAW_TRACEPOINT, name_of(many).bytes);
}

static void add_probe_hits(struct many *many)
{
	made_trace_probe_hits(many->trace, &(struct event_probe_hits){now(many), probe_of(many), many->number, 0, 0});
}

static void add_unsure(struct many *many)
{
	const struct event_unsure unsure = {now(many), now(many) + STEP / 2, (uint32_t)many->number % CPUS,
					    UNSURE_SILENT, many->number};

	add(many, &(struct event){.kind = EVENT_UNSURE, .unsure = unsure});
}

static void add_counter(struct many *many)
{
	const struct event_counter counter = {now(many), (uint32_t)(many->number >> 13) % RWK_MAX_SOURCES,
					      (uint32_t)many->number % RWK_MAX_CPUS, 9, 8, 1, 0, 7, 7, 0};

	add(many, &(struct event){.kind = EVENT_COUNTER, .counter = counter});
}

/* Each is a container's cgroup with a path of its own. */
static void add_cgroup(struct many *many)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/kubepods/burstable/pod%08x/crio-%064llx", (unsigned int)many->number / 8,
		       (unsigned long long)many->number);
	add(many, &(struct event){.kind = EVENT_CGROUP, .cgroup = {now(many), many->number + 1, 0, made_text(path)}});
}

/* --- events --- */

struct stack {
	uint64_t kernel[2], user[3];
	struct event_stacks stacks;
};

/* A different one for each number. */
static void stack_make(struct stack *stack, uint64_t number)
{
	*stack = (struct stack){.kernel = {(uint64_t)KERNEL << 32 | (number * 16 & 0xfffffff0), 0},
				.user = {CODE + number % CODE_SIZE, CODE + number / 3 % CODE_SIZE, 0}};
	stack->stacks = (struct event_stacks){.kernel = stack->kernel, .user = stack->user, .kernel_count = 1,
					      .user_count = 2};
}

/* Threads of one process: the same in all records, or a different one in each. */
static struct event_task task_of(struct many *many, bool same)
{
	return made_task(TGID, same ? TGID : thread_of(many), 7, same ? "many" : name_of(many).bytes);
}

static void add_sample_of(struct many *many, bool same_task, bool same_stack)
{
	struct event_sample sample = {.time = now(many), .cpu = (uint32_t)many->number % CPUS, .source = CPU_CLOCK,
				      .flags = SAMPLE_HAS_KERNEL | SAMPLE_HAS_USER};
	const struct event_task task = task_of(many, same_task);
	struct stack stack;

	stack_make(&stack, same_stack ? 1 : many->number);
	made_trace_check(event_log_add_sample(many->trace->log, &sample, &task, &stack.stacks), "sample");
}

/* Each is in a different cgroup, which has no path. */
static void add_task_in_cgroup(struct many *many)
{
	struct event_sample sample = {.time = now(many), .cpu = (uint32_t)many->number % CPUS, .source = CPU_CLOCK,
				      .flags = SAMPLE_HAS_KERNEL};
	struct event_task task = task_of(many, true);
	struct stack stack;

	stack_make(&stack, 1);
	stack.stacks.user_count = 0;
	task.cgroup = many->number + 1;
	made_trace_check(event_log_add_sample(many->trace->log, &sample, &task, &stack.stacks), "sample");
}

static void add_task(struct many *many)
{
	add_sample_of(many, false, true);
}

static void add_sample(struct many *many)
{
	add_sample_of(many, true, true);
}

static void add_stack(struct many *many)
{
	add_sample_of(many, true, false);
}

static void add_walk(struct many *many)
{
	const struct event_walk walk = {now(many), 2 + (uint32_t)many->number / 2, TASKS,
					many->number % 2 ? WALK_END : 0, 1, 1};

	add(many, &(struct event){.kind = EVENT_WALK, .walk = walk});
}

static void add_walk_task(struct many *many)
{
	struct event_walk_task row = {.time = now(many), .walk = 1, .state = 2, .wait = many->number,
				      .bound = WAIT_EXACT, .call = 1 << WAIT_CALL_BITS | WAIT_IN_CALL,
				      .object = 1 + (uint32_t)(many->number % RWK_MAX_OBJECTS), .owner = 1};
	const struct event_task task = task_of(many, false), owner = task_of(many, true);
	struct stack stack;

	stack_make(&stack, many->number);
	made_trace_check(event_log_add_walk_task(many->trace->log, &row, &task, &owner, &stack.stacks), "walk task");
}

static void add_wait(struct many *many)
{
	struct event_wait wait = {.cpu = (uint32_t)many->number % CPUS, .source = OFFCPU, .state = 1,
				  .time = now(many), .length = STEP / 2, .run_queue = 10,
				  .context = WAKER_TASK, .woken = 10};
	const struct event_task task = task_of(many, false), waker = task_of(many, true);
	struct stack stack;

	stack_make(&stack, many->number);
	made_trace_check(event_log_add_wait(many->trace->log, &wait, &task, &waker, &stack.stacks), "wait");
}

/* They belong to waits that do not exist. */
static void add_wake(struct many *many)
{
	struct event_wake wake = {.cpu = (uint32_t)many->number % CPUS, .source = WAKERS, .context = WAKER_TASK,
				  .time = now(many)};
	const struct event_task task = task_of(many, false), waker = task_of(many, true);
	struct stack stack;

	stack_make(&stack, many->number);
	made_trace_check(event_log_add_wake(many->trace->log, &wake, &waker, &task, &stack.stacks), "wake");
}

static void add_user_stack(struct many *many)
{
	struct event_user_stack record = {.cpu = (uint32_t)many->number % CPUS, .source = OFFCPU, .time = now(many),
					  .since = STEP};
	const struct event_task task = task_of(many, false);
	struct stack stack;

	stack_make(&stack, many->number);
	stack.stacks.kernel_count = 0;
	made_trace_check(event_log_add_user_stack(many->trace->log, &record, &task, &stack.stacks), "user stack");
}

static void add_wait_sums(struct many *many)
{
	struct event_wait_sums sums = {.time = now(many), .source = OFFCPU, .span = STEP, .running = 5,
				       .kinds = {{1, 400, 10}}};
	const struct event_task task = task_of(many, false);

	made_trace_check(event_log_add_wait_sums(many->trace->log, &sums, &task), "sums");
}

static void add_snapshot(struct many *many)
{
	uint64_t words[WORDS_EACH];
	struct snapshot snapshot = {.time = now(many), .known = 0x1ffff, .address = 0x7fff0000, .words = words,
				    .count = WORDS_EACH};
	struct event_sample sample = {.time = now(many), .cpu = (uint32_t)many->number % CPUS, .source = CPU_CLOCK,
				      .flags = SAMPLE_HAS_USER};
	const struct event_task task = task_of(many, true);
	struct event_log_snapshot added;
	struct stack stack;

	for (size_t i = 0; i < WORDS_EACH; i++)
		words[i] = CODE + (many->number * 31 + i) % CODE_SIZE;
	snapshot.registers[7] = snapshot.address;
	snapshot.registers[16] = CODE + many->number % CODE_SIZE;
	stack_make(&stack, many->number);
	stack.stacks.kernel_count = 0;
	stack.stacks.user_count = 1;
	made_trace_check(event_log_add_snapshot(many->trace->log, (struct snapshot_owner){TGID, 0}, &snapshot, &added),
			 "snapshot");
	sample.snapshot = added.number;
	made_trace_check(event_log_add_sample(many->trace->log, &sample, &task, &stack.stacks), "sample");
}

/* --- what is embedded --- */

static void add_embed_module(struct many *many)
{
	const struct event_segment segment = {0, many->number << 12, 0x1000, 0x1000, 5};
	const struct event_embed_module embed = {.module = module_of(many), .status = EMBED_FULL, .machine = EM_X86_64,
						 .segments = &segment, .segment_count = 1};

	made_trace_module(many->trace, module_of(many), MODULE_FILE, name_of(many).bytes, "");
	made_trace_check(event_log_add_embed_module(many->trace->log, &embed), "embed");
}

/* LIST symbols in one record, which count as that many. */
static void add_symbols_of(struct many *many, bool jit)
{
	struct event_symbol symbols[LIST];
	static char names[LIST][32];
	int r;

	for (uint64_t i = 0; i < LIST; i++) {
		symbols[i] = (struct event_symbol){.address = CODE + (many->number + i) * 16, .size = 16};
		(void)snprintf(names[i], sizeof(names[i]), "name%llu", (unsigned long long)(many->number + i));
		symbols[i].name = made_text(names[i]);
	}
	r = jit ? event_log_add_perf_map(many->trace->log, TGID, symbols, LIST) :
		  event_log_add_embed_symbols(many->trace->log, PROGRAM, symbols, LIST);
	made_trace_check(r, "symbols");
	many->number += LIST - 1;
}

static void add_embed_symbols(struct many *many)
{
	add_symbols_of(many, false);
}

static void add_perf_map(struct many *many)
{
	add_symbols_of(many, true);
}

static void add_embed_lines(struct many *many)
{
	struct event_line_level levels[2] = {{name_of(many), made_text("a.c"), (uint32_t)many->number},
					     {made_text("main"), made_text("b.c"), 7}};
	const struct event_line line = {.address = CODE + many->number, .levels = levels, .level_count = 2};

	made_trace_check(event_log_add_embed_lines(many->trace->log, PROGRAM, &line, 1), "lines");
}

/* One byte each, of a section of the largest size. */
static void add_embed_unwind(struct many *many)
{
	const struct event_embed_unwind piece = {.module = PROGRAM, .section = UNWIND_EH_FRAME, .address = CODE,
						 .size = RWK_MAX_UNWIND_SECTION,
						 .offset = (uint32_t)(many->number * 2 % RWK_MAX_UNWIND_SECTION),
						 .bytes = {"x", 1}};

	made_trace_check(event_log_add_embed_unwind(many->trace->log, &piece), "unwind");
}

/* --- traces --- */

static const struct {
	const char *name;
	void (*add)(struct many *many);
} kinds[] = {
	{"meta", add_meta}, {"clock", add_clock}, {"source", add_source}, {"module", add_module},
	{"mapping", add_mapping}, {"mapping-beside", add_mapping_beside}, {"fork", add_fork}, {"comm", add_comm},
	{"exit", add_exit}, {"kernel-symbol", add_kernel_symbol}, {"loss", add_loss}, {"cost", add_cost},
	{"maps-unavailable", add_maps_unavailable}, {"probe", add_probe}, {"probe-hits", add_probe_hits},
	{"unsure", add_unsure}, {"counter", add_counter}, {"cgroup", add_cgroup},
	{"task", add_task}, {"task-in-cgroup", add_task_in_cgroup}, {"sample", add_sample},
	{"stack", add_stack}, {"walk", add_walk}, {"walk-task", add_walk_task}, {"wait", add_wait},
	{"wake", add_wake}, {"user-stack", add_user_stack}, {"wait-sums", add_wait_sums}, {"snapshot", add_snapshot},
	{"embed-module", add_embed_module}, {"embed-symbols", add_embed_symbols}, {"perf-map", add_perf_map},
	{"embed-lines", add_embed_lines}, {"embed-unwind", add_embed_unwind},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]),
       FIRST_EMBEDDED = KINDS - 5 };

static void begin(struct many *many, const char *path)
{
	struct made_trace *trace = many->trace = made_trace_begin(path);

	made_trace_cpu_clock(trace, SOURCE_SNAPSHOTS);
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_source(trace, &(struct event_source){.id = OFFCPU, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
							.start = BEGIN, .stop = BEGIN}, "sched_switch");
	made_trace_source(trace, &(struct event_source){.id = WAKERS, .kind = SOURCE_WAKERS, .weight = WEIGHT_NS,
							.start = BEGIN, .stop = BEGIN}, "sched_waking");
	made_trace_source(trace, &(struct event_source){.id = TRACEPOINT, .kind = SOURCE_TRACEPOINT,
							.weight = WEIGHT_COUNT, .start = BEGIN, .stop = BEGIN}, "t");
	made_trace_source(trace, &(struct event_source){.id = TASKS, .kind = SOURCE_TASKS, .weight = WEIGHT_COUNT,
							.start = BEGIN, .stop = BEGIN}, "walk");
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/bin/many", "0102030405060708");
	made_trace_map(trace, BEGIN, TGID, CODE, CODE_SIZE, 0, PROGRAM, MAPPING_INITIAL);
	made_trace_check(event_log_want_snapshots(trace->log), "snapshots");
	made_trace_check(event_log_want_names(trace->log), "names");
	add(many, &(struct event){.kind = EVENT_WALK, .walk = {BEGIN, 1, TASKS, 0, 0, 0}});
	add_sample(many);
}

/* After this, only embedded data can be added. */
static void embed(struct many *many)
{
	static const struct event_segment segment = {0, 0x400000, 1 << 30, 1 << 30, 5};
	static const struct event_symbol symbol = {0x400000, 16, {"main", 4}};

	made_trace_embed(many->trace, PROGRAM, &segment, 1, &symbol, 1);
}

static void write_all(struct many *many, size_t kind)
{
	if (kind >= FIRST_EMBEDDED)
		embed(many);
	for (; many->number < many->count; many->number++)
		kinds[kind].add(many);
	if (kind < FIRST_EMBEDDED)
		embed(many);
	made_trace_end(many->trace);
}

static int list(void)
{
	for (size_t i = 0; i < KINDS; i++)
		(void)puts(kinds[i].name);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct many many = {0};

	if (argc == 2 && !strcmp(argv[1], "--kinds"))
		return list();
	for (size_t i = 0; argc == 4 && i < KINDS; i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		many.count = strtoull(argv[2], NULL, 10);
		begin(&many, argv[3]);
		write_all(&many, i);
		return EXIT_SUCCESS;
	}
	(void)fprintf(stderr, "usage: many_records KIND COUNT FILE, or --kinds\n");
	return EXIT_FAILURE;
}
