/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What happens to processes and to kernel text while we record, as the kernel's perf records tell it on every CPU: exec
 * mappings with build-ids, exec and comm, fork, exit (only where user stacks are recorded), BPF programs and trampolines
 * that come and go. Opened before anything else is looked at, so that nothing falls between; records are applied in time
 * order over all CPUs: to the trace, the modules, the address spaces and the kernel map.
 */
#ifndef RWALKER_RECORD_SIDEBAND_H
#define RWALKER_RECORD_SIDEBAND_H

#include <stdbool.h>
#include <stdint.h>

struct module_files;
struct recording;
struct sideband;

/* 0, or -errno after it said why. files NULL: none are opened. */
int sideband_create(struct recording *recording, struct module_files *files, struct sideband **ret_sideband);
void sideband_destroy(struct sideband *sideband);

/* Opens rings on CPUs that have come online; those of CPUs that went stay readable. For the once-a-second tick. */
void sideband_follow_cpus(struct sideband *sideband);

/* Notes what has come up to now. */
void sideband_look(struct sideband *sideband);
/* Applies what was noted and is not younger than `until` (CLOCK_MONOTONIC ns); when the next is due, UINT64_MAX: nothing is left. */
uint64_t sideband_apply(struct sideband *sideband, uint64_t until);

/* Of the process, since the recording began: what the start state must not undo. */
enum sideband_seen { SIDEBAND_FORKED = 1,
		     SIDEBAND_EXECED = 2 };
unsigned int sideband_seen(const struct sideband *sideband, uint32_t tgid);
/* Nobody asks any more: gives the memory of it back. */
void sideband_stop_seeing(struct sideband *sideband);

/* Applies one mapping as if a record had told it; the start state's door. path is NUL-terminated. */
struct sideband_mapping {
	uint64_t time, start, end, file_offset, flags; /* flags: enum mapping_flag */
	uint32_t tgid;
	const char *path;
	uint64_t device, inode;
	const uint8_t *build_id;
	uint8_t build_id_length;
	bool deleted;
};
void sideband_map(struct sideband *sideband, const struct sideband_mapping *mapping);

/* Records the kernel could not deliver, per CPU number. */
uint64_t sideband_lost(const struct sideband *sideband, uint32_t cpu);
uint64_t sideband_ring_bytes(const struct sideband *sideband);

/* A process whose mappings could not be read at the start. */
void sideband_maps_unavailable(struct sideband *sideband, uint32_t tgid, int error);

#endif
