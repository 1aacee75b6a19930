/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "common/time_units.h"

enum { HUNDREDTH_SECOND = SECOND / 100, TENTH_MILLISECOND = MILLISECOND / 10 };

/* Formats a count of tenths or hundredths as a decimal fraction. */
static struct figure with_point(uint64_t value, unsigned int places, const char *unit)
{
	uint64_t one = places == 2 ? 100 : 10;
	struct figure figure;

	(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%0*" PRIu64 "%s", value / one,
		       (int)places, value % one, unit);
	return figure;
}

static uint64_t divide_rounded(uint64_t value, uint64_t by)
{
	return value / by + (value % by >= by - by / 2);
}

struct figure figure_percent(uint64_t part, uint64_t whole)
{
	unsigned __int128 hundredths = whole ? ((unsigned __int128)part * 10000 + whole / 2) / whole : 0;

	return with_point((uint64_t)hundredths, 2, "");
}

struct figure figure_seconds(uint64_t ns)
{
	return with_point(divide_rounded(ns, HUNDREDTH_SECOND), 2, "");
}

struct figure figure_milliseconds(uint64_t ns)
{
	return with_point(divide_rounded(ns, TENTH_MILLISECOND), 1, "");
}

struct figure figure_bytes(uint64_t bytes)
{
	static const char *const units[] = {" KB", " MB", " GB", " TB", " PB", " EB"};
	unsigned int shift = 10, unit = 0;
	struct figure figure;

	if (bytes < 1024) {
		(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 " B", bytes);
		return figure;
	}
	for (; bytes >> shift >= 1024; shift += 10)
		unit++;
	return with_point((uint64_t)(((unsigned __int128)bytes * 10 + (1ULL << (shift - 1))) >> shift), 1, units[unit]);
}

struct figure figure_date(uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / SECOND);
	struct figure figure = {"unknown"};
	struct tm time;

	if (realtime_ns && gmtime_r(&seconds, &time))
		(void)strftime(figure.text, sizeof(figure.text), "%Y-%m-%d %H:%M:%S", &time);
	return figure;
}

bool figure_reaches(uint64_t part, uint64_t whole, uint64_t share)
{
	return (unsigned __int128)part * 1000000 >= (unsigned __int128)whole * share;
}
