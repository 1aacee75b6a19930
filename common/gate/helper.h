/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whatever may hang or stumble over a hostile file runs in a helper: a process that can be left
 * behind. A table says, for each kind of helper of a program, what it may still do and how long it
 * may take. All have in common: nothing open but a packet socket to who asks, stdin and stdout
 * /dev/null; 1 GiB of address space, 16 files, none of them written, no children; no new
 * privileges; and any system call that is not in the lists kills them. A helper ends when that
 * socket closes, or with its parent.
 *
 * They are started by a spawner. That is a child, forked while the program is small and privileged,
 * which does nothing but fork helpers on request: it never blocks for long, and there can be new
 * helpers after the program has given up its privileges. Its own jail allows what all helpers may
 * do, and what starting them takes; each helper then gives up what it does not need. A program that
 * keeps its user starts them itself (spawner_create_here()).
 */
#ifndef RWALKER_COMMON_GATE_HELPER_H
#define RWALKER_COMMON_GATE_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/gate/confine.h"

/*
 * For processes without a jail of this kind: forks one that has a packet socket to us, and ends with
 * what run() does. Its pid, -errno.
 */
pid_t process_fork(void (*run)(const void *context, int socket), const void *context, int *ret_socket);

struct helper_kind {
	const char *name;
	int (*run)(int socket, const void *context); /* serves until the socket closes */
	/*
	 * Instead of run(): what the spawner does itself, at once, so that no process is needed. A
	 * descriptor, -errno. The request is not longer than HELPER_TASK_MAX.
	 */
	int (*task)(const void *request, size_t size);
	uint64_t capabilities;
	struct call_list calls; /* besides those of all kinds */
	unsigned int deadline_ms; /* for an answer */
	unsigned int busy_ms;	  /* the same, as long as it only waits for a CPU */
};

enum { HELPER_TASK_MAX = 256 };

struct helper_table {
	const struct helper_kind *kinds;
	size_t count;
	/* First thing in the first process that is forked: becomes the helpers' user. 0, -errno. May be NULL. */
	int (*begin)(const void *context);
	bool filter_may_lack; /* on a machine for which there is none, they run without a filter of system calls */
};

/* --- the spawner ------------------------------------------------------------------------------------- */

struct spawner;

/*
 * Before threads and large memory exist. most_data: a limit for the memory of each helper, in
 * bytes; 0: none of its own. `context` goes to all functions of the table. 0, or -errno.
 */
int spawner_create(const struct helper_table *table, const void *context, uint64_t most_data,
		   struct spawner **ret_spawner);
/* The same without a process. filter: false: helpers run without a filter of system calls. */
int spawner_create_here(const struct helper_table *table, const void *context, bool filter,
			struct spawner **ret_spawner);
/*
 * Ends the spawner and the helpers that can still be ended; never waits for one that hangs. In a
 * process that was forked since, only releases memory.
 */
void spawner_destroy(struct spawner *spawner);

const struct helper_kind *spawner_kind(const struct spawner *spawner, unsigned int kind);

/* Its process: its children are ours too. 0: there is none. */
pid_t spawner_pid(const struct spawner *spawner);

/* Whether it was killed: then it starts no more helpers, and those that it started are gone. */
bool spawner_has_ended(const struct spawner *spawner);

/* CPU time that it and its helpers have used so far, ns. May lack what helpers used last before they ended. */
uint64_t spawner_cpu_time(struct spawner *spawner);

/* Has the spawner do the task of a kind. A descriptor, -errno. */
int spawner_do(struct spawner *spawner, unsigned int kind, const void *request, size_t size);

/* *ret_socket belongs to the caller; closing it ends the helper. 0, -errno. */
int spawner_start(struct spawner *spawner, unsigned int kind, int *ret_socket, pid_t *ret_pid);

/* Whether a helper that has ended made a call that its filter does not allow. False also if that is unknown. */
bool spawner_saw_attack(const struct spawner *spawner, pid_t pid);

/* Kills a helper that has not answered in time. One that waits in the kernel may stay nevertheless. */
void spawner_leave(struct spawner *spawner, pid_t pid);

/*
 * The next helper that was left and is still there HELPER_LEFT_MS later; each is returned once.
 * last: waits for that time. *ret_what: its kind's name.
 */
bool spawner_next_left(struct spawner *spawner, bool last, const char **ret_what, pid_t *ret_pid);

/* --- one helper -------------------------------------------------------------------------------------- */

/*
 * A helper with at most one request under way. It is started when it is first needed, and again
 * after one got stuck or died, until that has happened HELPER_MAX_STUCK times.
 */
struct helper {
	struct spawner *spawner;
	unsigned int kind;
	int socket; /* -1: none */
	pid_t pid;
	uint32_t busy;	/* token of the request under way, 0: none */
	uint64_t since; /* CLOCK_MONOTONIC ns: its last request, or sign of life */
	unsigned int stuck;
};

enum { HELPER_MAX_STUCK = 4,
       HELPER_LEFT_MS = 1000, /* for the end of a helper that was killed; else it is left behind */
       HELPER_START_MS = 10000 /* for the start of the first process; others are forked by an idle one */ };

static inline struct helper helper_of(struct spawner *spawner, unsigned int kind)
{
	return (struct helper){.spawner = spawner, .kind = kind, .socket = -1};
}

/* Ends it. */
void helper_close(struct helper *helper);
/* The same for one that does not answer, which counts. */
void helper_give_up(struct helper *helper);

/* Whether there is a helper. Starts one if needed. */
bool helper_ready(struct helper *helper);

/* Only after helper_ready(), and if it is not busy. False: the helper is given up. */
bool helper_send(struct helper *helper, uint32_t token, const void *bytes, size_t length, int fd);

/* It has shown a sign of life: its deadline begins anew. */
void helper_heard(struct helper *helper);

/* Whether a signal or a tracer has stopped it. */
bool helper_is_stopped(const struct helper *helper);

/* Whether it may still answer, by its kind's deadline from `since` on. */
bool helper_has_time(const struct helper *helper);

/* As packet_receive(), but one that somebody has stopped (SIGSTOP) is waited for only until its kind's deadline. */
ssize_t helper_receive(const struct helper *helper, void *bytes, size_t room, int timeout_ms, int *ret_fd);

/*
 * The answer's length; 0: not yet, and timeout_ms is 0. Else the helper is given up: -ETIMEDOUT:
 * after timeout_ms, or because it has no more time; -EPIPE: it has ended. ret_fd: as for
 * packet_receive().
 */
ssize_t helper_take(struct helper *helper, void *bytes, size_t room, int timeout_ms, int *ret_fd);

#endif
