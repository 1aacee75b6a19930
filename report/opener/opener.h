/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The only door to files whose names come from a trace, and to those that the user names. A path
 * may lead anywhere: to a FIFO, a device, a file server that does not answer. So a helper
 * (common/gate/helper.h) follows it and hands over a descriptor of what it found:
 *
 *     worker ── request ──▶ server   in the worker's parent (service.h): asks the helper; if that takes too long
 *            ◀─ descriptor ─         it leaves that one behind and starts another
 *                            helper  follows the path, looks at what is there, opens it
 *
 * A file that a trace names is opened only if it is a regular file of a local file system
 * (common/gate/open.h), what its kind says, and readable by the user. No network file system or
 * automounter is asked for anything unless `network_files` is set. What the user named is opened on
 * any file system. A mount that did not answer is not asked again; after a few of these nothing is
 * opened any more. What was refused is counted by reason.
 *
 * A NULL opener follows the same rules in this process, without a deadline.
 */
#ifndef RWALKER_REPORT_OPENER_OPENER_H
#define RWALKER_REPORT_OPENER_OPENER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/sandbox/service.h"
#include "report/sandbox/user.h"

struct opener;

enum opener_kind {
	OPENER_NAMED,	       /* one of the settings' files, of any type */
	OPENER_ELF,
	OPENER_KERNEL_MODULE, /* ELF, xz or zstd */
	OPENER_MODULE_LIST,   /* modules.dep */
	OPENER_KINDS
};

struct opener_settings { /* what no request can change. Lists end with NULL, and may be NULL */
	const char *const *files;	/* exactly these */
	const char *const *folders;	/* all below these */
	bool network_files, no_local_files;
	struct user user; /* whom its processes become */
	bool no_filter; /* of system calls: for --no-sandbox */
};

struct opener_server;

/*
 * Its helper has the rights of this process; if that is root, only what it takes to read files of
 * others. now: starts the process that forks helpers at once, since later this process may not
 * become that user. The settings must outlive it. 0, or -errno after reporting why.
 */
int opener_server_create(const struct opener_settings *settings, bool now, struct opener_server **ret_server);
/* Ends the helper, unless it is stuck. In a process that was forked since, only releases what is its own. NULL: nothing. */
void opener_server_destroy(struct opener_server *server);
struct service opener_server_service(struct opener_server *server);

/* Asks that service. 0, or -errno after reporting why. */
int opener_create(const struct service *service, struct opener **ret_opener);
/* Asks number `number` at the other end of a line. A forked child asks on one of its own. The same. */
int opener_create_far(int line, uint32_t number, int child_line, struct opener **ret_opener);
void opener_destroy(struct opener *opener);

/* For that child, in which this closes the other line. NULL: does nothing. */
void opener_use_child_line(struct opener *opener);

struct opened_file {
	int fd;
	bool ours;  /* file_is_ours() */
	char *real; /* its path without symbolic links, new memory; "": unknown */
};

/*
 * 0; -ENOENT: there is no such file, or was none at an earlier call; -ENOEXEC: it is not of that
 * kind; -EPERM: it was refused, and is counted; -EIO: the other process is gone, which was
 * reported. For OPENER_NAMED also -ETIMEDOUT: its file system does not answer, and any other error.
 * If it is a FIFO, waits until somebody writes. -ENOMEM.
 */
int opener_open(struct opener *opener, enum opener_kind kind, const char *path, struct opened_file *ret_file);

/*
 * Whether a file's content can be kept for later: only if nobody but root and the user of this
 * process can write the file, or put another in its place. Then an equal device, inode, change time
 * and size mean the same content. True: the open file, and each folder above it, belongs to root or
 * the user, and is writable for its owner only; folders with the sticky bit may be writable. False
 * also if that is unknown. Call it in the process that opened the file.
 */
bool file_is_ours(int fd);

enum opener_reason { /* why a file was refused */
	OPENER_SWITCHED_OFF,  /* no_local_files */
	OPENER_NETWORK,	      /* on a network or FUSE file system */
	OPENER_NO_FILE_SYSTEM, /* procfs, sysfs and the like */
	OPENER_NOT_REGULAR,
	OPENER_NOT_READABLE,  /* by this user */
	OPENER_NO_ANSWER,     /* within the deadline */
	OPENER_NOT_ASKED,     /* its mount did not answer before, or too many did not */
	OPENER_REASONS
};

struct opener_refusals {
	uint64_t counts[OPENER_REASONS]; /* of different paths, by the first reason */
	char *examples[OPENER_REASONS];  /* the first in alphabetical order; NULL: none */
};

/* What was refused up to now. 0, -EIO, -ENOMEM. */
int opener_refusals(struct opener *opener, struct opener_refusals *ret_refusals);
void opener_refusals_deinit(struct opener_refusals *refusals);
/* "on a network or FUSE file system, ..." */
const char *opener_reason_text(enum opener_reason reason);

#endif
