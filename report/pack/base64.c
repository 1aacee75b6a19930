/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/pack/base64.h"

static void encode(const uint8_t bytes[3], char text[4])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	text[0] = digits[bytes[0] >> 2];
	text[1] = digits[(bytes[0] & 3) << 4 | bytes[1] >> 4];
	text[2] = digits[(bytes[1] & 15) << 2 | bytes[2] >> 6];
	text[3] = digits[bytes[2] & 63];
}

void base64_write(const uint8_t *bytes, size_t size, FILE *out)
{
	enum { GROUPS = 1024 };
	char text[4 * GROUPS];
	size_t used = 0;

	for (; size >= 3; size -= 3, bytes += 3) {
		encode(bytes, text + used);
		used += 4;
		if (used == sizeof(text)) {
			(void)fwrite(text, 1, used, out);
			used = 0;
		}
	}
	if (size) {
		const uint8_t last[3] = {bytes[0], size > 1 ? bytes[1] : 0, 0};

		encode(last, text + used);
		text[used + 3] = '=';
		text[used + 2] = size > 1 ? text[used + 2] : '=';
		used += 4;
	}
	(void)fwrite(text, 1, used, out);
}
