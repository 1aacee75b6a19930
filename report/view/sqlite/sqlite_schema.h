/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The schema of --export sqlite, which rwalker-sqlite(5) documents: programs and queries of others
 * depend on it. An addition keeps the version; if something changes its meaning or is removed, the
 * version (PRAGMA user_version) is incremented.
 */
#ifndef RWALKER_REPORT_VIEW_SQLITE_SQLITE_SCHEMA_H
#define RWALKER_REPORT_VIEW_SQLITE_SQLITE_SCHEMA_H

extern const char sqlite_schema_tables[];
extern const char sqlite_schema_views[];   /* for people's queries */
extern const char sqlite_schema_indices[]; /* last: sorting once is cheaper than keeping order */

#endif
