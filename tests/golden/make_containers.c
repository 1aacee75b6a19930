/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * make_containers FILE: writes samples/containers/trace.rwk, one second of a host with containers
 * of several runtimes. A web server is in docker, its database in a pod; a job is moved from one
 * podman container to the next; a control group is made and removed; one thread's control group has
 * no known path, another one's was not recorded.
 */
#include "tests/make_events.h"

enum { CPU_CLOCK = 1, OFFCPU = 3, WAKERS = 4, KERNEL = 1 };
enum { READ = 0, NANOSLEEP = 35, EPOLL_WAIT = 232 }; /* of x86-64 */
enum { CLIENT = 1, TABLE, SLEEP };

#define MS UINT64_C(1000000)
#define START (UINT64_C(5000) * 1000 * MS)
#define LENGTH (1000 * MS)
#define WALL_CLOCK (UINT64_C(1768439496) * 1000 * MS)

#define WEB "3f4e5d6c7b8a99887766554433221100ffeeddccbbaa00112233445566778899"
#define DATABASE "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define JOB "aaaabbbbccccddddeeeeffff0000111122223333444455556666777788889999"
#define NEXT "bbbbccccddddeeeeffff0000111122223333444455556666777788889999aaaa"
#define POD "0f6b1c2d_3e4f_4a5b_8c6d_7e8f9a0b1c2d"

enum group {
	NOT_RECORDED,
	ROOT,
	IN_WEB,
	IN_DATABASE,
	IN_JOB,
	IN_NEXT,
	IN_MACHINE,
	IN_SERVICE,
	IN_BRIEF,
	UNKNOWN,
	GROUPS
};

static const struct {
	const char *path;
	uint64_t made, removed; /* ms from the start; 0: before the start, and never */
} groups[GROUPS] = {
	[ROOT] = {"/", 0, 0},
	[IN_WEB] = {"/system.slice/docker-" WEB ".scope", 0, 0},
	[IN_DATABASE] = {"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD ".slice/crio-" DATABASE
			 ".scope", 0, 0},
	[IN_JOB] = {"/machine.slice/libpod-" JOB ".scope", 0, 0},
	[IN_NEXT] = {"/machine.slice/libpod-" NEXT ".scope/container", 300, 0},
	[IN_MACHINE] = {"/machine.slice/machine-old\\x2dhost.scope", 0, 0},
	[IN_SERVICE] = {"/system.slice/cron.service", 0, 0},
	[IN_BRIEF] = {"/jobs/\x1b[2Jbatch", 400, 700},
	[UNKNOWN] = {"", 0, 0},
};

struct thread {
	const char *comm;
	uint32_t tid;
	bool kernel;
};

static const struct thread nginx = {"nginx", 101, false}, worker = {"nginx", 102, false},
			   postgres = {"postgres", 201, false}, job = {"make", 301, false},
			   init = {"systemd", 1, false},
			   guest = {"init", 401, false}, cron = {"cron", 501, false}, brief = {"sh", 601, false},
			   kernel = {"kworker/0:1", 31, true}, stranger = {"probe", 701, false},
			   unnoted = {"agent", 801, false};

static struct event_task task_of(const struct thread *thread, enum group group)
{
	struct event_task task = made_task(thread->tid == 102 ? 101 : thread->tid, thread->tid, 7, thread->comm);

	task.flags = thread->kernel ? TASK_KERNEL_THREAD : 0;
	task.cgroup = group == NOT_RECORDED ? 0 : 1000 * (uint64_t)group + 1;
	return task;
}

static const uint64_t in_loop[] = {(uint64_t)KERNEL << 32 | 0x1010, 0},
		      in_sleep[] = {(uint64_t)KERNEL << 32 | 0x2010, 0};

static void add_sample(struct made_trace *trace, uint64_t ms, const struct thread *thread, enum group group)
{
	struct event_sample sample = {.time = START + ms * MS, .cpu = 1, .source = CPU_CLOCK,
				      .flags = SAMPLE_HAS_KERNEL};
	struct event_task task = task_of(thread, group);
	struct event_stacks stacks = {.kernel = in_loop, .kernel_count = 1};

	made_trace_check(event_log_add_sample(trace->log, &sample, &task, &stacks), "sample");
}

struct wait {
	const struct thread *thread;
	enum group group;
	uint64_t from, to; /* ms from the start */
	uint64_t call;
	uint32_t object;
	const struct thread *waker; /* NULL: unknown; its cgroup is not recorded */
};

