/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Opens a file as opener.h says, in this process: follows the path, checks what is there, opens that for reading. */
#ifndef RWALKER_REPORT_OPENER_OPEN_CHECKED_H
#define RWALKER_REPORT_OPENER_OPEN_CHECKED_H

#include "report/opener/path_walk.h"

struct checked_file {
	int fd;	   /* does not block, and is not inherited by programs */
	bool ours; /* file_is_ours() */
	char real[PATH_MAX]; /* "": unknown; if it does not exist, the first part of the path that does not */
	enum opener_reason reason; /* if it was refused */
};

/* Returns what opener_open() does; -EPERM: ret_file->reason is set. For OPENER_NAMED also errors of the kernel. */
int open_checked(const struct walk_rules *rules, enum opener_kind kind, const char *path,
		 struct checked_file *ret_file);

#endif
