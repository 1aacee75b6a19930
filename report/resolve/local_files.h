/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Files of this machine that may name what a trace does not: binaries at the path the trace gives, below `symfs`, and
 * separate debug files by build-id below the debug directories. A file counts only if it has the module's build-id; one
 * with another is refused and said so. Paths from a trace are hostile: regular files only, no "..", nothing is waited for.
 */
#ifndef RWALKER_REPORT_RESOLVE_LOCAL_FILES_H
#define RWALKER_REPORT_RESOLVE_LOCAL_FILES_H

#include <stdbool.h>

#include "common/elf_file.h"

struct local_files { /* the caller's; all may be NULL */
	const char *const *debug_dirs; /* NULL-terminated */
	bool debug_dirs_given;	       /* to be asked also for what a trace names in part */
	const char *symfs;	       /* NULL: no files by path, "" = / */
	const char *kallsyms, *vmlinux;
};

struct local_elf {
	int fd; /* -1: none */
	struct elf_file *elf;
};

void local_elf_close(struct local_elf *local);

/*
 * The file at `path` below symfs. 0; -ENOENT there is none or it may not be used; -ESTALE it has another build-id;
 * -ENOEXEC, -EBADMSG, -E2BIG it cannot be read as ELF; -ENOMEM. Modules without a build-id have no file.
 */
int local_elf_open(const struct local_files *files, const char *path, const struct build_id *id,
		   struct local_elf *ret_elf);
/* The debug file of that build-id; as above. */
int local_elf_open_debug(const struct local_files *files, const struct build_id *id, struct local_elf *ret_elf);
/* A file the user named, to be used only for this build-id. */
int local_elf_open_named(const char *path, const struct build_id *id, struct local_elf *ret_elf);

enum { BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };
void build_id_text(const struct build_id *id, char text[static BUILD_ID_TEXT]);

#endif
