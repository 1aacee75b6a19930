/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/options/options.h"
#include "common/time_units.h"
#include "record/plan/budget.h"

/* --- what people who know perf, bcc, strace or the reporter type --- */

#define REPORTS "belongs to rwalker-report: the trace holds everything, choose when you read it"
#define HERE(option) "here is " option
#define WALKS "here is --offcpu, as in rwalker-record --offcpu 5 "

/* The most used names of perf record and bcc's tools that are others here, and the reporter's. */
static const struct option_habit record_habits[] = {
	{"-v", REPORTS}, {"-q", REPORTS}, {"-U", REPORTS}, {"-K", REPORTS}, {"--tree", REPORTS}, {"--folded", REPORTS},
	{"--export", REPORTS}, {"--html", REPORTS}, {"--user-stacks-only", REPORTS " (-U)"},
	{"--kernel-stacks-only", REPORTS " (-K)"},

	{"-g", "here is -u, which adds user stacks; kernel stacks are always recorded"},
	{"--call-graph", "here is -u (by frame pointer) or --dwarf; kernel stacks are always recorded"},
	{"--all-cpus", "is not needed: all CPUs are recorded; with a command, --system-wide records all threads"},
	{"-F", HERE("-f, as in -f 99")},
	{"-e", "here is --trace for tracepoints, as in --trace sched:sched_switch; -p 5 samples the CPUs"},
	{"--event", "here is --trace for tracepoints, as in --trace sched:sched_switch; -p 5 samples the CPUs"},
	{"-t", HERE("--tid, as in --tid 1234")},
	{"-L", HERE("--tid, as in --tid 1234")},
	{"-G", HERE("--cgroup PATH, as in --cgroup /sys/fs/cgroup/system.slice")},
	{"--cgroupmap", HERE("--cgroup PATH")},
	{"--off-cpu", HERE("--offcpu, as in --offcpu 5")},
	{"--mmap-pages", HERE("--ringbuf-size, in megabytes")},
	{"--overwrite", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"--switch-output", "is --flight here, as in --flight 60s; kill -USR2 writes the last minute"},
	{"-C 0-3", "here is -P 0-3; -C N ends after N walks"},
	{"-p PID", "here is --pid PID, as in --pid 1234; -p 5 samples the CPUs for 5 seconds"},
	{"--cpu", HERE("-P, as in -P 0-3")},
	{"--user-threads-only", HERE("--user-threads")},
	{"--kernel-threads-only", HERE("--kernel-threads")},
	{"--stack-storage-size", "is not needed: this recorder keeps no stacks in a map"},

	/* first words: what to type instead */
	{"record", "is not needed: this program only records, as in rwalker-record -p 5 -u -o t.rwk"},
	{"report", "reads a trace: rwalker-report t.rwk"},
	{"top", "does not exist here: rwalker-record -p 5 -u -o t.rwk, then rwalker-report t.rwk"},
	{"sched", WALKS "--wakers -u -o t.rwk"},
	{"profile", "here is -p, as in rwalker-record -p 5 -u -o t.rwk"},
	{"offcputime", WALKS "-u -o t.rwk"},
	{"offwaketime", WALKS "--wakers -u -o t.rwk"},
	{NULL, NULL},
};

static bool ends_with(const char *word, const char *end)
{
	size_t length = strlen(word), end_length = strlen(end);

	return length >= end_length && !strcmp(word + length - end_length, end);
}

/* Words joined by blanks, as they were typed; quotes are lost. */
static void join(char *text, size_t room, char **words, int count)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < count && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, " %s", words[i]);
}

/* The option whose list of numbers this word was meant to continue, as in "--pid 12 13"; NULL: none. */
static const char *list_before(char **argv, int at)
{
	static const char *const lists[] = {"--pid", "--tid", "-P", "--cpus", NULL};

	for (const char *const *list = lists; *list; list++)
		if ((at > 2 && !strcmp(argv[at - 2], *list)) ||
		    (!strncmp(argv[at - 1], *list, strlen(*list)) && argv[at - 1][strlen(*list)] == '='))
			return *list;
	return NULL;
}

