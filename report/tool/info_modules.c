/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/info_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/tool/info_text.h"

static const char *embed_name(uint32_t status)
{
	static const char *const names[] = {
		[0] = "not hit, or not asked for",
		[EMBED_FULL] = "full",
		[EMBED_MIN] = "min",
		[EMBED_NO_FILE] = "no file: it could not be opened in time",
		[EMBED_CHANGED] = "changed: the file has another build-id by now",
		[EMBED_UNREADABLE] = "unreadable",
		[EMBED_NO_ROOM] = "no room",
		[EMBED_REFUSED] = "refused: the file is not read because of what or whose it is",
		[EMBED_LATE] = "late: all files together, or those of its owner, took too long",
	};

	return status < sizeof(names) / sizeof(names[0]) ? names[status] : "unknown";
}

static const char *kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[MODULE_FILE] = "file",
		[MODULE_KERNEL] = "kernel",
		[MODULE_KERNEL_MODULE] = "kernel module",
		[MODULE_BPF] = "BPF program",
		[MODULE_KERNEL_OTHER] = "kernel text made at run time",
		[MODULE_VDSO] = "vDSO",
		[MODULE_ANONYMOUS] = "memory without a file",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "of an unknown kind";
}

static int compare_modules(const void *left, const void *right)
{
	const struct trace_module *l = *(const struct trace_module *const *)left;
	const struct trace_module *r = *(const struct trace_module *const *)right;
	int order = strcmp(l->path, r->path);

	return order ? order : (l->id > r->id) - (l->id < r->id);
}

static void print_module(const struct trace_module *module, FILE *out)
{
	(void)fputs("    ", out);
	info_text(out, module->path[0] ? module->path : "(without a path)");
	(void)fprintf(out, " (%s%s): %s", kind_name(module->kind),
		      module->flags & MODULE_DELETED ? ", deleted" : "",
		      embed_name(module->embed_status));
	if (module->build_id.length)
		(void)fputs(", build-id ", out);
	for (size_t i = 0; i < module->build_id.length; i++)
		(void)fprintf(out, "%02x", module->build_id.bytes[i]);
	(void)fputc('\n', out);
}

/* How many modules have each embed status. */
static void print_summary(const struct trace_model *model, FILE *out)
{
	uint64_t counts[EMBED_LATE + 2] = {0};

	for (size_t i = 0; i < model->modules.count; i++) {
		uint32_t status = model->modules.items[i].embed_status;

		counts[status <= EMBED_LATE ? status : EMBED_LATE + 1]++;
	}
	(void)fprintf(out, "  %-16s%zu", "modules", model->modules.count);
	for (uint32_t status = 0; status < EMBED_LATE + 2; status++)
		if (counts[status])
			(void)fprintf(out, "; %" PRIu64 " %s", counts[status], embed_name(status));
	(void)fputc('\n', out);
}

void info_modules(const struct trace_model *model, bool verbose, FILE *out)
{
	size_t count = model->modules.count;
	_cleanup_free_ const struct trace_module **sorted = calloc(count + 1, sizeof(*sorted));

	print_summary(model, out);
	if (!sorted) {
		info_line(out, "", "not enough memory to list them; --max-memory raises the limit");
		return;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = &model->modules.items[i];
	qsort(sorted, count, sizeof(*sorted), compare_modules);
	for (size_t i = 0; i < count; i++)
		if (verbose || sorted[i]->embed_status)
			print_module(sorted[i], out);
	if (model->perf_maps.count)
		(void)fprintf(out, "  %-16sof %zu processes\n", "JIT symbols", model->perf_maps.count);
}
