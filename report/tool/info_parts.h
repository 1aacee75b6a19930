/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The parts of --info, each about one section of a trace, in the order in which they are printed.
 * Text from a trace may contain anything: it is printed escaped, by info_text() and info_line().
 */
#ifndef RWALKER_REPORT_TOOL_INFO_PARTS_H
#define RWALKER_REPORT_TOOL_INFO_PARTS_H

#include <stdio.h>

#include "report/read/trace_file.h"
#include "report/tool/tool.h"

void info_text(FILE *out, const char *text);
/* " key text". Prints nothing if there is no text. */
void info_line(FILE *out, const char *key, const char *text);

void info_host(const struct trace_model *model, const struct trace_section *section, FILE *out);
/* For a dump: which part of the recording it holds, and why it was made. */
void info_flight(const struct trace_model *model, FILE *out);
/* What was left out for a time to keep the recorder's cost down. */
void info_budget(const struct trace_model *model, FILE *out);
void info_clocks(const struct trace_model *model, FILE *out);
void info_sources(const struct trace_model *model, FILE *out);
/* The probes that were hit; with `verbose`, all probes. */
void info_probes(const struct trace_model *model, bool verbose, FILE *out);
/* The number of cgroups; with `verbose`, each of them. */
void info_cgroups(const struct trace_model *model, bool verbose, FILE *out);
/* Decodes all of the section's events to count them. 0, or -errno after reporting why. */
int info_contents(struct trace_file *file, const struct trace_model *model, FILE *out);
void info_cost(const struct trace_model *model, FILE *out);
/* False if there is not enough memory. */
bool info_losses(const struct trace_model *model, FILE *out);
/* The modules with something to report; with `verbose`, all modules. */
void info_modules(const struct trace_model *model, bool verbose, FILE *out);

#endif
