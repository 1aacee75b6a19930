/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/scrub_numbers.h"

int scrub_numbers_init(struct scrub_numbers *numbers, uint64_t kept, uint64_t first)
{
	*numbers = (struct scrub_numbers){.kept = kept, .first = first};
	return hash_map_init(&numbers->known);
}

void scrub_numbers_deinit(struct scrub_numbers *numbers)
{
	hash_map_deinit(&numbers->known);
}

int scrub_number(struct scrub_numbers *numbers, uint64_t number, uint64_t *ret_number)
{
	uint64_t *known;
	int r;

	if (number <= numbers->kept) {
		*ret_number = number;
		return 0;
	}
	r = hash_map_add(&numbers->known, &number, sizeof(number), numbers->first + numbers->known.count, &known);
	if (r < 0)
		return r;
	*ret_number = *known;
	return 0;
}
