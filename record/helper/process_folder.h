/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The folder in /proc of a process that still has its memory, files and root: /proc/PID is that of its first
 * thread, and has none of them once that thread has ended, even if others go on. The working directory must
 * be /proc, which helpers.c sets.
 */
#ifndef RWALKER_RECORD_HELPER_PROCESS_FOLDER_H
#define RWALKER_RECORD_HELPER_PROCESS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The folder of a thread that runs, the first one if it does; of the first one if none does. It keeps referring to
 * that thread, even if its number is used again. An O_PATH descriptor, or -errno.
 */
int process_folder_open(uint32_t tgid);

/* A file there, to be read. NULL and errno. */
FILE *process_folder_file(int folder, const char *name);

/* The first line of a file there that begins so. False: there is none. */
bool process_folder_line(int folder, const char *file, const char *begins, char *line, size_t room);

/* proc(5): the start of the thread, in clock ticks since boot; 0: it is gone. */
uint64_t process_folder_start(int folder);

#endif
