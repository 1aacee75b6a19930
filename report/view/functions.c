/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"

int chain_read(struct chain *chain, const struct profile *profile, uint32_t node)
{
	const struct profile_node *nodes;
	const struct profile_frame *frames;
	size_t node_count, frame_count;

	nodes = profile_nodes(profile, &node_count);
	frames = profile_frames(profile, &frame_count);
	chain->frames.count = chain->kernel_count = 0;
	while (node) {
		uint32_t frame;

		if (node >= node_count || nodes[node].parent >= node)
			return -EBADMSG;
		frame = nodes[node].frame;
		if (frame >= frame_count)
			return -EBADMSG;
		if (frames[frame].kernel && chain->kernel_count == chain->frames.count)
			chain->kernel_count++;
		if (array_push(&chain->frames, frame) < 0)
			return -ENOMEM;
		node = nodes[node].parent;
	}
	return 0;
}

void chain_deinit(struct chain *chain)
{
	array_free(&chain->frames);
}

/* --- functions --- */

struct function {
	char *name, *module; /* printable; "" if there is none */
	uint32_t name_number;
	bool known;   /* has a symbol */
	bool one;     /* has none, and is a single address, which is in its name */
	bool placed;  /* has none, but a known start, which is in its name */
	bool inlined;
};

struct functions {
	struct profile *profile;
	const struct profile_module *modules;
	const struct profile_frame *frames;
	const struct profile_node *nodes;
	size_t module_count, frame_count, node_count;
	uint32_t *of_frame; /* 0: not looked up yet */
	struct hash_map by_key; /* name, whether it is inlined, module -> function */
	struct hash_map names;	/* name -> its number */
	ARRAY(uint32_t) modules_of_name; /* by number: number of modules that have it */
	ARRAY(struct function) functions;
	enum functions_mode mode;
};

static const char inlined_mark[] = " [inlined]";

static const struct profile_module no_module = {.name = "[unknown]", .path = "", .build_id = ""};

static const struct profile_module *module_of(const struct functions *functions,
					      const struct profile_frame *frame)
{
	return frame->module < functions->module_count ? &functions->modules[frame->module] : &no_module;
}

/* "[libfoo.so]" from "libfoo.so", "[vdso]" or only a build-id. */
static char *bracketed(const struct profile_module *module)
{
	const char *name = module->name && module->name[0] ? module->name : module->build_id;
	_cleanup_free_ char *safe = printable_copy(name && name[0] ? name : "[unknown]");
	char *text = NULL;

	if (!safe)
		return NULL;
	if (safe[0] == '[')
		return steal_ptr(safe);
	return asprintf(&text, "[%s]", safe) < 0 ? NULL : text;
}

/*
 * Finds the number of a function's name, and counts one more module for it. The key of an inlined
 * function includes the NUL.
 */
static int count_name(struct functions *functions, const struct function *function, uint32_t *ret_number)
{
	size_t length = strlen(function->name) + function->inlined;
	uint64_t *number;
	int r = hash_map_add(&functions->names, function->name, length,
			     functions->modules_of_name.count, &number);

	if (r < 0 || (r > 0 && array_push(&functions->modules_of_name, 0) < 0))
		return -ENOMEM;
	functions->modules_of_name.items[*number]++;
	*ret_number = (uint32_t)*number;
	return 0;
}

static int add_function(struct functions *functions, struct function function, uint32_t *ret_function)
{
	if (count_name(functions, &function, &function.name_number) < 0 ||
	    array_push(&functions->functions, function) < 0)
		return -ENOMEM;
	*ret_function = (uint32_t)functions->functions.count - 1;
	return 0;
}

