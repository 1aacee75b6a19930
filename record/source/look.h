/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A look at all tasks, read from an iterator's file: in slices, between which the rings are drained. The program
 * leaves out and counts the tasks that it meets after a time that it was given.
 */
#ifndef RWALKER_RECORD_SOURCE_LOOK_H
#define RWALKER_RECORD_SOURCE_LOOK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct drain;
struct recording;

struct look {
	struct drain *drain; /* NULL: nothing is to be drained */
	uint64_t slice_end;  /* CLOCK_MONOTONIC ns */
};

/* Bytes; 0: the look is over; -errno. */
ssize_t look_read(struct look *look, int fd, void *to, size_t room);

/* Reports what a look left out, and counts it as lost. missing: what is not known of those threads. */
void look_count(struct recording *recording, uint64_t left_out, const char *missing);

#endif
