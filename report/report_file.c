/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"

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
