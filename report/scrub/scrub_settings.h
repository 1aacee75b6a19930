/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What --scrub removes from a trace, and what --keep exempts. */
#ifndef RWALKER_REPORT_SCRUB_SCRUB_SETTINGS_H
#define RWALKER_REPORT_SCRUB_SCRUB_SETTINGS_H

#include <regex.h>
#include <stddef.h>
#include <stdint.h>

enum scrub_class {
	SCRUB_HOST = 1,	    /* its name, its boot id, what its kernel's release has beyond common words */
	SCRUB_COMMAND = 2,  /* the recorder's command line, which --condense drops */
	SCRUB_COMMS = 4,
	SCRUB_PATHS = 8,    /* of private modules, with device and inode */
	SCRUB_BUILD_IDS = 16, /* of private modules */
	SCRUB_SYMBOLS = 32, /* of private modules, JIT code and BPF programs */
	SCRUB_SOURCES = 64, /* source files of private modules */
	SCRUB_ADDRESSES = 128,
	SCRUB_PIDS = 256,
	SCRUB_TIMES = 512,  /* of day, and since boot */
	SCRUB_CGROUPS = 1024,
	SCRUB_ALL = 2047,
};

struct scrub_settings {
	uint32_t classes;    /* mask of enum scrub_class */
	const regex_t *keep; /* names that match stay; NULL: none */
};

/* Parses "host,comms"; NULL or "all": all classes. 0; -EINVAL: no such class. */
int scrub_classes_parse(const char *list, uint32_t *ret_classes);
/* Prints a list that can be parsed again. Cut off if there is not enough room. */
void scrub_classes_print(uint32_t classes, char *text, size_t room);
/* All classes, "host, command ...", for messages. */
extern const char scrub_classes_text[];

#endif
