/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A view alone, of the profile's first source, compared with hand-written text: what
 * a view prints below its heading. And the clocks of the tests of waits: a recording from BOOT on,
 * which was 2026-11-21 12:00:00 UTC.
 */
#pragma once

#include "common/time_units.h"
#include "tests/unit/report/view/fake_waits.h"

#define MS MILLISECOND
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

/* What the view returned; the caller frees the text. */
static int fake_view(struct profile *profile, view_print *print,
		     const struct view_settings *settings, char **ret_text)
{
	struct view_context context = {.profile = profile, .settings = settings};
	size_t length;
	int r;

	context.out = open_memstream(ret_text, &length);
	if (!context.out)
		abort();
	r = print(&context, 0, &profile->sources[0]);
	if (fclose(context.out) != 0)
		abort();
	return r;
}

static inline void fake_check_printed(struct test *t, struct profile *profile, view_print *print,
			       const struct view_settings *settings, const char *want)
{
	char *got;
	int r = fake_view(profile, print, settings, &got);

	CHECK_INT(t, r, 0);
	if (!test_check(t, !strcmp(got, want), "another text than expected"))
		printf("# got:\n%s# want:\n%s", got, want);
	free(got);
}

/* What a check of the seam returns for a copy of the profile whose last wait was corrupted. */
static inline void fake_check_refused(struct test *t, struct profile *profile, view_print *print,
				      const struct view_settings *settings,
				      struct profile_wait spoilt, const char *what)
{
	struct profile_wait *last = &profile->waits[profile->wait_count - 1], sound = *last;
	char *text;

	*last = spoilt;
	test_check(t, fake_view(profile, print, settings, &text) == -EBADMSG, "%s is taken", what);
	free(text);
	*last = sound;
}