static int refuse_number(char **argv, int at)
{
	const char *list = list_before(argv, at), *word = argv[at];

	if (list)
		return log_error(EINVAL, "'%s' belongs to no option: join numbers by commas, as in %s 12,345", word,
				 list);
	if (!strcmp(argv[at - 1], "--dwarf"))
		return log_error(EINVAL, "'%s' belongs to no option: --dwarf-size %s limits what is copied of a stack",
				 word, word);
	return log_error(EINVAL, "'%s' belongs to no option: for how long is told to a source, as in -p %s (what the "
			 "CPUs do) or --offcpu %s (what is waited for)", word, word, word);
}

/* For struct option_set. Returns -EINVAL, after it reported what to type instead of argv[at]. */
static int record_habits_refuse(int argc, char **argv, int at)
{
	const struct option_set set = {.habits = record_habits};
	const struct option_habit *habit = at == 1 ? options_habit(&set, argv[at], strlen(argv[at])) : NULL;
	char options[1024], command[1024];
	const char *word = argv[at];
	uint64_t time;

	if (habit)
		return log_error(EINVAL, "'%s' %s", word, habit->answer);
	if (ends_with(word, ".rwk"))
		return log_error(EINVAL, "'%s' belongs to no option: rwalker-report %s reads a trace, -o FILE writes "
				 "one", word, word);
	if (!duration_parse(word, SECOND, &time))
		return refuse_number(argv, at);
	join(options, sizeof(options), argv + 1, at - 1);
	join(command, sizeof(command), argv + at, argc - at);
	return log_error(EINVAL, "'%s' belongs to no option; a command comes after '--': rwalker-record%s --%s (what "
			 "runs already is chosen by --pid or -c)", word, options, command);
}

/* --- the table, and what follows from it --- */

enum {
	RING_MEGABYTES = 8,
	DWARF_RING_MEGABYTES = 32,
	MAX_COUNT = 1000000000,
	STUCK_COUNT = 5,
	LEAST_SIZE = 256 << 10,
	POINTS = 500,
	MAX_POINTS = 20000,
	FLIGHT_BYTES = 64 << 20,
	LEAST_FLIGHT_BYTES = 8 << 20,
	LEAST_MEMORY = 16 << 20,
	MAX_DUMPS = 20,
};

static const uint64_t LEAST_WINDOW = SECOND, MOST_WINDOW = 86400 * SECOND;
static const int64_t MAX_KEPT = (int64_t)2 << 30, MOST_BYTES = (int64_t)64 << 30;
static const double LEAST_PERCENT = 0.1, MOST_PERCENT = 100000;
static const int64_t STUCK_INTERVAL = 2 * SECOND, STUCK_WAITING = SECOND;

#define LEAST_TIME MILLISECOND
#define LEAST_INTERVAL (100 * MILLISECOND)
#define MOST_TIME (1000000000 * SECOND)
#define MOST_WAIT (INT32_MAX * MICROSECOND)

#define COOLDOWN (300 * (int64_t)SECOND)

#define AT(member) offsetof(struct record_config, member)

static int refuse_ids(const char *option, const char *text)
{
	if (!*text)
		return log_error(EINVAL, "%s expects numbers such as 12,345, and got none: is there such a process?",
				 option);
	return log_error(EINVAL, "%s expects numbers such as 12,345, not '%s'; -c '^NAME$' chooses by name", option,
			 text);
}

static int parse_ids(const char *option, const char *text, struct id_list *list)
{
	for (;;) {
		unsigned long long id;
		char *end;

		errno = 0;
		id = strtoull(text, &end, 10);
		if (end == text || !isdigit((unsigned char)*text) || errno || !id || id > INT32_MAX)
			return refuse_ids(option, text);
		if (list->count == RECORD_MAX_IDS)
			return log_error(EINVAL, "%s takes at most %d numbers", option, RECORD_MAX_IDS);
		list->items[list->count++] = (uint32_t)id;
		if (!*end)
			return 0;
		if (*end != ',')
			return refuse_ids(option, text);
		text = end + 1;
	}
}

static int parse_pids(void *config, const char *value)
{
	return parse_ids("--pid", value, &((struct record_config *)config)->who.pids);
}

static int parse_tids(void *config, const char *value)
{
	return parse_ids("--tid", value, &((struct record_config *)config)->who.tids);
}

static int parse_embed(void *config, const char *value)
{
	static const char *const names[] = {
		[EMBED_LEVEL_NONE] = "none",
		[EMBED_LEVEL_MIN] = "min",
		[EMBED_LEVEL_FULL] = "full",
	};
	struct record_config *record = config;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(value, names[i])) {
			record->output.embed = (enum embed_level)i;
			record->output.embed_given = true;
			return 0;
		}
	return log_error(EINVAL, "--embed must be none, min or full, not '%s'", value);
}

