/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

/* --- ascii stream --- */

enum { SIGN_BYTES = 3 };

struct ascii_stream {
	FILE *out;
	char begun[SIGN_BYTES + 1]; /* the first bytes of a sign that is not complete yet */
	size_t length;
};

static const struct {
	const char *sign, *ascii;
} signs[] = {
	{"≥", ">="}, {"≤", "<="}, {"±", "+-"}, {"µ", "u"},  {"μ", "u"},	 {"→", "->"}, {"←", "<-"}, {"…", "..."},
	{"×", "x"},  {"–", "-"},  {"—", "-"},  {"·", "."},  {"│", "|"},	 {"─", "-"},  {"├", "|"},  {"└", "`"},
	{"▲", "^"},  {"▼", "v"},  {"’", "'"},  {"“", "'"}, {"”", "'"}, {"≈", "~"},
};

bool ascii_stream_is_needed(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return !strcasestr(value, "utf-8") && !strcasestr(value, "utf8");
	}
	return true;
}

/* The sign that begins with these bytes or, if `whole`, consists of them. -1 if there is none. */
static int find_sign(const char *bytes, size_t length, bool whole)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strncmp(signs[i].sign, bytes, length) && (!whole || !signs[i].sign[length]))
			return (int)i;
	return -1;
}

static void put(struct ascii_stream *stream, const char *bytes, size_t length)
{
	(void)fwrite(bytes, 1, length, stream->out);
}

/* Takes one byte that is not ASCII or follows such a byte. */
static void take(struct ascii_stream *stream, char byte)
{
	int sign;

	stream->begun[stream->length++] = byte;
	stream->begun[stream->length] = '\0';
	sign = find_sign(stream->begun, stream->length, true);
	if (sign < 0 && find_sign(stream->begun, stream->length, false) >= 0)
		return;
	if (sign >= 0)
		put(stream, signs[sign].ascii, strlen(signs[sign].ascii));
	else
		put(stream, stream->begun, stream->length);
	stream->length = 0;
}

static ssize_t write_some(void *cookie, const char *bytes, size_t length)
{
	struct ascii_stream *stream = cookie;
	size_t plain = 0;

	for (size_t i = 0; i < length; i++) {
		if (!stream->length && !(bytes[i] & 0x80))
			continue;
		if (!stream->length)
			put(stream, bytes + plain, i - plain);
		take(stream, bytes[i]);
		plain = i + 1;
	}
	put(stream, bytes + plain, length - plain);
	return ferror(stream->out) ? 0 : (ssize_t)length;
}

static int close_all(void *cookie)
{
	struct ascii_stream *stream = cookie;
	bool failed;
	int r;

	put(stream, stream->begun, stream->length);
	failed = ferror(stream->out) != 0;
	r = fclose(stream->out);
	free(stream);
	return r || failed ? EOF : 0;
}

FILE *ascii_stream_open(FILE *out)
{
	const cookie_io_functions_t functions = {.write = write_some, .close = close_all};
	struct ascii_stream *stream = calloc(1, sizeof(*stream));
	FILE *opened;

	if (!stream)
		return NULL;
	stream->out = out;
	opened = fopencookie(stream, "w", functions);
	if (!opened)
		free(stream);
	return opened;
}

/* --- report output --- */

static const char *pager_command(void)
{
	const char *command = getenv("RWALKER_PAGER");

	if (!command)
		command = getenv("PAGER");
	return command ? command : "less";
}

/*
 * In the child: the pager reads from the pipe. It starts when there is something to read: until
 * then the terminal shows progress, and Ctrl-C is meant for the report and must not end the pager.
 */
