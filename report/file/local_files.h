/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds files with the symbols that a trace lacks: binaries at the trace's path below `symfs`,
 * separate debug files by build-id or .gnu_debuglink below the debug directories, and files from
 * debuginfod servers, if the user allowed that. A file is used only if it has the module's
 * build-id; a file with another one is refused, and reported. Paths from a trace are hostile: they
 * must not contain "..", and the opener decides what may be opened (report/opener/opener.h).
 */
#ifndef RWALKER_REPORT_FILE_LOCAL_FILES_H
#define RWALKER_REPORT_FILE_LOCAL_FILES_H

#include <stdbool.h>

#include "common/elf/elf_file.h"
#include "report/file/debug_server.h"
#include "report/opener/opener.h"

struct local_files { /* the caller's; all may be NULL */
	const char *const *debug_dirs; /* NULL-terminated */
	const char *symfs;	       /* NULL: no files by path, "" = / */
	const char *kallsyms, *vmlinux;
	struct opener *opener;	     /* opener.h */
	struct debug_server *server; /* NULL: no servers are asked */
	struct name_cache *cache; /* NULL: none */
};

enum local_source { /* how a file was found */
	LOCAL_NOWHERE,
	LOCAL_PATH,	  /* at the trace's path */
	LOCAL_BUILD_ID,	  /* by build-id below a debug directory */
	LOCAL_DEBUG_LINK, /* by the binary's .gnu_debuglink */
	LOCAL_SERVER,	  /* fetched from a debuginfod server */
	LOCAL_NAMED,	  /* given by the user */
};

struct local_elf {
	int fd; /* -1: none */
	struct elf_file *elf;
	enum local_source source;
	bool ours; /* file_is_ours(): results from it may be cached */
	char *path, *real; /* real: symbolic links resolved, "" if unknown */
};

void local_elf_close(struct local_elf *local);

/*
 * The file at `path` below symfs. 0; -ENOENT, -EPERM: it does not exist or may not be used;
 * -ESTALE: it has another build-id; -ENOEXEC, -EBADMSG, -E2BIG: it cannot be read as ELF; -ENOMEM.
 * -ENOENT for modules without a build-id.
 */
int local_elf_open(const struct local_files *files, const char *path, const struct build_id *id,
		   struct local_elf *ret_elf);
/* The debug file with that build-id below the debug directories; as above. */
int local_elf_open_debug(const struct local_files *files, const struct build_id *id,
			 struct local_elf *ret_elf);

/*
 * The separate debug file of a module, with its DWARF and full symbol table, if they exist. Tries:
 * the build-id, below the debug directories; the .gnu_debuglink of `binary` (NULL: of the file at
 * `path`, if there is one), next to it, in .debug/ next to it, and below the debug directories (the
 * CRC must match the link, and the build-id, if there is one, the module's); the debuginfod
 * servers, if they may be asked. As above. *ret_refused (may be NULL) is set to the path of a wrong
 * file that was found earlier, in new memory; else unchanged.
 */
int local_elf_open_debug_for(const struct local_files *files, const char *path, const struct build_id *id,
			     const struct elf_file *binary, char **ret_refused, struct local_elf *ret_elf);
/*
 * A kernel module, which is a relocatable file. Tries: the build-id, below the debug directories;
 * /lib/modules/RELEASE below symfs, according to its modules.dep, plain or compressed with xz or
 * zstd; the debuginfod servers, if they may be asked. *ret_refused and the rest as above.
 */
int local_elf_open_kernel_module(const struct local_files *files, const char *release, const char *name,
				 const struct build_id *id, char **ret_refused, struct local_elf *ret_elf);
/* The binary itself from the debuginfod servers, if they may be asked. */
int local_elf_open_fetched(const struct local_files *files, const struct build_id *id,
			   struct local_elf *ret_elf);
/* A file given by the user, to be used only for this build-id. */
int local_elf_open_named(const struct local_files *files, const char *path, const struct build_id *id,
			 struct local_elf *ret_elf);

/* Whether the path has a ".." component. */
bool local_path_climbs(const char *path);

/*
 * .gnu_debuglink: the base name of a file's separate debug file, and the CRC32 of its content
 * (GDB's manual, "Separate Debug Files"). The name is untrusted: if it could leave its
 * folder it is ignored.
 */
enum { DEBUG_LINK_NAME = 256 };

struct debug_link {
	char name[DEBUG_LINK_NAME];
	uint32_t crc;
};

/* -ENOENT: no such section; -EBADMSG: malformed; -ENOMEM; -errno: a read failed. */
int debug_link_read(const struct elf_file *elf, struct debug_link *ret_link);

/* Checks that the file is the linked one. 0; -ESTALE: its CRC differs; -E2BIG: too large to read; -errno of pread. */
int debug_link_check(const struct debug_link *link, int fd);

#endif
