/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What should not be relied on, in the words of the notes below reports: all notes, with details. */
#include <string.h>

#include "common/printable.h"
#include "report/profile/seam/profile.h"
#include "report/profile/seam/profile_account.h"
#include "report/tool/info_parts.h"

static void print_note(const struct profile_account_note *note, FILE *out)
{
	(void)fprintf(out, "  %-16s", "note");
	printable_write_line(out, note->text, strlen(note->text));
	(void)fputc('\n', out);
	for (size_t i = 0; i < note->detail_count; i++) {
		(void)fprintf(out, "  %-16s    ", "");
		printable_write_line(out, note->details[i], strlen(note->details[i]));
		(void)fputc('\n', out);
	}
}

int info_notes(const struct trace_file *file, const struct tool_request *request)
{
	struct profile_account account;
	struct profile *profile;
	int r;

	if (!strcmp(file->path, "-")) /* stdin was consumed */
		return 0;
	r = profile_create(&file->path, 1, request->filter, request->names, &profile);
	if (r < 0)
		return r;
	profile_account(profile, &account);
	if (account.count)
		(void)fputc('\n', request->out);
	for (size_t i = 0; i < account.count; i++)
		print_note(&account.notes[i], request->out);
	r = profile_check_names(profile);
	profile_destroy(profile);
	return r;
}
