/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The functions of a page, their modules, and the places of its stacks. */
#include <errno.h>
#include <string.h>

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
	struct column_text functions, modules;
};

static int write_function(struct function_writer *writer, size_t number)
{
	const struct stacks *stacks = &writer->page->stacks;
	const struct merge_function *row = &stacks->merge.functions.items[stacks->function[number]];
	uint64_t module;
	/* "[libfoo.so]", or "" if it is part of the name, as for code without a symbol */
	int r = column_text_add(&writer->modules, functions_module(row->functions, row->number), false, &module);

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

int html_write_functions(struct html_page *page)
{
	struct function_writer writer = {.page = page};
	int r = column_text_open(&writer.functions, '['), closed;

	if (!r)
		r = column_text_open(&writer.modules, '[');
	for (size_t i = 0; i < page->stacks.function_count && !r; i++)
		r = write_function(&writer, i);
	closed = column_text_close(&writer.functions, html_column(page, COLUMN_FUNCTIONS));
	r = r < 0 ? r : closed;
	closed = column_text_close(&writer.modules, html_column(page, COLUMN_MODULES));
	r = r < 0 ? r : closed;
	return r < 0 ? r : write_places(page);
}