static int parse_bytes(const char *option, const char *value, int64_t least, int64_t *ret_bytes)
{
	unsigned long long size;
	const char *units = "KMG", *unit = units + 1;
	char *end;

	errno = 0;
	size = strtoull(value, &end, 10);
	if (*end)
		unit = strchr(units, toupper((unsigned char)*end));
	if (end == value || !isdigit((unsigned char)*value) || errno || !unit || (*end && end[1]))
		return log_error(EINVAL, "%s expects a size such as 500M, not '%s'", option, value);
	for (const char *at = units; at <= unit; at++)
		if (__builtin_mul_overflow(size, 1024, &size) || size > INT64_MAX)
			return log_error(EINVAL, "%s %s is too large", option, value);
	if ((int64_t)size < least)
		return log_error(EINVAL, "%s must be at least %" PRId64 "K, not %s", option, least >> 10, value);
	*ret_bytes = (int64_t)size;
	return 0;
}

static int parse_size(void *config, const char *value)
{
	return parse_bytes("--max-size", value, LEAST_SIZE, &((struct record_config *)config)->output.max_size);
}

/* Letters, or a mask of the kernel's bits as in bcc. */
static int parse_states(void *config, const char *value)
{
	struct record_config *record = config;
	char *end;
	unsigned long mask = strtoul(value, &end, 0);
	uint32_t bits = 0;

	record->offcpu.states_text = value;
	if (isdigit((unsigned char)*value) && !*end && mask < RING_STATE_RUNNABLE) {
		record->offcpu.states = mask ? (uint32_t)mask : RING_STATE_RUNNABLE;
		return 0;
	}
	for (const char *letter = value; *letter; letter++) {
		uint32_t state = task_state_bits(*letter);

		if (!state)
			return log_error(EINVAL, "--state expects letters from RSDKITtFZXP or a "
						 "mask such as 0x2, not '%s'", value);
		bits |= state;
	}
	record->offcpu.states = bits;
	return bits ? 0 : log_error(EINVAL, "--state expects letters from RSDKITtFZXP or a mask "
					    "such as 0x2");
}

/* What follows the last colon is the duration, if it begins with a digit. */
static int add_point(struct record_points *points, const char *option, const char *value, bool function)
{
	const char *colon = strrchr(value, ':');
	struct record_point point = {.text = value, .length = (int)strlen(value), .function = function};
	uint64_t lasts;

	if (points->count == RECORD_MAX_POINTS)
		return log_error(EINVAL, "--trace and --kfunc may be given at most %d times in "
					 "all; a pattern such as tcp_* covers many functions",
				 RECORD_MAX_POINTS);
	if (colon && isdigit((unsigned char)colon[1]) && strspn(colon + 1, "0123456789.numshd") == strlen(colon + 1)) {
		if (duration_parse(colon + 1, SECOND, &lasts) < 0 || lasts > MOST_TIME)
			return log_error(EINVAL, "%s '%s': after the colon comes a time such as 5 or 500ms", option,
					 value);
		point.lasts = (int64_t)lasts;
		point.length = (int)(colon - value);
	}
	if (!point.length)
		return log_error(EINVAL, "%s expects a name such as %s, not '%s'", option,
				 function ? "tcp_sendmsg or tcp_*:10" : "sched:sched_switch or sched_switch:10", value);
	points->items[points->count++] = point;
	return 0;
}

static int parse_trace(void *config, const char *value)
{
	return add_point(&((struct record_config *)config)->points, "--trace", value, false);
}

static int parse_kfunc(void *config, const char *value)
{
	return add_point(&((struct record_config *)config)->points, "--kfunc", value, true);
}

/* --- always on --- */

