/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The boxes of a flame graph: one for each prefix of a folded line, group and comm first, then the
 * functions from the root on. Box 0 is the whole. Siblings are drawn from left to right in the
 * order of their names.
 */
#ifndef RWALKER_REPORT_VIEW_SVG_SVG_BOXES_H
#define RWALKER_REPORT_VIEW_SVG_SVG_BOXES_H

#include "common/array.h"
#include "common/hash_map.h"
#include "report/view/look/chain.h"
#include "report/view/stack/stack_table.h"

enum svg_kind { SVG_WHOLE, SVG_OWNER, SVG_USER, SVG_INLINED, SVG_JIT, SVG_KERNEL, SVG_NOTE, SVG_KINDS };

struct svg_box {
	uint32_t parent;
	enum svg_kind kind;
	char *name; /* printable */
	uint64_t samples, weight;
	uint64_t left;	   /* weight of all that is to the left of it */
	uint32_t level;	   /* 0: the whole */
};

struct svg_boxes {
	struct stack_table table;
	struct hash_map known; /* (parent, type, number) -> box */
	ARRAY(struct svg_box) items; /* a parent is before its children */
	uint32_t levels;
	struct chain chain;
};

/* 0, -ENOMEM, -EBADMSG. Deinitialize it in any case. */
int svg_boxes_init(struct svg_boxes *boxes, const struct view_context *context, uint32_t number,
		   const struct profile_source *source);
void svg_boxes_deinit(struct svg_boxes *boxes);

#endif
