/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The one table of the reporter's options, for parsing, --help and completion, and the functions
 * that parse what is more than a flag, a number or a text. Fills a struct report_options.
 */
#ifndef RWALKER_REPORT_OPTIONS_REPORT_OPTION_ROWS_H
#define RWALKER_REPORT_OPTIONS_REPORT_OPTION_ROWS_H

#include "common/options/options.h"

extern const struct option_set report_option_set;

#endif
