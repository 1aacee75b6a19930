/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is unreliable, and what to type next. */
#include <string.h>

#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/profile_account.h"
#include "report/view/digest/digest_parts.h"

enum { NOTES_SHOWN = 2 };

static int add_note(struct digest *digest, const char *label, const struct profile_account_note *note)
{
	int r = digest_line_begin(&digest->lines, label, label[0] ? DIGEST_MAIN : DIGEST_LEAST);

	if (r < 0)
		return r;
	printable_write_line(digest->lines.text, note->text, strlen(note->text));
	return digest_line_end(&digest->lines);
}

static int add_notes(struct digest *digest)
{
	struct profile_account account;
	char text[64];
	int r = 0;

	profile_account(digest->context->profile, &account);
	for (size_t i = 0; i < account.count && i < NOTES_SHOWN && !r; i++)
		r = add_note(digest, i ? "" : "unreliable", &account.notes[i]);
	if (r < 0 || account.count <= NOTES_SHOWN)
		return r;
	(void)snprintf(text, sizeof(text), "%zu more note%s", account.count - NOTES_SHOWN,
		       plural(account.count - NOTES_SHOWN));
	return digest_line_add(&digest->lines, "", DIGEST_LEAST, text, "--info");
}

static bool has_walks(const struct digest *digest)
{
	for (size_t i = 0; i < digest->source_count; i++)
		if (digest->sources[i].kind == PROFILE_TASKS && digest->sources[i].samples)
			return true;
	return false;
}

static int add_next(struct digest *digest)
{
	const struct profile_task *tasks = digest->ground.waits.tasks;
	FILE *text;
	int r = digest_line_begin(&digest->lines, "next", DIGEST_FIRST);

	if (r < 0)
		return r;
	text = digest->lines.text;
	if (digest->victim != PROFILE_NO_TASK) {
		(void)fputs("--chains=", text);
		digest_write_comm(tasks[digest->victim].comm, text);
		(void)fputs(" (what held it), ", text);
	}
	if (digest->cpu != DIGEST_NO_SOURCE)
		(void)fputs("--tree --source cpu (who called what), ", text);
	else if (digest->waits != DIGEST_NO_SOURCE)
		(void)fputs("--top-waits (the longest single waits), ", text);
	if (has_walks(digest))
		(void)fprintf(text, "--tasks%s (every task and its stack), ", digest->stuck ? " --state D" : "");
	(void)fputs("--info (what was recorded and lost)", text);
	return digest_line_end(&digest->lines);
}

int digest_add_notes(struct digest *digest)
{
	int r = add_notes(digest);

	return r < 0 ? r : add_next(digest);
}
