/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/process_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"

FILE *process_folder_file(int folder, const char *name)
{
	_cleanup_close_ int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (file)
		(void)steal_fd(&fd);
	return file;
}

bool process_folder_line(int folder, const char *file, const char *begins, char *line, size_t room)
{
	_cleanup_fclose_ FILE *stream = process_folder_file(folder, file);
	bool found = false;

	while (stream && !found && fgets(line, (int)room, stream))
		found = !strncmp(line, begins, strlen(begins));
	return found;
}

/* From the third field of /proc/PID/stat on. The second is the comm in brackets, which may hold anything. */
static const char *stat_read(int folder, char *line, size_t room)
{
	const char *at = process_folder_line(folder, "stat", "", line, room) ? strrchr(line, ')') : NULL;

	return at && at[1] == ' ' ? at + 2 : NULL;
}

uint64_t process_folder_start(int folder)
{
	char line[1024];
	const char *at = stat_read(folder, line, sizeof(line));

	for (int field = 3; at && field < 22; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

static bool has_ended(int folder)
{
	char line[1024];
	const char *state = stat_read(folder, line, sizeof(line));

	return !state || *state == 'Z' || *state == 'X';
}

static bool is_of(int folder, uint32_t tgid)
{
	char line[64];

	return process_folder_line(folder, "status", "Tgid:", line, sizeof(line)) &&
	       strtoul(line + strlen("Tgid:"), NULL, 10) == tgid;
}

static void list_close(DIR **list)
{
	if (*list)
		(void)closedir(*list);
}

/* Any thread has a folder of that kind, although only the first one's is listed. */
static int other_thread_open(int leader, uint32_t tgid)
{
	int fd = openat(leader, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(list_close) DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list && fd >= 0)
		(void)close(fd);
	while (list && (entry = readdir(list))) {
		_cleanup_close_ int folder = -1;

		if (isdigit((unsigned char)entry->d_name[0]))
			folder = open(entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (folder >= 0 && !has_ended(folder) && is_of(folder, tgid))
			return steal_fd(&folder);
	}
	return -ESRCH;
}

int process_folder_open(uint32_t tgid)
{
	_cleanup_close_ int leader = -1;
	char name[16];
	int other;

	(void)snprintf(name, sizeof(name), "%" PRIu32, tgid);
	leader = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (leader < 0)
		return -errno;
	if (!has_ended(leader))
		return steal_fd(&leader);
	other = other_thread_open(leader, tgid);
	return other < 0 ? steal_fd(&leader) : other;
}
