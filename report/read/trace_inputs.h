/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The traces of the command line, opened before anything is read of them: whoever reads them cannot open files. What
 * could not be opened says so when it is taken.
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
	bool spooled;	  /* it was a pipe, and was copied */
};

struct trace_inputs {
	ARRAY(struct trace_input) items;
};

/* Opens all; the opener may be NULL. -ENOMEM. */
int trace_inputs_open(struct trace_inputs *inputs, struct opener *opener, const char *const *paths, size_t count);
/* More of them; one that is open already is taken twice. -ENOMEM. */
int trace_inputs_add(struct trace_inputs *inputs, struct opener *opener, const char *const *paths, size_t count);
void trace_inputs_close(struct trace_inputs *inputs);

/*
 * Copies those that are pipes into temporary files: what follows needs no more than pread(). Reads until their ends.
 */
void trace_inputs_spool(struct trace_inputs *inputs);

/* The one of that path. 0: the caller closes *ret_fd; -errno of opening or copying it; -ENOENT: it is none of these. */
int trace_inputs_take(const struct trace_inputs *inputs, const char *path, int *ret_fd, bool *ret_spooled);

#endif
