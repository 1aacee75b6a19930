/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/variables.h"

#include <errno.h>
#include <stdlib.h>

#include "record/place/module_files.h"

struct variables {
	struct module_table *modules;
	struct module_files *files;
	size_t noted; /* so far */
	struct variable items[VARIABLES_MAX];
};

int variables_create(struct module_table *modules, struct module_files *files, struct variables **ret_variables)
{
	struct variables *variables = calloc(1, sizeof(*variables));

	if (!variables)
		return -ENOMEM;
	variables->modules = modules;
	variables->files = files;
	*ret_variables = variables;
	return 0;
}

void variables_destroy(struct variables *variables)
{
	free(variables);
}

void variables_note(struct variables *variables, const struct event_object *object,
		    const struct module_identity *file, uint64_t offset, uint64_t start, uint64_t end)
{
	struct variable *variable;
	uint32_t module;

	if (!variables || !variables->files || file->path[0] != '/')
		return;
	module = module_table_file(variables->modules, file);
	if (!module)
		return;
	module_files_ask(variables->files, module, object->tgid, start, end);
	variable = &variables->items[variables->noted++ % VARIABLES_MAX];
	*variable = (struct variable){*object, module, offset, start, end};
}

static int compare(const void *left, const void *right)
{
	const struct variable *l = left, *r = right;

	if (l->module != r->module)
		return l->module < r->module ? -1 : 1;
	if (l->offset != r->offset)
		return l->offset < r->offset ? -1 : 1;
	return (l->object.number > r->object.number) - (l->object.number < r->object.number);
}

size_t variables_sorted(struct variables *variables, const struct variable **ret_variables)
{
	size_t count = variables->noted < VARIABLES_MAX ? variables->noted : VARIABLES_MAX;

	qsort(variables->items, count, sizeof(*variables->items), compare);
	*ret_variables = variables->items;
	return count;
}
