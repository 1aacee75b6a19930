/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The cgroups of a page's tasks, and their containers, each once. A page without containers has none of these. */
#include "report/view/html/html.h"

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

/* A profile has each cgroup only once. */
static int write_cgroup(struct column_text *cgroups, const struct profile_cgroup *cgroup, uint64_t *ret_number)
{
	int r = column_text_find(cgroups, &cgroup, sizeof(cgroup), ret_number);

	if (r > 0)
		json_write(&cgroups->json, "[%-s,%s]", cgroup->path, cgroup->container);
	return r < 0 ? r : 0;
}

int html_write_cgroups(struct html_page *page)
{
	struct column_text cgroups = {0};
	int r, closed;

	if (!has_containers(page))
		return 0;
	r = column_text_open(&cgroups, '[');
	for (uint32_t i = 0; i < page->reader.task_count && !r; i++) {
		const struct profile_cgroup *cgroup = page->reader.waits.tasks[i].cgroup;
		uint64_t number = 0;

		if (!is_there(page, i))
			continue;
		r = cgroup ? write_cgroup(&cgroups, cgroup, &number) : 0;
		column_add(html_column(page, COLUMN_TASK_CGROUP), cgroup ? number + 1 : 0);
	}
	closed = column_text_close(&cgroups, html_column(page, COLUMN_CGROUPS));
	return r < 0 ? r : closed;
}
