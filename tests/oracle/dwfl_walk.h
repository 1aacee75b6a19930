/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whole chains by libdwfl on the same snapshots, for measuring. One Dwfl per address space, as
 * libdwfl requires: made when the space is first seen, kept until the end. Debug files are not
 * used.
 */
#pragma once

#include "tests/oracle/snapshot.h"

struct dwfl_walk;

struct dwfl_walk *dwfl_walk_create(const struct oracle_modules *modules);
void dwfl_walk_destroy(struct dwfl_walk *walk);

/* Leaf first; returns how many there are. */
size_t dwfl_walk_run(struct dwfl_walk *walk, const struct oracle_snapshot *snapshot, uint64_t *addresses, size_t max);
