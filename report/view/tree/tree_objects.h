/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the waits of a call tree's chains were for, or what walked tasks slept for: a few lines below each leaf. */
#ifndef RWALKER_REPORT_VIEW_TREE_TREE_OBJECTS_H
#define RWALKER_REPORT_VIEW_TREE_TREE_OBJECTS_H

#include "report/view/look/rows.h"
#include "report/view/text/object_tally.h"
#include "report/view/text/view.h"
#include "report/view/tree/call_tree.h"

struct tree_objects {
	struct waits waits;
	struct object_tally tally; /* of the latest tree, by node */
	const struct profile_wait *items; /* the profile's waits, or `walked` */
	struct profile_wait *walked;	  /* the waits that walked tasks were in */
	uint32_t *order;		  /* waits of the source, by profile node and task */
	size_t count;
	uint64_t total; /* the weight that shares refer to */
};

/* For the waits of a source, or for walked tasks. 0, -ENOMEM, -EBADMSG. Deinitialize it in any case. */
int tree_objects_init(struct tree_objects *objects, const struct view_context *context, uint32_t source);
void tree_objects_deinit(struct tree_objects *objects);

/* For the builder's latest tree, which was made of these rows. 0, -ENOMEM. */
int tree_objects_gather(struct tree_objects *objects, const struct call_tree_builder *builder, const struct row *rows,
			size_t count);

/* "[in read of pipe:5  12.34%]" for the objects of a tree's node that were waited for longest. */
void tree_objects_write(const struct tree_objects *objects, uint32_t node, const char *before, FILE *out);

#endif
