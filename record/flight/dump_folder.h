/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The folder of dumps, within the helper process of dump_files.h: creates one file at a time under
 * a temporary name, gives it its name, and removes the oldest dumps beyond the limits. The process
 * becomes the user who owns them, and has no capabilities and few system calls afterwards.
 *
 * A file under a temporary name is locked (flock) while any process has it open, so one that is
 * not locked was left by a process that was killed. A folder that is gone is looked for again by
 * its path.
 */
#ifndef RWALKER_RECORD_FLIGHT_DUMP_FOLDER_H
#define RWALKER_RECORD_FLIGHT_DUMP_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DUMP_NAME_MAX = 256, DUMPS_KNOWN = 4096 };

struct dump_known {
	char name[DUMP_NAME_MAX];
	uint64_t bytes;
};

struct dump_folder {
	int fd; /* of the folder */
	uid_t owner; /* of the folder */
	char path[3584]; /* as the user named it, "" for the current one, else with a slash */
	char prefix[DUMP_NAME_MAX - 64];
	char temporary[DUMP_NAME_MAX]; /* "": none */
	struct dump_known *known; /* DUMPS_KNOWN, the oldest first */
	size_t count;
	uint64_t kept, bytes; /* 0: all */
};

/*
 * Like dump_files_open(). Confines the process for good. Returns how many unfinished files it
 * removed, or -errno.
 */
int dump_folder_open(struct dump_folder *folder, const char *path, uint64_t kept, uint64_t bytes);
/* Reads the folder again: another process used it until now, and may have been killed at any moment. */
void dump_folder_take_over(struct dump_folder *folder);

int dump_folder_create(struct dump_folder *folder, int *ret_fd);
int dump_folder_keep(struct dump_folder *folder, uint64_t bytes, char *ret_path, size_t room);
void dump_folder_limit(struct dump_folder *folder, uint64_t kept, uint64_t bytes);
void dump_folder_drop(struct dump_folder *folder);

#endif
