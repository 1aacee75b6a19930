/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/scrub.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/time_units.h"
#include "report/read/trace_file.h"
#include "report/scrub/scrub_internal.h"

/*
 * CLOCK_MONOTONIC at the start of every scrubbed trace: ten years. So waits that began earlier
 * still have a begin, and nobody can see how long the host had been up.
 */
#define FIRST_TIME UINT64_C(315360000000000000)

enum { KEPT_PIDS = 2, FIRST_PID = 1001 }; /* 0 (none), init and kthreadd are the same everywhere */

int scrub_create(const struct scrub_settings *settings, struct pseudonyms *names, struct scrub **ret_scrub)
{
	struct scrub *scrub = calloc(1, sizeof(*scrub));

	if (!scrub)
		return -ENOMEM;
	scrub->settings = settings;
	scrub->names = names;
	if (text_pool_init(&scrub->texts) < 0 || hash_map_init(&scrub->hit_table) < 0 ||
	    scrub_numbers_init(&scrub->pids, KEPT_PIDS, FIRST_PID) < 0 ||
	    scrub_numbers_init(&scrub->starts, 0, 1) < 0 || scrub_numbers_init(&scrub->devices, 0, 1) < 0 ||
	    scrub_numbers_init(&scrub->inodes, 0, 1) < 0 || scrub_numbers_init(&scrub->futexes, 0, 1) < 0 ||
	    scrub_numbers_init(&scrub->ports, 0, 1) < 0 || scrub_numbers_init(&scrub->cgroups, 0, 1) < 0) {
		scrub_destroy(scrub);
		return -ENOMEM;
	}
	*ret_scrub = scrub;
	return 0;
}

static void end_section(struct scrub *scrub)
{
	scrub_places_deinit(&scrub->places);
	hash_map_clear(&scrub->hit_table);
	scrub->hits.count = 0;
}

void scrub_destroy(struct scrub *scrub)
{
	if (!scrub)
		return;
	end_section(scrub);
	text_pool_deinit(&scrub->texts);
	scrub_numbers_deinit(&scrub->pids);
	scrub_numbers_deinit(&scrub->starts);
	scrub_numbers_deinit(&scrub->devices);
	scrub_numbers_deinit(&scrub->inodes);
	scrub_numbers_deinit(&scrub->futexes);
	scrub_numbers_deinit(&scrub->ports);
	scrub_numbers_deinit(&scrub->cgroups);
	hash_map_deinit(&scrub->hit_table);
	array_free(&scrub->hits);
	array_free(&scrub->levels);
	free(scrub);
}

/* The start of the earliest section of the same boot: the time between two recordings stays visible. */
static uint64_t find_start(const struct trace_model *model)
{
	const struct trace_file *file = model->file;
	uint64_t start = model->start ? model->start : model->first_time;

	for (size_t i = 0; i < file->model_count; i++) {
		const struct trace_model *other = &file->models[i];

		if (!model->boot_id[0] || strcmp(other->boot_id, model->boot_id) != 0)
			continue;
		if (other->start && other->start < start)
			start = other->start;
	}
	return start;
}

int scrub_begin(struct scrub *scrub, const struct chain_context *context)
{
	end_section(scrub);
	scrub->context = context;
	scrub->model = context->model;
	scrub->start = find_start(context->model);
	return scrub_places_init(&scrub->places, context->model);
}

uint64_t scrub_time(const struct scrub *scrub, uint64_t time)
{
	return time && scrub_wants(scrub, SCRUB_TIMES) ? time - scrub->start + FIRST_TIME : time;
}

uint64_t scrub_realtime(uint64_t time)
{
	return time - FIRST_TIME + SCRUB_DAY_SECONDS * SECOND;
}

int scrub_pid(struct scrub *scrub, uint32_t pid, uint32_t *ret_pid)
{
	uint64_t number = pid;
	int r = scrub_wants(scrub, SCRUB_PIDS) ? scrub_number(&scrub->pids, pid, &number) : 0;

	if (!r)
		*ret_pid = (uint32_t)number;
	return r;
}