static void add_wait(struct made_trace *trace, const struct wait *made)
{
	struct event_task task = task_of(made->thread, made->group), others[WAIT_OTHERS] = {0};
	struct event_wait wait = {.source = OFFCPU, .time = START + made->to * MS,
				  .length = (made->to - made->from) * MS, .state = 1, .flags = WAIT_HAS_CALL,
				  .call = made->call << WAIT_CALL_BITS | WAIT_IN_CALL, .object = made->object};
	struct event_stacks stacks = {.kernel = in_sleep, .kernel_count = 1};

	if (made->waker) {
		wait.context = WAKER_TASK;
		others[WAIT_WAKER] = task_of(made->waker, NOT_RECORDED);
	}
	made_trace_check(event_log_add_wait(trace->log, &wait, &task, others, &stacks), "wait");
}

static void add_groups(struct made_trace *trace)
{
	for (uint64_t i = ROOT; i < GROUPS; i++) {
		struct event_cgroup group = {.time = START + groups[i].made * MS, .id = 1000 * i + 1,
					     .flags = groups[i].made ? 0 : CGROUP_INITIAL,
					     .path = made_text(groups[i].path)};

		made_trace_add(trace, &(struct event){.kind = EVENT_CGROUP, .cgroup = group});
		if (groups[i].removed)
			made_trace_add(trace, &(struct event){.kind = EVENT_CGROUP, .cgroup = {
				START + groups[i].removed * MS, group.id, CGROUP_REMOVED, {"", 0}}});
	}
}

static void add_state(struct made_trace *trace)
{
	static const char *const functions[] = {"do_work", "do_sleep"};
	static const struct event_object objects[] = {
		{.number = CLIENT, .kind = OBJECT_TCP, .device = 8, .inode = 91, .family = 2, .state = 1, .port = 80,
		 .peer_port = 40001},
		{.number = TABLE, .kind = OBJECT_FILE, .device = 0x801, .inode = 131},
		{.number = SLEEP, .kind = OBJECT_SLEEP},
	};

	made_trace_source(trace, &(struct event_source){.id = CPU_CLOCK, .kind = SOURCE_CPU, .weight = WEIGHT_NS,
							.frequency = 100, .period = 10 * MS, .start = START,
							.stop = START + LENGTH}, "cpu-clock");
	made_trace_source(trace, &(struct event_source){.id = OFFCPU, .kind = SOURCE_OFFCPU, .weight = WEIGHT_NS,
							.start = START, .stop = START + LENGTH, .least = MS},
			  "sched_switch");
	made_trace_meta(trace, "hostname", "example");
	made_trace_meta(trace, "machine", "x86_64");
	made_trace_meta(trace, "cgroups", "v2 v1 namespace incomplete");
	made_trace_add(trace, &(struct event){.kind = EVENT_CLOCK,
					      .clock = {.time = START, .realtime = WALL_CLOCK, .window = 1}});
	made_trace_module(trace, KERNEL, MODULE_KERNEL, "[kernel]", "");
	for (size_t i = 0; i < 2; i++)
		made_trace_kernel_symbol(trace, KERNEL, 0x1000 * (i + 1), 0x100, functions[i]);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		made_trace_add(trace, &(struct event){.kind = EVENT_OBJECT, .object = objects[i]});
	add_groups(trace);
}

static void add_events(struct made_trace *trace)
{
	static const struct wait waits[] = {
		{&nginx, IN_WEB, 10, 110, READ, CLIENT, &postgres}, {&worker, IN_WEB, 20, 220, READ, CLIENT, NULL},
		{&postgres, IN_DATABASE, 40, 340, READ, TABLE, NULL}, {&job, IN_JOB, 50, 250, NANOSLEEP, SLEEP, NULL},
		{&guest, IN_MACHINE, 60, 360, READ, CLIENT, NULL}, {&cron, IN_SERVICE, 5, 405, NANOSLEEP, SLEEP, NULL},
		{&brief, IN_BRIEF, 410, 460, NANOSLEEP, SLEEP, NULL}, {&job, IN_NEXT, 320, 620, NANOSLEEP, SLEEP, NULL},
		{&stranger, UNKNOWN, 500, 630, READ, CLIENT, NULL}, {&init, ROOT, 300, 640, EPOLL_WAIT, 0, NULL},
		{&unnoted, NOT_RECORDED, 300, 650, NANOSLEEP, SLEEP, &unnoted},
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		add_wait(trace, &waits[i]);
	for (uint64_t i = 0; i < 4; i++) {
		add_sample(trace, 700 + 20 * i, &nginx, IN_WEB);
		add_sample(trace, 710 + 20 * i, &postgres, IN_DATABASE);
	}
	add_sample(trace, 800, &job, IN_NEXT);
	add_sample(trace, 810, &job, IN_JOB);
	add_sample(trace, 820, &kernel, ROOT);
}

int main(int argc, char **argv)
{
	struct made_trace *trace;

	if (argc != 2)
		return 2;
	trace = made_trace_begin(argv[1]);
	add_state(trace);
	add_events(trace);
	made_trace_end(trace);
	return 0;
}
