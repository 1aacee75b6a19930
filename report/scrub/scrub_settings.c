/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/scrub_settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	enum scrub_class class;
} classes[] = {
	{"host", SCRUB_HOST},	      {"command", SCRUB_COMMAND},     {"comms", SCRUB_COMMS},
	{"paths", SCRUB_PATHS},	      {"build-ids", SCRUB_BUILD_IDS}, {"symbols", SCRUB_SYMBOLS},
	{"sources", SCRUB_SOURCES},   {"addresses", SCRUB_ADDRESSES}, {"pids", SCRUB_PIDS},
	{"times", SCRUB_TIMES},	      {"cgroups", SCRUB_CGROUPS},     {"all", SCRUB_ALL},
};

const char scrub_classes_text[] =
	"host, command, comms, paths, build-ids, symbols, sources, addresses, pids, times, cgroups or all";

static int find(const char *name, size_t length, uint32_t *ret_class)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == length && !memcmp(classes[i].name, name, length)) {
			*ret_class = classes[i].class;
			return 0;
		}
	return -EINVAL;
}

int scrub_classes_parse(const char *list, uint32_t *ret_classes)
{
	uint32_t chosen = 0, class;

	if (!list)
		list = "all";
	for (;;) {
		size_t length = strcspn(list, ",");

		if (find(list, length, &class) < 0)
			return -EINVAL;
		chosen |= class;
		if (!list[length])
			break;
		list += length + 1;
	}
	*ret_classes = chosen;
	return 0;
}

void scrub_classes_print(uint32_t chosen, char *text, size_t room)
{
	size_t used = 0;

	if (chosen == SCRUB_ALL) {
		(void)snprintf(text, room, "all");
		return;
	}
	text[0] = '\0';
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]) && used < room; i++)
		if (classes[i].class != SCRUB_ALL && chosen & classes[i].class)
			used += (size_t)snprintf(text + used, room - used, "%s%s", used ? "," : "", classes[i].name);
}
