/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of mapped files, opened by a helper when a file is first seen, so that programs that
 * are gone, deleted or in another mount namespace can still be embedded; and the build-ids of
 * files that were mapped before the recording, read by the jailed ELF helper. Requests and answers
 * are asynchronous: only module_files_perf_map() and module_files_debug() wait. A helper that does not answer within 200 ms is left behind, and no more files are opened
 * for the user of that process. After four helpers left behind for root or unknown users, no more
 * files are opened.
 */
#ifndef RWALKER_RECORD_PLACE_MODULE_FILES_H
#define RWALKER_RECORD_PLACE_MODULE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module_table;
struct spawner;
struct module_files;

enum { MODULE_FILES_MAX = 4096 /* descriptors */ };

struct module_files_counts {
	/* Modules. Those not opened were gone, not regular files, on FUSE ..., or the helper was stuck. */
	uint64_t asked, opened;
	uint64_t attempts;      /* to open one */
};

/*
 * as_caller: the modules come from a trace, and are not mapped anywhere now. They are opened in our
 * own root, with the rights of whoever started the recorder, and only if they have the device and
 * inode, or a build-id to be compared.
 */
int module_files_create(struct spawner *spawner, struct module_table *modules, bool as_caller,
			struct module_files **ret_files);
void module_files_destroy(struct module_files *files);
/*
 * For later requests, with as_caller: a file that the trace knows only by its device and inode must
 * not have changed since `realtime` (CLOCK_REALTIME, ns). 0: it may.
 */
void module_files_unchanged_since(struct module_files *files, uint64_t realtime);

/*
 * For a child of the process that created `files`: from now on it uses helpers of its own, from
 * `spawner`. Requests under way stay the parent's.
 */
void module_files_part(struct module_files *files, struct spawner *spawner);

/* The module has just been mapped there: open it unless it is open or has been refused a few times. */
void module_files_ask(struct module_files *files, uint32_t module, uint32_t tgid, uint64_t start, uint64_t end);

/*
 * Memory was mapped over code of a file, the module: perhaps a copy of it, which the process may still be making.
 * It is compared several times in the next seconds, while the process lives; at most MODULE_COPIES at a time.
 */
enum { MODULE_COPIES = 64 };
struct module_copy {
	uint64_t time, start, end, file_offset, flags; /* of the mapping */
	uint32_t tgid, module;
};
void module_files_compare(struct module_files *files, const struct module_copy *copy);
/* Compares all that are left, once, for at most 200 ms together. */
void module_files_compare_now(struct module_files *files);
/* The next one that turned out to be a copy. False: none. */
bool module_files_copied(struct module_files *files, struct module_copy *ret_copy);

/* Handles answers and sends pending requests, for at most patience_ms. True while something is still under way. */
bool module_files_poll(struct module_files *files, unsigned int patience_ms);

/* Forgets the module, which must not be waiting for its file. */
void module_files_forget(struct module_files *files, uint32_t module);
/* Whether the module waits for its file. */
bool module_files_waits(const struct module_files *files, uint32_t module);
int module_files_fd(const struct module_files *files, uint32_t module); /* -1: none */
/* The file was written since it was opened: what is mapped from now on is not what was mapped then. */
bool module_files_changed(const struct module_files *files, uint32_t module);
/* No more files are opened, because too many helpers were left behind or killed. */
bool module_files_gave_up(const struct module_files *files);
/* Whether the file was not read because of what it is. */
bool module_files_refused(const struct module_files *files, uint32_t module);
void module_files_counts(const struct module_files *files, struct module_files_counts *ret_counts);
/*
 * Files that were not read because of what they are: "2 through a symbolic link, 1 not an ELF file"; "": none. Those
 * that were gone or too slow are not among them.
 */
void module_files_refusals(const struct module_files *files, char *text, size_t room);

/*
 * The process has mapped executable memory without a file: asks for its user now, in case it is gone at the
 * end. initial: it had it before the recording.
 */
void module_files_note_jit(struct module_files *files, uint32_t tgid, bool initial);

struct module_owner {
	uint32_t uid; /* UINT32_MAX: not known */
	uint64_t bytes; /* of the file; 0: not known */
};

/* Who owns the module's file, or the files of the process's JIT compiler; root: also those of the kernel. */
struct module_owner module_files_owner(const struct module_files *files, uint32_t module, uint32_t tgid);

/*
 * A descriptor of the process's perf-PID.map, owned by the caller, or -errno. Waits for at most
 * 200 ms, after waiting up to as long for the helper's current request.
 */
int module_files_perf_map(struct module_files *files, uint32_t tgid);

/* How long that map was at the start of the recording, if the process had made code by then; else 0. */
uint64_t module_files_map_settled(const struct module_files *files, uint32_t tgid);

/* The same for an ELF file with debug information, in our own root with the rights of whoever started the recorder. */
int module_files_debug(struct module_files *files, const char *path);

#endif
