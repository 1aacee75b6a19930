/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One step by libdw's call frame engine on a snapshot: dwarf_cfi_addrframe finds the rules,
 * dwarf_frame_cfa and dwarf_frame_register return them as lists of operations, which are evaluated
 * here. It shares nothing with report/unwind except the type of a frame.
 */
#pragma once

#include "report/unwind/unwind_internal.h"
#include "tests/oracle/snapshot.h"

enum libdw_step {
	LIBDW_NO_FRAME, /* no call frame information there: libdw cannot judge */
	LIBDW_STEPPED,
	LIBDW_OUTERMOST,  /* the return address is undefined */
	LIBDW_UNREADABLE, /* needs bytes the snapshot does not hold */
	LIBDW_UNKNOWN,	  /* needs a register that is not known */
};

/* Replaces the frame by its caller's if the step succeeds. */
enum libdw_step libdw_step(const struct oracle_snapshot *snapshot, struct unwind_frame *frame);
