/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/svg/svg_boxes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/printable.h"

enum word_type { WORD_GROUP, WORD_OWNER, WORD_FUNCTION, WORD_NO_USER, WORD_NO_KERNEL };

struct word { /* of a folded line; has no padding */
	uint32_t parent, type, number, process;
};

/* --- names --- */

static char *name_owner(const struct svg_boxes *boxes, const struct word *word)
{
	const struct task_names *names = &boxes->table.names;
	const char *comm = names->comms[word->number];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	printable_write(out, comm, strlen(comm));
	if (word->process != UINT32_MAX) {
		(void)fputc('-', out);
		task_names_write_process(names, word->process, out);
	}
	return fclose(out) ? NULL : text;
}

static char *name_group(const struct svg_boxes *boxes, uint32_t group)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	groups_write(&boxes->table.groups, group, out);
	return fclose(out) ? NULL : text;
}

static char *name_function(const struct svg_boxes *boxes, uint32_t function)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s", functions_name(boxes->table.functions, function),
		     functions_inlined(boxes->table.functions, function)) < 0)
		return NULL;
	return text;
}

static char *name_word(const struct svg_boxes *boxes, const struct word *word)
{
	switch ((enum word_type)word->type) {
	case WORD_GROUP:
		return name_group(boxes, word->number);
	case WORD_OWNER:
		return name_owner(boxes, word);
	case WORD_FUNCTION:
		return name_function(boxes, word->number);
	case WORD_NO_USER:
		return strdup("[Missed User Stack]");
	default:
		return strdup("[Missed Kernel Stack]");
	}
}

/* --- kinds --- */

static bool is_jit(const struct profile_module *module)
{
	return !module->kernel && (!module->path || !*module->path || !strncmp(module->path, "/tmp/perf-", 10)) &&
	       strcmp(module->name, "[vdso]") != 0;
}

static enum svg_kind kind_of(const struct svg_boxes *boxes, uint32_t number)
{
	const struct profile *profile = functions_profile(boxes->table.functions);
	const struct profile_module *modules;
	const struct profile_frame *frame;
	size_t count;

	frame = &profile_frames(profile, &count)[number];
	modules = profile_modules(profile, &count);
	if (frame->note || frame->module >= count)
		return SVG_NOTE;
	if (frame->inline_depth)
		return SVG_INLINED;
	if (frame->kernel)
		return SVG_KERNEL;
	if (!frame->module)
		return SVG_NOTE;
	return is_jit(&modules[frame->module]) ? SVG_JIT : SVG_USER;
}

/* --- boxes --- */

static int add_box(struct svg_boxes *boxes, const struct word *word, enum svg_kind kind)
{
	struct svg_box box = {.parent = word->parent, .kind = kind, .name = name_word(boxes, word),
			      .level = boxes->items.items[word->parent].level + 1};

	if (!box.name)
		return -ENOMEM;
	if (array_push(&boxes->items, box) < 0) {
		free(box.name);
		return -ENOMEM;
	}
	if (box.level > boxes->levels)
		boxes->levels = box.level;
	return 0;
}

/* Finds or adds the box of the word on top of *box, and sets *box to it. */
static int enter(struct svg_boxes *boxes, uint32_t *box, struct word word, enum svg_kind kind)
{
	uint64_t *number;
	int r;

	word.parent = *box;
	r = hash_map_add(&boxes->known, &word, sizeof(word), boxes->items.count, &number);
	if (r < 0)
		return r;
	*box = (uint32_t)*number;
	return r ? add_box(boxes, &word, kind) : 0;
}

static int enter_frames(struct svg_boxes *boxes, uint32_t *box)
{
	const struct chain *chain = &boxes->chain;
	int r = 0;

	for (size_t i = chain->frames.count; i-- > 0 && !r;) {
		struct word word = {.type = WORD_FUNCTION};

		r = functions_find(boxes->table.functions, chain->frames.items[i], &word.number);
		if (!r)
			r = enter(boxes, box, word, kind_of(boxes, chain->frames.items[i]));
	}
	return r;
}