/* "60s", "60s,64M" */
static int parse_flight(void *config, const char *value)
{
	struct record_flight *flight = &((struct record_config *)config)->flight;
	const char *comma = strchr(value, ',');
	size_t length = comma ? (size_t)(comma - value) : strlen(value);
	char window[32];
	uint64_t ns;

	if (length >= sizeof(window))
		length = 0;
	memcpy(window, value, length);
	window[length] = '\0';
	if (duration_parse(window, SECOND, &ns) < 0)
		return log_error(EINVAL, "--flight expects a time, and perhaps a size, such as 60s or 60s,64M, "
					 "not '%s'", value);
	if (ns < LEAST_WINDOW || ns > MOST_WINDOW)
		return log_error(EINVAL, "--flight keeps between 1 second and 1 day, not '%s'", window);
	flight->wanted = true;
	flight->window = (int64_t)ns;
	flight->bytes = FLIGHT_BYTES;
	flight->bytes_given = comma;
	if (comma && parse_bytes("the size of --flight", comma + 1, LEAST_FLIGHT_BYTES, &flight->bytes) < 0)
		return -EINVAL;
	if (flight->bytes > MOST_BYTES)
		return log_error(EINVAL, "--flight keeps at most 64G, not '%s'", comma + 1);
	return 0;
}

static int parse_trigger(void *config, const char *value)
{
	struct record_flight *flight = &((struct record_config *)config)->flight;

	if (flight->rule_count == FLIGHT_MAX_RULES)
		return log_error(EINVAL, "--trigger may be given at most %d times", FLIGHT_MAX_RULES);
	if (trigger_rule_parse(value, &flight->rules[flight->rule_count]) < 0)
		return -EINVAL;
	flight->rule_count++;
	return 0;
}

static int parse_max_kept(void *config, const char *value)
{
	struct record_flight *flight = &((struct record_config *)config)->flight;

	return parse_bytes("--max-kept", value, 1 << 20, &flight->max_kept);
}

static int parse_max_memory(void *config, const char *value)
{
	struct record_config *record = config;

	return parse_bytes("--max-memory", value, LEAST_MEMORY, &record->budget.memory);
}

static int parse_max_cpu(void *config, const char *value)
{
	struct record_config *record = config;
	char *end;
	double percent = strtod(value, &end);

	if (end == value || !isdigit((unsigned char)*value) || (*end && strcmp(end, "%") != 0) ||
	    !(percent >= LEAST_PERCENT) || percent > MOST_PERCENT)
		return log_error(EINVAL, "--max-cpu expects percent of one CPU, from 0.1 to 100000, such as 1 or 0.5, "
					 "not '%s'", value);
	record->budget.cpu = (int64_t)(percent * 100 + 0.5);
	return 0;
}

static int parse_config(void *config, const char *value);

