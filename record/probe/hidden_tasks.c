/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/hidden_tasks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/printable.h"
#include "record/host/host.h"
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

/* "process_api 1" for the first process with such threads, "" if there is none. */
static void name_process(unsigned long pid, char text[48])
{
	char path[64], comm[16] = "?";
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%lu/comm", pid);
	file = pid ? fopen(path, "re") : NULL;
	if (file && fgets(comm, sizeof(comm), file))
		comm[strcspn(comm, "\n")] = '\0';
	if (file)
		(void)fclose(file);
	(void)snprintf(text, 48, "%s %lu", comm, pid);
}

void hidden_tasks_mark(const struct probe *probe, uint64_t seen)
{
	const struct dirent *entry;
	unsigned int hidden = !probe_wait_hide(probe, 1), before = 0;
	unsigned long first = hidden;
	char name[48], printed[4 * sizeof(name)];
	DIR *processes;

	if (!hidden && host_threads() <= seen)
		return;
	processes = opendir("/proc");
	while (processes && (entry = readdir(processes)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') {
			before = hidden;
			hidden += mark_process(probe, entry->d_name);
			first = first || before == hidden ? first : strtoul(entry->d_name, NULL, 10);
		}
	if (processes)
		(void)closedir(processes);
	if (!hidden)
		return;
	name_process(first, name);
	(void)printable_escape(printed, sizeof(printed), name, strlen(name));
	log_info("this kernel hides %u thread%s from BPF, of %s for one: no waits are recorded there", hidden,
		 plural(hidden), printed);
}
