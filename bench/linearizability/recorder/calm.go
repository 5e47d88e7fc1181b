package main

import (
	"sync/atomic"
	"time"
)

const (
	// calmInterval is the time from the start of a calm phase to the next.
	calmInterval = 5 * time.Second
	calmDuration = 500 * time.Millisecond

	// calmLanes is the number of lanes whose writers run in calm phases.
	calmLanes = 2
)

// calm has phases in which few clients run. A call then takes a few milliseconds, so the read after a write finds
// a standby that is only a little late; under load, the standby has caught up before the read reaches it.
type calm struct {
	// end is closed at the end of a phase; it is nil outside of one.
	end atomic.Pointer[chan struct{}]
}

func (c *calm) repeat() {
	for {
		time.Sleep(calmInterval - calmDuration)
		end := make(chan struct{})
		c.end.Store(&end)
		time.Sleep(calmDuration)
		c.end.Store(nil)
		close(end)
	}
}

// wait waits for the end of a calm phase, unless the client runs in it.
func (c *calm) wait(isExempt bool) {
	if end := c.end.Load(); end != nil && !isExempt {
		<-*end
	}
}
