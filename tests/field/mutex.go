// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

// Four goroutines, each on its own thread, contend for one mutex and sleep 10 ms while they hold it. Prints
// "wait TID BEGIN END 0" for each turn for which it waited: CLOCK_MONOTONIC ns.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

func monotonic() int64 {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 1, uintptr(unsafe.Pointer(&t)), 0)
	return t.Nano()
}

//go:noinline
func takeTurn(mutex *sync.Mutex, tid int, rows *[]string) {
	begin := monotonic()
	mutex.Lock()
	end := monotonic()
	if end-begin > 5000000 {
		*rows = append(*rows, fmt.Sprintln("wait", tid, begin, end, 0))
	}
	time.Sleep(10 * time.Millisecond)
	mutex.Unlock()
}

func main() {
	var mutex sync.Mutex
	var all sync.WaitGroup
	rounds, _ := strconv.Atoi(os.Args[1])
	rows := make([][]string, 4)
	for i := range rows {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			runtime.LockOSThread()
			for n := 0; n < rounds; n++ {
				takeTurn(&mutex, syscall.Gettid(), &rows[i])
			}
		}(i)
	}
	all.Wait()
	for _, mine := range rows {
		for _, row := range mine {
			fmt.Print(row)
		}
	}
}
