/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Files that may name what a trace does not: binaries at the path the trace gives, below `symfs`, separate debug files
 * by build-id or .gnu_debuglink below the debug directories, and what a debuginfod server sends, where the user allowed
 * that. A file counts only if it has the module's build-id; one with another is refused and said so. Paths from a trace
 * are hostile: regular files only, no "..", nothing is waited for.
 */
#ifndef RWALKER_REPORT_RESOLVE_LOCAL_FILES_H
#define RWALKER_REPORT_RESOLVE_LOCAL_FILES_H

#include <stdbool.h>

#include "common/elf_file.h"
#include "report/resolve/debug_server.h"

struct local_files { /* the caller's; all may be NULL */
	const char *const *debug_dirs; /* NULL-terminated */
	bool debug_dirs_given;	       /* to be asked also for what a trace names in part */
	const char *symfs;	       /* NULL: no files by path, "" = / */
	const char *kallsyms, *vmlinux;
	struct debug_server *server; /* NULL: nobody is asked for files */
	struct name_cache *cache; /* name_cache.h; NULL: none */
};

enum local_source { /* how a file was found */
	LOCAL_NOWHERE,
	LOCAL_PATH,	  /* it lies where the trace says */
	LOCAL_BUILD_ID,	  /* by build-id below a debug directory */
	LOCAL_DEBUG_LINK, /* by the binary's .gnu_debuglink */
	LOCAL_SERVER,	  /* fetched from a debuginfod server */
	LOCAL_NAMED,	  /* the user named it */
};

struct local_elf {
	int fd; /* -1: none */
	struct elf_file *elf;
	enum local_source source;
	char *path;
};

void local_elf_close(struct local_elf *local);

/*
 * The file at `path` below symfs. 0; -ENOENT there is none or it may not be used; -ESTALE it has another build-id;
 * -ENOEXEC, -EBADMSG, -E2BIG it cannot be read as ELF; -ENOMEM. Modules without a build-id have no file.
 */
int local_elf_open(const struct local_files *files, const char *path, const struct build_id *id,
		   struct local_elf *ret_elf);
/* The debug file of that build-id below the debug directories; as above. */
int local_elf_open_debug(const struct local_files *files, const struct build_id *id, struct local_elf *ret_elf);

/*
 * The separate debug file of a module, which has its DWARF and its full symbol table, as far as there are any: by build-id below the
 * debug directories; by the .gnu_debuglink of `binary` (NULL: the file at `path`, where there is one), beside it, in .debug/ beside
 * it, and below the debug directories, if its CRC is the one in the link and its build-id, where it has one, the module's; from
 * the debuginfod servers, where they may be asked. As above. *ret_refused (may be NULL): which file that would have been
 * found first was not the right one, new memory; else untouched.
 */
int local_elf_open_debug_for(const struct local_files *files, const char *path, const struct build_id *id,
			     const struct elf_file *binary, char **ret_refused, struct local_elf *ret_elf);
/*
 * A kernel module, by build-id below the debug directories; below symfs in /lib/modules/RELEASE, as its modules.dep names
 * it, plain or packed with xz or zstd; from the debuginfod servers, where they may be asked. A relocatable file; *ret_refused and the
 * rest as above.
 */
int local_elf_open_kernel_module(const struct local_files *files, const char *release, const char *name,
				 const struct build_id *id, char **ret_refused, struct local_elf *ret_elf);
/* The binary itself from the debuginfod servers, where they may be asked. */
int local_elf_open_fetched(const struct local_files *files, const struct build_id *id, struct local_elf *ret_elf);
/* A file the user named, to be used only for this build-id. */
int local_elf_open_named(const char *path, const struct build_id *id, struct local_elf *ret_elf);

/* Whether a component is "..". */
bool local_path_climbs(const char *path);

enum { BUILD_ID_TEXT = 2 * BUILD_ID_MAX + 1 };
void build_id_text(const struct build_id *id, char text[static BUILD_ID_TEXT]);

#endif
