/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/hash_map.h"
#include "common/printable.h"

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

struct profile *functions_profile(const struct functions *functions)
{
	return functions->profile;
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
	int order = strcmp(l->name, r->name);

	if (!order)
		order = strcmp(l->module, r->module);
	return order ? order : l->inlined - r->inlined;
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
	int r = hash_map_init(&functions->by_key);

	if (!r)
		r = hash_map_init(&functions->names);
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
