/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The names of processes: a process is called by the last comm of its first thread, as events and the kernel's own
 * records of processes tell, else by that of another thread. Everybody asks here (profile_process_comm()), so it
 * has one name in all views.
 */
#ifndef RWALKER_REPORT_PROFILE_TABLES_PROFILE_PROCESSES_H
#define RWALKER_REPORT_PROFILE_TABLES_PROFILE_PROCESSES_H

#include "report/profile/tables/profile_internal.h"

/*
 * A thread had this comm at this time of a recording, whose number `scope` is: another trace of the host may have
 * another process with this number. `task`: of the thread; PROFILE_NO_TASK: it has had no event. -ENOMEM.
 */
int profile_note_comm(struct profile *profile, uint32_t scope, const struct profile_task *thread, uint32_t task,
		      uint64_t time);

/* NULL: it is not known. */
const struct profile_process *profile_find_process(const struct profile *profile, uint32_t scope, uint32_t tgid);

#endif
