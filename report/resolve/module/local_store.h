/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Facts about modules from files of this machine, read once for all modules with the same kind,
 * build-id and path. They do not depend on traces, except for the path of the file, whether
 * link-time addresses are known, and the release of a kernel module.
 */
#ifndef RWALKER_REPORT_RESOLVE_MODULE_LOCAL_STORE_H
#define RWALKER_REPORT_RESOLVE_MODULE_LOCAL_STORE_H

#include "report/resolve/module/modules.h"

enum local_question {
	LOCAL_DEBUG,	 /* the symbols of its debug file, without servers */
	LOCAL_BEST,	 /* the symbols of the best file */
	LOCAL_FUNCTIONS, /* where its functions are, from unwind information */
};

struct local_facts { /* filled in by the first caller */
	enum symbol_state state;
	enum symbol_origin origin;
	const char *path, *refused; /* "": none */
	struct symbol_index *symbols;
	struct cfi_file *functions;
};

int local_store_create(struct local_store **ret_store);
void local_store_destroy(struct local_store *store);

/* The facts live as long as the store. 1: new and empty, the caller has to read the files; 0: known; -ENOMEM. */
int local_store_find(struct local_store *store, const struct module *module, enum local_question question,
		     struct local_facts **ret_facts);

#endif
