/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Part of fake_seam.h: report/profile/seam/profile_origin.h. */
#pragma once

#include "report/profile/seam/profile_dump.h"
#include "tests/unit/report/view/fake_seam_struct.h"

bool profile_dump(const struct profile *profile, size_t number, struct profile_dump *ret_dump)
{
	(void)profile;
	(void)number;
	(void)ret_dump;
	return false;
}

size_t profile_origins(const struct profile *profile)
{
	return profile->origin_count;
}

/* Fake hosts are numbered like the origins. */
const char *profile_host_name(const struct profile *profile, uint32_t host)
{
	return host < profile->origin_count ? profile->origins[host].host : "";
}

void profile_origin(const struct profile *profile, size_t number, struct profile_origin *ret_origin)
{
	*ret_origin = profile->origins[number];
}

bool profile_unsure(const struct profile *profile, uint32_t recording, size_t number, struct profile_span *ret_span)
{
	(void)profile, (void)recording, (void)number, (void)ret_span;
	return false;
}
