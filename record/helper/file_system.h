/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The kind of file system that a file is on, for code that opens what others have named: reading
 * from a disk ends, a server may never answer, and no program or map is stored in files that the
 * kernel makes up. Decided by the type that statfs(2) returns; a type that is not known here is
 * FILE_SYSTEM_OTHER.
 */
#ifndef RWALKER_RECORD_HELPER_FILE_SYSTEM_H
#define RWALKER_RECORD_HELPER_FILE_SYSTEM_H

enum file_system_kind {
	FILE_SYSTEM_LOCAL,   /* disks, memory, and overlays of them */
	FILE_SYSTEM_NETWORK, /* of another machine, or the hypervisor's */
	FILE_SYSTEM_OTHER,   /* procfs, sysfs, devices' ...; FUSE, which anybody may serve; unknown */
};

/* The kind of an open file; O_PATH will do. Also FILE_SYSTEM_OTHER if it cannot be found out. */
enum file_system_kind file_system_kind(int fd);

/* The same by the type alone: f_type of struct statfs. */
enum file_system_kind file_system_kind_of_type(unsigned long type);

#endif
