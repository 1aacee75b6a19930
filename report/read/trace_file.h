/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One trace given on the command line: the open file, its chunks, and a model for each of its sections (a file made by
 * `cat a.rwk b.rwk` has two). "-" is stdin, spooled into an unlinked temporary file. Opening reads everything but the
 * events; the file stays open, as symbols are read when they are needed.
 */
#ifndef RWALKER_REPORT_READ_TRACE_FILE_H
#define RWALKER_REPORT_READ_TRACE_FILE_H

#include "report/read/trace_model.h"

struct trace_file {
	const char *path; /* the caller's */
	int fd;
	bool spooled; /* it came from a pipe */
	struct trace_reader *reader;
	const struct trace_chunk *chunks;
	size_t chunk_count;
	const struct trace_section *sections;
	struct trace_model *models; /* one a section */
	size_t model_count;
	uint8_t *payload; /* room for one chunk, for whoever reads one now */
};

/* 0, or -errno after it said why. Damage is no failure. */
int trace_file_open(const char *path, struct trace_file **ret_file);
void trace_file_close(struct trace_file *file);

/* Of all EVENTS chunks, unpacked. */
uint64_t trace_file_event_bytes(const struct trace_file *file);

/* The payload of a chunk, valid until the next call. -EBADMSG: damaged. */
int trace_file_load(struct trace_file *file, uint32_t chunk, const void **ret_payload);

bool trace_file_holds_snapshots(const struct trace_file *file);

/* What is done with a record of a chunk, valid until it returns. -EBADMSG: damaged, the rest of its chunk is left out; -errno: stop. */
typedef int trace_take_record(struct event *event, void *data);

/* Every record of some chunks, in order; damage ends a chunk, not the walk. -errno: of `take`, or of reading; -ENOMEM. */
int trace_file_each_record(struct trace_file *file, const chunk_list *chunks, trace_take_record *take, void *data);

#endif
