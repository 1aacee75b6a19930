/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses the values of the options that choose which part of a trace is reported. Each function is
 * called by an option's row, fills the struct report_options that it is passed, and adds itself to
 * the text of the filters that headings show. 0, or -EINVAL after reporting why.
 */
#ifndef RWALKER_REPORT_OPTIONS_REPORT_OPTION_FILTERS_H
#define RWALKER_REPORT_OPTIONS_REPORT_OPTION_FILTERS_H

#include "report/options/report_options.h"

int report_filter_comm(void *config, const char *value);
int report_filter_container(void *config, const char *value);
int report_filter_cgroup(void *config, const char *value);
int report_filter_on(void *config, const char *value);
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

/* Adds an option as it was given; value may be NULL. */
void report_filter_note(struct report_options *options, const char *option, const char *value);

#endif
