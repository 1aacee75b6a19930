/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names and their pseudonyms. A pseudonym is the prefix of its class and the first 65 bits of
 * HMAC-SHA-256(key, class and name) in base 32. So it is the same wherever the same key is used,
 * and nobody can try out names without the key. The table holds both directions. Each new pseudonym
 * is checked: no two names ever share one.
 */
#ifndef RWALKER_REPORT_SCRUB_PSEUDONYMS_H
#define RWALKER_REPORT_SCRUB_PSEUDONYMS_H

#include <stddef.h>
#include <stdint.h>

enum pseudonym_class {
	PSEUDONYM_HOST,
	PSEUDONYM_COMM,	  /* at most 15 bytes, like any comm */
	PSEUDONYM_FOLDER, /* of a path */
	PSEUDONYM_FILE,	  /* the last component of a path */
	PSEUDONYM_FUNCTION,
	PSEUDONYM_SOURCE, /* the last component of the path of a source file */
	PSEUDONYM_PROBE,
	PSEUDONYM_BPF,	    /* the kernel's name of a BPF program: reports recognize its form */
	PSEUDONYM_BUILD_ID, /* in hexadecimal digits, like a build-id */
	PSEUDONYM_CONTAINER, /* the part of its id that reports show */
	PSEUDONYM_CLASSES
};

enum { PSEUDONYM_KEY = 32, PSEUDONYM_DIGITS = 13, PSEUDONYM_TEXT = 48 };

struct pseudonyms;

/*
 * `digits`: number of base-32 digits, at most PSEUDONYM_DIGITS. Only tests of what happens if there
 * are too few use fewer. 0, -ENOMEM, -errno.
 */
int pseudonyms_create(const uint8_t key[static PSEUDONYM_KEY], size_t digits, struct pseudonyms **ret_names);
void pseudonyms_destroy(struct pseudonyms *names);
/* For writing the key file. */
void pseudonyms_key(const struct pseudonyms *names, uint8_t ret_key[static PSEUDONYM_KEY]);

/* The pseudonym of a name; valid as long as the table. 0; -ENOMEM; -EEXIST: another name already has it. */
int pseudonyms_make(struct pseudonyms *names, enum pseudonym_class class, const char *name, size_t length,
		    const char **ret_text);

/* If the text starts with a pseudonym of this table, returns its length and the name; 0 if not. */
size_t pseudonyms_read(const struct pseudonyms *names, const char *text, size_t length, const char **ret_name,
		       size_t *ret_length);

/* A name and its pseudonym. */
struct pseudonym {
	enum pseudonym_class class;
	char text[PSEUDONYM_TEXT];
	size_t length; /* of the name, which is NUL-terminated */
	char name[];
};

size_t pseudonyms_count(const struct pseudonyms *names);
/* Items are numbered from 0, in the order in which they were made. NULL if there are fewer. */
const struct pseudonym *pseudonyms_item(const struct pseudonyms *names, size_t number);

#endif
