/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_origin.h"

#include <stdlib.h>

#include "report/profile/seam/profile_dump.h"
#include "report/profile/tables/profile_internal.h"
#include "report/read/loss_table.h"

size_t profile_origins(const struct profile *profile)
{
	return profile->scopes.count;
}

static const char *meta_of(const struct trace_model *model, const char *key)
{
	const char *value = trace_model_meta(model, key);

	return value ? value : "";
}

void profile_origin(const struct profile *profile, size_t number, struct profile_origin *ret_origin)
{
	const struct trace_model *model = profile->scopes.items[number].model;

	*ret_origin = (struct profile_origin){
		.host = model->host,
		.kernel = meta_of(model, "kernel_release"),
		.machine = meta_of(model, "machine"),
		.cpus = strtoull(meta_of(model, "cpus"), NULL, 10),
		.realtime = trace_model_realtime(model, model->start),
		.length = model->stop > model->start ? model->stop - model->start : 0,
	};
}

bool profile_dump(const struct profile *profile, size_t number, struct profile_dump *ret_dump)
{
	const struct trace_model *model = profile->scopes.items[number].model;
	const struct event_window *window = &model->window;
	const struct trace_trigger *reason = trace_model_reason(model);

	if (!window->dump)
		return false;
	*ret_dump = (struct profile_dump){
		.number = window->dump,
		.length = window->until > window->since ? window->until - window->since : 0,
		.asked = window->asked,
	};
	if (!reason)
		return true;
	ret_dump->rule = reason->rule;
	ret_dump->comm = reason->comm;
	ret_dump->tid = reason->about.tid;
	ret_dump->value = reason->about.value;
	return true;
}

const char *profile_host_name(const struct profile *profile, uint32_t host)
{
	return host < profile->hosts.count ? profile->hosts.items[host].name : "";
}

bool profile_unsure(const struct profile *profile, uint32_t recording, size_t number, struct profile_span *ret_span)
{
	const struct unsure_times *times = &profile->recording_notes.items[recording].model->unsure_times;

	if (number >= times->spans.count)
		return false;
	*ret_span = (struct profile_span){times->spans.items[number].from, times->spans.items[number].until};
	return true;
}

static void add_losses(const struct trace_model *model, struct profile_losses *losses)
{
	struct loss_sums sums = {0};

	for (size_t i = 0; i < model->losses.count; i++)
		loss_sums_add(&sums, &model->losses.items[i]);
	losses->recorded += sums.by_cause[LOSS_RECORDED];
	losses->lost += sums.unknown;
	for (uint32_t cause = 0; cause < LOSS_CAUSES; cause++)
		if (loss_is_of_events(loss_row_of(cause)))
			losses->lost += sums.by_cause[cause];
}

void profile_losses(const struct profile *profile, struct profile_losses *ret_losses)
{
	*ret_losses = (struct profile_losses){.any = profile->reading.whole};
	for (size_t i = 0; i < profile->scopes.count; i++)
		add_losses(profile->scopes.items[i].model, ret_losses);
}
