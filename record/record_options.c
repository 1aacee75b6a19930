/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/record_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#include "bpf/ring_snapshot.h"
#include "bpf/ring_wait.h"
#include "common/log.h"

enum {
	FREQUENCY = 4000,
	DWARF_FREQUENCY = 1000,
	RING_MEGABYTES = 8,
	DWARF_RING_MEGABYTES = 32,
	UNSET = -1,
	MAX_SECONDS = 1000000000,
	STUCK_INTERVAL = 2,
	STUCK_COUNT = 5,
	STUCK_WAITING = 1,
	MAX_WAIT_US = INT32_MAX,
	LEAST_SIZE = 256 << 10,
	LEAST_WAIT_US = 1000,
	POINTS = 500,
	MAX_POINTS = 20000,
};

#define AT(member) offsetof(struct record_config, member)

static int parse_ids(const char *option, const char *text, struct id_list *list)
{
	for (;;) {
		unsigned long long id;
		char *end;

		errno = 0;
		id = strtoull(text, &end, 10);
		if (end == text || !isdigit((unsigned char)*text) || errno || !id || id > INT32_MAX)
			return log_error(EINVAL, "%s wants process numbers as in 12,345, not \"%s\"", option, text);
		if (list->count == RECORD_MAX_IDS)
			return log_error(EINVAL, "%s has more than %d numbers", option, RECORD_MAX_IDS);
		list->items[list->count++] = (uint32_t)id;
		if (!*end)
			return 0;
		if (*end != ',')
			return log_error(EINVAL, "%s wants process numbers as in 12,345, not \"%s\"", option, text);
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
			return 0;
		}
	return log_error(EINVAL, "--embed is none, min or full, not \"%s\"", value);
}

/* "500", "500M": megabytes, or with K or G. */
static int parse_size(void *config, const char *value)
{
	struct record_config *record = config;
	unsigned long long size;
	const char *units = "KMG", *unit = units + 1;
	char *end;

	errno = 0;
	size = strtoull(value, &end, 10);
	if (*end)
		unit = strchr(units, toupper((unsigned char)*end));
	if (end == value || !isdigit((unsigned char)*value) || errno || !unit || (*end && end[1]))
		return log_error(EINVAL, "--max-size wants a size as in 500M, not \"%s\"", value);
	for (const char *at = units; at <= unit; at++)
		if (__builtin_mul_overflow(size, 1024, &size) || size > INT64_MAX)
			return log_error(EINVAL, "--max-size %s is too large", value);
	if (size < LEAST_SIZE)
		return log_error(EINVAL, "--max-size %s is too small: at least 256K", value);
	record->output.max_size = (int64_t)size;
	return 0;
}

/* Letters, or a mask of the kernel's as bcc takes it. */
static int parse_states(void *config, const char *value)
{
	static const struct {
		char letter;
		uint32_t bits;
	} states[] = {
		{'R', RING_STATE_RUNNABLE}, {'S', 0x1}, {'D', 0x2}, {'T', 0x4}, {'t', 0x8}, {'X', 0x90},
		{'Z', 0x20}, {'P', 0x40}, {'K', 0x100}, {'I', 0x400},
	};
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
		size_t i = 0;

		while (i < sizeof(states) / sizeof(states[0]) && states[i].letter != *letter)
			i++;
		if (i == sizeof(states) / sizeof(states[0]))
			return log_error(EINVAL, "--state wants letters of RSDKITtZXP or a mask as in 0x2, not \"%s\"", value);
		bits |= states[i].bits;
	}
	record->offcpu.states = bits;
	return bits ? 0 : log_error(EINVAL, "--state wants letters of RSDKITtZXP or a mask as in 0x2");
}

