/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/printable.h"
#include "common/time_units.h"

enum { LINE_BYTES = 160, COLUMNS = 80, NAME_BYTES = 64 };

static int64_t now_ms(void)
{
	return (int64_t)(clock_now(CLOCK_MONOTONIC) / MILLISECOND);
}

void progress_init(struct progress *progress)
{
	*progress = (struct progress){.terminal = isatty(STDERR_FILENO), .interrupt = SIGINT,
				       .began = -1};
}

/* --- Ctrl-C --- */

static void note_interrupt(int signal_number)
{
	(void)signal_number; /* the kernel has reset the disposition, which is all that we need to know */
}

static void arm(struct progress *progress)
{
	const struct sigaction note = {.sa_handler = note_interrupt,
				       .sa_flags = SA_RESTART | (int)SA_RESETHAND};
	struct sigaction old;

	if (progress->stopped || sigaction(progress->interrupt, NULL, &old) < 0 || old.sa_handler != SIG_DFL)
		return;
	progress->armed = sigaction(progress->interrupt, &note, NULL) == 0;
}

static void look(struct progress *progress)
{
	struct sigaction now;

	if (!progress->armed || sigaction(progress->interrupt, NULL, &now) < 0 || now.sa_handler != SIG_DFL)
		return;
	progress->armed = false;
	progress->stopped = true;
}

static void disarm(struct progress *progress)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	struct sigaction old;

	if (!progress->armed || sigaction(progress->interrupt, &usual, &old) < 0)
		return;
	progress->armed = false;
	progress->stopped |= old.sa_handler == SIG_DFL;
}

bool progress_stopped(struct progress *progress)
{
	if (!progress)
		return false;
	look(progress);
	return progress->stopped;
}

void progress_resume(struct progress *progress)
{
	if (!progress_stopped(progress))
		return;
	progress->stopped = false;
	if (progress->depth)
		arm(progress);
}

/* --- the line --- */

void progress_format(char *out, size_t room, const char *phase, const char *name, uint64_t done,
		     uint64_t whole)
{
	char share[16] = "";
	size_t used, left;

	if (whole)
		(void)snprintf(share, sizeof(share), ": %d%%",
			       done < whole ? (int)((double)done * 100 / (double)whole) : 100);
	if (room <= strlen(share)) /* a very narrow terminal */
		share[0] = '\0';
	left = room - strlen(share);
	used = printable_escape_line(out, left, phase, strlen(phase));
	if (name && left - used > 2) {
		out[used++] = ' ';
		left = left - used < NAME_BYTES ? left - used : NAME_BYTES;
		used += printable_escape_line(out + used, left, name, strlen(name));
	}
	memcpy(out + used, share, strlen(share) + 1);
}

/* The room in one line of the terminal: a longer text could not be erased again. */
static size_t line_room(void)
{
	struct winsize size;
	size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : COLUMNS;

	return columns < LINE_BYTES ? columns : LINE_BYTES;
}

static void draw(struct progress *progress, const char *phase, const char *name, uint64_t done,
		 uint64_t whole)
{
	char line[LINE_BYTES];

	progress_format(line, line_room(), phase, name, done, whole);
	(void)fprintf(stderr, "\r\033[K%s", line);
	progress->shown = true;
}

static void erase(struct progress *progress)
{
	if (progress->shown)
		(void)fputs("\r\033[K", stderr);
	progress->shown = false;
}

bool progress_step(struct progress *progress, const char *phase, const char *name, uint64_t done,
		   uint64_t whole)
{
	int64_t now;

	if (!progress)
		return false;
	now = now_ms();
	if (now - progress->looked >= PROGRESS_LOOK_MS) {
		progress->looked = now;
		look(progress);
	}
	if (progress->terminal && progress->depth && now - progress->began >= PROGRESS_FIRST_MS &&
	    now - progress->drawn >= PROGRESS_REDRAW_MS) {
		progress->drawn = now;
		draw(progress, phase, name, done, whole);
	}
	return progress->stopped;
}

/* --- start and end --- */

void progress_enter(struct progress *progress)
{
	if (!progress || progress->depth++)
		return;
	if (progress->began < 0)
		progress->began = now_ms();
	arm(progress);
}

void progress_leave(struct progress *progress)
{
	if (!progress || --progress->depth)
		return;
	disarm(progress);
	erase(progress);
}
