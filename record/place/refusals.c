/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/refusals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static const struct {
	int error;
	const char *text;
} REASONS[] = {
	{ELOOP, "through a symbolic link"},
	{EPERM, "neither the process's nor root's"},
	{EACCES, "not readable for the process"},
	{EINVAL, "not a regular file"},
	{EMLINK, "with several names"},
	{EREMOTE, "on a file system that is not read"},
	{ENOEXEC, "not an ELF file"},
	{ESTALE, "another file by now"},
};
_Static_assert(sizeof(REASONS) / sizeof(REASONS[0]) == REFUSAL_REASONS, "a count for each reason");

bool refusals_add(struct refusals *refusals, int error)
{
	for (size_t i = 0; i < REFUSAL_REASONS; i++)
		if (REASONS[i].error == -error) {
			refusals->counts[i]++;
			return true;
		}
	return false;
}

const char *refusals_text(const struct refusals *refusals, char *text, size_t room)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < REFUSAL_REASONS && at < room; i++)
		if (refusals->counts[i])
			at += (size_t)snprintf(text + at, room - at, "%s%" PRIu64 " %s", at ? ", " : "",
					       refusals->counts[i], REASONS[i].text);
	return text;
}
