/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What waits were for in the profile of fake_seam.h. */
#pragma once

#include "tests/unit/report/view/fake_seam_struct.h"

size_t profile_objects(const struct profile *profile, const struct profile_object **ret_objects)
{
	*ret_objects = profile->objects;
	return profile->object_count;
}

size_t profile_operations(const struct profile *profile, const struct profile_operation **ret_operations)
{
	*ret_operations = profile->operations;
	return profile->operation_count;
}
