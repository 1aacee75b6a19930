/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the kernel reports in a file of a line or two, below /proc or /sys. */
#ifndef RWALKER_RECORD_HOST_HOST_H
#define RWALKER_RECORD_HOST_HOST_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/elf/elf_file.h"

struct recording;

/* As much as there is room for, NUL-terminated; empty if it cannot be read. */
static inline void small_file_read(const char *path, char *text, size_t room)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, room - 1);

	text[length > 0 ? length : 0] = '\0';
}

/*
 * The code that the kernel maps into every process: an ELF image without a file. It is the same in
 * all processes of one kernel, ours included; its build-id identifies it.
 */

/* A copy that can be read like a file, owned by the caller. -1: none. */
int vdso_open(void);
/* length 0: none. */
void vdso_build_id(struct build_id *ret_id);

/*
 * BPF and perf number processes as the host does and tell the host's time; /proc, the command line and our
 * clocks have those of our own namespaces. Time can be mended by entering the host's; numbers cannot.
 */

#define NAMESPACES_PID_REMEDY "start the recorder in the host's (hostPID: true, docker --pid=host)"
#define NAMESPACES_TIME_REMEDY "start the recorder in the host's (nsenter -T -t 2), or with CAP_SYS_ADMIN"

bool namespaces_pid_is_hosts(void);

/* Called while there is one thread. ret_own: what namespaces_leave_time() takes; -1: we were there. 0, -errno. */
int namespaces_enter_time(int *ret_own);

/* Back, for a program that shall see its own time. 0, -errno. */
int namespaces_leave_time(int own);

/*
 * What the trace says about where and how it was made: META records (FORMAT.md §5). Only the name
 * of the command after "--" is kept, never its arguments or an environment.
 */

/* All threads of the machine. 0: unknown. */
uint32_t host_threads(void);

/* Bytes that can be taken without swapping. 0: unknown. */
uint64_t host_memory_free(void);

/* Whether any controller has a cgroup v1 hierarchy: then containers may be only in that one. */
bool host_has_cgroups_v1(void);

int host_describe(struct recording *recording);

#endif
