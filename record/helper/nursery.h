/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whatever could hang on a target or stumble over a hostile file runs in a helper process that can
 * be left behind. The nursery is a child that is forked while the recorder is still small and
 * privileged. It does nothing but fork helpers on request, so that it never blocks for long, and
 * helpers can be created after the recorder has given up its privileges. A helper communicates
 * over a packet socket, ends when that socket closes, and is killed with the recorder. Its working
 * folder is /proc, its jail that of jail.h.
 */
#ifndef RWALKER_RECORD_HELPER_NURSERY_H
#define RWALKER_RECORD_HELPER_NURSERY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum helper_kind {
	HELPER_MAPS,   /* reads /proc/PID/maps; maps_helper.h */
	HELPER_OPENER, /* opens files of targets; opener_helper.h */
	HELPER_ELF,    /* reads ELF files, without privileges; elf_helper.h */
	HELPER_ITERATOR, /* reads BPF iterators, copies stacks of sleeping tasks; iterator_helper.h */
	HELPER_PERF_OPEN, /* opens perf events; perf_open.h */
	HELPER_KINDS
};

struct nursery;

/* Before threads, rings and BPF objects exist. 0, or -errno after reporting why. */
int nursery_create(struct nursery **ret_nursery);
/* The same, with a limit for the memory of each helper, in bytes. 0: its jail's limit. */
int nursery_create_within(uint64_t bytes, struct nursery **ret_nursery);
/* Ends the nursery and the helpers that can still be ended; never waits for one that hangs. */
void nursery_destroy(struct nursery *nursery);

/* The nursery's own process: its children are ours too. */
pid_t nursery_pid(const struct nursery *nursery);

/* Whether it was killed: then it starts no more helpers, and those that it started are gone. */
bool nursery_has_ended(const struct nursery *nursery);

/* CPU time that it and its helpers have used so far, ns. May lack what helpers used last before they ended. */
uint64_t nursery_cpu_time(struct nursery *nursery);

/* *ret_socket belongs to the caller; closing it ends the helper. 0, -errno. */
int nursery_spawn(struct nursery *nursery, enum helper_kind kind, int *ret_socket, pid_t *ret_pid);

/* Kills a helper that has not answered in time. One that waits in the kernel may stay nevertheless. */
void nursery_leave(struct nursery *nursery, pid_t pid);

/*
 * The next helper that was left and is still there DEADLINE_LEFT later; each is returned once. last:
 * waits for that time. *ret_what: "sleeper".
 */
bool nursery_next_left(struct nursery *nursery, bool last, const char **ret_what, pid_t *ret_pid);

#endif
