/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The recorder's helpers (common/gate/helper.h): what each may do is a row of the table in
 * helpers.c. No program can be executed, no file written, none opened except for reading, and no
 * memory made executable. A helper that a target or a file has taken over can do no more than that.
 *
 * The real user is the one as whom the recorder goes on, so that the recorder may end its helpers
 * at any time, as the kernel does when it dies. The effective user is nobody, who owns no file.
 * Their working folder is /proc.
 */
#ifndef RWALKER_RECORD_HELPER_HELPERS_H
#define RWALKER_RECORD_HELPER_HELPERS_H

#include "common/gate/helper.h"

enum record_helper {
	HELPER_MAPS,   /* reads /proc/PID/maps; maps_helper.h */
	HELPER_OPENER, /* opens files of targets; opener_helper.h */
	HELPER_ELF,    /* reads ELF files, without privileges; elf_helper.h */
	HELPER_ITERATOR, /* reads BPF iterators, copies stacks of sleeping tasks; iterator_helper.h */
	HELPER_PERF_OPEN, /* no process: opens perf events; perf_open.h */
	HELPER_KINDS
};

extern const struct helper_table RECORD_HELPERS;

/* most_data: of each helper, in bytes; 0: the limit of all helpers. 0, or -errno after reporting why. */
int helpers_start(uint64_t most_data, struct spawner **ret_spawner);

#endif
