/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * In weeks, --flight sees more files than any table holds. Once per window, this forgets modules
 * that no mapping, no event of the window and no dump refers to any more: in the table, among the
 * open files, and in the base state.
 */
#ifndef RWALKER_RECORD_FLIGHT_MODULE_TURN_H
#define RWALKER_RECORD_FLIGHT_MODULE_TURN_H

struct base_state;
struct module_files;
struct recording;

void module_turn(const struct recording *recording, struct module_files *files, struct base_state *base);

#endif
