/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes a page fit into its limit. The longest waits stay; the shorter ones become sums by bin,
 * and if that is not enough, single samples are dropped. Sums by stack are never cut, so figures
 * of the whole trace stay exact: a page that cannot hold them is refused.
 */
#ifndef RWALKER_REPORT_VIEW_HTML_HTML_FIT_H
#define RWALKER_REPORT_VIEW_HTML_HTML_FIT_H

#include "report/view/html/html.h"

/*
 * Writes the columns that depend on the limit, and packs all columns. `text_length`: of the text
 * around. The caller frees *ret_packed. 0, -ENOMEM, -EBADMSG, or -EFBIG after reporting that the
 * limit is too small.
 */
int html_fit(struct html_page *page, size_t text_length, uint8_t **ret_packed, size_t *ret_size);

#endif
