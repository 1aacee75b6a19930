/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names the variables that hold futexes, from the files that module_files holds open, or opens now
 * if there was no time for it before. Each of these objects is written again, with the variable's
 * name and the futex's offset in it. A futex outside all variables is left as it was.
 */
#ifndef RWALKER_RECORD_EMBED_EMBED_VARIABLES_H
#define RWALKER_RECORD_EMBED_EMBED_VARIABLES_H

#include "record/embed/embed.h"

struct symbol_source;

/*
 * until: CLOCK_MONOTONIC ns; what takes longer has no names. used: bytes embedded so far. 0,
 * -ECANCELED, the log's error, -ENOMEM.
 */
int embed_variables(struct recording *recording, struct module_files *files, struct symbol_source *source,
		    const struct embed_watch *watch, uint64_t until, uint64_t *used);

#endif