static const struct option_row rows[] = {
	{"What to record", "all", 'a', TAKES_NOTHING(AT(walk.all)), .help = "walk all tasks, not only those in D or R"},
	{"What to record", "running", 'r', TAKES_NOTHING(AT(walk.running)), .help = "walk only tasks in state R"},
	{"What to record", "stuck", 's', TAKES_NOTHING(AT(walk.stuck)),
	 .help = "walk five times, two seconds apart, and stop at the first task that has been in D for a second",
	 .often = true},
	{"What to record", "waiting", 'w', TAKES_TIME("TIME", AT(walk.waiting), SECOND, 0, MOST_TIME),
	 .given = AT(walk.waiting_given), .help = "walk only tasks that have waited for TIME"},
	{"What to record", "interval", 'i', TAKES_TIME("TIME", AT(walk.interval), SECOND, LEAST_INTERVAL, MOST_TIME),
	 .help = "walk every TIME until the end"},
	{"What to record", "count", 'C', TAKES_NUMBER("N", AT(walk.count), 1, MAX_COUNT),
	 .help = "with -i: stop after N walks"},
	{"What to record", "profile", 'p', TAKES_TIME("TIME", AT(profile.lasts), SECOND, 0, MOST_TIME),
	 .given = AT(profile.wanted),
	 .help = "sample what the CPUs do, for TIME, as in 5, 500ms or 2m; 0: until the end", .often = true},
	{"What to record", "offcpu", 0, TAKES_TIME("TIME", AT(offcpu.lasts), SECOND, 0, MOST_TIME),
	 .given = AT(offcpu.wanted),
	 .help = "record what threads wait for; TIME as for -p", .often = true},
	{"What to record", "wakers", 0, TAKES_NOTHING(AT(offcpu.wakers)),
	 .help = "with --offcpu: also who ended each wait", .often = true},
	{"What to record", "no-objects", 0, TAKES_NOTHING(AT(no_objects)),
	 .help = "not what waits are for: calls, files, locks ..."},
	{"What to record", "no-cgroups", 0, TAKES_NOTHING(AT(no_cgroups)),
	 .help = "not which control groups threads are in"},
	{"What to record", "min-block-time", 'm', TAKES_TIME("US", AT(offcpu.least), MICROSECOND, 0, MOST_WAIT),
	 .usual = MILLISECOND, .given = AT(offcpu.least_given),
	 .help = "only count and sum waits shorter than US microseconds (1000), or as in 50us or 2ms"},
	{"What to record", "max-block-time", 'M',
	 TAKES_TIME("US", AT(offcpu.most), MICROSECOND, MICROSECOND, MOST_WAIT), .help = "no waits longer than that"},
	{"What to record", "state", 0, IS_PARSED("STATES", parse_states),
	 .help = "only waits that began in one of these states, as in DK, or a mask of them; R or 0: runnable"},
	{"What to record", "trace", 0, IS_PARSED("NAME[:TIME]", parse_trace),
	 .help = "record each hit of a tracepoint, as in block:*, for TIME; may be repeated",
	 .often = true},
	{"What to record", "kfunc", 0, IS_PARSED("NAME[:TIME]", parse_kfunc),
	 .help = "record each call of a kernel function, as in tcp_send* or /^tcp_(send|recv)/; may be repeated",
	 .often = true},
	{"What to record", "rate-limit", 0, TAKES_NUMBER("N", AT(points.rate_limit), 1, MAX_COUNT),
	 .help = "hits per second and CPU of each of these"},
	{"What to record", "max-probes", 0, TAKES_NUMBER("N", AT(points.most), 1, MAX_POINTS), .usual = POINTS,
	 .help = "at most N tracepoints and functions (500)"},
	{"What to record", "duration", 'd', TAKES_TIME("TIME", AT(duration), SECOND, LEAST_TIME, MOST_TIME),
	 .help = "end everything after TIME", .often = true},

	{"Whom to record", "command", 'c', TAKES_TEXT("RE", AT(who.command)),
	 .help = "threads whose name matches (POSIX ERE); ^name$, ^prefix and alternatives of these cost least",
	 .often = true},
	{"Whom to record", "pid", 0, IS_PARSED("LIST", parse_pids), .help = "processes, as in 12,345", .often = true},
	{"Whom to record", "tid", 0, IS_PARSED("LIST", parse_tids), .help = "threads"},
	{"Whom to record", "cpus", 'P', TAKES_TEXT("LIST", AT(who.cpus)),
	 .help = "what happens on these CPUs, as in 0-3,7"},
	{"Whom to record", "container", 0, TAKES_TEXT("ID", AT(who.container)),
	 .help = "threads in this container: its id, the beginning of it or a pattern"},
	{"Whom to record", "cgroup", 0, TAKES_TEXT("PATH", AT(who.cgroup)),
	 .help = "threads in this control group (v2) or below it, as in /system.slice, nginx.service; may be a "
		 "pattern"},
	{"Whom to record", "user-threads", 0, TAKES_NOTHING(AT(who.user_threads)), .help = "no kernel threads"},
	{"Whom to record", "kernel-threads", 0, TAKES_NOTHING(AT(who.kernel_threads)), .help = "kernel threads only"},
	{"Whom to record", "system-wide", 0, TAKES_NOTHING(AT(who.system_wide)),
	 .help = "with a command: all threads, not only its own"},

	{"Stacks", "user", 'u', TAKES_NOTHING(AT(user_stacks)),
	 .help = "also record user stacks, by frame pointer", .often = true},
	{"Stacks", "dwarf", 0, TAKES_NOTHING(AT(snapshots)),
	 .help = "also without frame pointers: copies registers and stack memory, for the reporter to unwind",
	 .often = true},
	{"Stacks", "dwarf-size", 0, TAKES_NUMBER("BYTES", AT(snapshot_bytes), 1024, RING_MAX_SNAPSHOT),
	 .usual = RING_MAX_SNAPSHOT, .given = AT(snapshot_bytes_given),
	 .help = "at most this much of each stack (65536); in the scheduler never more than 16384"},
	{"Stacks", "freq", 'f', TAKES_NUMBER("HZ", AT(profile.frequency), 1, 1000000), .usual = SAMPLE_RATE,
	 .given = AT(profile.frequency_given), .help = "per second and CPU (3989; with --dwarf 997)"},
	{"Stacks", "sw-perf", 0, TAKES_NOTHING(AT(profile.software)),
	 .help = "sample by the CPU clock, not by hardware cycles"},

	{"Output", "output", 'o', TAKES_TEXT("FILE", AT(output.path)),
	 .help = "write to FILE (rwalker-HOST-DATE.rwk); '-': stdout", .often = true},
	{"Output", "force", 0, TAKES_NOTHING(AT(output.force)), .help = "overwrite FILE"},
	{"Output", "embed", 0, IS_PARSED("LEVEL", parse_embed),
	 .help = "what the reporter will need: none, min (functions that were hit) or full (the default)"},
	{"Output", "max-size", 0, IS_PARSED("SIZE", parse_size),
	 .help = "stop when the trace reaches SIZE, as in 500M or 2G"},
	{"Output", "ringbuf-size", 0, TAKES_NUMBER("MB", AT(output.ring_megabytes), 1, 1024), .usual = RING_MEGABYTES,
	 .given = AT(output.ring_given), .help = "for every 8 online CPUs (8; with --dwarf 32)"},
	{"Output", "keep-kernel-addresses", 0, TAKES_NOTHING(AT(output.keep_kernel_addresses)),
	 .help = "by default, none of them leaves the host"},
	{"Output", "finalize", 0, TAKES_TEXT("FILE", AT(output.finalize)),
	 .help = "add to a trace what a killed recorder could not; on the same boot"},

	{"Always on", "flight", 0, IS_PARSED("TIME[,SIZE]", parse_flight),
	 .help = "keep the last TIME of the recording in memory, at most SIZE (64M), and write it to a "
		 "file when something happens, at SIGUSR2 and at the end"},
	{"Always on", "trigger", 0, IS_PARSED("RULE", parse_trigger),
	 .help = "what happens: wait:D>500ms, wait:comm=/RE/>2s, runq>50ms, stuck:D>5s, "
		 "psi:io.some>30%/2s, cpu:CGROUP>80%/5s, exec:COMMAND/10s; may be repeated"},
	{"Always on", "post", 0, TAKES_TIME("TIME", AT(flight.post), SECOND, 0, MOST_TIME),
	 .given = AT(flight.limits_given), .help = "record for TIME more before a trigger's dump is written (0)"},
	{"Always on", "cooldown", 0, TAKES_TIME("TIME", AT(flight.cooldown), SECOND, 0, MOST_TIME),
	 .usual = COOLDOWN, .given = AT(flight.limits_given), .help = "after a dump, only count triggers for TIME (5m)"},
	{"Always on", "max-dumps", 0, TAKES_NUMBER("N", AT(flight.max_dumps), 0, MAX_COUNT),
	 .usual = MAX_DUMPS, .given = AT(flight.limits_given), .help = "remove the oldest dumps beyond N (20); 0: keep all"},
	{"Always on", "max-kept", 0, IS_PARSED("SIZE", parse_max_kept),
	 .given = AT(flight.limits_given), .help = "remove the oldest dumps beyond SIZE in all (2G)"},
	{"Always on", "on-dump", 0, TAKES_TEXT("COMMAND", AT(flight.on_dump)),
	 .help = "run a shell command after each dump, whose name is in $RWALKER_DUMP"},

	{"Always on", "max-memory", 0, IS_PARSED("SIZE", parse_max_memory),
	 .help = "take at most SIZE of memory in all, as in 128M: rings, tables and the window of --flight "
		 "are made to fit"},
	{"Always on", "max-cpu", 0, IS_PARSED("PERCENT", parse_max_cpu),
	 .help = "use at most so much of one CPU, as in 1 or 0.5, BPF programs included: above it for 3 s, record "
		 "less, then pause"},
	{"Always on", "plan", 0, TAKES_NOTHING(AT(budget.plan)),
	 .help = "print how much memory this recording would take at most, and for what; record nothing"},
	{"Always on", "config", 0, IS_PARSED("FILE", parse_config),
	 .help = "read more options from FILE, one to a line; with --flight, SIGHUP reads rules and limits again"},

	{"Help", "help", 'h', TAKES_TEXT("[=all]", AT(help)),
	 .help = "print what is needed often, or all options"},
	{"Help", "version", 'V', TAKES_NOTHING(AT(version)),
	 .help = "print the versions of the program and its libraries"},
	{"Help", "check-host", 0, TAKES_NOTHING(AT(check_host)),
	 .help = "print what this host can record, and what helps where it cannot; exits with 1 if a "
		 "default recording would not work"},
	{"Help", "completion", 0, TAKES_TEXT("[=SHELL]", AT(completion)),
	 .help = "print a completion script for bash, zsh or fish"},
	{0},
};

