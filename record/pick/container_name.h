/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The name that a container runtime gave a container, from the runtime's own files, never by asking
 * the runtime. The files are JSON, and much of their content was chosen by whoever started the
 * container. So nothing is allocated, nesting is bounded, and only one string of each is used:
 *
 *	docker      /var/lib/docker/containers/ID/config.v2.json: "Name"
 *	containerd  /run/containerd/io.containerd.runtime.v2.task/{k8s.io,default}/ID/config.json: an annotation; also
 *	            below /run/k3s
 *	CRI-O       /run/containers/storage/overlay-containers/ID/userdata/config.json: an annotation
 *	in a pod, if its path does not show the runtime: the files of containerd and CRI-O
 *	podman      /var/lib/containers/storage/overlay-containers/containers.json: "names" of that "id"
 */
#ifndef RWALKER_RECORD_PICK_CONTAINER_NAME_H
#define RWALKER_RECORD_PICK_CONTAINER_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/container/container.h"

enum {
	CONTAINER_NAME = 128, /* bytes, with the NUL: a longer name is not used */
	CONTAINER_NAME_PATH = 256,
	CONTAINER_NAME_FILE = 1 << 20, /* a larger file is not read */
};

/*
 * The path, relative to the root, of the file with this number (from 0) that may have the
 * container's name. False: there is none, or the id is not 64 hexadecimal digits.
 */
bool container_name_path(enum container_runtime runtime, const char *id, unsigned int number,
			 char path[static CONTAINER_NAME_PATH]);

/* Finds the name in the bytes of such a file. False: the file has none, or is malformed. */
bool container_name_find(enum container_runtime runtime, const char *id, const char *bytes, size_t length,
			 char name[static CONTAINER_NAME]);

#endif
