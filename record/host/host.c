/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/host/host.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "format/event_log.h"
#include "record/plan/recording.h"

/* --- the vDSO --- */

static const uint8_t *image_own(void)
{
	return (const uint8_t *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
}

/* The image ends where its section header table does. */
int vdso_open(void)
{
	const uint8_t *image = image_own();
	Elf64_Ehdr header;
	size_t size;
	int fd;

	if (!image)
		return -1;
	memcpy(&header, image, sizeof(header));
	size = (size_t)header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, size) == (ssize_t)size)
		return fd;
	if (fd >= 0)
		(void)close(fd);
	return -1;
}

void vdso_build_id(struct build_id *ret_id)
{
	const uint8_t *image = image_own();
	Elf64_Ehdr header;

	*ret_id = (struct build_id){0};
	if (!image)
		return;
	memcpy(&header, image, sizeof(header));
	for (size_t i = 0; i < header.e_phnum && !ret_id->length; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, image + header.e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_NOTE)
			elf_notes_build_id(image + segment.p_offset, segment.p_filesz, ret_id);
	}
}

/* --- namespaces --- */

/* include/linux/proc_ns.h: PROC_PID_INIT_INO, PROC_TIME_INIT_INO */
enum { INIT_PID = 0xeffffffc, INIT_TIME = 0xeffffffa };

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define OWN_TIME "/proc/self/ns/time"
#define HOSTS_TIME "/proc/2/ns/time" /* kthreadd's: it is always 2, and enters no other */

/* A kernel without such namespaces has only its own. */
static bool is_hosts(const char *path, unsigned int inode)
{
	struct stat status;

	return stat(path, &status) || status.st_ino == (ino_t)inode;
}

bool namespaces_pid_is_hosts(void)
{
	return is_hosts("/proc/self/ns/pid", INIT_PID);
}

static bool time_is_hosts(void)
{
	return is_hosts(OWN_TIME, INIT_TIME);
}

int namespaces_enter_time(int *ret_own)
{
	_cleanup_close_ int own = -1, hosts = -1;

	*ret_own = -1;
	if (time_is_hosts())
		return 0;
	own = open(OWN_TIME, O_RDONLY | O_CLOEXEC);
	hosts = open(HOSTS_TIME, O_RDONLY | O_CLOEXEC);
	if (own < 0 || hosts < 0 || setns(hosts, CLONE_NEWTIME))
		return -errno;
	if (!time_is_hosts())
		return -EXDEV;
	*ret_own = steal_fd(&own);
	return 0;
}

int namespaces_leave_time(int own)
{
	return own >= 0 && setns(own, CLONE_NEWTIME) ? -errno : 0;
}

/* --- what the host is --- */

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

/* The first line of a small file; empty if it cannot be read. */
static void read_line(const char *path, char *line, size_t room)
{
	small_file_read(path, line, room);
	line[strcspn(line, "\n")] = '\0';
}

/* Our own words up to "--", then the command's name. Truncated if it does not fit. */
static void command_line(const struct record_config *config, char *line, size_t room)
{
	size_t used = 0;

	line[0] = '\0';
	for (int i = 0; i < config->argc && used < room; i++) {
		bool last = config->command && config->argv + i == config->command;
		int length = snprintf(line + used, room - used, "%s%s", i ? " " : "", config->argv[i]);

		used += length > 0 ? (size_t)length : 0;
		if (last)
			return;
	}
}

/* From the second number of the fourth field of /proc/loadavg, "0.42 0.30 0.25 2/345 6789". */
uint32_t host_threads(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/loadavg", "re");
	unsigned int count;

	return file && fscanf(file, "%*s %*s %*s %*u/%u", &count) == 1 ? count : 0;
}

uint64_t host_memory_free(void)
{
	char text[1024];
	const char *at;

	small_file_read("/proc/meminfo", text, sizeof(text));
	at = strstr(text, "MemAvailable:");
	return at ? strtoull(at + strlen("MemAvailable:"), NULL, 10) << 10 : 0;
}

/* A line of /proc/cgroups: "cpu 3 17 1", a controller and the number of its hierarchy; that of version 2 is 0. */
bool host_has_cgroups_v1(void)
{
	_cleanup_fclose_ FILE *file = fopen("/proc/cgroups", "re");
	unsigned int hierarchy;
	bool found = false;
	char line[256];

	while (file && !found && fgets(line, sizeof(line), file))
		found = line[0] != '#' && sscanf(line, "%*s %u", &hierarchy) == 1 && hierarchy;
	return found;
}

int host_describe(struct recording *recording)
{
	const struct record_config *config = recording->config;
	char boot_id[64], words[2048], cpus[16];
	struct utsname host = {0};
	const struct {
		const char *key, *value;
	} entries[] = {
		{"recorder", "rwalker-record " RWALKER_VERSION},
		{"command_line", words},
		{"hostname", host.nodename},
		{"boot_id", boot_id},
		{"kernel_release", host.release},
		{"kernel_version", host.version},
		{"machine", host.machine},
		{"cpus", cpus},
	};

	(void)uname(&host);
	read_line(BOOT_ID_FILE, boot_id, sizeof(boot_id));
	command_line(config, words, sizeof(words));
	(void)snprintf(cpus, sizeof(cpus), "%u", recording->max_cpus);
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		int r = event_log_add_meta(recording->log, entries[i].key, entries[i].value);

		if (recording_check(recording, r) < 0)
			return r;
	}
	return 0;
}