/* Takes ownership of the function's texts. */
static int intern(struct functions *functions, struct function function, uint32_t *ret_function)
{
	_cleanup_free_ char *name = function.name, *module = function.module, *key = NULL;
	uint64_t *value;
	int length, r;

	if (!name || !module)
		return -ENOMEM;
	length = asprintf(&key, "%s\n%s\n%s", name, function.inlined ? "inlined" : "",
			  functions->mode == FUNCTIONS_BY_NAME ? "" : module);
	if (length < 0)
		return -ENOMEM;
	r = hash_map_add(&functions->by_key, key, (size_t)length, functions->functions.count, &value);
	if (r < 0)
		return r;
	if (!r) {
		*ret_function = (uint32_t)*value;
		return 0;
	}
	r = add_function(functions, function, ret_function);
	if (!r)
		name = module = NULL;
	return r;
}

/* The name of an address without a symbol. */
static struct function nameless(const struct functions *functions, const struct profile_frame *frame,
				const struct profile_module *module, const struct profile_symbol *symbol)
{
	struct function function = {.name = bracketed(module), .module = strdup("")};
	char *text;

	function.placed = symbol && symbol->placed;
	function.one = !function.placed && frame->address &&
		       (functions->mode == FUNCTIONS_BY_ADDRESS ||
			(functions->mode == FUNCTIONS_BY_LEAF && frame->caller));
	if ((!function.one && !function.placed) || !function.name)
		return function;
	if (asprintf(&text, "%s+0x%" PRIx64, function.name,
		     function.placed ? symbol->start : frame->address) < 0)
		text = NULL;
	free(function.name);
	function.name = text;
	return function;
}

static int look_up(struct functions *functions, uint32_t frame, uint32_t *ret_function)
{
	const struct profile_symbol *symbol = profile_symbol(functions->profile, frame);
	const struct profile_module *module = module_of(functions, &functions->frames[frame]);

	if (symbol && symbol->name && symbol->name[0])
		return intern(functions,
			      (struct function){.name = printable_copy(symbol->name),
						.module = bracketed(module),
						.known = true,
						.inlined = symbol->inlined},
			      ret_function);
	return intern(functions, nameless(functions, &functions->frames[frame], module, symbol),
		      ret_function);
}

int functions_find(struct functions *functions, uint32_t frame, uint32_t *ret_function)
{
	int r;

	if (frame >= functions->frame_count)
		return -EBADMSG;
	if (!functions->of_frame[frame]) {
		r = look_up(functions, frame, &functions->of_frame[frame]);
		if (r < 0)
			return r;
	}
	*ret_function = functions->of_frame[frame];
	return 0;
}

int functions_find_node(struct functions *functions, uint32_t node, uint32_t *ret_function)
{
	if (node >= functions->node_count)
		return -EBADMSG;
	if (!node) {
		*ret_function = FUNCTION_NONE;
		return 0;
	}
	return functions_find(functions, functions->nodes[node].frame, ret_function);
}

int functions_compare(const struct functions *functions, uint32_t left, uint32_t right)
{
	const struct function *l = &functions->functions.items[left], *r = &functions->functions.items[right];

	return strcmp(l->name, r->name) ?: strcmp(l->module, r->module) ?: l->inlined - r->inlined;
}

const char *functions_name(const struct functions *functions, uint32_t function)
{
	return functions->functions.items[function].name;
}

const char *functions_module(const struct functions *functions, uint32_t function)
{
	return functions->functions.items[function].module;
}

const char *functions_inlined(const struct functions *functions, uint32_t function)
{
	return functions->functions.items[function].inlined ? inlined_mark : "";
}

const char *functions_mark(const struct functions *functions, uint32_t function)
{
	return functions->functions.items[function].inlined ? "_[i]" : "";
}

static bool is_ambiguous(const struct functions *functions, const struct function *function)
{
	return function->known && functions->modules_of_name.items[function->name_number] > 1;
}

void functions_write(const struct functions *functions, uint32_t number, FILE *out)
{
	const struct function *function = &functions->functions.items[number];

	(void)fputs(function->name, out);
	if (function->inlined)
		(void)fputs(inlined_mark, out);
	if (is_ambiguous(functions, function))
		(void)fprintf(out, " %s", function->module);
}

