/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The options about --flight: their values, and what they require. Each reports why it refuses. */
#ifndef RWALKER_RECORD_PLAN_RECORD_OPTION_FLIGHT_H
#define RWALKER_RECORD_PLAN_RECORD_OPTION_FLIGHT_H

#include "record/plan/record_options.h"

/* "500", "500M": megabytes; or with K or G. *ret_bytes: at least `least`. 0, -EINVAL. */
int record_option_bytes(const char *option, const char *value, int64_t least, int64_t *ret_bytes);

/* For option rows. */
int record_option_flight(void *config, const char *value);
int record_option_trigger(void *config, const char *value);
int record_option_max_kept(void *config, const char *value);

/* Before parsing: makes options that are not given recognizable. */
void record_option_flight_unset(struct record_config *config);
/* After parsing. spans: whether anything is recorded that goes on. 0, -EINVAL. */
int record_option_flight_check(const struct record_config *config, bool spans, bool waiting_given);
void record_option_flight_defaults(struct record_config *config);

#endif
