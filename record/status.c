/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "common/printable.h"
#include "common/time_units.h"

void status_init(struct status *status)
{
	*status = (struct status){.live = isatty(STDERR_FILENO)};
}

const char *status_number(uint64_t value, char text[STATUS_NUMBER])
{
	char digits[STATUS_NUMBER];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value), used = 0;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	text[used] = '\0';
	return text;
}

static const char *size_text(uint64_t bytes, char text[STATUS_NUMBER])
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		value /= 1000;
	(void)snprintf(text, STATUS_NUMBER, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

void status_show(struct status *status, const struct status_figures *figures)
{
	char lost[STATUS_NUMBER], written[STATUS_NUMBER];

	if (!status->live)
		return;
	(void)fprintf(stderr, "\r\033[K%" PRIu64 " s: %s, %s lost, %s written; Ctrl-C stops",
		      figures->elapsed / SECOND, figures->what, status_number(figures->lost, lost),
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

void status_summary(const struct status_figures *figures, const char *path)
{
	char lost[STATUS_NUMBER], left_out[STATUS_NUMBER], written[STATUS_NUMBER];
	bool is_file = strcmp(path, "-") != 0;

	log_info("%s, %s lost, %s left out (idle CPUs, itself, not asked for); "
		 "%s in %s%s%s", figures->what, status_number(figures->lost, lost),
		 status_number(figures->left_out, left_out), size_text(figures->written, written), is_file ? "'" : "",
		 is_file ? path : "stdout", is_file ? "'" : "");
	log_info("the trace holds %s; before you pass it on: rwalker-report --info %s",
		 figures->snapshots ? "stack memory and names of what ran" : "names of what ran",
		 is_file ? path : "FILE");
	if (is_file)
		log_info("next: rwalker-report %s %s", figures->next_view, path);
}
