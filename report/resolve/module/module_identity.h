/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which modules of the traces are one: private to modules.c. In one scope those with the same
 * identity are. A module of another scope is the same module only if its path is the same and its
 * trace says the same of it (module_evidence.h).
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_MODULE_IDENTITY_H
#define RWALKER_REPORT_RESOLVE_MODULE_MODULE_IDENTITY_H

#include "report/resolve/module/modules.h"

struct module_identities;

int module_identities_create(struct module_identities **ret_identities);
void module_identities_destroy(struct module_identities *identities);

/* A module without any data, at the end of the items. */
int module_create(struct modules *modules, struct module **ret_module);
void module_destroy(struct module *module);

#endif
