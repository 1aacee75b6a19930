/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/look/container_text.h"

#include <errno.h>
#include <stdlib.h>

static void write_container(const struct profile_cgroup *cgroup, const char *word, FILE *out)
{
	const char *container = profile_container(cgroup);

	if (!*container)
		return;
	(void)fprintf(out, "%s%s", word, container);
}

void container_write(const struct profile_cgroup *cgroup, FILE *out)
{
	write_container(cgroup, "container ", out);
}

int container_text(const struct profile_cgroup *cgroup, const char *word, char **ret_text)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return -ENOMEM;
	write_container(cgroup, word, out);
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	return 0;
}
