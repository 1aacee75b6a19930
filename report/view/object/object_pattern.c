/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/view/object/object_pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/view/text/object_text.h"

enum { MOST_KNOWN = 1 << 20 };

/* What is known holds for one profile only: another one has other numbers. */
static int begin(struct object_pattern *pattern, const struct profile *profile)
{
	if (pattern->known.capacity && pattern->profile == profile && pattern->known.count < MOST_KNOWN)
		return 0;
	hash_map_deinit(&pattern->known);
	pattern->profile = profile;
	return hash_map_init(&pattern->known);
}

static int write_text(const struct profile *profile, const struct profile_wait *wait, char **ret_text)
{
	struct waits waits = {.profile = profile};
	size_t length, count;
	uint32_t thing;
	FILE *stream;

	(void)profile_objects(profile, &waits.objects);
	(void)profile_operations(profile, &waits.operations);
	waits.tasks = profile_tasks(profile, &count);
	stream = open_memstream(ret_text, &length);
	if (!stream)
		return -ENOMEM;
	thing = wait->object;
	if (thing)
		(void)fprintf(stream, "%s ", object_kind_name(waits.objects[thing].kind));
	wait_write_object(stream, "", &waits, wait);
	return fclose(stream) ? -ENOMEM : 0;
}

static int judge(const struct object_pattern *pattern, const struct profile *profile, const struct profile_wait *wait)
{
	_cleanup_free_ char *text = NULL;
	int r = write_text(profile, wait, &text);

	return r < 0 ? r : *text && !regexec(&pattern->expression, text, 0, NULL, 0);
}

static int passes(void *context, const struct profile *profile, const struct profile_wait *wait)
{
	struct object_pattern *pattern = context;
	const struct wait_text_key key = wait_text_key_of(wait);
	const uint64_t *known;
	int r;

	if (!wait->object && !wait->operation)
		return 0;
	r = begin(pattern, profile);
	if (r < 0)
		return r;
	known = hash_map_find(&pattern->known, &key, sizeof(key));
	if (known)
		return (int)*known;
	r = judge(pattern, profile, wait);
	return r < 0 || hash_map_add(&pattern->known, &key, sizeof(key), (uint64_t)r, NULL) < 0 ? -ENOMEM : r;
}

struct profile_wait_test object_pattern_test(struct object_pattern *pattern)
{
	return (struct profile_wait_test){passes, pattern};
}

void object_pattern_deinit(struct object_pattern *pattern)
{
	hash_map_deinit(&pattern->known);
	regfree(&pattern->expression);
}
