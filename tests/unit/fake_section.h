/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One section of a view alone, of the profile's first source, against a text written by hand: what a view prints below its
 * heading. And the clocks of the tests about waits: a recording from BOOT on, which was 2026-11-21 12:00:00 UTC.
 */
#pragma once

#include "tests/unit/fake_waits.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define BOOT (1000 * SECOND)			    /* the monotonic clock at the recording's start */
#define WALL_CLOCK (UINT64_C(1795262400) * SECOND) /* date -u -d "2026-11-21 12:00:00" +%s */

/* A profile with one recording of five seconds and one source of waits. */
static inline struct profile *fake_recorded(void)
{
	struct profile *profile = fake_profile();

	(void)fake_recording(profile, BOOT, BOOT + 5 * SECOND);
	(void)fake_source(profile, PROFILE_OFFCPU, "offcpu", "ns");
	profile->realtime = WALL_CLOCK - BOOT;
	return profile;
}

/* What the section returned; the text is the caller's. */
static int fake_section(struct profile *profile, view_section *section, const struct view_settings *settings, char **ret_text)
{
	struct view_context context = {.profile = profile, .settings = settings};
	size_t length;
	int r;

	context.out = open_memstream(ret_text, &length);
	if (!context.out)
		abort();
	r = section(&context, 0, &profile->sources[0]);
	if (fclose(context.out) != 0)
		abort();
	return r;
}

static inline void fake_check_section(struct test *t, struct profile *profile, view_section *section,
			       const struct view_settings *settings, const char *want)
{
	char *got;
	int r = fake_section(profile, section, settings, &got);

	CHECK_INT(t, r, 0);
	if (!test_check(t, !strcmp(got, want), "another text than expected"))
		printf("# got:\n%s# want:\n%s", got, want);
	free(got);
}

/* What contradicts the seam, in a copy of the profile whose last wait was spoilt. */
static inline void fake_check_refused(struct test *t, struct profile *profile, view_section *section,
				      const struct view_settings *settings, struct profile_wait spoilt, const char *what)
{
	struct profile_wait *last = &profile->waits[profile->wait_count - 1], sound = *last;
	char *text;

	*last = spoilt;
	test_check(t, fake_section(profile, section, settings, &text) == -EBADMSG, "%s is taken", what);
	free(text);
	*last = sound;
}