static const char *const examples[] = {
	"rwalker-record                       what is stuck or running now",
	"rwalker-record -s                    is anything stuck?",
	"rwalker-record -p 5 -u -o t.rwk      where CPU time goes, for 5 seconds",
	"rwalker-record --offcpu 5 --wakers -u -o t.rwk   what is waited for, and who ends it",
	"rwalker-record --trace block:block_rq_issue:5 -u  who issues disk I/O, by stack",
	"rwalker-record -u -o t.rwk -- make   ... of one command and its descendants",
	"rwalker-report t.rwk                 read it, here or anywhere",
	NULL,
};

static const struct option_set options = {
	.usage = "rwalker-record [OPTION]... [-- COMMAND [ARGUMENT]...]",
	.examples = examples,
	.rows = rows,
	.habits = record_habits,
	.refuse_word = record_habits_refuse,
};

static int parse_config(void *config, const char *value)
{
	return record_option_file_read(&((struct record_config *)config)->file, &options, config, value);
}

/* Whether anything other than walks was asked for. */
static bool has_span(const struct record_config *config)
{
	return config->profile.wanted || config->offcpu.wanted || config->points.count;
}

static int check_without_flight(const struct record_flight *flight)
{
	if (flight->rule_count || flight->limits_given || flight->on_dump)
		return log_error(EINVAL, "--trigger, --post, --cooldown, --max-dumps, --max-kept and --on-dump require "
					 "--flight, as in --flight 60s");
	return 0;
}

