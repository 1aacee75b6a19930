/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The options that choose what of a trace is reported: what their values mean. Each takes the struct report_options that
 * is being filled, as an option's row calls it, and notes itself in the text of the filters, which headings show.
 * 0, or -EINVAL after it said why.
 */
#ifndef RWALKER_REPORT_REPORT_OPTION_FILTERS_H
#define RWALKER_REPORT_REPORT_OPTION_FILTERS_H

#include "report/report_options.h"

int report_filter_comm(void *config, const char *value);
int report_filter_pids(void *config, const char *value);
int report_filter_tids(void *config, const char *value);
int report_filter_cpus(void *config, const char *value);
int report_filter_states(void *config, const char *value);
int report_filter_classes(void *config, const char *value);
int report_filter_least_wait(void *config, const char *value);
int report_filter_most_wait(void *config, const char *value);
int report_filter_waiting(void *config, const char *value);
int report_filter_time(void *config, const char *value);
int report_filter_source(void *config, const char *value);
int report_filter_probe(void *config, const char *value);

/* Adds an option as it was given; a value of NULL is none. */
void report_filter_note(struct report_options *options, const char *option, const char *value);

#endif
