/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The functions of a page, their modules, and the places of its stacks. */
#include <errno.h>
#include <string.h>

#include "common/hash_map.h"
#include "report/view/html/html.h"

enum function_kind { FUNCTION_USER, FUNCTION_KERNEL, FUNCTION_INLINED, FUNCTION_JIT, FUNCTION_NOTE };

/* Whether it is code of a program in no file, but with a name: JIT code. */
static bool is_jit(const struct profile_frame *frame, const struct profile_module *modules, size_t module_count)
{
	const char *name = frame->module < module_count ? modules[frame->module].name : NULL;

	return frame->module && name && !strcmp(name, "[anon]");
}

static enum function_kind kind_of(const struct html_page *page, size_t number)
{
	const struct merge *merge = &page->stacks.merge;
	const struct merge_function *row = &merge->functions.items[page->stacks.function[number]];
	struct profile *profile = merge->sides[row->side].profile;
	size_t frame_count, module_count;
	const struct profile_frame *frame = profile_frames(profile, &frame_count) + row->frame;
	const struct profile_module *modules = profile_modules(profile, &module_count);

	if (frame->note)
		return FUNCTION_NOTE;
	if (functions_inlined(row->functions, row->number)[0])
		return FUNCTION_INLINED;
	if (frame->kernel)
		return FUNCTION_KERNEL;
	return is_jit(frame, modules, module_count) ? FUNCTION_JIT : FUNCTION_USER;
}

struct function_writer {
	struct html_page *page;
	struct hash_map known; /* modules */
	struct column_text functions, modules;
};

/* The number of "[libfoo.so]"; of "" if it is part of the name, as for code without a symbol. */
static int find_module(struct function_writer *writer, const char *module, uint64_t *ret_number)
{
	uint64_t *number;
	int r = hash_map_add(&writer->known, module, strlen(module), writer->known.count, &number);

	if (r < 0)
		return r;
	if (r > 0)
		json_write(&writer->modules.json, "%s", module);
	*ret_number = *number;
	return 0;
}

static int write_function(struct function_writer *writer, size_t number)
{
	const struct stacks *stacks = &writer->page->stacks;
	const struct merge_function *row = &stacks->merge.functions.items[stacks->function[number]];
	uint64_t module;
	int r = find_module(writer, functions_module(row->functions, row->number), &module);

	if (r < 0)
		return r;
	json_write(&writer->functions.json, "%s", functions_name(row->functions, row->number));
	column_add(html_column(writer->page, COLUMN_FUNCTION_MODULE), module);
	column_add(html_column(writer->page, COLUMN_FUNCTION_KIND), kind_of(writer->page, number));
	return 0;
}

/* Its number in the page + 1; 0: there is none. */
static uint32_t number_of_word(const struct stacks *stacks, uint32_t word)
{
	return word ? stacks->number_of[stacks->merge.sides[0].function_of[word] - 1] + 1 : 0;
}

/* Only chains that waited or called for a wakeup have places; the others need none. */
static int write_places(struct html_page *page)
{
	for (size_t i = 0; i < page->stacks.count; i++) {
		struct place place = {0};
		int r = 0;

		if (page->stacks.waited[page->stacks.nodes[i]])
			r = places_find(&page->places, page->stacks.nodes[i], &place, NULL);
		if (r < 0)
			return r;
		column_add(html_column(page, COLUMN_PLACE_KERNEL), number_of_word(&page->stacks, place.kernel));
		column_add(html_column(page, COLUMN_PLACE_USER), number_of_word(&page->stacks, place.user));
	}
	return 0;
}

static int write_all(struct function_writer *writer)
{
	int r = 0, closed;

	json_write(&writer->functions.json, "[");
	json_write(&writer->modules.json, "[");
	for (size_t i = 0; i < writer->page->stacks.function_count && !r; i++)
		r = write_function(writer, i);
	json_write(&writer->functions.json, "]");
	json_write(&writer->modules.json, "]");
	closed = column_text_close(&writer->functions, html_column(writer->page, COLUMN_FUNCTIONS));
	r = r < 0 ? r : closed;
	closed = column_text_close(&writer->modules, html_column(writer->page, COLUMN_MODULES));
	return r < 0 ? r : closed;
}

static int open_texts(struct function_writer *writer)
{
	int r = column_text_open(&writer->functions);

	if (r < 0)
		return r;
	r = column_text_open(&writer->modules);
	if (r < 0)
		(void)column_text_close(&writer->functions, html_column(writer->page, COLUMN_FUNCTIONS));
	return r;
}

int html_write_functions(struct html_page *page)
{
	struct function_writer writer = {.page = page};
	int r = hash_map_init(&writer.known);

	if (!r)
		r = open_texts(&writer);
	if (!r)
		r = write_all(&writer);
	hash_map_deinit(&writer.known);
	return r < 0 ? r : write_places(page);
}
