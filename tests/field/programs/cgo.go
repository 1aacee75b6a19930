// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

// Go and C call each other endlessly: each call to C changes the stack, and each callback changes it again. One goroutine does
// this on its own thread, while the other one allocates. cgo.graph says who calls whom.
package main

/*
#include <stdlib.h>

extern int comeBack(int depth);

static volatile unsigned int sink;

static __attribute__((noinline)) void burn_in_c(void)
{
	for (unsigned int i = 0; i < 20000; i++)
		sink = sink * 1103515245u + i;
}

static __attribute__((noinline)) int down_in_c(int depth, int back)
{
	int below = depth ? down_in_c(depth - 1, back) : back ? comeBack(back) : 0;

	if (!depth)
		burn_in_c();
	sink += (unsigned int)below; // prevents a tail call
	return below ^ depth;
}
*/
import "C"

import "runtime"

const depth = 8

var sink uint32

//go:noinline
func burnInGo() {
	for i := uint32(0); i < 20000; i++ {
		sink = sink*1103515245 + i
	}
}

//go:noinline
func downInGo(depth int) int {
	if depth == 0 {
		burnInGo()
		return 0
	}
	return downInGo(depth-1) + 1
}

//export comeBack
func comeBack(depth C.int) C.int {
	return C.int(downInGo(int(depth)))
}

//go:noinline
func callC() int {
	return int(C.down_in_c(depth, 0)) + 1
}

//go:noinline
func callBack() int {
	return int(C.down_in_c(depth, depth)) + 1
}

//go:noinline
func crossing(done chan bool) {
	runtime.LockOSThread()
	for {
		sink += uint32(callBack() ^ callC())
		if sink == 1 && depth == 0 {
			break
		}
	}
	close(done)
}

//go:noinline
func allocating() int {
	pieces := make([][]byte, 0)
	for i := 0; i < 400; i++ {
		pieces = append(pieces, make([]byte, 200+i))
	}
	return len(pieces) + downInGo(depth)
}

func main() {
	done := make(chan bool)
	go crossing(done)
	for allocating() > 0 {
	}
	<-done
}
