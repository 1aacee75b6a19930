/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The probes of one section while its events become a profile, and the samples that are kept one by one for
 * profile_events.h. Waits are kept anyway: for the events they are only put in order.
 */
#ifndef RWALKER_REPORT_PROFILE_EVENTS_READ_H
#define RWALKER_REPORT_PROFILE_EVENTS_READ_H

#include "report/profile_section.h"

/* After the sources: what the section's probes are in the profile, and what was counted of them. -ENOMEM. */
int section_bind_probes(struct section *section);

/* The binding of the sample's probe, NULL: it has none, or one that the section does not describe as its source's. */
struct probe_binding *section_probe(const struct section *section, const struct batch_sample *sample);

/* Whether --probe chose it. */
bool section_wants_probe(const struct section *section, const struct source_binding *source, const struct probe_binding *probe);

/* What a sample of the source is about: the name of a function, NULL where that stands in no call chain. */
const char *section_traced_function(const struct section *section, const struct source_binding *source,
				    const struct probe_binding *probe);

/* Keeps a sample with the entry that it became part of. -ENOMEM. */
int section_keep_sample(struct section *section, const struct stream_event *event, struct probe_binding *probe,
			const struct profile_entry *entry);

/* Once all sections are read, and waits and sources in order; places: where each source went. -ENOMEM. */
int profile_order_events(struct profile *profile, const uint32_t *places);
void profile_free_events(struct profile *profile);

#endif
