/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/comm_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/printable.h"

int comm_list_init(struct comm_list *list, const struct task_names *names)
{
	size_t room = names->comm_count ? names->comm_count : 1;

	*list = (struct comm_list){.names = names};
	list->weights = calloc(room, sizeof(*list->weights));
	list->present = calloc(room, sizeof(*list->present));
	if (list->weights && list->present)
		return 0;
	comm_list_deinit(list);
	return -ENOMEM;
}

void comm_list_deinit(struct comm_list *list)
{
	free(list->weights);
	free(list->present);
	*list = (struct comm_list){0};
}

void comm_list_add(struct comm_list *list, uint32_t task, uint64_t weight)
{
	uint32_t comm = list->names->comm_of[task];

	if (!list->weights[comm])
		list->present[list->present_count++] = comm;
	list->weights[comm] += weight ? weight : 1;
}

static int compare(const void *left, const void *right, void *context)
{
	const uint64_t *weights = context;
	uint32_t l = *(const uint32_t *)left, r = *(const uint32_t *)right;

	if (weights[l] != weights[r])
		return weights[l] > weights[r] ? -1 : 1;
	return (l > r) - (l < r);
}

void comm_list_write(struct comm_list *list, size_t most, FILE *out)
{
	qsort_r(list->present, list->present_count, sizeof(*list->present), compare, list->weights);
	for (size_t i = 0; i < list->present_count && i < most; i++) {
		const char *comm = list->names->comms[list->present[i]];

		if (i)
			(void)fputs(", ", out);
		printable_write(out, comm, strlen(comm));
	}
	if (list->present_count > most)
		(void)fprintf(out, " (+%zu more)", list->present_count - most);
	for (size_t i = 0; i < list->present_count; i++)
		list->weights[list->present[i]] = 0;
	list->present_count = 0;
}
