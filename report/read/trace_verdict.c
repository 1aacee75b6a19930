/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/read/trace_verdict.h"

#include "format/trace_reader.h"
#include "report/read/loss_table.h"
#include "report/read/unsure_times.h"

bool trace_model_lost(const struct trace_model *model)
{
	struct loss_sums sums = {0};

	for (size_t i = 0; i < model->losses.count; i++)
		loss_sums_add(&sums, &model->losses.items[i]);
	return loss_sums_lost(&sums) || unsure_times_lack(model->unsure.items, model->unsure.count);
}

bool trace_file_lacks(const struct trace_file *file)
{
	struct trace_damage damage;
	bool lacks;

	trace_reader_damage(file->reader, &damage);
	lacks = damage.chunks || damage.bytes;
	for (size_t i = 0; i < file->model_count && !lacks; i++)
		lacks = file->sections[i].unsupported || trace_section_cut(&file->sections[i]) ||
			file->models[i].lost_ranges.count || file->models[i].malformed_chunks ||
			trace_model_lost(&file->models[i]);
	return lacks;
}
