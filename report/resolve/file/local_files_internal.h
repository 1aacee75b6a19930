/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Private to local_files.c and local_kernel_modules.c. */
#ifndef RWALKER_REPORT_RESOLVE_FILE_LOCAL_FILES_INTERNAL_H
#define RWALKER_REPORT_RESOLVE_FILE_LOCAL_FILES_INTERNAL_H

#include "report/resolve/file/local_files.h"

typedef int local_elf_create(int fd, struct elf_file **ret_file);

/* Sets the descriptor and the file's properties. The caller has set the path (NULL: -ENOMEM). As opener_open(). */
int local_open(const struct local_files *files, enum opener_kind kind, const char *path, struct local_elf *local);
/* Keeps the path of the first file that existed but was the wrong one. `refused` may be NULL. -ENOMEM. */
int local_note_refusal(char **refused, const char *path);
/* Checks the file like any other: the library checks nothing. */
int local_open_from_server(const struct local_files *files, enum debug_server_file what,
			   const struct build_id *id, local_elf_create *create, char **refused,
			   struct local_elf *ret_elf);

#endif