/* " common.c:52"; line 0 is code that belongs to no line. */
static void write_line(const struct profile_symbol *symbol, bool whole_path, FILE *out)
{
	const char *slash = whole_path ? NULL : strrchr(symbol->file, '/');
	const char *file = slash ? slash + 1 : symbol->file;

	(void)fputc(' ', out);
	printable_write(out, file, strlen(file));
	if (symbol->line)
		(void)fprintf(out, ":%" PRIu32, symbol->line);
	else
		(void)fputs(":?", out);
}

static bool has_offset(const struct function *function, const struct profile_symbol *symbol)
{
	return symbol && (function->placed || (function->known && !function->inlined && !symbol->no_offset));
}

void functions_write_frame(const struct functions *functions, uint32_t frame,
			   struct frame_style style, FILE *out)
{
	const struct profile_frame *row = &functions->frames[frame];
	const struct function *function = &functions->functions.items[functions->of_frame[frame]];
	const struct profile_symbol *symbol = profile_symbol(functions->profile, frame);

	if (style.addresses)
		(void)fprintf(out, "0x%016" PRIx64 " ",
			      row->run_time_address ? row->run_time_address : row->address);
	(void)fputs(function->name, out);
	if (!function->known && !function->one && !function->placed && row->address)
		(void)fprintf(out, "+0x%" PRIx64, row->address);
	else if (has_offset(function, symbol) && (style.offsets || style.addresses))
		(void)fprintf(out, "+0x%" PRIx64, symbol->offset);
	if (function->inlined)
		(void)fputs(inlined_mark, out);
	if (function->known && (style.addresses || is_ambiguous(functions, function)))
		(void)fprintf(out, " %s", function->module);
	if (symbol && symbol->file && (style.addresses || style.lines))
		write_line(symbol, style.addresses, out);
}

static int functions_init(struct functions *functions, const char *none)
{
	struct function function;
	uint32_t number;
	int r = hash_map_init(&functions->by_key) ?: hash_map_init(&functions->names);

	if (r < 0)
		return r;
	functions->of_frame = calloc(functions->frame_count + 1, sizeof(*functions->of_frame));
	function = (struct function){.name = strdup(none), .module = strdup("")};
	if (!functions->of_frame || !function.name || !function.module ||
	    add_function(functions, function, &number) < 0) {
		free(function.name);
		free(function.module);
		return -ENOMEM;
	}
	return 0;
}

int functions_create(struct profile *profile, enum functions_mode mode, const char *none,
		     struct functions **ret_functions)
{
	struct functions *functions = calloc(1, sizeof(*functions));
	int r;

	if (!functions)
		return -ENOMEM;
	functions->profile = profile;
	functions->mode = mode;
	functions->modules = profile_modules(profile, &functions->module_count);
	functions->frames = profile_frames(profile, &functions->frame_count);
	functions->nodes = profile_nodes(profile, &functions->node_count);
	r = functions_init(functions, none);
	if (r < 0) {
		functions_destroy(functions);
		return r;
	}
	*ret_functions = functions;
	return 0;
}

void functions_destroy(struct functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->functions.count; i++) {
		free(functions->functions.items[i].name);
		free(functions->functions.items[i].module);
	}
	array_free(&functions->functions);
	array_free(&functions->modules_of_name);
	hash_map_deinit(&functions->by_key);
	hash_map_deinit(&functions->names);
	free(functions->of_frame);
	free(functions);
}

/* --- readings --- */

static const uint32_t wanted = UINT32_MAX; /* in `as` until the node is read */

int readings_init(struct readings *readings, const struct profile *profile)
{
	*readings = (struct readings){0};
	readings->nodes = profile_nodes(profile, &readings->count);
	readings->frames = profile_frames(profile, &readings->frame_count);
	readings->as = calloc(readings->count + 1, sizeof(*readings->as));
	return readings->as ? 0 : -ENOMEM;
}

void readings_deinit(struct readings *readings)
{
	free(readings->as);
	*readings = (struct readings){0};
}

