/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the file with a split unit (.dwo). The skeleton has its name, relative to the folder in
 * which it was compiled (DW_AT_dwo_name, DW_AT_comp_dir; DWARF 5 §3.1.2). That folder may be gone,
 * so a relative name is also tried in the folder of the main file. Both names are hostile.
 */
#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/resolve/dwarf/dwarf_internal.h"
#include "report/resolve/file/local_files.h"

enum { PLACE_COMPILED, PLACE_BESIDE };

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;

	return dwarf_attr(die, attribute, &found) ? dwarf_formstring(&found) : NULL;
}

/* "/a/./b/../c" becomes "/a/c", so that no name can leave symfs. */
static void straighten(char *path)
{
	const char *from = path;
	char *to = path;

	while (*from) {
		size_t length;

		from += strspn(from, "/");
		length = strcspn(from, "/");
		if (length == 2 && !memcmp(from, "..", 2)) {
			while (to > path && *--to != '/')
				;
		} else if (length && !(length == 1 && *from == '.')) {
			*to++ = '/';
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*to = '\0';
}

/* The path where it was compiled, below symfs. */
static bool format_compiled(const char *symfs, const char *folder, const char *name, char path[static PATH_MAX])
{
	char whole[PATH_MAX];
	int length = snprintf(whole, sizeof(whole), "%s/%s", name[0] == '/' || !folder ? "" : folder, name);

	if (!symfs || length < 0 || (size_t)length >= sizeof(whole) || whole[0] != '/')
		return false;
	straighten(whole);
	length = snprintf(path, PATH_MAX, "%s%s", symfs, whole);
	return length > 0 && length < PATH_MAX;
}

static bool format_beside(const char *real, const char *name, char path[static PATH_MAX])
{
	const char *slash = real ? strrchr(real, '/') : NULL;
	int length;

	if (!slash || name[0] == '/' || local_path_climbs(name))
		return false;
	length = snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - real), real, name);
	return length > 0 && length < PATH_MAX;
}

int dwarf_open_loose(struct dwarf_lines *lines, Dwarf_Die *skeleton, unsigned int place)
{
	const char *name = text_of(skeleton, DW_AT_dwo_name);
	struct opened_file file;
	char path[PATH_MAX];

	if (!name)
		name = text_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name || !*name)
		return -1;
	if (place == PLACE_COMPILED ?
		    !format_compiled(lines->files->symfs, text_of(skeleton, DW_AT_comp_dir), name, path) :
		    !format_beside(lines->real, name, path))
		return -1;
	if (opener_open(lines->files->opener, OPENER_ELF, path, &file) < 0)
		return -1;
	free(file.real);
	lines->quality.not_ours |= !file.ours;
	return file.fd;
}
