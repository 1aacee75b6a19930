/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The content of a key file (key_file.h), as text. */
#ifndef RWALKER_REPORT_SCRUB_KEY_TEXT_H
#define RWALKER_REPORT_SCRUB_KEY_TEXT_H

#include "report/scrub/pseudonyms.h"

/* A table with the text's key and names. 0; -EBADMSG: malformed, or a pseudonym does not fit its name; -ENOMEM. */
int key_text_parse(const char *text, size_t length, struct pseudonyms **ret_names);

/* The text of a table, in new memory. 0, -ENOMEM. */
int key_text_make(const struct pseudonyms *names, char **ret_text, size_t *ret_length);

#endif
