/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What --scrub takes out of a trace, and what --keep exempts. */
#ifndef RWALKER_REPORT_SCRUB_SCRUB_SETTINGS_H
#define RWALKER_REPORT_SCRUB_SCRUB_SETTINGS_H

#include <regex.h>
#include <stddef.h>
#include <stdint.h>

enum scrub_class {
	SCRUB_HOST = 1,	    /* its name, its boot id, what its kernel's release has of its own */
	SCRUB_COMMAND = 2,  /* the recorder's command line, which --condense drops */
	SCRUB_COMMS = 4,
	SCRUB_PATHS = 8,    /* of private modules, with device and inode */
	SCRUB_BUILD_IDS = 16, /* of private modules */
	SCRUB_SYMBOLS = 32, /* of private modules, JIT code and BPF programs */
	SCRUB_SOURCES = 64, /* source files of private modules */
	SCRUB_ADDRESSES = 128,
	SCRUB_PIDS = 256,
	SCRUB_TIMES = 512,  /* of day, and since the boot */
	SCRUB_CGROUPS = 1024,
	SCRUB_ALL = 2047,
};

struct scrub_settings {
	uint32_t classes;    /* enum scrub_class, any or all */
	const regex_t *keep; /* names that match stay; NULL: none do */
};

/* "host,comms" as classes; NULL or "all": all of them. 0; -EINVAL: there is no such class. */
int scrub_classes_parse(const char *list, uint32_t *ret_classes);
/* As a list that can be parsed again; in one piece if there is room for it. */
void scrub_classes_print(uint32_t classes, char *text, size_t room);
/* All that there are, "host, command ...", for messages. */
extern const char scrub_classes_text[];

#endif