/* The smallest value of the rules about stuck threads; 0: there is no such rule. */
static uint64_t stuck_value(const struct record_flight *flight)
{
	uint64_t least = 0;

	for (uint32_t i = 0; i < flight->rule_count; i++)
		if (flight->rules[i].kind == TRIGGER_STUCK && (!least || flight->rules[i].value < least))
			least = flight->rules[i].value;
	return least;
}

static int check_flight(const struct record_config *config, bool spans)
{
	if (!config->flight.wanted)
		return check_without_flight(&config->flight);
	if (!spans && !stuck_value(&config->flight))
		return log_error(EINVAL, "--flight requires something that goes on: -p 0, --offcpu 0, --trace, "
					 "--kfunc or -i");
	if (stuck_value(&config->flight) && (config->walk.interval || config->walk.all || config->walk.running ||
					     config->walk.stuck || config->walk.waiting_given))
		return log_error(EINVAL, "--trigger stuck walks all tasks each second: -a, -r, -s, -i and -w "
					 "cannot be used with it");
	if (config->output.path && !strcmp(config->output.path, "-"))
		return log_error(EINVAL, "--flight writes a file for each dump, so -o cannot be '-'");
	if (config->output.force)
		return log_error(EINVAL, "--flight and --force cannot be used together: each dump gets a new name");
	if (config->output.finalize)
		return log_error(EINVAL, "--flight and --finalize cannot be used together");
	return 0;
}

static bool has_sources(const struct record_config *config)
{
	return config->profile.wanted || config->offcpu.wanted || config->points.count || config->command;
}

static int check_budget(const struct record_config *config)
{
	if (config->budget.plan && (config->command || config->output.finalize))
		return log_error(EINVAL, "--plan records nothing, so it takes neither a command nor --finalize");
	if (config->budget.memory && config->output.finalize)
		return log_error(EINVAL, "--finalize and --max-memory cannot be used together");
	if (config->budget.cpu && !has_sources(config))
		return log_error(EINVAL, "--max-cpu requires -p, --offcpu, --trace or --kfunc: walks do not become "
					 "fewer");
	return 0;
}

