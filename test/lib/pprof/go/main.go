// Profiles itself in every way that Go has, and writes the profiles into the directory that it is given.
package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var kept [][]byte

func main() {
	directory := os.Args[1]
	runtime.MemProfileRate = 512
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)

	cpu := create(directory, "cpu")
	if err := pprof.StartCPUProfile(cpu); err != nil {
		panic(err)
	}
	labels := pprof.Labels("trace_id", "5b8efff798038103d269b633813fc60c", "route", "/cart")
	pprof.Do(context.Background(), labels, func(context.Context) { spin(300 * time.Millisecond) })
	spin(100 * time.Millisecond)
	pprof.StopCPUProfile()
	cpu.Close()

	for i := 0; i < 500; i++ {
		kept = append(kept, make([]byte, 100+i))
	}
	contend()
	for _, name := range []string{"heap", "allocs", "goroutine", "threadcreate", "mutex", "block"} {
		file := create(directory, name)
		if err := pprof.Lookup(name).WriteTo(file, 0); err != nil {
			panic(err)
		}
		file.Close()
	}
}

func create(directory, name string) *os.File {
	file, err := os.Create(filepath.Join(directory, name+".pb.gz"))
	if err != nil {
		panic(err)
	}
	return file
}

func spin(limit time.Duration) {
	for start := time.Now(); time.Since(start) < limit; {
		fibonacci(20)
	}
}

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func contend() {
	var lock sync.Mutex
	var group sync.WaitGroup
	for i := 0; i < 4; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 20; j++ {
				lock.Lock()
				time.Sleep(time.Millisecond)
				lock.Unlock()
			}
		}()
	}
	group.Wait()
}
