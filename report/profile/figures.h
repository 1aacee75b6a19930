/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers as reports print them. Integer arithmetic throughout, rounded half up, so that the same
 * trace gives the same bytes on every machine and in every locale. A figure is returned by value,
 * to be printed immediately:
 *
 *	fprintf(out, "%s%%", figure_percent(weight, total).text);
 */
#ifndef RWALKER_REPORT_PROFILE_FIGURES_H
#define RWALKER_REPORT_PROFILE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

struct figure {
	char text[40];
};

struct figure figure_percent(uint64_t part, uint64_t whole); /* "22.98"; "0.00" if the whole is 0 */
struct figure figure_seconds(uint64_t ns);		     /* "5.23" */
struct figure figure_milliseconds(uint64_t ns);		     /* "123.4" */
struct figure figure_bytes(uint64_t bytes);		     /* "512 B", "12.3 KB", "4.0 MB": powers of 1024 */
struct figure figure_date(uint64_t realtime_ns);	     /* "2026-11-21 08:59:02", UTC; "unknown" for 0 */

/* part / whole >= share; share is in millionths. */
bool figure_reaches(uint64_t part, uint64_t whole, uint64_t share);

#endif
