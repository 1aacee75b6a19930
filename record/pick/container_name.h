/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a container runtime calls a container, from the runtime's own files, never by asking it.
 * These are JSON; much of what is in them was chosen by whoever started the container. So nothing
 * is allocated, nesting is bounded, and only strings at one place each are taken:
 *
 *	docker      /var/lib/docker/containers/ID/config.v2.json: "Name"
 *	containerd  /run/containerd/io.containerd.runtime.v2.task/{k8s.io,default}/ID/config.json: an annotation; also
 *	            below /run/k3s
 *	CRI-O       /run/containers/storage/overlay-containers/ID/userdata/config.json: an annotation
 *	in a pod, by a runtime that its path does not tell: those of containerd and CRI-O
 *	podman      /var/lib/containers/storage/overlay-containers/containers.json: "names" of that "id"
 */
#ifndef RWALKER_RECORD_PICK_CONTAINER_NAME_H
#define RWALKER_RECORD_PICK_CONTAINER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/container/container.h"

enum {
	CONTAINER_NAME = 128, /* bytes, with the NUL: a longer one is not taken */
	CONTAINER_NAME_PATH = 256,
	CONTAINER_NAME_FILE = 1 << 20, /* a larger file is not read */
};

/*
 * The file number `number` (from 0) in which the name of a container may be, relative to the root.
 * False: there is none, or the id is not one of 64 hexadecimal digits.
 */
bool container_name_path(enum container_runtime runtime, const char *id, unsigned int number,
			 char path[static CONTAINER_NAME_PATH]);

/* From the bytes of such a file. False: it has none, or is not what it should be. */
bool container_name_find(enum container_runtime runtime, const char *id, const char *bytes, size_t length,
			 char name[static CONTAINER_NAME]);

#endif
