/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The cgroups of a page's tasks, and their containers, each once. A page without containers has none of these. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/hash_map.h"
#include "report/view/html/html.h"

struct cgroup_writer {
	struct html_page *page;
	struct hash_map known; /* by address: a profile has each cgroup only once */
	struct column_text cgroups;
};

static bool is_there(const struct html_page *page, uint32_t task)
{
	return page->tasks.number_of[task] != UINT32_MAX;
}

static bool has_containers(const struct html_page *page)
{
	for (uint32_t i = 0; i < page->reader.task_count; i++)
		if (is_there(page, i) && *profile_container(page->reader.waits.tasks[i].cgroup))
			return true;
	return false;
}

static int find(struct cgroup_writer *writer, const struct profile_cgroup *cgroup, uint64_t *ret_number)
{
	struct json *json = &writer->cgroups.json;
	uint64_t *number;
	int r = hash_map_add(&writer->known, &cgroup, sizeof(cgroup), writer->known.count + 1, &number);

	if (r < 0)
		return r;
	*ret_number = *number;
	if (r)
		json_write(json, "[%-s,%s]", cgroup->path, cgroup->container);
	return 0;
}

static int write_tasks(struct cgroup_writer *writer)
{
	struct html_page *page = writer->page;
	int r = 0;

	for (uint32_t i = 0; i < page->reader.task_count && !r; i++) {
		const struct profile_cgroup *cgroup = page->reader.waits.tasks[i].cgroup;
		uint64_t number = 0;

		if (!is_there(page, i))
			continue;
		r = cgroup ? find(writer, cgroup, &number) : 0;
		column_add(html_column(page, COLUMN_TASK_CGROUP), number);
	}
	return r;
}

static void cgroup_writer_deinit(struct cgroup_writer *writer)
{
	hash_map_deinit(&writer->known);
}

int html_write_cgroups(struct html_page *page)
{
	_cleanup_(cgroup_writer_deinit) struct cgroup_writer writer = {.page = page};
	int r, closed;

	if (!has_containers(page))
		return 0;
	r = hash_map_init(&writer.known);
	if (!r)
		r = column_text_open(&writer.cgroups);
	if (r < 0)
		return r;
	json_write(&writer.cgroups.json, "[");
	r = write_tasks(&writer);
	json_write(&writer.cgroups.json, "]");
	closed = column_text_close(&writer.cgroups, html_column(page, COLUMN_CGROUPS));
	return r < 0 ? r : closed;
}
