/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/hidden_tasks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/plural.h"
#include "record/machine/host.h"
#include "record/probe/probe.h"

/* How many threads of the process are hidden. */
static unsigned int mark_process(const struct probe *probe, const char *process)
{
	char path[64];
	const struct dirent *entry;
	unsigned int hidden = 0;
	DIR *threads;

	(void)snprintf(path, sizeof(path), "/proc/%.16s/task", process);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		unsigned long tid = strtoul(entry->d_name, NULL, 10);

		hidden += tid && !probe_wait_hide(probe, (pid_t)tid);
	}
	if (threads)
		(void)closedir(threads);
	return hidden;
}

void hidden_tasks_mark(const struct probe *probe, uint64_t seen)
{
	const struct dirent *entry;
	unsigned int hidden = !probe_wait_hide(probe, 1);
	DIR *processes;

	if (!hidden && host_threads() <= seen)
		return;
	processes = opendir("/proc");
	while (processes && (entry = readdir(processes)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			hidden += mark_process(probe, entry->d_name);
	if (processes)
		(void)closedir(processes);
	if (hidden)
		log_info("this kernel hides %u thread%s from BPF: no waits are recorded there", hidden,
			 plural(hidden));
}
