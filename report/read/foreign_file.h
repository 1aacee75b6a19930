/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Describes a file that was given as a trace but is none, by its first bytes. */
#ifndef RWALKER_REPORT_READ_FOREIGN_FILE_H
#define RWALKER_REPORT_READ_FOREIGN_FILE_H

enum { FOREIGN_FILE_TEXT = 512 };

/*
 * Writes to `text` what the file is and what can read it ("is a recording of perf, ..."), to be
 * printed after its name. `path` is the path as the user gave it. The descriptor's position does
 * not change.
 */
void foreign_file_describe(int fd, const char *path, char text[static FOREIGN_FILE_TEXT]);

#endif
