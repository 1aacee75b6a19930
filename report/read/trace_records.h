/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How each record of STATE, EMBED and END chunks enters the model: one function a kind, in a table. Records of other kinds
 * are not for the model and pass by. Called by trace_model.c only.
 */
#ifndef RWALKER_REPORT_READ_TRACE_RECORDS_H
#define RWALKER_REPORT_READ_TRACE_RECORDS_H

#include "report/read/trace_model.h"

/* `chunk` is where the record stands, for those whose content is read later. 0 or -ENOMEM. */
int trace_model_add_record(struct trace_model *model, uint32_t chunk, const struct event *event);

#endif
