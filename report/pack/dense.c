/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/dense.h"

enum { DIGITS = 91, MASK = (1 << DENSE_PAIR_BITS) - 1 };

static const char digits[] =
	"!\x22#$%'()*+,-./0123456789:;=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

_Static_assert(sizeof(digits) == DIGITS + 1, "two digits have 13 bits");

void dense_write(const uint8_t *bytes, size_t size, FILE *out)
{
	enum { PAIRS = 2048 };
	char text[2 * PAIRS] = "";
	size_t used = 0;
	uint32_t held = 0;
	unsigned int bits = 0;

	for (size_t i = 0; i < size; i++) {
		held |= (uint32_t)bytes[i] << bits;
		bits += 8;
		if (bits < DENSE_PAIR_BITS)
			continue;
		text[used++] = digits[(held & MASK) % DIGITS];
		text[used++] = digits[(held & MASK) / DIGITS];
		held >>= DENSE_PAIR_BITS;
		bits -= DENSE_PAIR_BITS;
		if (used == sizeof(text)) {
			(void)fwrite(text, 1, used, out);
			used = 0;
		}
	}
	(void)fwrite(text, 1, used, out);
	if (bits)
		(void)fputc(digits[held % DIGITS], out);
	if (bits > DENSE_DIGIT_BITS)
		(void)fputc(digits[held / DIGITS], out);
}
