/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What local_files.c and local_kernel_modules.c share. Included by nobody else. */
#ifndef RWALKER_REPORT_RESOLVE_LOCAL_FILES_INTERNAL_H
#define RWALKER_REPORT_RESOLVE_LOCAL_FILES_INTERNAL_H

#include "report/resolve/local_files.h"

typedef int local_elf_create(int fd, struct elf_file **ret_file);

/* A FIFO must not block and a device must not act, so the kind is asked before anything is read. -ENOENT: no regular file. */
int local_open_regular(const char *path, int *ret_fd);
bool local_same_build_id(const struct elf_file *elf, const struct build_id *id);
/* Keeps the first file that was there but not the right one. `refused` may be NULL. -ENOMEM. */
int local_note_refusal(char **refused, const char *path);
/* What comes from elsewhere is checked like anything: the library has checked nothing. */
int local_open_from_server(const struct local_files *files, enum debug_server_file what, const struct build_id *id,
			   local_elf_create *create, char **refused, struct local_elf *ret_elf);

#endif
