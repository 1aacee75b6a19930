/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_private FILE: writes a trace in which every text that a record may have is a private name of
 * the host, and prints these names as a list for tests/canaries.py.
 */
#include "tests/make_events.h"

enum { KERNEL = 1, DRIVER, MADE, BPF, PROGRAM, LIBRARY, STRIPPED, PUBLIC, ANON, UNUSED, VENDOR };
enum { CPU = 1, OFFCPU = 2, WAKERS = 3, TRACE = 4, TASKS = 5 };
enum { PID = 24601, CHILD = 24707 };

#define SYMBOL(at, bytes, text) {.address = (at), .size = (bytes), .name = {(text), sizeof(text) - 1}}
#define START (UINT64_C(987654321) * 1000000)

/* What must not be in the scrubbed trace. */
static const char *const names[] = {
	"payhost-ams-07", "vanessa-secret", "e3b0c442-98fc", "acmeKrnl", "acmebuilder", "zebrafish",
	"quokka-srv", "okapi-client", "narwhal", "numbat_svc", "homes/valentina", "axolotl-engine",
	"libtapir.so", "opt/platypus", "gharial_stripped", "binturong", "salary_of", "aardvark_main",
	"ocelot_pricing", "Capybara", "wombat_lookup", "jitted_dugong", "echidna_jit", "src/valentina",
	"margay_tables.cc", "kinkajou_inline", "jerboa.hh", "quoll_probe", "quoll_event", "fossa_agent",
	"caracal", "hidden_unused", "lemur_service", "anteater.slice", "manatee-output",
	"gibbon_struct_ops", "serval_meta", "tamarin_value", "sifaka_mempool", "unicorn-taperig",
	"wallaby_compressed", "gharial_vendor", "php-dunnart", "gecko.sock", "colugo.slice", "pangolin_rule",
	"potto_mutex",
};

static const char *const ids[] = {"c0ffee15600dc0de", "badc0de5ca1ab1e5", "5d4c3b2a19080706", "81d5557742fc00a5"};
/* The address of a peer. */
static const char peer[] = {0x20, 0x01, 0x0d, 0x68, 0x5e, 0x5e, 0x1a, 0x1b,
			    0x1c, 0x1d, 0x1e, 0x1f, 0x2a, 0x2b, 0x2c, 0x2d};

static const uint64_t kernel[] = {UINT64_C(1) << 32 | 0x110, UINT64_C(1) << 32 | 0x210, UINT64_C(2) << 32 | 0x10,
				  UINT64_C(3) << 32 | 0x10, UINT64_C(4) << 32 | 0x10, 0};
static const uint64_t user[] = {0x555511112010, 0x555511112120, 0x7fff00001010, 0x7ffe12340010, 0x7ffd00003010,
				0x7ffd10003010, 0x7ffc98765010, 0};

static void add_host(struct made_trace *trace)
{
	made_trace_meta(trace, "recorder", "unicorn-taperig 1.0");
	made_trace_meta(trace, "command_line", "rwalker-record -u --cgroup anteater.slice -o manatee-output.rwk");
	made_trace_meta(trace, "hostname", "payhost-ams-07");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_meta(trace, "kernel_release", "6.1.0-28-amd64-acmeKrnl");
	made_trace_meta(trace, "kernel_version", "#1 SMP acmebuilder@vanessa-secret");
	made_trace_meta(trace, "boot_id", "e3b0c442-98fc-1c14-9afb-f4c8996fb924");
	made_trace_meta(trace, "memory", "8 MB for sifaka_mempool");
	made_trace_meta(trace, "serval_meta", "tamarin_value");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {START, START + 5, UINT64_C(1768439496) * 1000000000,
							UINT64_C(1768439533) * 1000000000, 100}});
}

static void add_sources(struct made_trace *trace)
{
	const struct event_source source = {.weight = WEIGHT_NS, .frequency = 99, .period = 1000, .start = START,
					    .stop = START + 1000000, .flags = SOURCE_USER_STACKS};
	static const char *const sources[] = {"", "cpu-clock", "sched_switch", "sched_waking", "quoll_event", "tasks"};
	static const uint32_t source_kinds[] = {0, SOURCE_CPU, SOURCE_OFFCPU, SOURCE_WAKERS, SOURCE_TRACEPOINT,
						SOURCE_TASKS};

	for (uint32_t i = CPU; i <= TASKS; i++) {
		struct event_source one = source;

		one.id = i;
		one.kind = source_kinds[i];
		made_trace_source(trace, &one, sources[i]);
	}
	made_trace_probe(trace, 1, TRACE, HOOK_TRACEPOINT, "user_events:quoll_probe");
}

