/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names and what stands for them: a pseudonym is the prefix of its class and the first 65 bits of HMAC-SHA-256(key,
 * class and name) in base 32, so it is the same wherever the same key is used, and without the key nobody can try names
 * out. The table holds both directions. That two names never share a pseudonym is checked for each new one.
 */
#ifndef RWALKER_REPORT_SCRUB_PSEUDONYMS_H
#define RWALKER_REPORT_SCRUB_PSEUDONYMS_H

#include <stddef.h>
#include <stdint.h>

enum pseudonym_class {
	PSEUDONYM_HOST,
	PSEUDONYM_COMM,	  /* of at most 15 bytes, as a comm has to be */
	PSEUDONYM_FOLDER, /* of a path */
	PSEUDONYM_FILE,	  /* a path's last component */
	PSEUDONYM_FUNCTION,
	PSEUDONYM_SOURCE, /* a source file's last component */
	PSEUDONYM_PROBE,
	PSEUDONYM_BPF,	    /* the kernel's name of a BPF program: reports know those by their form */
	PSEUDONYM_BUILD_ID, /* in hexadecimal digits, as the build-id itself */
	PSEUDONYM_CONTAINER, /* what reports show of its id */
	PSEUDONYM_CLASSES
};

enum { PSEUDONYM_KEY = 32, PSEUDONYM_DIGITS = 13, PSEUDONYM_TEXT = 48 };

struct pseudonyms;

/*
 * `digits`: of classes in base 32, at most PSEUDONYM_DIGITS, which is right for all but tests of what happens if they
 * do not suffice. 0, -ENOMEM, -errno.
 */
int pseudonyms_create(const uint8_t key[static PSEUDONYM_KEY], size_t digits, struct pseudonyms **ret_names);
void pseudonyms_destroy(struct pseudonyms *names);
/* For the file that the key is kept in. */
void pseudonyms_key(const struct pseudonyms *names, uint8_t ret_key[static PSEUDONYM_KEY]);

/* What stands for a name; valid as long as the table. 0; -ENOMEM; -EEXIST: it is another name's pseudonym already. */
int pseudonyms_make(struct pseudonyms *names, enum pseudonym_class class, const char *name, size_t length,
		    const char **ret_text);

/* The number of bytes at the start of the text that are a pseudonym of this table, and its name; 0: none. */
size_t pseudonyms_read(const struct pseudonyms *names, const char *text, size_t length, const char **ret_name,
		       size_t *ret_length);

/* A name and what stands for it. */
struct pseudonym {
	enum pseudonym_class class;
	char text[PSEUDONYM_TEXT];
	size_t length; /* of the name, which a NUL follows */
	char name[];
};

size_t pseudonyms_count(const struct pseudonyms *names);
/* All of them, numbered from 0 in the order in which they were made. NULL: there are fewer. */
const struct pseudonym *pseudonyms_item(const struct pseudonyms *names, size_t number);

#endif
