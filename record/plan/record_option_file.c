/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/plan/record_option_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/options/options.h"
#include "common/unconst.h"

static const char BLANKS[] = " \t\r\n";

static int say_cannot_read(const char *path, int error)
{
	(void)log_error(error, "cannot read options from '%s': %s", path, strerror(error));
	return -EINVAL;
}

static int read_all(struct record_option_file *file)
{
	_cleanup_close_ int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && length < sizeof(file->text)) {
		got = read(fd, file->text + length, sizeof(file->text) - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		return say_cannot_read(file->path, errno);
	if (length == sizeof(file->text))
		return log_error(EINVAL, "'%s' is too long: options may take %d bytes", file->path,
				 OPTION_FILE_BYTES - 1);
	if (memchr(file->text, '\0', length))
		return log_error(EINVAL, "'%s' is no text", file->path);
	file->text[length] = '\0';
	return 0;
}

/* "--flight 60s,64M" in two; false: there is nothing in the line. */
static bool split_line(char *text, struct option_line *ret_line)
{
	size_t length;
	char *value;

	text += strspn(text, BLANKS);
	length = strlen(text);
	while (length && strchr(BLANKS, text[length - 1]))
		text[--length] = '\0';
	if (!length || *text == '#')
		return false;
	value = text + strcspn(text, BLANKS);
	*ret_line = (struct option_line){.option = text};
	if (!*value)
		return true;
	*value++ = '\0';
	ret_line->value = value + strspn(value, BLANKS);
	return true;
}

static int parse_line(const struct option_line *line, const struct option_set *options, void *config)
{
	char empty[] = "";
	char *words[] = {empty, unconst(line->option), unconst(line->value), NULL};
	int rest;

	if (line->option[0] != '-' || !strcmp(line->option, "--"))
		return log_error(EINVAL, "'%s' is no option", line->option);
	return options_parse(options, config, NULL, line->value ? 3 : 2, words, &rest);
}

int record_option_file_read(struct record_option_file *file, const struct option_set *options, void *config,
			    const char *path)
{
	unsigned int number = 0;
	char *next;
	int r;

	if (file->path)
		return log_error(EINVAL, "--config may be given once, and not in a file");
	file->path = path;
	r = read_all(file);
	next = file->text;
	while (r >= 0 && next) {
		char *text = strsep(&next, "\n");
		struct option_line *line = &file->lines[file->count];

		number++;
		if (!split_line(text, line))
			continue;
		if (++file->count == OPTION_FILE_LINES)
			r = log_error(EINVAL, "too many options: at most %d", OPTION_FILE_LINES - 1);
		else
			r = parse_line(line, options, config);
		if (r < 0)
			log_info("this is in line %u of '%s'", number, path);
	}
	return r;
}

static const struct option_line *next_line(const struct record_option_file *file, const char *const ignored[],
					   size_t *at)
{
	while (*at < file->count) {
		const struct option_line *line = &file->lines[(*at)++];
		const char *const *name = ignored;

		while (*name && strcmp(*name, line->option) != 0)
			name++;
		if (!*name)
			return line;
	}
	return NULL;
}

static bool values_equal(const char *left, const char *right)
{
	return left && right ? !strcmp(left, right) : left == right;
}

bool record_option_file_equal(const struct record_option_file *left, const struct record_option_file *right,
			      const char *const ignored[])
{
	size_t left_at = 0, right_at = 0;
	const struct option_line *a, *b;

	do {
		a = next_line(left, ignored, &left_at);
		b = next_line(right, ignored, &right_at);
	} while (a && b && !strcmp(a->option, b->option) && values_equal(a->value, b->value));
	return !a && !b;
}
