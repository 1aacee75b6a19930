/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Tells what a file is that was given as a trace and is none, by its first bytes. */
#ifndef RWALKER_REPORT_READ_FOREIGN_FILE_H
#define RWALKER_REPORT_READ_FOREIGN_FILE_H

enum { FOREIGN_FILE_TEXT = 512 };

/*
 * Into `text`: what the file is and what reads it ("is a recording of perf: ..."), to follow its name; `path` is how it
 * was named. The descriptor's position does not change.
 */
void foreign_file_describe(int fd, const char *path, char text[static FOREIGN_FILE_TEXT]);

#endif
