/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/text/probe_totals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "common/printable.h"
#include "common/time_units.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_events.h"

/* The probes of a source are adjacent. */
static const struct profile_probe *find_probes(const struct profile *profile, uint32_t source,
					       size_t *ret_count)
{
	const struct profile_probe *probes, *first = NULL;
	size_t all = profile_probes(profile, &probes), count = 0;

	for (size_t i = 0; i < all; i++) {
		if (probes[i].source != source)
			continue;
		first = first ? first : &probes[i];
		count++;
	}
	*ret_count = count;
	return first;
}

size_t probe_totals_count(const struct profile *profile, uint32_t source)
{
	size_t count;

	(void)find_probes(profile, source, &count);
	return count;
}

static int compare_hits(const void *left, const void *right)
{
	const struct profile_probe *l = *(const struct profile_probe *const *)left;
	const struct profile_probe *r = *(const struct profile_probe *const *)right;

	if (l->hits != r->hits)
		return l->hits > r->hits ? -1 : 1;
	if (l->events != r->events)
		return l->events > r->events ? -1 : 1;
	return strcmp(l->name, r->name);
}

/* "246.8/s" */
static struct figure rate(uint64_t hits, uint64_t ns)
{
	__uint128_t tenths = ns ? ((__uint128_t)hits * 10 * SECOND + ns / 2) / ns : 0;
	struct figure figure;

	(void)snprintf(figure.text, sizeof(figure.text), "%" PRIu64 ".%u/s",
		       (uint64_t)(tenths / 10), (unsigned int)(tenths % 10));
	return figure;
}

static bool was_hit(const struct profile_probe *probe)
{
	return probe->hits || probe->missed || probe->events;
}

/* The hits without events, and the number of events after the filters. */
static void write_rest(const struct profile_probe *probe, FILE *out)
{
	if (probe->missed)
		(void)fprintf(out, "; %" PRIu64 " more were missed by the kernel", probe->missed);
	if (probe->samples != probe->events)
		(void)fprintf(out, "; %" PRIu64 " of the events pass the filters", probe->samples);
	(void)fputc('\n', out);
}

/* "1000 hits, 200.0/s: 950 events, 30 skipped by --rate-limit, 20 lost; 7 more were missed by the kernel" */
static void write_totals(const struct profile_probe *probe, FILE *out)
{
	uint64_t recorded = probe->hits > probe->skipped ? probe->hits - probe->skipped : 0;

	(void)fputs(": ", out);
	if (!probe->counted) {
		(void)fprintf(out, "%" PRIu64 " event%s; how many hits there were is not known", probe->events,
			      plural(probe->events));
		write_rest(probe, out);
		return;
	}
	(void)fprintf(out, "%" PRIu64 " hit%s", probe->hits, plural(probe->hits));
	if (probe->duration)
		(void)fprintf(out, ", %s", rate(probe->hits, probe->duration).text);
	if (probe->skipped || probe->events != recorded)
		(void)fprintf(out, ": %" PRIu64 " event%s", probe->events, plural(probe->events));
	if (probe->skipped)
		(void)fprintf(out, ", %" PRIu64 " skipped by --rate-limit", probe->skipped);
	if (probe->events < recorded)
		(void)fprintf(out, ", %" PRIu64 " lost", recorded - probe->events);
	if (probe->events > recorded)
		(void)fprintf(out, ", %" PRIu64 " of them after the last count", probe->events - recorded);
	write_rest(probe, out);
}

static void add(struct profile_probe *sum, const struct profile_probe *probe)
{
	sum->hits += probe->hits;
	sum->skipped += probe->skipped;
	sum->missed += probe->missed;
	sum->events += probe->events;
	sum->samples += probe->samples;
	sum->counted &= probe->counted;
	if (probe->duration > sum->duration)
		sum->duration = probe->duration;
}

static void write_probes(const struct profile_source *source,
			 const struct profile_probe *const *probes, size_t count, FILE *out)
{
	struct profile_probe sum = {.counted = true};
	size_t idle = 0;

	for (size_t i = 0; i < count; i++) {
		add(&sum, probes[i]);
		idle += !was_hit(probes[i]);
		if (!was_hit(probes[i]) && count > 1)
			continue;
		(void)fputs("# ", out);
		printable_write(out, probes[i]->name, strlen(probes[i]->name));
		write_totals(probes[i], out);
	}
	if (count == 1)
		return;
	if (idle)
		(void)fprintf(out, "# not hit: %zu of them\n", idle);
	(void)fputs("# ", out);
	printable_write(out, source->name, strlen(source->name));
	(void)fprintf(out, ", all %zu", count);
	write_totals(&sum, out);
}

int probe_totals_write(const struct view_context *context, uint32_t source, FILE *out)
{
	const struct profile_source *sources;
	_cleanup_free_ const struct profile_probe **order = NULL;
	const struct profile_probe *probes;
	size_t count;

	probes = find_probes(context->profile, source, &count);
	(void)profile_sources(context->profile, &sources);
	if (!count || (context->settings->filters[0] && !sources[source].samples))
		return 0;
	order = calloc(count, sizeof(*order));
	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		order[i] = &probes[i];
	qsort(order, count, sizeof(*order), compare_hits);
	write_probes(&sources[source], order, count, out);
	return 0;
}
