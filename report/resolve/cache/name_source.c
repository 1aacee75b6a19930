/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/cache/name_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/resolve/file/local_files.h"

static void append(struct name_source *source, const char *separator, const char *text)
{
	size_t room = sizeof(source->text) - source->used;
	int length = snprintf(source->text + source->used, room, "%s%s", separator, text);

	if (length < 0 || (size_t)length >= room)
		source->full = true;
	else
		source->used += (size_t)length;
	source->text[source->used] = '\0';
}

void name_source_start(struct name_source *source, uint32_t rank, const char *what)
{
	source->rank = rank;
	source->used = 0;
	source->full = false;
	append(source, "", what);
}

void name_source_add_file(struct name_source *source, const char *path, const struct stat *status)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "%ju:%ju %jd.%09ld %jd", (uintmax_t)status->st_dev,
		       (uintmax_t)status->st_ino, (intmax_t)status->st_ctim.tv_sec,
		       status->st_ctim.tv_nsec, (intmax_t)status->st_size);
	append(source, " \"", path);
	append(source, "\" ", text);
}

void name_source_add_build_id(struct name_source *source, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	build_id_text(id, text);
	append(source, " ", text);
}

void name_source_add_text(struct name_source *source, const char *text)
{
	append(source, " ", text);
}