static void add_modules(struct made_trace *trace)
{
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "5eed0ff1ce5eed00");
	made_trace_module(trace, DRIVER, MODULE_KERNEL_MODULE, "ext4", "");
	made_trace_module(trace, MADE, MODULE_KERNEL_OTHER, "bpf__gibbon_struct_ops", "");
	made_trace_module(trace, BPF, MODULE_BPF, "bpf_prog_0123456789abcdef_fossa_agent", "");
	made_trace_module(trace, PROGRAM, MODULE_FILE, "/homes/valentina/bin/axolotl-engine", ids[0]);
	made_trace_module(trace, LIBRARY, MODULE_FILE, "/opt/platypus/lib/libtapir.so.1", ids[1]);
	made_trace_module(trace, STRIPPED, MODULE_FILE, "/usr/lib/gharial_vendor/java", ids[2]);
	made_trace_module(trace, VENDOR, MODULE_FILE, "/usr/lib/gharial_vendor/php-dunnart", ids[3]);
	made_trace_module(trace, PUBLIC, MODULE_FILE, "/usr/lib/x86_64-linux-gnu/libc.so.6", "0a0b0c0d");
	made_trace_module(trace, ANON, MODULE_ANONYMOUS, "//anon binturong", "");
	made_trace_module(trace, UNUSED, MODULE_FILE, "/srv/hidden_unused", "0123");
	made_trace_kernel_symbol(trace, KERNEL, 0x100, 0x100, "do_read");
	made_trace_kernel_symbol(trace, KERNEL, 0x200, 0x100, "ksys_read");
	made_trace_kernel_symbol(trace, DRIVER, 0, 0x100, "ext4_file_read_iter");
	made_trace_kernel_symbol(trace, MADE, 0, 0x100, "bpf__gibbon_struct_ops");
	made_trace_kernel_symbol(trace, BPF, 0, 0x100, "bpf_prog_0123456789abcdef_fossa_agent");
}

static void add_processes(struct made_trace *trace)
{
	made_trace_exec(trace, START, PID, "zebrafish");
	made_trace_map(trace, START, PID, 0x555511110000, 0x8000, 0, PROGRAM, MAPPING_INITIAL);
	made_trace_map(trace, START, PID, 0x7fff00000000, 0x8000, 0x1000, LIBRARY, MAPPING_INITIAL);
	made_trace_map(trace, START, PID, 0x7ffd00000000, 0x8000, 0, STRIPPED, MAPPING_INITIAL);
	made_trace_map(trace, START, PID, 0x7ffd10000000, 0x8000, 0, VENDOR, MAPPING_INITIAL);
	made_trace_map(trace, START, PID, 0x7ffe12340000, 0x2000, 0x7ffe12340000, ANON, MAPPING_INITIAL);
	made_trace_map(trace, START, PID, 0x7ffc98760000, 0x8000, 0, PUBLIC, MAPPING_INITIAL);
	made_trace_fork(trace, START + 10, PID, CHILD);
	made_trace_exec(trace, START + 20, CHILD, "quokka-srv");
	made_trace_map(trace, START + 21, CHILD, 0x555511110000, 0x8000, 0, PROGRAM, 0);
	made_trace_exit(trace, START + 900000, CHILD);
}

/* What a wait was for, control groups, and why a dump was made. */
static void add_objects(struct made_trace *trace)
{
	const struct event_object_name socket = {.number = 1, .path = made_text("/var/run/gecko.sock"),
						 .peer_address = {peer, sizeof(peer)}};
	const struct event_object tcp = {.number = 1, .kind = OBJECT_TCP, .port = 80, .peer_port = 4242};
	const struct event_object futex = {.number = 2, .kind = OBJECT_FUTEX, .tgid = PID, .place = 64,
					   .name = made_text("potto_mutex")};
	const struct event_cgroup cgroup = {.time = START, .id = 7, .path = made_text("/colugo.slice/a")};
	const struct event_trigger trigger = {.time = START, .rule = made_text("comm=pangolin_rule"), .tgid = PID,
					      .tid = PID, .comm = made_text("okapi-client")};

	made_trace_check(event_log_want_names(trace->log), "names");
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = tcp});
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = futex});
	made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT_NAME, .object_name = socket});
	made_trace_add(trace, &(struct event){.kind = EVENT_CGROUP, .cgroup = cgroup});
	made_trace_add(trace, &(struct event){.kind = EVENT_TRIGGER, .trigger = trigger});
}

