/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes a dump (segments.h says what it is made of). Runs in a child, which has everything as it was at the fork,
 * while the recorder goes on. So nothing has to be done in slices, and the recorder's segments may change meanwhile.
 */
#ifndef RWALKER_RECORD_FLIGHT_DUMP_H
#define RWALKER_RECORD_FLIGHT_DUMP_H

#include <stdint.h>

#include "format/event.h"
#include "record/flight/dump_files.h"

struct module_files;
struct nursery;
struct open_waits;
struct recording;
struct segments;

struct dump_parts {
	struct recording *recording; /* its log and writer are replaced */
	struct module_files *files;
	struct nursery *nursery; /* not the recorder's: two processes cannot ask the same one */
	const struct segments *segments;
	struct open_waits *open; /* NULL: none, or they are in the segments */
	const struct dump_files *output;
	struct event_window about; /* since and until are filled in */
	uint64_t now;		   /* CLOCK_MONOTONIC ns */
};

struct dump_result {
	char path[DUMP_PATH_MAX];
	uint64_t since, until, bytes;
};

/* 0, or -errno: then there is no file. */
int dump_write(const struct dump_parts *parts, struct dump_result *ret_result);

#endif
