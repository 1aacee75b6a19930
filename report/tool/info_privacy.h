/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Private to info_privacy*.c: what a trace reveals, gathered from its records. */
#ifndef RWALKER_REPORT_TOOL_INFO_PRIVACY_H
#define RWALKER_REPORT_TOOL_INFO_PRIVACY_H

#include "report/read/trace_file.h"

enum privacy_row { /* in the order in which they are printed */
	PRIVACY_MEMORY,
	PRIVACY_WORDS,
	PRIVACY_COMMAND,
	PRIVACY_CODE,
	PRIVACY_OTHERS,
	PRIVACY_FILES,
	PRIVACY_PEERS,
	PRIVACY_CONTAINERS, /* names */
	PRIVACY_UNKNOWN,
	PRIVACY_UNREADABLE,
	PRIVACY_HOST,
	PRIVACY_BOOT,
	PRIVACY_KERNEL,
	PRIVACY_COMMS,
	PRIVACY_PATHS,
	PRIVACY_USERS,
	PRIVACY_BUILD_IDS,
	PRIVACY_SYMBOLS, /* of private modules */
	PRIVACY_JIT,
	PRIVACY_SOURCES,
	PRIVACY_ADDRESSES,
	PRIVACY_KASLR,
	PRIVACY_PIDS,
	PRIVACY_TIMES,
	PRIVACY_CGROUPS,
	PRIVACY_OBJECTS,
	PRIVACY_PROBES,
	PRIVACY_RULES,
	PRIVACY_NOTES,
	PRIVACY_ROWS
};

struct privacy_finding {
	uint64_t count;
	struct text_pool texts; /* if each text is counted once */
	char example[128];
	size_t example_length;
	bool telling; /* the example is a good one */
};

struct privacy {
	const struct trace_model *model; /* of the section that is being read */
	struct privacy_finding findings[PRIVACY_ROWS];
};

/* Adds to a row whose items are not distinguished; the first example stays. */
void privacy_count(struct privacy *privacy, enum privacy_row row, uint64_t count, const char *example);

/* Takes one record; the events must come before the STATE of a section. 0 or -ENOMEM. */
int privacy_take(struct privacy *privacy, struct event *event);

/* info_privacy_read.c: all records of a section, as far as they can be read. 0, -ENOMEM, -errno of reading. */
int privacy_read(struct privacy *privacy, struct trace_file *file, size_t section);
/* Counts what cannot be read but is in the file. 0. */
int privacy_read_damage(struct privacy *privacy, struct trace_file *file);

#endif
