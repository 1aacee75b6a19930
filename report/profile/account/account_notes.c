/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/account/account_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/printable.h"

static const struct account_row {
	unsigned int about;
	const char *remedy;
	bool of_samples; /* the share of samples says how grave a note is; otherwise its kind does */
} rows[ACCOUNT_KINDS] = {
	[ACCOUNT_CUT_SHORT] = {0, "let it run to its end"},
	[ACCOUNT_LOST] = {0, "record fewer threads or less often"},
	[ACCOUNT_DAMAGED] = {0, "if the original is whole, copy it again"},
	[ACCOUNT_UNFINISHED] = {0, "on the host, until it is booted again, rwalker-record --finalize adds the names"},
	[ACCOUNT_INCOMPATIBLE] = {0, "read it with the version that wrote it"},
	[ACCOUNT_LEFT_PACKED] = {0, NULL},
	[ACCOUNT_SIZE_LIMIT] = {0, "rwalker-record --max-size allows more"},
	[ACCOUNT_COARSER] = {0, "rwalker-record --max-cpu allows more"},
	[ACCOUNT_HELPERS] = {ABOUT_STACKS, "restart the recorder"},
	[ACCOUNT_UNDELIVERED] = {ABOUT_SAMPLING, "shares hold, and sums are too small by as much"},
	[ACCOUNT_COUNTER_LENT] = {ABOUT_SAMPLING, "end the other profilers, or rwalker-record --sw-perf"},
	[ACCOUNT_UNSURE] = {ABOUT_STACKS, "record again while fewer processes start"},
	[ACCOUNT_MAPPINGS] = {ABOUT_USER_STACKS, "record again while they run", true},
	[ACCOUNT_WRONG_STACKS] = {ABOUT_USER_STACKS, "rwalker-record --dwarf needs no frame pointers", true},
	[ACCOUNT_CUT_COPIES] = {ABOUT_USER_STACKS, "rwalker-record --dwarf-size copies up to 64 KiB of each", true},
	[ACCOUNT_CUT_STACKS] = {ABOUT_STACKS, "what is nearer to the root is missing", true},
	[ACCOUNT_NO_KERNEL_STACK] = {ABOUT_KERNEL_STACKS, NULL, true},
	[ACCOUNT_NO_USER_STACK] = {ABOUT_USER_STACKS, NULL, true},
	[ACCOUNT_NO_SNAPSHOT] = {ABOUT_USER_STACKS, "rwalker-record --ringbuf-size makes more room", true},
	[ACCOUNT_OTHER_MACHINE] = {ABOUT_USER_STACKS, "a later version may do it"},
	[ACCOUNT_UNNAMED] = {ABOUT_STACKS, "--needs lists what would name them", true},
	[ACCOUNT_REFUSED] = {ABOUT_STACKS, "--debug-dir and --symfs say where the right one is"},
	[ACCOUNT_COPIED_CODE] = {ABOUT_USER_STACKS, NULL},
	[ACCOUNT_NO_LINES] = {ABOUT_STACKS, NULL},
	[ACCOUNT_BESIDE] = {ABOUT_KERNEL_STACKS, NULL},
};

static int format_line(char **ret_line, const char *format, va_list arguments)
{
	char *line = NULL, text[1024];
	int length = vasprintf(&line, format, arguments);

	if (length < 0)
		return -ENOMEM;
	printable_escape_line(text, sizeof(text), line, (size_t)length); /* paths are hostile */
	free(line);
	line = strdup(text);
	if (!line)
		return -ENOMEM;
	*ret_line = line;
	return 0;
}

__attribute__((format(printf, 4, 5))) int account_note(struct profile *profile, enum account_kind kind, double share,
						       const char *format, ...)
{
	struct account_note note = {.kind = kind, .share = share, .remedy = rows[kind].remedy,
				    .number = profile->notes->items.count};
	va_list arguments;
	int r;

	va_start(arguments, format);
	r = format_line(&note.text, format, arguments);
	va_end(arguments);
	if (r < 0)
		return r;
	r = array_push(&profile->notes->items, note);
	if (r < 0)
		free(note.text);
	return r;
}

static struct account_note *last_note(struct profile *profile)
{
	return &profile->notes->items.items[profile->notes->items.count - 1];
}

__attribute__((format(printf, 2, 3))) int account_detail(struct profile *profile, const char *format, ...)
{
	va_list arguments;
	char *line;
	int r;

	va_start(arguments, format);
	r = format_line(&line, format, arguments);
	va_end(arguments);
	if (r < 0)
		return r;
	r = array_push(&last_note(profile)->details, line);
	if (r < 0)
		free(line);
	return r;
}

void account_remedy(struct profile *profile, const char *remedy)
{
	last_note(profile)->remedy = remedy;
}

/* Concerns hardly any of the samples, so it comes after notes that concern many. */
static bool is_trifle(const struct account_note *note)
{
	return rows[note->kind].of_samples && note->share < ACCOUNT_TRIFLE;
}

static int compare_notes(const void *left, const void *right)
{
	const struct account_note *l = left, *r = right;

	if (is_trifle(l) != is_trifle(r))
		return is_trifle(l) ? 1 : -1;
	if (l->kind != r->kind)
		return l->kind < r->kind ? -1 : 1;
	if (l->share < r->share || l->share > r->share)
		return l->share > r->share ? -1 : 1;
	return (l->number > r->number) - (l->number < r->number);
}

/* "TEXT; REMEDY" */
static int append_remedy(struct account_note *note)
{
	char *text;

	if (!note->remedy)
		return 0;
	if (asprintf(&text, "%s; %s", note->text, note->remedy) < 0)
		return -ENOMEM;
	free(note->text);
	note->text = text;
	return 0;
}

int account_notes_sort(struct account_notes *notes)
{
	int r = 0;

	if (notes->items.count)
		qsort(notes->items.items, notes->items.count, sizeof(*notes->items.items), compare_notes);
	for (size_t i = 0; i < notes->items.count && !r; i++) {
		struct account_note *note = &notes->items.items[i];

		r = append_remedy(note);
		if (!r)
			r = array_push(&notes->sorted,
				       (struct profile_account_note){.text = note->text,
							     .about = rows[note->kind].about,
							     .details = (const char *const *)note->details.items,
							     .detail_count = note->details.count});
	}
	return r;
}

void account_notes_destroy(struct account_notes *notes)
{
	if (!notes)
		return;
	for (size_t i = 0; i < notes->items.count; i++) {
		struct account_note *note = &notes->items.items[i];

		for (size_t j = 0; j < note->details.count; j++)
			free(note->details.items[j]);
		array_free(&note->details);
		free(note->text);
	}
	array_free(&notes->items);
	array_free(&notes->sorted);
	free(notes);
}

double account_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}
