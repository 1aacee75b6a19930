/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/stack_parts.h"

#include "report/profile/gather/chain_unwind.h"

int stack_user(const struct chain_context *context, uint32_t process, uint32_t leaf, uint32_t snapshot,
	       struct user_part *ret_part)
{
	struct profile_quality *quality = context->profile->quality;
	struct user_chain user;
	int r;

	*ret_part = (struct user_part){.unwound = snapshot};
	if (context->profile->filter->kernel_only)
		return 0;
	r = chain_user_of(context, process, leaf, snapshot, &user);
	if (r < 0)
		return r;
	quality->trimmed += user.trimmed;
	quality->no_maps += !user.known;
	*ret_part = (struct user_part){.node = user.node, .unwound = user.verdict.unwound};
	return 0;
}

int stack_kernel(struct chain_context *context, uint32_t base, uint32_t leaf, bool strip, const char *traced,
		 uint32_t *ret_node)
{
	bool stripped = false;
	int r = 0;

	*ret_node = base;
	context->strip_entry = strip;
	context->traced = traced;
	if (leaf >= STACK_FIRST_NODE && !context->profile->filter->user_only)
		r = chain_kernel(context, base, leaf, ret_node, &stripped);
	context->profile->quality->stripped += stripped && !strip; /* else all events of this kind have them */
	return r;
}

uint32_t stack_user_flags(struct profile *profile, const struct user_record *record, bool unwound,
			  enum missing_user *ret_why)
{
	enum missing_user why = record->missing && !unwound ?
				missing_user_of(record->reason, record->copied) : MISSING_USER_NONE;
	bool truncated = record->truncated && !unwound;

	profile->quality->user_truncated += truncated;
	if (why)
		profile->quality->missing_user[why]++;
	if (ret_why)
		*ret_why = why;
	return (truncated ? CHAIN_USER_TRUNCATED : 0) | (why ? CHAIN_USER_MISSING : 0);
}

uint32_t stack_kernel_flags(struct profile *profile, bool truncated)
{
	profile->quality->kernel_truncated += truncated;
	return truncated ? CHAIN_KERNEL_TRUNCATED : 0;
}
