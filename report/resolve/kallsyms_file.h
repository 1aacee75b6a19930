/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A copy of /proc/kallsyms that the user gives with --kallsyms: the functions of vmlinux, as offsets from _text. It says
 * nothing about which kernel it is from; that is the user's word.
 */
#ifndef RWALKER_REPORT_RESOLVE_KALLSYMS_FILE_H
#define RWALKER_REPORT_RESOLVE_KALLSYMS_FILE_H

#include "report/resolve/symbol_index.h"

/* -ENOENT: no such file, or no _text in it, as where addresses are hidden; -ENOMEM. */
int kallsyms_file_add(const char *path, struct symbol_list *list);

#endif
