/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A trace given on the command line: the open file, its chunks, and a model for each section (a
 * file made by `cat a.rwk b.rwk` has two). "-" is stdin, spooled into an unlinked temporary file.
 * Opening reads everything but the events; the file stays open, because symbols are read on demand.
 */
#ifndef RWALKER_REPORT_READ_TRACE_FILE_H
#define RWALKER_REPORT_READ_TRACE_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/array.h"
#include "report/opener/opener.h"
#include "report/read/trace_model.h"

/*
 * The traces on the command line. They are opened before any of them is read, because the process
 * that reads them cannot open files. If one could not be opened, taking it returns the error.
 */
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

struct trace_file {
	const char *path; /* the caller's */
	int fd;
	bool spooled; /* it was read from a pipe */
	struct trace_reader *reader;
	const struct trace_chunk *chunks;
	size_t chunk_count;
	const struct trace_section *sections;
	struct trace_model *models; /* one per section */
	size_t model_count;
	uint8_t *payload; /* room for one chunk, shared by all readers */
};

/* Takes it from the inputs, or opens it if they are NULL. 0, or -errno after reporting why. Damage is not a failure. */
int trace_file_open(const char *path, const struct trace_inputs *inputs, struct trace_file **ret_file);
void trace_file_close(struct trace_file *file);

/* Uncompressed size of all EVENTS chunks. */
uint64_t trace_file_event_bytes(const struct trace_file *file);

/* The payload of a chunk, valid until the next call. -EBADMSG: damaged. */
int trace_file_load(struct trace_file *file, uint32_t chunk, const void **ret_payload);

/*
 * The reason why it is unknown what followed the last chunk (the recorder was killed, or could no
 * longer write), as a continuation of "the trace". NULL: the section ended normally.
 */
const char *trace_section_cut(const struct trace_section *section);
/* Whether a section has such a reason. Reports it, for tools that print no account. */
bool trace_file_report_cut(const struct trace_file *file);

bool trace_file_holds_snapshots(const struct trace_file *file);

/*
 * Called for each record of a chunk; the record is valid until it returns. -EBADMSG: damaged, the
 * rest of the chunk is skipped; -errno: stops the iteration.
 */
typedef int trace_read_record(struct event *event, void *data);

/*
 * Visits every record of some chunks, in order; damage ends a chunk, not the iteration. -errno from
 * `take`, or of reading; -ENOMEM.
 */
int trace_file_each_record(struct trace_file *file, const chunk_list *chunks,
			   trace_read_record *take, void *data);

/* Whether the section of model `addition` says that it adds to that of model `number`: 1, 0; -ENOENT: no list. */
int trace_file_adds_to(const struct trace_file *file, size_t addition, size_t number);

#endif