static void run_pager(const char *command, const struct user *user, const int ends[static 2])
{
	struct pollfd something = {.fd = ends[0], .events = POLLIN};
	void (*usual)(int) = signal(SIGINT, SIG_IGN);

	(void)close(ends[1]);
	if (user_become(user) < 0)
		_exit(127);
	while (poll(&something, 1, -1) < 0 && errno == EINTR)
		;
	if (!(something.revents & POLLIN))
		_exit(0);
	(void)signal(SIGINT, usual);
	(void)signal(SIGXFSZ, SIG_DFL);
	/* A hostile trace may aim at the pager: it runs no programs for anyone, and gains no rights. */
	if (dup2(ends[0], STDIN_FILENO) < 0 || setenv("LESS", "FRX", 0) < 0 || setenv("LESSSECURE", "1", 1) < 0 ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(127);
	(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Makes stdout a pipe to the pager. Without a pager (no command, no process) stdout stays as it is. */
static pid_t start_pager(const char *command, const struct user *user)
{
	int ends[2];
	pid_t pid;

	if (!*command || !strcmp(command, "cat") || pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	pid = fork();
	if (!pid)
		run_pager(command, user, ends);
	if (pid > 0 && dup2(ends[1], STDOUT_FILENO) < 0) {
		(void)kill(pid, SIGTERM);
		(void)waitpid(pid, NULL, 0);
		pid = -1;
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	return pid > 0 ? pid : 0;
}

static bool wants_color(enum report_color color, bool terminal)
{
	const char *no_color = getenv("NO_COLOR"), *name = getenv("TERM");

	if (color != REPORT_COLOR_AUTO)
		return color == REPORT_COLOR_ALWAYS;
	return terminal && !(no_color && *no_color) && name && strcmp(name, "dumb") != 0;
}

/* Output for programs has the same bytes in every locale. */
static bool is_for_people(const struct report_options *options)
{
	if (options->tool)
		return options->tool->for_people;
	return !options->view || (!options->view->bare && !options->view->exports);
}

/* Terminals that do not report a size get the traditional width. */
static unsigned int terminal_width(void)
{
	enum { USUAL = 80 };
	struct winsize size = {0};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return USUAL;
	return size.ws_col;
}

void report_output_open(struct report_output *output, const struct report_options *options,
			const struct user *user)
{
	bool terminal = isatty(STDOUT_FILENO);
	FILE *plain = NULL;

	*output = (struct report_output){.stream = stdout, .color = wants_color(options->color, terminal),
					  .width = terminal ? terminal_width() : 0};
	if (terminal && !options->no_pager)
		output->pager = start_pager(pager_command(), user);
	if (is_for_people(options) && ascii_stream_is_needed())
		plain = ascii_stream_open(stdout);
	if (plain)
		output->stream = plain;
	/* A reader that goes away ends a pipeline silently; quitting the pager is not a failure. */
	(void)signal(SIGPIPE, output->pager ? SIG_IGN : SIG_DFL);
}

void report_output_flush(struct report_output *output)
{
	if (fflush(output->stream) && !output->error)
		output->error = errno;
}

int report_output_close(struct report_output *output)
{
	bool failed = ferror(output->stream) != 0;
	int error = 0;

	errno = 0;
	if (fclose(output->stream) != 0)
		error = errno ? errno : EIO;
	else if (failed)
		error = output->error ? output->error : EIO;
	if (error && !output->pager)
		return log_error(error, "cannot write the report to stdout: %s", strerror(error));
	return 0;
}

void report_output_wait(const struct report_output *output)
{
	if (!output->pager)
		return;
	(void)close(STDOUT_FILENO);
	while (waitpid(output->pager, NULL, 0) < 0 && errno == EINTR)
		;
}

/* --- report file --- */

enum { BUFFER = 1 << 18 };

static int refuse_terminal(const struct view *view)
{
	return log_error(EINVAL, "--%s is not for a terminal: add -o FILE, or redirect it with > FILE",
			 view_name(view));
}

/* The stream has a descriptor of its own, so that it can be closed before the file is named. */
static int open_stream(struct report_file *file)
{
	int fd = fcntl(file->output.fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	file->stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file->stream) {
		int error = errno;

		if (fd >= 0)
			(void)close(fd);
		return log_error(error, "cannot write '%s': %s", file->output.path, strerror(error));
	}
	(void)setvbuf(file->stream, NULL, _IOFBF, BUFFER);
	return 0;
}

int report_file_open(struct report_file *file, const struct report_options *options, const struct service *service,
		     FILE *usual)
{
	const struct view *view = options->view;
	int r;

	*file = (struct report_file){.stream = usual, .output.fd = -1};
	if (!view || !view->exports)
		return 0;
	if (!options->output || !strcmp(options->output, "-"))
		return view->binary && isatty(STDOUT_FILENO) ? refuse_terminal(view) : 0;
	r = trace_output_open(options->output, service, &file->output);
	return r < 0 ? r : open_stream(file);
}

int report_file_keep(struct report_file *file)
{
	bool failed;

	if (file->output.fd < 0)
		return 0;
	failed = ferror(file->stream) != 0;
	errno = 0;
	failed |= fclose(file->stream) != 0;
	file->stream = NULL;
	if (failed && !errno) /* an earlier write failed, and one more does for the same reason */
		(void)!write(file->output.fd, "", 1);
	if (failed)
		return log_error(errno ? errno : EIO, "cannot write '%s': %s", file->output.path,
				 strerror(errno ? errno : EIO));
	return trace_output_keep(&file->output);
}

void report_file_close(struct report_file *file)
{
	if (file->output.fd >= 0 && file->stream)
		(void)fclose(file->stream);
	file->stream = NULL;
	trace_output_close(&file->output);
}
