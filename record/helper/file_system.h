/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What kind of file system a file is on, for those who open what others have named: reading from
 * a disk ends, a server may never answer, and files that the kernel makes up are not what a
 * program or a map is kept in. By the type that statfs(2) returns; a type that is not known here
 * is of the last kind.
 */
#ifndef RWALKER_RECORD_HELPER_FILE_SYSTEM_H
#define RWALKER_RECORD_HELPER_FILE_SYSTEM_H

enum file_system_kind {
	FILE_SYSTEM_LOCAL,   /* disks, memory, and overlays of them */
	FILE_SYSTEM_NETWORK, /* of another machine, or the hypervisor's */
	FILE_SYSTEM_OTHER,   /* procfs, sysfs, devices' ...; FUSE, which anybody may serve; unknown */
};

/* Of an open file; O_PATH will do. FILE_SYSTEM_OTHER, too, if it cannot be asked. */
enum file_system_kind file_system_kind(int fd);

/* The same by the type alone: f_type of struct statfs. */
enum file_system_kind file_system_kind_of_type(unsigned long type);

#endif
