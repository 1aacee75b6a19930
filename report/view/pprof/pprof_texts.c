/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/pprof/pprof_texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/printable.h"
#include "report/view/pprof/profile_proto.h"

enum { ESCAPE = 4 }; /* bytes of "\x1b" */

int pprof_texts_init(struct pprof_texts *texts, struct protobuf *out)
{
	uint64_t empty;
	int r;

	*texts = (struct pprof_texts){.out = out};
	r = hash_map_init(&texts->numbers);
	return r < 0 ? r : pprof_texts_find(texts, "", &empty);
}

void pprof_texts_deinit(struct pprof_texts *texts)
{
	hash_map_deinit(&texts->numbers);
	free(texts->safe);
}

int pprof_texts_find(struct pprof_texts *texts, const char *text, uint64_t *ret_number)
{
	uint64_t *number;
	int r = hash_map_add(&texts->numbers, text, strlen(text), texts->numbers.count, &number);

	if (r < 0)
		return r;
	if (r > 0)
		protobuf_text(texts->out, PROFILE_STRING_TABLE, text);
	*ret_number = *number;
	return 0;
}

int pprof_texts_find_unsafe(struct pprof_texts *texts, const char *text, uint64_t *ret_number)
{
	size_t length = strlen(text), room;

	if (__builtin_mul_overflow(length, ESCAPE, &room) || __builtin_add_overflow(room, 1, &room) ||
	    array_reserve_raw((void **)&texts->safe, &texts->room, room, 1) < 0)
		return -ENOMEM;
	(void)printable_escape(texts->safe, texts->room, text, length);
	return pprof_texts_find(texts, texts->safe, ret_number);
}
