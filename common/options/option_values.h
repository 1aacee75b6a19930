/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Values on the command line that are more than a number or a text. All are strict: -EINVAL if the
 * text is not completely understood; the caller, which knows the option's name, reports it.
 */
#ifndef RWALKER_COMMON_OPTIONS_OPTION_VALUES_H
#define RWALKER_COMMON_OPTIONS_OPTION_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* "2.5" in units of 10^-places: 2500 for places = 3. No sign, no exponent, no more digits than places. */
int option_value_decimal(const char *text, unsigned int places, uint64_t *ret_value);
/* "512M", "4G", "0". */
int option_value_size(const char *text, uint64_t *ret_bytes);
/* "12,345": appends to `ids`, which has room for `room`; *count are already used. -E2BIG if there are too many. */
int option_value_ids(const char *text, uint32_t *ids, size_t room, size_t *count);
/* Parses a decimal number at the start of *text and advances *text past it: for values that continue. */
int option_value_take_decimal(const char **text, unsigned int places, uint64_t *ret_value);

#endif
