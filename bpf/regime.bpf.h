/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is left out at present. If the regime cannot change, the programs that run contain none of this. */
#ifndef RWALKER_BPF_REGIME_BPF_H
#define RWALKER_BPF_REGIME_BPF_H

#include "bpf/kernel.h"
#include "bpf/ring_regime.h"

const volatile bool regime_may_change;
struct ring_regime regime;

static __always_inline bool regime_lacks(u64 what)
{
	return regime_may_change && (*(volatile __u64 *)&regime.lacks & what);
}

/* The least length of a wait that gets a record, ns. always: the one that is fixed. */
static __always_inline u64 regime_least(u64 always)
{
	return regime_may_change ? *(volatile __u64 *)&regime.least : always;
}

/* Whether something was noted before a pause, during which nothing was noted. time: when. */
static __always_inline bool regime_outdated(u64 time)
{
	return regime_may_change && time < *(volatile __u64 *)&regime.since;
}

#endif
