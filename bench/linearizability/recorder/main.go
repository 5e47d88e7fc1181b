// Command recorder runs clients that change and read access through several nodes, records their
// calls as histories, and verifies with porcupine that each history is linearizable. Each history
// is verified as soon as it is complete and then discarded. The command reads a job and then lanes
// from standard input, and writes its progress to standard output, one JSON object per line; see
// ../recorder.ts. It stops at the end of its input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
	"google.golang.org/grpc/codes"
)

// maxDescribed is the maximum number of rejected histories to print.
const maxDescribed = 3

// progressInterval is the time between lines of progress.
const progressInterval = 100 * time.Millisecond

// maxWaitingLanes exceeds the number of lanes that are sent ahead, so that the reader never blocks
// and always notices the end of the input.
const maxWaitingLanes = 10_000

// job is the first line of the input.
type job struct {
	Ports []int `json:"ports"`
	// Lanes is the number of lanes that run concurrently.
	Lanes   int `json:"lanes"`
	Service struct {
		Name string `json:"name"`
		Key  string `json:"key"`
	} `json:"service"`
	// AdminTokens belong to several administrators, because a call that changes a user locks its
	// caller.
	AdminTokens []string `json:"adminTokens"`
}

// progress is a line of the output.
type progress struct {
	Operations int64 `json:"operations"`
	// Lanes is the number of lanes that have been used.
	Lanes     int64            `json:"lanes"`
	Histories int64            `json:"histories"`
	Rejected  int64            `json:"rejected"`
	Failures  map[string]int64 `json:"failures"`
	Finished  bool             `json:"finished"`
}

type recorder struct {
	job        job
	nodes      []*node
	start      time.Time
	isStopping atomic.Bool
	calm       calm
	operations atomic.Int64
	lanes      atomic.Int64
	histories  atomic.Int64
	rejected   atomic.Int64
	// failures counts failed calls by status code.
	failures [codes.Unauthenticated + 1]atomic.Int64
}

func main() {
	input := json.NewDecoder(bufio.NewReader(os.Stdin))
	r := &recorder{start: time.Now()}
	if err := input.Decode(&r.job); err != nil {
		fail(err)
	}
	for _, port := range r.job.Ports {
		n, err := connect(port)
		if err != nil {
			fail(err)
		}
		r.nodes = append(r.nodes, n)
	}
	lanes := make(chan objects, maxWaitingLanes)
	go func() {
		defer close(lanes)
		defer r.isStopping.Store(true)
		for {
			var next objects
			if err := input.Decode(&next); err != nil {
				return
			}
			lanes <- next
		}
	}()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		r.run(lanes)
	}()
	output := json.NewEncoder(os.Stdout)
	ticker := time.NewTicker(progressInterval)
	for {
		select {
		case <-ticker.C:
			_ = output.Encode(r.progress(false))
		case <-finished:
			if err := output.Encode(r.progress(true)); err != nil {
				fail(err)
			}
			return
		}
	}
}

func (r *recorder) run(lanes <-chan objects) {
	go r.calm.repeat()
	runAll(r.job.Lanes, func(index int) {
		for next := range lanes {
			if r.isStopping.Load() {
				return
			}
			r.lanes.Add(1)
			newLane(r, index, next).run()
		}
	})
}

// runAll calls `work` concurrently with the indexes from 0 to count-1 and waits until all calls
// have returned.
func runAll(count int, work func(index int)) {
	var running sync.WaitGroup
	for index := range count {
		running.Add(1)
		go func() {
			defer running.Done()
			work(index)
		}()
	}
	running.Wait()
}

// verify counts a history as rejected if it is not linearizable, or if this cannot be determined
// within five minutes.
func (r *recorder) verify(history []porcupine.Operation, lane int) {
	if len(history) == 0 {
		return
	}
	r.histories.Add(1)
	result := porcupine.CheckOperationsTimeout(model, slices.Clone(history), 5*time.Minute)
	if result == porcupine.Ok {
		return
	}
	if r.rejected.Add(1) <= maxDescribed {
		fmt.Fprintf(os.Stderr, "lane %d with %d operations: %s\n", lane, len(history), result)
		describe(history)
	}
}

// isKnown counts a failed call and reports whether its code, one of `known`, determines its outcome. Otherwise, it
// waits, so that an unavailable node is not called in a tight loop.
func (r *recorder) isKnown(code codes.Code, known ...codes.Code) bool {
	if code == codes.OK {
		return true
	}
	r.failures[code].Add(1)
	if slices.Contains(known, code) {
		return true
	}
	time.Sleep(retryDelay)
	return false
}

// now returns the time since the start in nanoseconds, from a monotonic clock.
func (r *recorder) now() int64 {
	return time.Since(r.start).Nanoseconds()
}

func (r *recorder) progress(isFinished bool) progress {
	failures := map[string]int64{}
	for code := range r.failures {
		if count := r.failures[code].Load(); count > 0 {
			failures[codes.Code(code).String()] = count
		}
	}
	return progress{
		Operations: r.operations.Load(),
		Lanes:      r.lanes.Load(),
		Histories:  r.histories.Load(),
		Rejected:   r.rejected.Load(),
		Failures:   failures,
		Finished:   isFinished,
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}
