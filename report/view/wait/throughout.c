/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/wait/throughout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/profile/seam/profile_apart.h"
#include "report/view/text/page.h"

enum { MOST_BELOW = 5 };

int throughout_init(struct throughout *throughout, const struct profile *profile, struct places *places)
{
	*throughout = (struct throughout){.profile = profile, .places = places};
	return hash_map_init(&throughout->known);
}

void throughout_deinit(struct throughout *throughout)
{
	array_free(&throughout->groups);
	hash_map_deinit(&throughout->known);
}

int throughout_add(struct throughout *throughout, const struct profile_wait *wait)
{
	const char *comm = profile_process_comm(throughout->profile, wait->task);
	struct throughout_group group = {0};
	uint64_t *number;
	int r;

	memcpy(group.comm, comm, strnlen(comm, sizeof(group.comm) - 1));
	r = places_find(throughout->places, wait->node, &group.at, NULL);

	if (!r)
		r = places_find_callers(throughout->places, wait->node, group.callers);
	if (!r)
		r = hash_map_add(&throughout->known, &group, sizeof(group), throughout->groups.count, &number);
	if (r > 0)
		r = array_push(&throughout->groups, group);
	if (r < 0)
		return r;
	throughout->groups.items[*number].threads++;
	throughout->threads++;
	return 0;
}

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct throughout_group *l = left, *r = right;

	if (l->threads != r->threads)
		return l->threads > r->threads ? -1 : 1;
	if (strcmp(l->comm, r->comm))
		return strcmp(l->comm, r->comm);
	if (places_compare(context, l->at, r->at))
		return places_compare(context, l->at, r->at);
	return memcmp(l->callers, r->callers, sizeof(l->callers));
}

static bool is_alone(const struct throughout *throughout, const struct throughout_group *group)
{
	size_t alike = 0;

	for (size_t i = 0; i < throughout->groups.count; i++) {
		const struct throughout_group *other = &throughout->groups.items[i];

		alike += !strcmp(other->comm, group->comm) && !memcmp(&other->at, &group->at, sizeof(group->at));
	}
	return alike == 1;
}

static void write_group(const struct throughout *throughout, const struct throughout_group *group, FILE *out)
{
	const size_t callers = is_alone(throughout, group) ? 0 : PLACE_CALLERS;
	const struct places *places = throughout->places;

	(void)fprintf(out, "%u ", group->threads);
	printable_write(out, group->comm, strlen(group->comm));
	(void)fputs(group->at.kernel || group->at.user ? " in " : "", out);
	place_write(places, (struct place){.kernel = group->at.kernel}, out);
	if (!group->at.user)
		return;
	(void)fputs(group->at.kernel ? " (" : "", out);
	place_write(places, (struct place){.user = group->at.user}, out);
	for (size_t i = 0; i < callers && group->callers[i]; i++) {
		(void)fputs(" < ", out);
		functions_write(places->functions, group->callers[i], out);
	}
	(void)fputs(group->at.kernel ? ")" : "", out);
}

void throughout_write(struct throughout *throughout, size_t most, FILE *out)
{
	const size_t count = throughout->groups.count, shown = most < count ? most : count;
	size_t others = throughout->threads;

	if (count)
		qsort_r(throughout->groups.items, count, sizeof(*throughout->groups.items), compare_groups,
			throughout->places);
	for (size_t i = 0; i < shown; i++) {
		(void)fputs(i ? ", " : "", out);
		write_group(throughout, &throughout->groups.items[i], out);
		others -= throughout->groups.items[i].threads;
	}
	if (others)
		(void)fprintf(out, ", and %zu other%s at %zu place%s", others, plural(others), count - shown,
			      plural(count - shown));
}

struct below { /* what the comment needs, in the order in which it is made */
	struct functions *functions;
	struct places places;
	struct throughout throughout;
};

static void below_deinit(struct below *below)
{
	throughout_deinit(&below->throughout);
	places_deinit(&below->places);
	functions_destroy(below->functions);
}

static int collect(struct below *below, const struct view_context *context, const struct profile_set_apart *apart)
{
	const char *none = page_no_frames(context->settings);
	int r = functions_create(context->profile, FUNCTIONS_BY_NAME, none, &below->functions);
	if (!r)
		r = places_init(&below->places, context->profile, below->functions, (struct frame_style){0});
	if (!r)
		r = throughout_init(&below->throughout, context->profile, &below->places);
	for (size_t i = 0; i < apart->throughout_count && !r; i++)
		r = throughout_add(&below->throughout, &apart->throughout[i]);
	return r;
}

static int comment(const struct view_context *context, const struct profile_set_apart *apart)
{
	_cleanup_(below_deinit) struct below below = {0};
	_cleanup_free_ char *text = NULL;
	int r = collect(&below, context, apart);
	size_t length;
	FILE *out = r < 0 ? NULL : open_memstream(&text, &length);

	if (!out)
		return r < 0 ? r : -ENOMEM;
	throughout_write(&below.throughout, MOST_BELOW, out);
	if (fclose(out))
		return -ENOMEM;
	page_comment(context, context->out, "waited all the time: %s; --throughout shows %s", text,
		     below.throughout.threads == 1 ? "it" : "them");
	return 0;
}

int throughout_comment(const struct view_context *context)
{
	const struct profile_set_apart apart = profile_set_apart(context->profile);
	int r = apart.throughout_count ? comment(context, &apart) : 0;

	if (!r && apart.kernel_threads)
		page_comment(context, context->out, "%zu kernel thread%s that did nothing: --throughout shows %s",
			     apart.kernel_threads, plural(apart.kernel_threads),
			     apart.kernel_threads == 1 ? "it" : "them");
	return r;
}
