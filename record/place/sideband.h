/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What happens to processes and kernel text during the recording, as the kernel's perf records
 * report it on every CPU: executable mappings, exec and comm, fork, exit (only if user
 * stacks are recorded), BPF programs and trampolines that are added and removed. Opened before
 * anything else is looked at, so that nothing is missed. Records are applied in time order
 * over all CPUs: to the trace, the modules, the address spaces and the kernel map.
 */
#ifndef RWALKER_RECORD_PLACE_SIDEBAND_H
#define RWALKER_RECORD_PLACE_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_set;
struct module_files;
struct recording;
struct ring_shares;
struct sideband;
struct spawner;
struct stream_cpu;

/* Opens rings on the CPUs that are online. 0, or -errno after reporting why. files NULL: no files are opened. */
int sideband_create(struct recording *recording, struct module_files *files, const struct cpu_set *online,
		    struct sideband **ret_sideband);
void sideband_destroy(struct sideband *sideband);

/* From now on a ring that fills wakes whoever waits on epoll_fd. */
int sideband_wake(struct sideband *sideband, int epoll_fd);
/*
 * Opens the CPU's ring. If there was one, it is replaced, and records that were not applied yet are
 * discarded. 0; -errno: there is no ring now.
 */
int sideband_reopen(struct sideband *sideband, struct spawner *spawner, uint32_t cpu);
bool sideband_is_open(const struct sideband *sideband, uint32_t cpu);

/* What either of two processes maps that share their memory, the other one has, too, until one calls exec. */
void sideband_follow_shares(struct sideband *sideband, const struct ring_shares *shares);

/* Notes what has arrived up to now. */
void sideband_look(struct sideband *sideband);
/*
 * Applies the noted records that are not younger than `until` (CLOCK_MONOTONIC ns). Returns when
 * the next one is due, UINT64_MAX if none is left.
 */
uint64_t sideband_apply(struct sideband *sideband, uint64_t until);

/* What was seen of the process since the recording began: the start state must not undo it. */
enum sideband_seen { SIDEBAND_FORKED = 1,
		     SIDEBAND_EXECED = 2 };
unsigned int sideband_seen(const struct sideband *sideband, uint32_t tgid);
/* stop: nobody asks any more; releases the memory. start: remembers what is seen from now on. */
void sideband_stop_seeing(struct sideband *sideband);
int sideband_start_seeing(struct sideband *sideband);
/* Whether anything is mapped in the process, as far as we know. */
bool sideband_knows(const struct sideband *sideband, uint32_t tgid);

/* Applies one mapping as if it came from a record; used by the start state. path is NUL-terminated. */
enum mapping_note { /* of what is mapped over a file's code, and has its module */
	MAPPING_MAY_BE_COPY = 1, /* in the trace it is memory until it is known */
	MAPPING_IS_COPY = 2,
};
struct sideband_mapping {
	uint64_t time, start, end, file_offset, flags; /* flags: enum mapping_flag */
	uint32_t tgid;
	const char *path;
	uint64_t device, inode;
	uint32_t generation; /* of the inode; 0: unknown */
	bool deleted;
	bool copied; /* memory without a file, in place of this file's code: perhaps a copy of it */
	bool only_new; /* a mapping that is already known, with the same values, is not written again */
};
void sideband_map(struct sideband *sideband, const struct sideband_mapping *mapping);
/* At the end: what may be a copy of a file's code is compared once more, within 200 ms. */
void sideband_compare_copies(struct sideband *sideband);

/* How many records the kernel could not deliver on this CPU. */
uint64_t sideband_lost(const struct sideband *sideband, uint32_t cpu);
/* What has come from the CPU's ring so far; what BPF counted is left untouched. */
void sideband_totals(const struct sideband *sideband, uint32_t cpu, struct stream_cpu *totals);
/* The size of each ring in bytes, for so many CPUs. */
enum { SIDEBAND_LEAST_RING = 64 << 10 };
size_t sideband_ring_size(uint32_t cpus, unsigned int halvings);
uint64_t sideband_ring_bytes(const struct sideband *sideband);

/* Records that the process's mappings could not be read at the start. */
void sideband_maps_unavailable(struct sideband *sideband, uint32_t tgid, int error);
/* Writes that again, for those that still live with the same program. */
void sideband_tell_unavailable(struct sideband *sideband);

/* Forgets what was mapped before an exec, or in a single-threaded process that ended, before this time. */
void sideband_bury(struct sideband *sideband, uint64_t before);

#endif
