/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Shows or clears the cache of names. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/log.h"
#include "common/plural.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/seam/figures.h"
#include "report/resolve/cache/name_cache.h"
#include "report/resolve/file/local_files.h"
#include "report/tool/tool.h"

static int no_cache(void)
{
	return log_error(ENOENT, "there is no cache: neither XDG_CACHE_HOME nor HOME is a "
				 "directory of this user; name a file with --cache");
}

static void print_module(FILE *out, const struct name_cache_module *module)
{
	struct figure used = figure_date(module->last_used < UINT64_MAX / SECOND ? module->last_used * SECOND : 0);
	char id[BUILD_ID_TEXT];

	build_id_text(&module->id, id);
	(void)fprintf(out, "%-19s UTC  %9s  %9s  ", used.text,
		      module->frame_bytes ? figure_bytes(module->frame_bytes).text : "-",
		      module->symbol_bytes ? figure_bytes(module->symbol_bytes).text : "-");
	printable_write(out, module->name, strlen(module->name));
	(void)fprintf(out, "  %s\n", id);
}

static void print_contents(FILE *out, const char *path, const struct name_cache_contents *contents)
{
	(void)fputs("cache    ", out);
	printable_write_line(out, path, strlen(path));
	if (!contents->exists) {
		(void)fputs(", which does not exist yet\n", out);
		return;
	}
	(void)fprintf(out, "\nsize     %s of at most %s\n", figure_bytes(contents->file_bytes).text,
		      figure_bytes(contents->limit).text);
	(void)fprintf(out, "servers  %" PRIu64 " file%s found, %" PRIu64 " missing\n", contents->found,
		      plural(contents->found), contents->none);
	(void)fprintf(out, "modules  %zu\n", contents->modules.count);
	if (contents->modules.count)
		(void)fputs("\nLAST USED                  FRAMES    SYMBOLS  MODULE, BUILD-ID\n", out);
	for (size_t i = 0; i < contents->modules.count; i++)
		print_module(out, &contents->modules.items[i]);
}

int tool_cache_info(const struct tool_request *request, bool *ret_damaged)
{
	struct name_cache_contents contents;
	int r;

	(void)ret_damaged;
	if (!request->names->cache)
		return no_cache();
	r = name_cache_contents(request->names->cache, &contents);
	if (r < 0)
		return r;
	print_contents(request->out, name_cache_path(request->names->cache), &contents);
	name_cache_contents_deinit(&contents);
	return 0;
}

int tool_cache_clear(const struct tool_request *request, bool *ret_damaged)
{
	(void)ret_damaged;
	return request->names->cache ? name_cache_clear(request->names->cache) : no_cache();
}
