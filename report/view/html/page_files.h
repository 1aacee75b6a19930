/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The files of report/page/ as the program contains them: all scripts, concatenated, the style, and the markup. */
#ifndef RWALKER_REPORT_VIEW_HTML_PAGE_FILES_H
#define RWALKER_REPORT_VIEW_HTML_PAGE_FILES_H

extern const char page_script[], page_script_end[];
extern const char page_style[], page_style_end[];
extern const char page_markup[], page_markup_end[];

#endif
