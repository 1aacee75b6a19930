/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bytes inside a record. Untrusted: they hold names that a process chose for itself or its files. */
#ifndef RWALKER_FORMAT_EVENT_TEXT_H
#define RWALKER_FORMAT_EVENT_TEXT_H

#include <stdint.h>

struct event_text { /* bytes of the chunk, not NUL-terminated; valid while the chunk is */
	const char *bytes;
	uint32_t length;
};

#endif
