/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/export/decimal_text.h"

#include <stddef.h>

enum { DIGITS = 20, POINT = 1 };

void decimal_text_write(FILE *out, uint64_t value)
{
	decimal_text_write_point(out, value, 0);
}

void decimal_text_write_point(FILE *out, uint64_t value, unsigned int places)
{
	char text[DIGITS + POINT];
	size_t first = sizeof(text);

	for (unsigned int digit = 0; value || digit <= places; digit++) {
		if (digit && digit == places)
			text[--first] = '.';
		text[--first] = (char)('0' + value % 10);
		value /= 10;
	}
	(void)fwrite_unlocked(text + first, 1, sizeof(text) - first, out);
}
