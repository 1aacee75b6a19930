/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The options that limit what a recording may take from the host. */
#ifndef RWALKER_RECORD_PLAN_RECORD_OPTION_BUDGET_H
#define RWALKER_RECORD_PLAN_RECORD_OPTION_BUDGET_H

#include "record/plan/record_options.h"

/* For rows of options that are parsed. */
int record_option_max_memory(void *config, const char *value);
int record_option_max_cpu(void *config, const char *value);

/* 0, -EINVAL after reporting what cannot be used together. */
int record_option_budget_check(const struct record_config *config);

#endif
