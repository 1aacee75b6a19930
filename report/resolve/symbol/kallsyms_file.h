/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A copy of /proc/kallsyms that the user gives with --kallsyms: the functions of vmlinux, as
 * offsets from _text. The file does not identify its kernel; we have to trust the user.
 */
#ifndef RWALKER_REPORT_RESOLVE_SYMBOL_KALLSYMS_FILE_H
#define RWALKER_REPORT_RESOLVE_SYMBOL_KALLSYMS_FILE_H

#include "report/opener/opener.h"
#include "report/resolve/symbol/symbol_index.h"

/*
 * The opener may be NULL. -ENOENT: no such file, or no _text in it, for instance because addresses
 * are hidden; -ENOMEM.
 */
int kallsyms_file_add(struct opener *opener, const char *path, struct symbol_list *list);

#endif