/* The last ":digits" is the duration. */
static int add_point(struct record_points *points, const char *option, const char *value, bool function)
{
	const char *colon = strrchr(value, ':');
	struct record_point point = {.text = value, .length = (int)strlen(value), .function = function};

	if (points->count == RECORD_MAX_POINTS)
		return log_error(EINVAL, "--trace and --kfunc can be given %d times; a pattern as in tcp_* stands for many",
				 RECORD_MAX_POINTS);
	if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
		errno = 0;
		point.seconds = strtoll(colon + 1, NULL, 10);
		if (errno || point.seconds > MAX_SECONDS)
			return log_error(EINVAL, "%s \"%s\": the number of seconds is too large", option, value);
		point.length = (int)(colon - value);
	}
	if (!point.length)
		return log_error(EINVAL, "%s wants a name as in %s, not \"%s\"", option,
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

#define REPORTS "belongs to rwalker-report: the recording holds it all, choose when you read it"

static const struct option_row rows[] = {
	{"What to record", "all", 'a', OPTION_FLAG, AT(walk.all), NULL, 0, 0, NULL,
	 "walk all tasks, not only those in D (uninterruptible) and R"},
	{"What to record", "running", 'r', OPTION_FLAG, AT(walk.running), NULL, 0, 0, NULL, "walk tasks in R only"},
	{"What to record", "stuck", 's', OPTION_FLAG, AT(walk.stuck), NULL, 0, 0, NULL,
	 "look five times, two seconds apart, for a task in D for a second or more; stop at the first one"},
	{"What to record", "waiting", 'w', OPTION_NUMBER, AT(walk.waiting), "N", 0, MAX_SECONDS, NULL,
	 "walk only tasks that have waited for N seconds or more"},
	{"What to record", "interval", 'i', OPTION_NUMBER, AT(walk.interval), "N", 1, MAX_SECONDS, NULL,
	 "walk every N seconds until the end"},
	{"What to record", "count", 'C', OPTION_NUMBER, AT(walk.count), "N", 1, MAX_SECONDS, NULL,
	 "with -i: stop after N walks"},
	{"What to record", "profile", 'p', OPTION_NUMBER, AT(profile.seconds), "N", 0, MAX_SECONDS, NULL,
	 "sample what the CPUs do for N seconds; 0: until the end"},
	{"What to record", "offcpu", 0, OPTION_NUMBER, AT(offcpu.seconds), "N", 0, MAX_SECONDS, NULL,
	 "what threads wait for, for N seconds; 0: until the end"},
	{"What to record", "wakers", 0, OPTION_FLAG, AT(offcpu.wakers), NULL, 0, 0, NULL,
	 "with --offcpu: who ended each wait, with stacks"},
	{"What to record", "min-block-time", 'm', OPTION_NUMBER, AT(offcpu.least_us), "US", 0, MAX_WAIT_US, NULL,
	 "with --offcpu: shorter waits are only counted and summed (1000); 0: each one"},
	{"What to record", "max-block-time", 'M', OPTION_NUMBER, AT(offcpu.most_us), "US", 1, MAX_WAIT_US, NULL,
	 "with --offcpu: no longer waits"},
	{"What to record", "state", 0, OPTION_PARSE, 0, "STATES", 0, 0, parse_states,
	 "with --offcpu: waits that began in one of these states, as in DK, or of this mask; R or 0: runnable"},
	{"What to record", "trace", 0, OPTION_PARSE, 0, "NAME[:S]", 0, 0, parse_trace,
	 "each hit of a tracepoint, as in sched:sched_switch or block:*, for S seconds; several may be given"},
	{"What to record", "kfunc", 0, OPTION_PARSE, 0, "NAME[:S]", 0, 0, parse_kfunc,
	 "each call of a kernel function, as in tcp_sendmsg, tcp_send* or /^tcp_(send|recv)/; several may be given"},
	{"What to record", "rate-limit", 0, OPTION_NUMBER, AT(points.rate_limit), "N", 1, MAX_SECONDS, NULL,
	 "at most N of these per second and CPU, for each --trace and --kfunc; the others are only counted"},
	{"What to record", "max-probes", 0, OPTION_NUMBER, AT(points.most), "N", 1, MAX_POINTS, NULL,
	 "attach to N tracepoints and functions at most (500)"},
	{"What to record", "duration", 'd', OPTION_NUMBER, AT(duration), "S", 1, MAX_SECONDS, NULL,
	 "end everything after S seconds"},

	{"Whom to record", "command", 'c', OPTION_TEXT, AT(who.command), "RE", 0, 0, NULL,
	 "threads whose name matches the regular expression (POSIX ERE)"},
	{"Whom to record", "pid", 0, OPTION_PARSE, 0, "LIST", 0, 0, parse_pids, "processes, as in 12,345"},
	{"Whom to record", "tid", 0, OPTION_PARSE, 0, "LIST", 0, 0, parse_tids, "threads"},
	{"Whom to record", "cpus", 'P', OPTION_TEXT, AT(who.cpus), "LIST", 0, 0, NULL,
	 "these CPUs only, as in 0-3,7: samples and hits there, and waits that end there"},
	{"Whom to record", "cgroup", 0, OPTION_TEXT, AT(who.cgroup), "PATH", 0, 0, NULL,
	 "threads in this cgroup (v2) or below, as in /sys/fs/cgroup/system.slice"},
	{"Whom to record", "user-threads", 0, OPTION_FLAG, AT(who.user_threads), NULL, 0, 0, NULL, "no kernel threads"},
	{"Whom to record", "kernel-threads", 0, OPTION_FLAG, AT(who.kernel_threads), NULL, 0, 0, NULL,
	 "kernel threads only"},
	{"Whom to record", "system-wide", 0, OPTION_FLAG, AT(who.system_wide), NULL, 0, 0, NULL,
	 "with -- command: everybody, not only the command and its descendants"},

	{"Stacks", "user", 'u', OPTION_FLAG, AT(user_stacks), NULL, 0, 0, NULL, "user stacks too (by frame pointer)"},
	{"Stacks", "dwarf", 0, OPTION_FLAG, AT(snapshots), NULL, 0, 0, NULL,
	 "user stacks of programs without frame pointers: copies registers and stack memory, which the reader unwinds"},
	{"Stacks", "dwarf-size", 0, OPTION_NUMBER, AT(snapshot_bytes), "BYTES", 1024, RING_MAX_SNAPSHOT, NULL,
	 "with --dwarf: of each stack at most (65536); never more than 16384 inside the scheduler"},
	{"Stacks", "freq", 'f', OPTION_NUMBER, AT(profile.frequency), "HZ", 1, 1000000, NULL,
	 "samples per second and CPU (4000; with --dwarf 1000)"},
	{"Stacks", "sw-perf", 0, OPTION_FLAG, AT(profile.software), NULL, 0, 0, NULL,
	 "sample by the CPU clock, not by hardware cycles"},

	{"Output", NULL, 'o', OPTION_TEXT, AT(output.path), "FILE", 0, 0, NULL,
	 "the trace; \"-\" is stdout (rwalker-HOST-DATE.rwk)"},
	{"Output", "force", 0, OPTION_FLAG, AT(output.force), NULL, 0, 0, NULL, "overwrite FILE"},
	{"Output", "embed", 0, OPTION_PARSE, 0, "LEVEL", 0, 0, parse_embed,
	 "what the reader will need and this host has: none, min (what was hit) or full (the default)"},
	{"Output", "max-size", 0, OPTION_PARSE, 0, "SIZE", 0, 0, parse_size,
	 "stop when the trace is as large as this: megabytes, or as in 500K, 2G"},
	{"Output", "ringbuf-size", 0, OPTION_NUMBER, AT(output.ring_megabytes), "MB", 1, 1024, NULL,
	 "memory between the kernel and the recorder, for every 8 CPUs (8; with --dwarf 32); rounded up to a power of two"},
	{"Output", "keep-kernel-addresses", 0, OPTION_FLAG, AT(output.keep_kernel_addresses), NULL, 0, 0, NULL,
	 "tell in the trace where the kernel lies in memory; by default no kernel address leaves the host"},
	{"Output", "finalize", 0, OPTION_TEXT, AT(output.finalize), "FILE", 0, 0, NULL,
	 "embed afterwards what a killed recorder could not; on the same boot"},

	{"Help", "help", 'h', OPTION_FLAG, AT(help), NULL, 0, 0, NULL, "print this"},
	{"Help", "version", 'V', OPTION_FLAG, AT(version), NULL, 0, 0, NULL, "print versions"},
	{NULL, "completion", 0, OPTION_FLAG, AT(completion), NULL, 0, 0, NULL, "print a bash completion script"},
	{NULL, "dwarf-ringbuf-size", 0, OPTION_NUMBER, AT(output.ring_megabytes), "MB", 1, 1024, NULL,
	 "alias of --ringbuf-size"},

	{NULL, NULL, 'v', OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, NULL, 'q', OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, NULL, 'U', OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, NULL, 'K', OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, NULL, 'T', OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, "tree", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, "folded", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, "histogram", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, "output-filter", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS " (--min-percent)"},
	{NULL, "min-percent", 0, OPTION_HINT, 0, NULL, 0, 0, NULL, REPORTS},
	{NULL, "stack-storage-size", 0, OPTION_HINT, 0, NULL, 0, 0, NULL,
	 "is not needed: stacks are not stored in a map here"},
	{0},
};

static const char *const examples[] = {
	"rwalker-record                       what is stuck or running now",
	"rwalker-record -s                    is anything stuck?",
	"rwalker-record -p 5 -u -o t.rwk      where CPU time goes, for 5 seconds",
	"rwalker-record --offcpu 5 --wakers -u -o t.rwk   what is waited for, and who ends it",
	"rwalker-record --trace block:block_rq_issue:5 -u  who makes the disks work, by stack",
	"rwalker-record -u -o t.rwk -- make   ... of one command and its descendants",
	"rwalker-report t.rwk                 read it, here or anywhere",
	NULL,
};

static const struct option_set options = {
	.usage = "rwalker-record [OPTION]... [-- COMMAND [ARGUMENT]...]",
	.examples = examples,
	.rows = rows,
};

static int check_combinations(const struct record_config *config)
{
	if (config->walk.all && config->walk.running)
		return log_error(EINVAL, "-a and -r exclude each other");
	if (config->walk.count && !config->walk.interval)
		return log_error(EINVAL, "-C counts the walks of -i: give -i too");
	if (config->walk.stuck && (config->walk.interval || config->walk.all || config->walk.running))
		return log_error(EINVAL, "-s looks for tasks in D in its own rhythm: leave out -a, -r and -i");
	if (config->who.user_threads && config->who.kernel_threads)
		return log_error(EINVAL, "--user-threads and --kernel-threads exclude each other");
	if (!config->offcpu.wanted && (config->offcpu.wakers || config->offcpu.most_us || config->offcpu.states_text ||
				       config->offcpu.least_us != UNSET))
		return log_error(EINVAL, "--wakers, -m, -M and --state are about waits: they need --offcpu");
	if (config->points.rate_limit && !config->points.count)
		return log_error(EINVAL, "--rate-limit is about --trace and --kfunc: give one of these too");
	if (config->offcpu.most_us && config->offcpu.most_us < config->offcpu.least_us)
		return log_error(EINVAL, "-M is less than -m: no wait is that long");
	if (config->snapshot_bytes != UNSET && !config->snapshots)
		return log_error(EINVAL, "--dwarf-size is about what --dwarf copies: give --dwarf too");
	if (config->who.system_wide && !config->command)
		return log_error(EINVAL, "--system-wide widens the recording of a command: give one after \"--\"");
	if (config->output.finalize && config->command)
		return log_error(EINVAL, "--finalize takes no command");
	return 0;
}

static void fill_defaults(struct record_config *config, bool waiting_given)
{
	struct record_walk *walk = &config->walk;

	config->profile.wanted = config->profile.seconds != UNSET;
	config->profile.frequency_given = config->profile.frequency != UNSET;
	if (!config->profile.frequency_given)
		config->profile.frequency = config->snapshots ? DWARF_FREQUENCY : FREQUENCY;
	config->user_stacks |= config->snapshots;
	if (config->snapshot_bytes == UNSET)
		config->snapshot_bytes = RING_MAX_SNAPSHOT;
	if (config->output.ring_megabytes == UNSET)
		config->output.ring_megabytes = config->snapshots ? DWARF_RING_MEGABYTES : RING_MEGABYTES;
	walk->wanted = walk->all || walk->running || walk->stuck || waiting_given || walk->interval;
	if (config->offcpu.least_us == UNSET)
		config->offcpu.least_us = LEAST_WAIT_US;
	if (!config->offcpu.states)
		config->offcpu.states = RING_STATES_ALL;
	if (config->command && !walk->wanted && !config->profile.wanted && !config->offcpu.wanted && !config->points.count) {
		config->profile.wanted = true;
		config->profile.seconds = 0;
	}
	walk->wanted |= !config->profile.wanted && !config->offcpu.wanted && !config->points.count;
	if (!walk->stuck)
		return;
	walk->interval = STUCK_INTERVAL;
	walk->count = STUCK_COUNT;
	if (!waiting_given)
		walk->waiting = STUCK_WAITING;
}

int record_options_parse(struct record_config *config, int argc, char **argv)
{
	bool waiting_given;
	int rest, r;

	memset(config, 0, sizeof(*config));
	config->argc = argc;
	config->argv = argv;
	config->walk.waiting = UNSET;
	config->profile.seconds = UNSET;
	config->offcpu.seconds = UNSET;
	config->offcpu.least_us = UNSET;
	config->profile.frequency = UNSET;
	config->output.ring_megabytes = UNSET;
	config->snapshot_bytes = UNSET;
	config->points.most = POINTS;
	config->output.embed = EMBED_LEVEL_FULL;
	r = options_parse(&options, config, NULL, argc, argv, &rest);
	if (r < 0)
		return r;
	config->command = rest < argc ? argv + rest : NULL;
	waiting_given = config->walk.waiting != UNSET;
	config->offcpu.wanted = config->offcpu.seconds != UNSET;
	if (!waiting_given)
		config->walk.waiting = 0;
	r = check_combinations(config);
	if (r < 0)
		return r;
	fill_defaults(config, waiting_given);
	return 0;
}

void record_options_help(void)
{
	options_print_help(&options, stdout);
}

void record_options_completion(void)
{
	options_print_completion(&options, "rwalker-record", stdout);
}
