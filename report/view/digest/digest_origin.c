/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The host, how long it was recorded, and the sources. */
#include <inttypes.h>
#include <string.h>

#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/digest/digest_parts.h"
#include "report/view/text/page.h"

static void write_name(const char *name, FILE *out)
{
	if (name[0])
		printable_write(out, name, strlen(name));
	else
		(void)fputs("unknown", out);
}

/* "db1, 2 CPUs, 6.12.1 x86_64; 2026-11-22 17:10:42 UTC, for 2.10 s" */
static void write_origin(const struct profile_origin *origin, FILE *out)
{
	write_name(origin->host, out);
	if (origin->cpus)
		(void)fprintf(out, ", %" PRIu64 " CPU%s", origin->cpus, plural(origin->cpus));
	if (origin->kernel[0]) {
		(void)fputs(", ", out);
		write_name(origin->kernel, out);
	}
	if (origin->machine[0]) {
		(void)fputc(' ', out);
		write_name(origin->machine, out);
	}
	(void)fprintf(out, "; %s UTC, for %s s", figure_date(origin->realtime).text,
		      figure_seconds(origin->length).text);
}

static int add_hosts(struct digest *digest)
{
	struct profile *profile = digest->context->profile;
	size_t count = profile_origins(profile);
	struct profile_origin origin;
	int r = digest_line_begin(&digest->lines, "host", DIGEST_FIRST);

	if (r < 0)
		return r;
	if (count) {
		profile_origin(profile, 0, &origin);
		write_origin(&origin, digest->lines.text);
	}
	if (count > 1)
		(void)fprintf(digest->lines.text, "; and %zu more recording%s", count - 1, plural(count - 1));
	(void)fputs("--info", digest->lines.proof);
	return digest_line_end(&digest->lines);
}

/* "cpu cpu-clock 2328 samples in 2.03 s" */
static void write_source(const struct profile_source *source, FILE *out)
{
	const char *kind = page_kind_name(source->kind);

	(void)fputs(kind, out);
	if (source->name && source->name[0] && strcmp(source->name, kind) != 0) {
		(void)fputc(' ', out);
		printable_write(out, source->name, strlen(source->name));
	}
	(void)fputs(": ", out);
	page_write_count(source->samples, page_unit(source), out);
	if (source->duration)
		(void)fprintf(out, " in %s s", figure_seconds(source->duration).text);
}

static int add_sources(struct digest *digest)
{
	enum { SHOWN = 4 };
	size_t shown = 0, more = 0;
	int r = digest_line_begin(&digest->lines, "sources", DIGEST_FIRST);

	if (r < 0)
		return r;
	for (size_t i = 0; i < digest->source_count; i++) {
		if (digest->sources[i].left_out)
			continue;
		if (shown == SHOWN) {
			more++;
			continue;
		}
		(void)fputs(shown++ ? "; " : "", digest->lines.text);
		write_source(&digest->sources[i], digest->lines.text);
	}
	if (!shown)
		(void)fputs("none", digest->lines.text);
	if (more)
		(void)fprintf(digest->lines.text, "; and %zu more", more);
	(void)fputs("--info", digest->lines.proof);
	return digest_line_end(&digest->lines);
}

int digest_add_origin(struct digest *digest)
{
	const char *filters = digest->context->settings->filters;
	int r = digest_line_add(&digest->lines, "# digest", DIGEST_FIRST,
				"computed from the trace; the options in brackets print what a line says", NULL);

	if (!r)
		r = add_hosts(digest);
	if (!r)
		r = add_sources(digest);
	if (r < 0 || !filters[0])
		return r;
	r = digest_line_begin(&digest->lines, "filters", DIGEST_FIRST);
	if (r < 0)
		return r;
	(void)fprintf(digest->lines.text, "%s: the options in brackets need them, too", filters);
	return digest_line_end(&digest->lines);
}
