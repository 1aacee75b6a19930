/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/key_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/test.h"

static const char PATH[] = TEST_FOLDER "/test_key_file.key", OTHER[] = TEST_FOLDER "/test_key_file.other";

/* Opens, adds one name, and closes; the pseudonym is copied. -errno: of the first that failed. */
static int add(const char *name, bool written, char text[static PSEUDONYM_TEXT])
{
	struct pseudonyms *names = NULL;
	struct key_file file;
	const char *made = "";
	int closed, r = key_file_open(PATH, KEY_FILE_GROWS, &file);

	if (r < 0)
		return r;
	r = key_file_read(&file, &names);
	if (!r)
		r = pseudonyms_make(names, PSEUDONYM_COMM, name, strlen(name), &made);
	if (!r)
		r = key_file_write(&file, names);
	(void)snprintf(text, PSEUDONYM_TEXT, "%s", made);
	pseudonyms_destroy(names);
	closed = key_file_close(&file, written);
	return r < 0 ? r : closed;
}

/* What the text is the pseudonym of, according to the file. */
static bool knows(const char *text, const char *name)
{
	struct pseudonyms *names = NULL;
	struct key_file file;
	const char *found = NULL;
	size_t length = 0;
	bool good;

	if (key_file_open(PATH, KEY_FILE_READ, &file) < 0)
		return false;
	good = !key_file_read(&file, &names) && pseudonyms_read(names, text, strlen(text), &found, &length) &&
	       length == strlen(name) && !memcmp(found, name, length);
	pseudonyms_destroy(names);
	return !key_file_close(&file, false) && good;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *out;

	(void)unlink(path);
	out = fopen(path, "w");
	if (!out || fputs(text, out) < 0 || fclose(out) || chmod(path, mode) < 0)
		abort();
}

static int open_only(const char *path, enum key_file_use use)
{
	struct key_file file;
	struct pseudonyms *names = NULL;
	int r = key_file_open(path, use, &file);

	if (r < 0)
		return r;
	r = key_file_read(&file, &names);
	pseudonyms_destroy(names);
	(void)key_file_close(&file, false);
	return r;
}

static void grows(struct test *t)
{
	char first[PSEUDONYM_TEXT], again[PSEUDONYM_TEXT], second[PSEUDONYM_TEXT];
	struct stat status;

	(void)unlink(PATH);
	CHECK_INT(t, add("one \\ \n two;", true, first), 0);
	REQUIRE(t, !stat(PATH, &status));
	CHECK_INT(t, status.st_mode & 07777, 0600);
	CHECK_INT(t, add("other", true, second), 0);
	CHECK_INT(t, add("one \\ \n two;", true, again), 0);
	CHECK_STR(t, again, first);
	CHECK(t, knows(first, "one \\ \n two;"));
	CHECK(t, knows(second, "other"));
	CHECK(t, !knows("c_0000000000000", "other"));
}

/* Two files made on their own have different keys. */
static void has_a_key_of_its_own(struct test *t)
{
	char one[PSEUDONYM_TEXT], two[PSEUDONYM_TEXT];

	(void)unlink(PATH);
	CHECK_INT(t, add("name", true, one), 0);
	(void)unlink(PATH);
	CHECK_INT(t, add("name", true, two), 0);
	CHECK(t, strcmp(one, two) != 0);
}

/* Names that were not kept leave nothing in the file. */
static void stays_as_it_was(struct test *t)
{
	char text[PSEUDONYM_TEXT], command[128];

	(void)unlink(PATH);
	CHECK_INT(t, add("one", true, text), 0);
	CHECK_INT(t, add("two", false, text), 0);
	CHECK(t, !knows(text, "two"));
	(void)snprintf(command, sizeof(command), "test -z \"$(ls %s.?????? 2>/dev/null)\"", PATH);
	CHECK_INT(t, system(command), 0);
}

static void refuses_what_others_read(struct test *t)
{
	char text[PSEUDONYM_TEXT];

	(void)unlink(PATH);
	CHECK_INT(t, add("one", true, text), 0);
	for (mode_t mode = 1; mode <= 040; mode <<= 1) {
		REQUIRE(t, !chmod(PATH, 0600 | mode));
		CHECK_INT(t, open_only(PATH, KEY_FILE_GROWS), -EPERM);
		CHECK_INT(t, open_only(PATH, KEY_FILE_READ), -EPERM);
	}
	REQUIRE(t, !chmod(PATH, 0600));
	CHECK_INT(t, open_only(PATH, KEY_FILE_READ), 0);
	if (!geteuid()) { /* root may read it, but it is not root's */
		REQUIRE(t, !chown(PATH, 65534, (gid_t)-1));
		CHECK_INT(t, open_only(PATH, KEY_FILE_GROWS), -EPERM);
	}
}

static void refuses_what_is_no_file(struct test *t)
{
	char text[PSEUDONYM_TEXT];

	(void)unlink(PATH);
	CHECK_INT(t, open_only(PATH, KEY_FILE_READ), -ENOENT);
	CHECK_INT(t, add("one", true, text), 0);
	(void)unlink(OTHER);
	REQUIRE(t, !symlink("test_key_file.key", OTHER));
	CHECK_INT(t, open_only(OTHER, KEY_FILE_GROWS), -ELOOP);
	(void)unlink(OTHER);
	REQUIRE(t, !mkfifo(OTHER, 0600));
	CHECK_INT(t, open_only(OTHER, KEY_FILE_READ), -EINVAL);
	(void)unlink(OTHER);
	CHECK_INT(t, open_only("/dev/null", KEY_FILE_GROWS), -EINVAL);
}

static void refuses_other_text(struct test *t)
{
	static const char *const texts[] = {
		"rwalker scrub key 1\n",
		"rwalker scrub key 1\nkey 00\n",
		"rwalker scrub key 2\nkey 0000000000000000000000000000000000000000000000000000000000000000\n",
		"rwalker scrub key 1\nkey 000000000000000000000000000000000000000000000000000000000000000g\n",
		"rwalker scrub key 1\nkey 0000000000000000000000000000000000000000000000000000000000000000",
		"rwalker scrub key 1\nkey 0000000000000000000000000000000000000000000000000000000000000000\ncomm x\n",
		"rwalker scrub key 1\nkey 0000000000000000000000000000000000000000000000000000000000000000\n"
		"comm c_0000000000000 one\n", /* it is not the pseudonym */
		"rwalker scrub key 1\nkey 0000000000000000000000000000000000000000000000000000000000000000\n"
		"comm c_0000000000000 \\x0\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_file(OTHER, texts[i], 0600);
		CHECK_INT(t, open_only(OTHER, KEY_FILE_GROWS), -EBADMSG);
		CHECK_INT(t, open_only(OTHER, KEY_FILE_READ), -EBADMSG);
	}
	write_file(OTHER, "", 0600);
	CHECK_INT(t, open_only(OTHER, KEY_FILE_READ), -EBADMSG);
	CHECK_INT(t, open_only(OTHER, KEY_FILE_GROWS), 0);
	(void)unlink(OTHER);
	(void)unlink(PATH);
}

TEST_MAIN(TEST(grows), TEST(has_a_key_of_its_own), TEST(stays_as_it_was), TEST(refuses_what_others_read),
	  TEST(refuses_what_is_no_file), TEST(refuses_other_text))
