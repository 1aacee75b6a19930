/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Any bytes as a child's answers: only complete texts for requested addresses are accepted. */
#include <string.h>

#include "report/resolve/dwarf/line_wire.h"
#include "tests/fuzz/unwind_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const uint64_t addresses[] = {1, 2, 3, 5, 8, 13, 21, 34};
	const size_t count = sizeof(addresses) / sizeof(addresses[0]);
	struct line_answers answers;
	struct text_pool texts;
	size_t known = 0;
	int end;

	if (text_pool_init(&texts) < 0 || line_answers_init(&answers, addresses, count) < 0)
		return 0;
	(void)wire_read(bytes, length, &texts, &answers, &end);
	fuzz_require(end <= 0);
	for (size_t i = 0; i < count; i++) {
		const struct line_level *levels;
		size_t found = line_answers_find(&answers, addresses[i], &levels);

		fuzz_require(found <= WIRE_LEVELS_MAX);
		for (size_t k = 0; k < found; k++) {
			known += levels[k].function ? strlen(levels[k].function) : 0;
			known += levels[k].file ? strlen(levels[k].file) : 0;
		}
	}
	fuzz_require(known <= length * length + length);
	line_answers_deinit(&answers);
	text_pool_deinit(&texts);
	return 0;
}