/* As in folded lines, a missing part of a sleeper's stack is a word of its own. */
static int enter_chain(struct svg_boxes *boxes, const struct view_settings *settings, bool waits,
		       const struct unique_stack *stack, uint32_t *box)
{
	const struct chain *chain = &boxes->chain;
	bool no_user = waits && stack->user_missing && !settings->kernel_only &&
		       chain->kernel_count == chain->frames.count;
	int r = no_user ? enter(boxes, box, (struct word){.type = WORD_NO_USER}, SVG_NOTE) : 0;

	if (!r && !waits && !chain->frames.count)
		r = enter(boxes, box, (struct word){.type = WORD_FUNCTION, .number = FUNCTION_NONE}, SVG_NOTE);
	if (!r)
		r = enter_frames(boxes, box);
	if (!r && waits && !settings->user_only && !chain->kernel_count)
		r = enter(boxes, box, (struct word){.type = WORD_NO_KERNEL}, SVG_NOTE);
	return r;
}

static int enter_stack(struct svg_boxes *boxes, const struct view_context *context, bool waits,
		       const struct unique_stack *stack)
{
	const struct group_field *field = boxes->table.groups.field;
	struct word owner = {.type = WORD_OWNER, .number = stack->comm,
			     .process = context->settings->per_process ? stack->process : UINT32_MAX};
	uint32_t box = 0;
	int r = chain_read(&boxes->chain, context->profile, stack->node);

	if (!r && field && !field->is_comm)
		r = enter(boxes, &box, (struct word){.type = WORD_GROUP, .number = stack->group}, SVG_OWNER);
	if (!r)
		r = enter(boxes, &box, owner, SVG_OWNER);
	if (!r)
		r = enter_chain(boxes, context->settings, waits, stack, &box);
	if (r < 0)
		return r;
	boxes->items.items[box].samples += stack->samples;
	boxes->items.items[box].weight += stack->weight;
	return 0;
}

/* --- order --- */

static int compare_boxes(const void *left, const void *right, void *context)
{
	const struct svg_box *items = context, *l = &items[*(const uint32_t *)left],
			     *r = &items[*(const uint32_t *)right];
	int order = l->level < r->level ? -1 : l->level > r->level;

	if (!order)
		order = l->parent < r->parent ? -1 : l->parent > r->parent;
	if (!order)
		order = strcmp(l->name, r->name);
	return order ? order : (l > r) - (l < r);
}

/* Computes where each box begins: at the left edge of its parent, after its earlier siblings. */
static int place(struct svg_boxes *boxes)
{
	size_t count = boxes->items.count;
	struct svg_box *items = boxes->items.items;
	_cleanup_free_ uint32_t *order = calloc(count + 1, sizeof(*order));
	uint64_t next = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = count; i-- > 1;) {
		items[items[i].parent].samples += items[i].samples;
		items[items[i].parent].weight += items[i].weight;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare_boxes, items);
	for (size_t i = 1; i < count; i++) {
		struct svg_box *box = &items[order[i]];
		bool first = order[i - 1] == 0 || items[order[i - 1]].parent != box->parent ||
			     items[order[i - 1]].level != box->level;

		box->left = first ? items[box->parent].left : next;
		next = box->left + box->weight;
	}
	return 0;
}

int svg_boxes_init(struct svg_boxes *boxes, const struct view_context *context, uint32_t number,
		   const struct profile_source *source)
{
	bool waits = source->kind == PROFILE_OFFCPU;
	int r;

	*boxes = (struct svg_boxes){0};
	r = stack_table_init(&boxes->table, context, number, FUNCTIONS_BY_NAME,
			     waits && !context->settings->kernel_only);
	if (!r)
		r = hash_map_init(&boxes->known);
	if (!r)
		r = array_push(&boxes->items, (struct svg_box){.kind = SVG_WHOLE, .name = strdup("all")});
	if (!r)
		r = stack_table_fill(&boxes->table, &boxes->table.rows);
	for (size_t i = 0; i < boxes->table.stacks.count && !r; i++)
		r = enter_stack(boxes, context, waits, &boxes->table.stacks.items[i]);
	return r < 0 ? r : place(boxes);
}

void svg_boxes_deinit(struct svg_boxes *boxes)
{
	for (size_t i = 0; i < boxes->items.count; i++)
		free(boxes->items.items[i].name);
	array_free(&boxes->items);
	hash_map_deinit(&boxes->known);
	chain_deinit(&boxes->chain);
	stack_table_deinit(&boxes->table);
}
