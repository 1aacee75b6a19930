/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The parts of the account: account.c reports what is missing from the traces, account_counters.c
 * what samplers did not deliver, account_quality.c the quality of the rest. Each adds notes
 * (account_notes.h), and returns 0 or -ENOMEM.
 */
#ifndef RWALKER_REPORT_PROFILE_ACCOUNT_ACCOUNT_PARTS_H
#define RWALKER_REPORT_PROFILE_ACCOUNT_ACCOUNT_PARTS_H

struct module;
struct profile;

/* Samples counted by the kernel but not delivered: a note if they exceed one thousandth of the busy time. */
int account_undelivered(struct profile *profile);

/* Stacks that were cut short, missing or trimmed, maps that were unavailable, frames without names and why. */
int account_quality(struct profile *profile);

/* What the recorder left out for a time to keep its cost down. */
int account_budget(struct profile *profile);

/* What is missing because helper processes of the recorder were gone. */
int account_helpers(struct profile *profile);

/* Names the modules whose DWARF could not be read, or not completely. */
int account_inlines(struct profile *profile);

/* Why addresses of the module have no name, in a few words. */
const char *account_why(const struct module *module);

#endif
