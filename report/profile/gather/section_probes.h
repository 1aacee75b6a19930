/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The probes of one section while its events are added to the profile, and the samples that are
 * kept one by one for profile_events.h. Waits are always kept: the list of events only sorts them.
 */
#ifndef RWALKER_REPORT_PROFILE_GATHER_SECTION_PROBES_H
#define RWALKER_REPORT_PROFILE_GATHER_SECTION_PROBES_H

#include "report/profile/gather/section.h"

/* Call after binding sources: maps the section's probes to the profile's, and adds their counts. -ENOMEM. */
int section_bind_probes(struct section *section);

/* The binding of the sample's probe; NULL if it has none, or one that the section does not list for its source. */
struct probe_binding *section_probe(const struct section *section, const struct batch_sample *sample);

/* Whether --probe selects the sample. */
bool section_wants_probe(const struct section *section, const struct source_binding *source,
			 const struct probe_binding *probe);

/* The function that a sample of the source is about; NULL if it does not appear in call chains. */
const char *section_traced_function(const struct section *section, const struct source_binding *source,
				    const struct probe_binding *probe);

/* Keeps a sample with the entry that it was added to. -ENOMEM. */
int section_keep_sample(struct section *section, const struct stream_event *event,
			struct probe_binding *probe, const struct profile_entry *entry);

#endif
