/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_levels.h"

#include "report/resolve/module/module_lines.h"

uint64_t profile_frame_code(const struct profile_frame *frame)
{
	return frame->caller && frame->address ? frame->address - 1 : frame->address;
}

size_t profile_find_levels(const struct profile *profile, const struct profile_frame *frame,
			   const struct line_level **ret_levels)
{
	if (!frame->module || frame->note)
		return 0;
	return module_lines_find(&profile->modules, frame->module, profile_frame_code(frame), ret_levels);
}
