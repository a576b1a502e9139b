// A shop's service that Go's own net/http/pprof watches: it hashes, sorts, allocates and waits for locks all the time,
// partly under the labels of a trace. It prints "listening <url>" and ends on SIGTERM.
package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"syscall"
	"time"
)

var (
	kept  [][]byte
	stock sync.Mutex
	sink  int
)

func hashOrder(seed int) byte {
	sum := sha256.Sum256([]byte(fmt.Sprint(seed)))
	for range 300 {
		sum = sha256.Sum256(sum[:])
	}
	return sum[0]
}

func sortRows(seed int) int {
	rows := make([]int, 4_000)
	for i := range rows {
		rows[i] = (i*7919 + seed) % 4_001
	}
	slices.SortFunc(rows, func(a, b int) int { return b - a })
	return rows[0]
}

// Calls itself: what it takes with all it calls is counted once.
func priceOf(depth int) int {
	if depth < 2 {
		return depth
	}
	return priceOf(depth-1) + priceOf(depth-2)
}

func keepCart(size int) {
	stock.Lock()
	defer stock.Unlock()
	kept = append(kept, make([]byte, size))
	if len(kept) > 400 {
		kept = slices.Clone(kept[200:])
	}
	time.Sleep(200 * time.Microsecond)
}

func serveOrders() {
	for i := 0; ; i++ {
		sink += int(hashOrder(i)) + sortRows(i) + priceOf(18)
		keepCart(2_048 + i%7*1_024)
	}
}

func main() {
	runtime.MemProfileRate = 4_096
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	labels := pprof.Labels("trace_id", os.Getenv("TRACE_ID"), "span_id", os.Getenv("SPAN_ID"), "route", "/orders")
	go pprof.Do(context.Background(), labels, func(context.Context) { serveOrders() })
	go serveOrders()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, nil)
	fmt.Printf("listening http://%s\n", listener.Addr())
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	<-ended
}