static int check_combinations(const struct record_config *config)
{
	if (config->help && *config->help && strcmp(config->help, "all") != 0)
		return log_error(EINVAL, "--help takes nothing, or --help=all, not '%s'", config->help);
	if (config->walk.all && config->walk.running)
		return log_error(EINVAL, "-a and -r cannot be used together");
	if (config->walk.all && config->command && !config->walk.interval && !config->who.system_wide &&
	    !has_span(config))
		return log_error(EINVAL, "-a walks tasks once, before the command runs; to sample all threads while it "
				 "runs: --system-wide -- COMMAND");
	if (config->walk.count && !config->walk.interval)
		return log_error(EINVAL, "-C requires -i");
	if (config->walk.stuck && (config->walk.interval || config->walk.all || config->walk.running))
		return log_error(EINVAL, "-s cannot be used with -a, -r or -i");
	if (config->who.user_threads && config->who.kernel_threads)
		return log_error(EINVAL, "--user-threads and --kernel-threads cannot be used together");
	if (!config->offcpu.wanted && (config->offcpu.wakers || config->offcpu.most || config->offcpu.states_text ||
				       config->offcpu.least_given))
		return log_error(EINVAL, "--wakers, -m, -M and --state require --offcpu");
	if (config->points.rate_limit && !config->points.count)
		return log_error(EINVAL, "--rate-limit requires --trace or --kfunc");
	if (config->offcpu.most && config->offcpu.most < config->offcpu.least)
		return log_error(EINVAL, "-M must not be less than -m (1000 by default)");
	if (config->snapshot_bytes_given && !config->snapshots)
		return log_error(EINVAL, "--dwarf-size requires --dwarf");
	if (config->who.system_wide && !config->command)
		return log_error(EINVAL, "--system-wide requires a command after '--'");
	if (config->check_host && (config->command || config->output.finalize))
		return log_error(EINVAL, "--check-host records nothing, so it takes neither a command nor --finalize");
	if (config->output.finalize && config->command)
		return log_error(EINVAL, "--finalize and a command cannot be used together");
	if (check_budget(config) < 0)
		return -EINVAL;
	return check_flight(config, has_span(config) || config->walk.interval);
}

static void fill_flight(struct record_config *config)
{
	struct record_flight *flight = &config->flight;

	if (stuck_value(flight)) {
		config->walk.wanted = true;
		config->walk.interval = (int64_t)SECOND;
		config->walk.waiting = (int64_t)stuck_value(flight);
	}
	if (flight->wanted && !config->output.embed_given)
		config->output.embed = EMBED_LEVEL_MIN;
}

static void fill_defaults(struct record_config *config)
{
	struct record_walk *walk = &config->walk;

	if (config->snapshots && !config->profile.frequency_given)
		config->profile.frequency = SAMPLE_RATE_DWARF;
	if (config->snapshots && !config->output.ring_given)
		config->output.ring_megabytes = DWARF_RING_MEGABYTES;
	config->user_stacks |= config->snapshots;
	walk->wanted = walk->all || walk->running || walk->stuck || walk->waiting_given || walk->interval;
	if (!config->offcpu.states)
		config->offcpu.states = RING_STATES_ALL;
	if (config->command && !walk->wanted && !config->profile.wanted && !config->offcpu.wanted &&
	    !config->points.count)
		config->profile.wanted = true;
	walk->wanted |= !config->profile.wanted && !config->offcpu.wanted && !config->points.count;
	if (!walk->stuck)
		return;
	walk->interval = STUCK_INTERVAL;
	walk->count = STUCK_COUNT;
	if (!walk->waiting_given)
		walk->waiting = STUCK_WAITING;
}

/* Once it is known what is recorded. */
static int check_wanted(const struct record_config *config)
{
	if (config->no_objects && !config->offcpu.wanted && !config->walk.wanted)
		return log_error(EINVAL, "--no-objects requires --offcpu, or walks: -a, -r, -w, -s or -i");
	return 0;
}

int record_options_parse(struct record_config *config, int argc, char **argv)
{
	int rest, r;

	memset(config, 0, sizeof(*config));
	config->argc = argc;
	config->argv = argv;
	options_set_usual(&options, config);
	config->flight.max_kept = MAX_KEPT;
	config->output.embed = EMBED_LEVEL_FULL;
	r = options_parse(&options, config, NULL, argc, argv, &rest);
	if (r < 0)
		return r;
	config->command = rest < argc ? argv + rest : NULL;
	r = check_combinations(config);
	if (r < 0)
		return r;
	fill_defaults(config);
	fill_flight(config);
	return check_wanted(config);
}

void record_options_help(bool all)
{
	options_print_help(&options, all, stdout);
}

int record_options_completion(const char *shell)
{
	return options_print_completion(&options, "rwalker-record", shell, stdout);
}
