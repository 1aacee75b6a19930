/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The traces on the command line. They are opened before any of them is read, because the process
 * that reads them cannot open files. If one could not be opened, taking it returns the error.
 */
#ifndef RWALKER_REPORT_READ_TRACE_INPUTS_H
#define RWALKER_REPORT_READ_TRACE_INPUTS_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/array.h"
#include "report/opener/opener.h"

struct trace_input {
	const char *path; /* the caller's; "-" is stdin */
	int fd;		  /* -1: none */
	int error;	  /* -errno of opening it; 0: none */
	bool spooled;	  /* it was a pipe or stdin, and was copied */
};

struct trace_inputs {
	ARRAY(struct trace_input) items;
};

/* Opens all of them; the opener may be NULL. -ENOMEM. */
int trace_inputs_open(struct trace_inputs *inputs, struct opener *opener, const char *const *paths, size_t count);
/* Opens more. A path that is already there is not opened again: it can be taken several times. -ENOMEM. */
int trace_inputs_add(struct trace_inputs *inputs, struct opener *opener, const char *const *paths, size_t count);
void trace_inputs_close(struct trace_inputs *inputs);

/*
 * Copies pipes into temporary files, so that pread() is enough from here on. Reads them to their
 * end.
 */
void trace_inputs_spool(struct trace_inputs *inputs);

/* Gets the input with that path. 0: the caller closes *ret_fd; -errno of opening or copying it; -ENOENT: not found. */
int trace_inputs_take(const struct trace_inputs *inputs, const char *path, int *ret_fd, bool *ret_spooled);

#endif
