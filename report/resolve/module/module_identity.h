/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Decides which modules of the traces are the same module: private to modules.c. In one scope,
 * those with the same identity are. Modules of two scopes are the same only if their paths are
 * equal, too, and their traces say the same about them (struct evidence).
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_IDENTITY_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_IDENTITY_H

#include "report/resolve/module/modules.h"

struct module_identities;

int module_identities_create(struct module_identities **ret_identities);
void module_identities_destroy(struct module_identities *identities);

/* Appends a module without any data to the items. */
int module_create(struct modules *modules, struct module **ret_module);
void module_destroy(struct module *module);

#endif