static void add_events(struct made_trace *trace)
{
	static const char *const comms[] = {"zebrafish", "okapi-client", "narwhal", "lemur_service"};
	const struct event_task child = made_task(CHILD, CHILD, 77, "quokka-srv"),
				main = made_task(PID, PID, 1234567, "zebrafish");
	struct event_task driver = made_task(9, 9, 3, "caracal/dm-1");
	const struct event_stacks stacks = {.kernel = kernel, .kernel_count = 2, .user = user, .user_count = 2};
	struct event_wait wait = {.cpu = 1, .source = OFFCPU, .state = 2, .time = START + 2000, .length = 1900,
				  .context = WAKER_TASK, .woken = 25, .call = 1, .object = 1, .ready_object = 2};
	struct event_wake wake = {.cpu = 1, .source = WAKERS, .context = WAKER_TASK, .time = START + 1975};
	const struct event_walk_task row = {.time = START + 7000, .walk = 1, .state = 1, .wait = 50,
					    .bound = WAIT_EXACT, .cpu = 1};

	driver.flags = TASK_KERNEL_THREAD;
	for (uint32_t i = 0; i < 28; i++)
		made_trace_sample(trace, &(struct made_sample){
			.time = START + 100 + i, .cpu = 1, .source = i % 6 ? CPU : TRACE, .probe = i % 6 ? 0 : 1,
			.tgid = PID, .tid = PID + i % 4, .start = 1234567 + i % 4, .comm = comms[i % 4],
			.period = 1000, .kernel = i % 2 ? kernel : NULL, .user = user + i % 7});
	made_trace_check(event_log_add_wake(trace->log, &wake, &child, &main, &stacks), "wake");
	made_trace_check(event_log_add_wait(trace->log, &wait, &main, &child, &stacks), "wait");
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {START + 6900, 1, TASKS, 0, 0, 0}});
	made_trace_walk_task(trace, &row, &driver, kernel);
	made_trace_add(trace, &(struct event){.kind = EVENT_WALK, .walk = {START + 7100, 1, TASKS, WALK_END, 1, 1}});
}

static void add_names(struct made_trace *trace)
{
	static const struct event_segment segment = {
		.address = 0, .file_size = 0x10000, .memory_size = 0x10000, .flags = 5};
	static const struct event_symbol program[] = {SYMBOL(0x1f00, 0x180, "salary_of"),
						      SYMBOL(0x2100, 0x100, "aardvark_main"),
						      SYMBOL(0x3000, 0x100, "ocelot_pricing_not_hit")};
	static const struct event_symbol library[] = {SYMBOL(0x2000, 0x100, "_ZN8Capybara13wombat_lookupEi")};
	static const struct event_symbol stripped[] = {SYMBOL(0x3000, 0x100, "ocelot_pricing")};
	static const struct event_symbol public[] = {SYMBOL(0x5000, 0x100, "read")};
	static const struct event_symbol jit[] = {SYMBOL(0x7ffe12340000, 0x100, "jitted_dugong"),
						  SYMBOL(0x7ffe12341000, 0x100, "echidna_jit_not_hit")};
	static const struct event_line_level levels[] = {
		{{"kinkajou_inline", 15}, {"/src/valentina/jerboa.hh", 24}, 7},
		{{"salary_of", 9}, {"/src/valentina/margay_tables.cc", 31}, 70}};
	static const struct event_line line = {0x2010, levels, 2};
	static const char packed[] = "wallaby_compressed, as bytes of a section";
	const struct event_embed_unwind mini = {.module = PROGRAM, .section = UNWIND_MINI_DEBUG_INFO,
						.size = sizeof(packed) - 1, .bytes = {packed, sizeof(packed) - 1}};

	made_trace_embed(trace, PROGRAM, &segment, 1, program, 3);
	made_trace_embed(trace, LIBRARY, &segment, 1, library, 1);
	made_trace_embed(trace, STRIPPED, &segment, 1, stripped, 1);
	made_trace_embed(trace, PUBLIC, &segment, 1, public, 1);
	made_trace_check(event_log_add_embed_lines(trace->log, PROGRAM, &line, 1), "lines");
	made_trace_check(event_log_add_embed_unwind(trace->log, &mini), "mini debug info");
	made_trace_check(event_log_add_perf_map(trace->log, PID, jit, 2), "perf map");
}

int main(int argc, char **argv)
{
	struct made_trace *trace;

	if (argc != 2) {
		(void)fputs("usage: make_private FILE\n", stderr);
		return 2;
	}
	trace = made_trace_begin(argv[1]);
	add_host(trace);
	add_sources(trace);
	add_modules(trace);
	add_processes(trace);
	add_objects(trace);
	add_events(trace);
	add_names(trace);
	made_trace_end(trace);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)printf("text %s\n", names[i]);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		(void)printf("bytes %s\n", ids[i]);
	(void)printf("bytes ");
	for (size_t i = 0; i < sizeof(peer); i++)
		(void)printf("%02x%s", (unsigned char)peer[i], i + 1 < sizeof(peer) ? "" : "\n");
	return fflush(stdout) ? 1 : 0;
}
