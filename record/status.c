/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/plural.h"
#include "common/time_units.h"

enum { FIGURE = 32 };

void status_init(struct status *status)
{
	*status = (struct status){.live = isatty(STDERR_FILENO)};
}

/* 1234567 -> "1,234,567" */
static const char *grouped(uint64_t value, char text[FIGURE])
{
	char digits[FIGURE];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value), used = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
	return text;
}

static const char *size_text(uint64_t bytes, char text[FIGURE])
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1000;
	(void)snprintf(text, FIGURE, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

/* "1,234 samples, 56 waits, 78 tasks in 9 walks" */
static void what_was_recorded(const struct status_figures *figures, char *text, size_t room)
{
	char count[FIGURE], walks[FIGURE];
	const char *between = "";
	int used = 0;

	text[0] = '\0';
	if (figures->profile) {
		used += snprintf(text, room, "%s sample%s", grouped(figures->samples, count),
				 plural(figures->samples));
		between = ", ";
	}
	if (figures->offcpu) {
		used += snprintf(text + used, room - (size_t)used, "%s%s wait%s", between,
				 grouped(figures->waits, count), plural(figures->waits));
		between = ", ";
	}
	if (figures->points) {
		used += snprintf(text + used, room - (size_t)used, "%s%s hit%s", between,
				 grouped(figures->hits, count), plural(figures->hits));
		between = ", ";
	}
	if (figures->walks)
		(void)snprintf(text + used, room - (size_t)used, "%s%s task%s in %s walk%s", between,
			       grouped(figures->tasks, count), plural(figures->tasks),
			       grouped(figures->walks, walks), plural(figures->walks));
}

void status_show(struct status *status, const struct status_figures *figures)
{
	char what[128], lost[FIGURE], written[FIGURE];

	if (!status->live)
		return;
	what_was_recorded(figures, what, sizeof(what));
	(void)fprintf(stderr, "\r\033[K%" PRIu64 " s: %s, %s lost, %s written; Ctrl-C stops",
		      figures->elapsed / SECOND, what, grouped(figures->lost, lost),
		      size_text(figures->written, written));
	(void)fflush(stderr);
	status->shown = true;
}

void status_starting(struct status *status, const char *what)
{
	if (!status->live)
		return;
	(void)fprintf(stderr, "\r\033[Kstarting: %s ...", what);
	(void)fflush(stderr);
	status->shown = true;
}

void status_attaching(struct status *status, size_t done, size_t total)
{
	if (!status->live)
		return;
	(void)fprintf(stderr, "\r\033[Kattaching to %zu function%s: %zu%%", total, plural(total),
		      done * 100 / total);
	(void)fflush(stderr);
	status->shown = true;
}

void status_embedding(struct status *status, size_t done, size_t total)
{
	if (!status->live || !total)
		return;
	(void)fprintf(stderr, "\r\033[Kembedding: %zu%%; Ctrl-C skips the rest", done * 100 / total);
	(void)fflush(stderr);
	status->shown = true;
}

void status_clear(struct status *status)
{
	if (status->shown)
		(void)fputs("\r\033[K", stderr);
	status->shown = false;
}

/* The view that suits what was recorded. */
static const char *next_view(const struct status_figures *figures)
{
	const struct {
		bool recorded;
		const char *view;
	} views[] = {
		{figures->wakers && figures->waits, "--chains "},
		{figures->profile && figures->samples, "--tree "},
		{figures->offcpu && figures->waits, "--top-waits "},
		{figures->points && figures->hits, "--tree "},
		{figures->tasks, "--tasks "},
	};

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++)
		if (views[i].recorded)
			return views[i].view;
	return "--info "; /* nothing was recorded: it says why */
}

void status_summary(const struct status_figures *figures, const char *path)
{
	char what[128], lost[FIGURE], left_out[FIGURE], written[FIGURE];
	bool is_file = strcmp(path, "-") != 0;

	what_was_recorded(figures, what, sizeof(what));
	log_info("%s, %s lost, %s left out (idle CPUs, itself, not asked for); "
		 "%s in %s%s%s", what, grouped(figures->lost, lost),
		 grouped(figures->left_out, left_out), size_text(figures->written, written), is_file ? "'" : "",
		 is_file ? path : "stdout", is_file ? "'" : "");
	log_info("the trace holds %s; before you pass it on: rwalker-report --info %s",
		 figures->snapshots ? "stack memory and names of what ran" : "names of what ran",
		 is_file ? path : "FILE");
	if (is_file)
		log_info("next: rwalker-report %s%s", next_view(figures), path);
}
