// Command generator applies load to a gRPC server with prepared requests. It reads jobs from
// standard input and writes their results to standard output, one JSON object per line; see
// ../load-generator.ts.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"time"
)

// job describes the load of one measurement.
type job struct {
	Port int `json:"port"`
	// Files contain prepared requests. They are assigned to the connections in turn.
	Files    []string `json:"files"`
	Seconds  float64  `json:"seconds"`
	InFlight int      `json:"inFlight"`
	// Pace is the number of requests per second in an open loop. If it is 0, the loop is closed.
	Pace float64 `json:"pace"`
	// Once causes each request to be sent at most once. The job fails if there are too few.
	Once bool `json:"once"`
	// Fields are the top-level fields of a response to compare, in any order.
	Fields []uint64 `json:"fields"`
}

// result contains latencies in milliseconds and CPU time in microseconds. Calls, Wrong and
// GeneratorCPU include the warm-up.
type result struct {
	Rate         float64 `json:"rate"`
	P50          float64 `json:"p50"`
	P99          float64 `json:"p99"`
	Calls        int     `json:"calls"`
	Wrong        int     `json:"wrong"`
	GeneratorCPU int64   `json:"generatorCpu"`
}

const maxConnections = 4
const warmUp = 500 * time.Millisecond

func main() {
	// One core suffices to generate the load, and the server needs the others.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var next job
		if err := json.Unmarshal(input.Bytes(), &next); err != nil {
			fail(err)
		}
		measured, err := next.run()
		if err != nil {
			fail(err)
		}
		if err := output.Encode(measured); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "generator:", err)
	os.Exit(1)
}

func (j job) run() (result, error) {
	sources := make([]*source, len(j.Files))
	for i, file := range j.Files {
		requests, err := readRequests(file, j.Fields)
		if err != nil {
			return result{}, err
		}
		sources[i] = &source{file: file, requests: requests, once: j.Once}
	}
	count := min(maxConnections, j.InFlight)
	perConnection := (j.InFlight + max(count, 1) - 1) / max(count, 1)
	if j.Pace > 0 {
		count, perConnection = maxConnections, 0
	}
	runtime.GC()
	cpuBefore := cpuTime()
	connections := make([]*connection, count)
	failures := make(chan error, count+1)
	for i := range connections {
		c, err := open(j.Port, sources[i%len(sources)], perConnection, j.Fields)
		if err != nil {
			return result{}, err
		}
		connections[i] = c
		go func() { failures <- c.run() }()
	}
	stopPacing := make(chan struct{})
	if j.Pace > 0 {
		go pace(connections, j.Pace, stopPacing, failures)
	}
	if err := wait(warmUp, failures); err != nil {
		return result{}, err
	}
	for _, c := range connections {
		c.startMeasuring()
	}
	started := time.Now()
	if err := wait(time.Duration(j.Seconds*float64(time.Second)), failures); err != nil {
		return result{}, err
	}
	elapsed := time.Since(started).Seconds()
	close(stopPacing)
	var latencies []time.Duration
	measured := result{}
	for _, c := range connections {
		own, calls, wrong := c.stop()
		latencies = append(latencies, own...)
		measured.Calls += calls
		measured.Wrong += wrong
	}
	measured.GeneratorCPU = cpuTime() - cpuBefore
	slices.Sort(latencies)
	measured.Rate = float64(len(latencies)) / elapsed
	measured.P50 = quantile(latencies, 0.5)
	measured.P99 = quantile(latencies, 0.99)
	return measured, nil
}

func wait(duration time.Duration, failures <-chan error) error {
	select {
	case <-time.After(duration):
		return nil
	case err := <-failures:
		return err
	}
}

// pace sends requests when they are due, distributed evenly over the connections.
func pace(connections []*connection, perSecond float64, stop <-chan struct{}, failures chan<- error) {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	started := time.Now()
	for sent := 0; ; {
		select {
		case <-stop:
			return
		case now := <-ticker.C:
			for due := int(now.Sub(started).Seconds() * perSecond); sent < due; sent++ {
				if err := connections[sent%len(connections)].push(); err != nil {
					failures <- err
					return
				}
			}
		}
	}
}

func quantile(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[int(float64(len(sorted))*share)].Nanoseconds()) / 1e6
}

// cpuTime returns the CPU time of this process in microseconds.
func cpuTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	return (usage.Utime.Sec+usage.Stime.Sec)*1e6 + int64(usage.Utime.Usec) + int64(usage.Stime.Usec)
}
