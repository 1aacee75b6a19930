/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's command line as a plain struct, and the one table that fills it. After record_options_parse() the
 * struct is consistent: combinations that make no sense were refused, defaults are filled in, and nothing else looks at
 * argv. Pointers point into argv or into the struct.
 */
#ifndef RWALKER_RECORD_PLAN_RECORD_OPTIONS_H
#define RWALKER_RECORD_PLAN_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/ring.h"
#include "record/plan/record_option_file.h"
#include "record/plan/trigger_rule.h"

enum embed_level { EMBED_LEVEL_NONE, EMBED_LEVEL_MIN, EMBED_LEVEL_FULL };

enum { RECORD_MAX_IDS = 1024, RECORD_MAX_POINTS = 32 };

struct id_list {
	uint32_t items[RECORD_MAX_IDS];
	size_t count;
};

/* Which threads; both false: both kinds. */
struct record_who {
	const char *command; /* ERE on the comm, NULL: all */
	struct id_list pids, tids;
	const char *cpus;    /* "0-3,7", NULL: all */
	const char *cgroup, *container; /* patterns, NULL: all */
	bool user_threads, kernel_threads;
	bool system_wide; /* with a command: everybody, not only its descendants */
};

struct record_walk {
	bool wanted; /* a walk takes place */
	bool all, running, stuck;
	int64_t waiting;  /* -w; 0: any */
	bool waiting_given;
	int64_t interval; /* -i; 0: once */
	int64_t count;	  /* walks, -C; 0: unlimited */
};

struct record_profile {
	bool wanted;
	int64_t lasts; /* -p; 0: until the end */
	int64_t frequency;
	bool frequency_given;
	bool software; /* --sw-perf */
};

struct record_offcpu {
	bool wanted;
	int64_t lasts; /* --offcpu; 0: until the end */
	bool wakers;
	int64_t least, most;	   /* of waits, -m and -M; most 0: no limit */
	bool least_given;
	uint32_t states;	   /* bits of prev_state and RING_STATE_RUNNABLE */
	const char *states_text;   /* as given, NULL: all */
};

struct record_point { /* one --trace or --kfunc */
	const char *text; /* "sched:sched_switch", "tcp_send*", "/^tcp_/": `length` bytes, without the duration */
	int length;
	bool function;
	int64_t lasts; /* 0: until the end */
};

struct record_points {
	struct record_point items[RECORD_MAX_POINTS];
	size_t count;
	int64_t rate_limit; /* stacks per second and CPU, of each; 0: all */
	int64_t most;	    /* --max-probes */
};

struct record_output {
	const char *path; /* -o; NULL: the default name; "-": stdout */
	bool force;
	enum embed_level embed;
	bool embed_given;
	int64_t max_size; /* bytes, 0: no limit */
	int64_t ring_megabytes;
	bool ring_given;
	bool keep_kernel_addresses;
	const char *finalize; /* --finalize FILE, else NULL */
};

/* --flight: how much is kept in memory, when it is written as a dump, and how many dumps are kept. */
enum { FLIGHT_MAX_RULES = 32 };

struct record_flight {
	bool wanted;
	int64_t window; /* ns */
	int64_t bytes;	/* of stored chunks */
	bool bytes_given;
	struct trigger_rule rules[FLIGHT_MAX_RULES];
	uint32_t rule_count;
	bool limits_given; /* any of the next four */
	int64_t post;	   /* ns from a trigger to its dump */
	int64_t cooldown;  /* ns after a dump during which triggers make none */
	int64_t max_dumps; /* 0: any number is kept */
	int64_t max_kept;  /* limit for the bytes of all dumps together; 0: none */
	const char *on_dump; /* a command for the shell; NULL: none */
	const char *stream;  /* for tests: a file to which everything is written as well; NULL: none */
};

struct record_budget {
	int64_t memory; /* --max-memory, bytes; 0: none */
	bool plan;	/* --plan */
	int64_t cpu;	/* --max-cpu: hundredths of a percent of one CPU; 0: any */
	int64_t calm;	/* for tests: ns instead of a minute; 0: a minute */
};

struct record_config {
	const struct inherited *inherited; /* for the command; set by main */
	struct record_walk walk;
	struct record_profile profile;
	struct record_offcpu offcpu;
	struct record_points points;
	struct record_who who;
	struct record_output output;
	struct record_flight flight;
	struct record_budget budget;
	bool user_stacks;
	bool snapshots;	       /* --dwarf */
	bool no_cgroups, no_objects;
	int64_t snapshot_bytes; /* --dwarf-size */
	bool snapshot_bytes_given;
	int64_t duration; /* -d; 0: none */
	bool version;
	bool check_host;
	const char *completion; /* "", or a shell; NULL: not asked for */
	const char *help; /* "", "all"; NULL: not asked for */
	struct record_option_file file; /* --config */
	char **command; /* NULL-terminated words after "--", or NULL */
	int argc;
	char **argv; /* all of them, for the trace's own record of its command line */
};

/* States of tasks, as in the kernel (include/linux/sched.h), and the letters for them in --state and --trigger. */
enum {
	TASK_UNINTERRUPTIBLE = 2,
	TASK_NOLOAD = 0x400, /* in addition: a task that idles */
};

/* The bits of a letter; 0: there is no such state. */
static inline uint32_t task_state_bits(char letter)
{
	static const struct {
		char letter;
		uint32_t bits;
	} states[] = {
		{'R', RING_STATE_RUNNABLE}, {'S', 0x1}, {'D', TASK_UNINTERRUPTIBLE}, {'T', 0x4}, {'t', 0x8},
		{'X', 0x90}, {'Z', 0x20}, {'P', 0x40}, {'K', 0x100}, {'I', TASK_NOLOAD}, {'F', 0x8000},
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].letter == letter)
			return states[i].bits;
	return 0;
}

/* 0, -EINVAL if the command line is wrong (already reported; exit 2). */
int record_options_parse(struct record_config *config, int argc, char **argv);
void record_options_help(bool all);
/* 0, -EINVAL after reporting why. */
int record_options_completion(const char *shell);

#endif
