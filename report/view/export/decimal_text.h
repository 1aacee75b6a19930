/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers as decimal text, by hand: an export writes millions, and printf is slow. */
#ifndef RWALKER_REPORT_VIEW_EXPORT_DECIMAL_TEXT_H
#define RWALKER_REPORT_VIEW_EXPORT_DECIMAL_TEXT_H

#include <stdint.h>
#include <stdio.h>

void decimal_text_write(FILE *out, uint64_t value);

/* `value` with its last `places` digits (at most 18) after the point: 1234567 with 3 is "1234.567". */
void decimal_text_write_point(FILE *out, uint64_t value, unsigned int places);

#endif
