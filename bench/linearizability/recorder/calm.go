package main

import (
	"sync/atomic"
	"time"
)

const (
	// calmInterval is the time from the start of one calm phase to the start of the next.
	calmInterval = 5 * time.Second
	calmDuration = 500 * time.Millisecond

	// calmLanes is the number of lanes whose writers run in calm phases.
	calmLanes = 2
)

// calm schedules phases in which few clients run. In such a phase, a call takes only a few
// milliseconds, so a read right after a write can reach a standby that is only slightly behind.
// Under load, the standby has usually caught up before the read arrives.
type calm struct {
	// end is closed at the end of a phase. It is nil between phases.
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

// wait waits until the current calm phase ends, unless the client may run during it.
func (c *calm) wait(isExempt bool) {
	if end := c.end.Load(); end != nil && !isExempt {
		<-*end
	}
}
