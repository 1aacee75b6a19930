/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The parts of --info, each about one section of a trace, in the order in which they are printed. What comes from the
 * trace is printed through common/printable.h.
 */
#ifndef RWALKER_REPORT_TOOL_INFO_PARTS_H
#define RWALKER_REPORT_TOOL_INFO_PARTS_H

#include <stdio.h>

#include "report/read/trace_file.h"
#include "report/tool/tool.h"

/* "  key             text", where there is a text. */
void info_line(FILE *out, const char *key, const char *text);
void info_text(FILE *out, const char *text);

void info_host(const struct trace_model *model, const struct trace_section *section, FILE *out);
void info_clocks(const struct trace_model *model, FILE *out);
void info_sources(const struct trace_model *model, FILE *out);
/* Those that were hit; all of them with `verbose`. */
void info_probes(const struct trace_model *model, bool verbose, FILE *out);
/* Decodes all of the section's events to count them. 0, or -errno after it said why. */
int info_contents(struct trace_file *file, const struct trace_model *model, FILE *out);
void info_cost(const struct trace_model *model, FILE *out);
/* True where events were lost. */
bool info_losses(const struct trace_model *model, FILE *out);
/* Of the whole file, where it holds snapshots. -errno after it said why. */
int info_unwinding(const struct trace_file *file, const struct tool_request *request);
/* Those that something was said of; all of them with `verbose`. */
void info_modules(const struct trace_model *model, bool verbose, FILE *out);

#endif
