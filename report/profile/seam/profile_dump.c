/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_dump.h"

#include <stdio.h>
#include <string.h>

#include "report/profile/seam/figures.h"

const char *profile_dump_value(const char *rule, uint64_t value, char text[PROFILE_DUMP_VALUE])
{
	size_t kind = strcspn(rule, ":>");

	text[0] = '\0';
	if (!value)
		return text;
	if (kind == 3 && (!strncmp(rule, "psi", kind) || !strncmp(rule, "cpu", kind)))
		(void)snprintf(text, PROFILE_DUMP_VALUE, "%.1f %%", (double)value / 100);
	else
		(void)snprintf(text, PROFILE_DUMP_VALUE, "%s ms", figure_milliseconds(value).text);
	return text;
}
