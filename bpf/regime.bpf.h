/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is left out for now. Where that cannot change, none of it is compiled into the programs that run. */
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

/* ns, or the length that always holds. */
static __always_inline u64 regime_least(u64 always)
{
	return regime_may_change ? *(volatile __u64 *)&regime.least : always;
}

/* A time by which something was noted before a pause, during which nothing was. */
static __always_inline bool regime_outdated(u64 time)
{
	return regime_may_change && time < *(volatile __u64 *)&regime.since;
}

#endif