int readings_want(struct readings *readings, uint32_t node)
{
	if (node >= readings->count)
		return -EBADMSG;
	while (node && readings->as[node] != wanted) {
		if (readings->nodes[node].parent >= node)
			return -EBADMSG;
		readings->as[node] = wanted;
		node = readings->nodes[node].parent;
	}
	return 0;
}

struct reader {
	struct readings *readings;
	struct functions *functions;
	struct index_table known; /* nodes that represent all with the same reading */
	struct frame_style style;
	struct hash_map frames; /* what is printed of a frame -> the first frame that prints the same */
	uint32_t *words;	/* by node: its function, or the first frame that prints the same as its own */
	uint32_t parent, word;	/* of the node being read: the reading of its parent, its word */
};

static void reader_deinit(struct reader *reader)
{
	index_table_deinit(&reader->known);
	hash_map_deinit(&reader->frames);
	free(reader->words);
}

struct frame_key { /* with addresses or offsets */
	uint64_t address, run_time_address, offset;
	const char *file;
	uint32_t function, line, note, inline_depth, kernel, caller;
};

/* The first frame that prints the same as this one: the modules of several traces may look like one. */
static int find_frame(struct reader *reader, struct profile *profile, uint32_t frame, uint32_t function,
		      uint32_t *ret_frame)
{
	const struct profile_frame *row = &reader->readings->frames[frame];
	const struct profile_symbol *symbol = profile_symbol(profile, frame);
	const struct frame_key key = {.address = row->address,
				      .run_time_address = reader->style.addresses ? row->run_time_address : 0,
				      .offset = symbol->offset,
				      .file = symbol->file,
				      .function = function,
				      .line = symbol->line,
				      .note = row->note,
				      .inline_depth = row->inline_depth,
				      .kernel = row->kernel,
				      .caller = row->caller};
	uint64_t *first;
	int r = hash_map_add(&reader->frames, &key, sizeof(key), frame, &first);

	if (r >= 0)
		*ret_frame = (uint32_t)*first;
	return r < 0 ? r : 0;
}

static bool reads_the_same(const void *context, uint32_t number)
{
	const struct reader *reader = context;
	const struct profile_node *node = &reader->readings->nodes[number];

	return reader->readings->as[node->parent] == reader->parent &&
	       reader->words[number] == reader->word;
}

/* Its parent was read before: parents have lower numbers. */
static int read_node(struct reader *reader, uint32_t node)
{
	struct readings *readings = reader->readings;
	const struct profile_node *row = &readings->nodes[node];
	uint32_t words[2], function;
	int r;

	if (row->frame >= readings->frame_count)
		return -EBADMSG;
	if (readings->kernel_only && !readings->frames[row->frame].kernel) {
		readings->as[node] = 0;
		return 0;
	}
	r = functions_find(reader->functions, row->frame, &function);
	if (r < 0)
		return r;
	words[0] = reader->parent = readings->as[row->parent];
	words[1] = function;
	if (reader->style.addresses || reader->style.offsets)
		r = find_frame(reader, reader->functions->profile, row->frame, function, &words[1]);
	if (r < 0)
		return r;
	reader->words[node] = reader->word = words[1];
	r = index_table_add(&reader->known, index_table_hash_words(&reader->known, words, 2),
			    reads_the_same, reader, node, &readings->as[node]);
	return r < 0 ? r : 0;
}

int readings_read(struct readings *readings, struct functions *functions, struct frame_style style)
{
	_cleanup_(reader_deinit) struct reader reader = {.readings = readings,
							 .functions = functions,
							 .style = style};
	int r = index_table_init(&reader.known) ?: hash_map_init(&reader.frames);

	reader.words = calloc(readings->count + 1, sizeof(*reader.words));
	if (!reader.words)
		r = -ENOMEM;
	for (uint32_t node = 1; !r && node < readings->count; node++)
		if (readings->as[node] == wanted)
			r = read_node(&reader, node);
	return r;
}
