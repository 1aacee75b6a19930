/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/flight/module_turn.h"

#include "common/address_space.h"
#include "record/flight/base_state.h"
#include "record/place/hits.h"
#include "record/place/module_files.h"
#include "record/place/module_table.h"
#include "record/plan/recording.h"

static int use(void *context, uint32_t tgid, const struct mapping *mapping)
{
	(void)tgid;
	module_table_use(context, mapping->module);
	return 0;
}

static void drop(void *context, uint32_t id)
{
	if (context)
		module_files_forget(context, id);
}

/* In use: what living processes have mapped, now or at the window's edge, and files with an answer under way. */
static void collect(const struct recording *recording, struct module_files *files, const struct base_state *base)
{
	struct module_table *modules = recording->modules;

	(void)address_spaces_each(hits_spaces(recording->hits), use, modules);
	(void)base_state_each_mapping(base, use, modules);
	for (uint32_t id = 0; files && id < 4 * MODULE_TABLE_MAX; id++)
		if (module_files_waits(files, id))
			module_table_use(modules, id);
	module_table_collect(modules, drop, files);
}

void module_turn(const struct recording *recording, struct module_files *files, struct base_state *base)
{
	uint32_t id;

	if (module_table_turn(recording->modules))
		collect(recording, files, base);
	while (module_table_forgotten(recording->modules, &id))
		base_state_forget(base, id);
}
