/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/mount_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* "\040" is a space; in place. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] >= '0' && text[2] <= '7' &&
		    text[3] >= '0' && text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
bool mount_line_parse(char *line, struct mount_line *ret_mount)
{
	enum { ID, PARENT, DEVICE, ROOT, POINT, FIELDS };
	unsigned int major_number, minor_number;
	char *fields[FIELDS], *rest = line, *type;

	for (size_t i = 0; i < FIELDS; i++) {
		fields[i] = strsep(&rest, " ");
		if (!rest)
			return false;
	}
	type = strstr(rest, " - ");
	if (!type || sscanf(fields[DEVICE], "%u:%u", &major_number, &minor_number) != 2)
		return false;
	type += strlen(" - ");
	type[strcspn(type, " \n")] = '\0';
	unescape(fields[POINT]);
	*ret_mount = (struct mount_line){.id = (uint32_t)strtoul(fields[ID], NULL, 10),
					 .parent = (uint32_t)strtoul(fields[PARENT], NULL, 10),
					 .device = makedev(major_number, minor_number),
					 .point = fields[POINT],
					 .type = type};
	return true;
}
