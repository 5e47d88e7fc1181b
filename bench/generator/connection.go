package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"sync"
	"time"
)

// Frame types, flags and settings of HTTP/2 (RFC 9113).
const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	framePing         = 6
	frameGoAway       = 7
	frameWindowUpdate = 8

	flagEndStream = 1
	flagAck       = 1
	flagPadded    = 8

	settingInitialWindow = 4

	initialWindow = 65_535
	maxWindow     = 1<<31 - 1
	maxFrame      = 16_384
	headerLength  = 9
)

// connection keeps requests in flight on one HTTP/2 connection and verifies the responses. It
// ignores response headers, because a failed call returns no message and therefore does not match
// the expected response.
type connection struct {
	socket   net.Conn
	source   *source
	inFlight int
	fields   []uint64

	mutex  sync.Mutex
	output []byte
	calls  map[uint32]*call
	unused []*call
	// Calls whose bodies are waiting for a flow-control window of the server.
	blocked      []*call
	nextStream   uint32
	window       int
	streamWindow int
	received     int

	stopped   bool
	measuring bool
	latencies []time.Duration
	completed int
	wrong     int
}

type call struct {
	stream   uint32
	request  *request
	started  time.Time
	unsent   []byte
	window   int
	response []byte
}

func open(port int, from *source, inFlight int, fields []uint64) (*connection, error) {
	socket, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	c := &connection{
		socket:       socket,
		source:       from,
		inFlight:     inFlight,
		fields:       fields,
		calls:        make(map[uint32]*call),
		nextStream:   1,
		window:       initialWindow,
		streamWindow: initialWindow,
	}
	c.output = append(c.output, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"...)
	c.appendFrame(frameSettings, 0, 0, 6)
	c.output = binary.BigEndian.AppendUint16(c.output, settingInitialWindow)
	c.output = binary.BigEndian.AppendUint32(c.output, maxWindow)
	c.appendWindowUpdate(maxWindow - initialWindow)
	return c, nil
}

// run sends the first requests, then handles responses until the connection is stopped.
func (c *connection) run() error {
	c.mutex.Lock()
	err := c.fill(time.Now())
	c.mutex.Unlock()
	if err != nil {
		return err
	}
	buffer := make([]byte, 256<<10)
	length := 0
	for {
		count, err := c.socket.Read(buffer[length:])
		c.mutex.Lock()
		if c.stopped {
			c.mutex.Unlock()
			return nil
		}
		if err == nil {
			length += count
			var used int
			used, err = c.handle(buffer[:length], time.Now())
			length = copy(buffer, buffer[used:length])
		}
		c.mutex.Unlock()
		if err != nil {
			return err
		}
	}
}

// push sends another request, regardless of the number in flight.
func (c *connection) push() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err := c.send(time.Now()); err != nil {
		return err
	}
	return c.flush()
}

func (c *connection) startMeasuring() {
	c.mutex.Lock()
	c.measuring = true
	c.mutex.Unlock()
}

// stop closes the connection. It returns the latencies of the calls since startMeasuring, the
// number of all completed calls and the number of wrong responses.
func (c *connection) stop() ([]time.Duration, int, int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.stopped = true
	c.socket.Close()
	return c.latencies, c.completed, c.wrong
}

// handle processes the complete frames in a chunk and sends further requests. It returns the number
// of bytes processed.
func (c *connection) handle(chunk []byte, now time.Time) (int, error) {
	used := 0
	for len(chunk)-used >= headerLength {
		header := chunk[used : used+headerLength]
		length := int(header[0])<<16 | int(header[1])<<8 | int(header[2])
		if length > maxFrame {
			return 0, fmt.Errorf("the server sent a frame of %d bytes", length)
		}
		if len(chunk)-used < headerLength+length {
			break
		}
		payload := chunk[used+headerLength : used+headerLength+length]
		stream := binary.BigEndian.Uint32(header[5:]) & maxWindow
		if err := c.handleFrame(header[3], header[4], stream, payload, now); err != nil {
			return 0, err
		}
		used += headerLength + length
	}
	return used, c.fill(now)
}

func (c *connection) handleFrame(kind, flags byte, stream uint32, payload []byte, now time.Time) error {
	switch kind {
	case frameData:
		c.handleData(flags, stream, payload)
	case frameSettings:
		if flags&flagAck == 0 {
			c.handleSettings(payload)
		}
	case framePing:
		if flags&flagAck == 0 {
			c.appendFrame(framePing, flagAck, 0, len(payload))
			c.output = append(c.output, payload...)
		}
	case frameWindowUpdate:
		c.handleWindowUpdate(stream, int(binary.BigEndian.Uint32(payload)))
	case frameGoAway:
		return fmt.Errorf("the server closed the connection: %s", payload[min(8, len(payload)):])
	}
	ended := kind == frameReset || (kind == frameData || kind == frameHeaders) && flags&flagEndStream != 0
	if ended {
		c.complete(stream, now)
	}
	return nil
}

func (c *connection) handleData(flags byte, stream uint32, payload []byte) {
	c.received += len(payload)
	if c.received > maxWindow/2 {
		c.appendWindowUpdate(c.received)
		c.received = 0
	}
	if flags&flagPadded != 0 && len(payload) > 0 {
		payload = payload[1 : len(payload)-int(payload[0])]
	}
	if current := c.calls[stream]; current != nil {
		current.response = append(current.response, payload...)
	}
}

func (c *connection) handleSettings(payload []byte) {
	for ; len(payload) >= 6; payload = payload[6:] {
		if binary.BigEndian.Uint16(payload) != settingInitialWindow {
			continue
		}
		size := int(binary.BigEndian.Uint32(payload[2:]))
		for _, current := range c.calls {
			current.window += size - c.streamWindow
		}
		c.streamWindow = size
	}
	c.appendFrame(frameSettings, flagAck, 0, 0)
}

func (c *connection) handleWindowUpdate(stream uint32, size int) {
	if stream == 0 {
		c.window += size
	} else if current := c.calls[stream]; current != nil {
		current.window += size
	}
}

func (c *connection) complete(stream uint32, now time.Time) {
	current := c.calls[stream]
	if current == nil {
		return
	}
	delete(c.calls, stream)
	c.completed++
	if !current.request.matches(current.response, c.fields) {
		c.wrong++
	}
	if c.measuring {
		c.latencies = append(c.latencies, now.Sub(current.started))
	}
	if len(current.unsent) == 0 {
		c.unused = append(c.unused, current)
	}
}

// fill sends bodies that were waiting for a window, then requests until inFlight of them are in
// flight.
func (c *connection) fill(now time.Time) error {
	blocked := c.blocked
	c.blocked = nil
	for _, current := range blocked {
		if c.calls[current.stream] == current {
			c.sendBody(current)
		}
	}
	for len(c.calls) < c.inFlight {
		if err := c.send(now); err != nil {
			return err
		}
	}
	return c.flush()
}

func (c *connection) send(now time.Time) error {
	next, err := c.source.take()
	if err != nil {
		return err
	}
	var current *call
	if last := len(c.unused) - 1; last >= 0 {
		current = c.unused[last]
		c.unused = c.unused[:last]
	} else {
		current = &call{}
	}
	*current = call{
		stream:   c.nextStream,
		request:  next,
		started:  now,
		unsent:   next.body,
		window:   c.streamWindow,
		response: current.response[:0],
	}
	c.nextStream += 2
	c.calls[current.stream] = current
	start := len(c.output)
	c.output = append(c.output, next.head...)
	binary.BigEndian.PutUint32(c.output[start+5:], current.stream)
	c.sendBody(current)
	return nil
}

// sendBody sends as much of a body as the flow-control windows allow.
func (c *connection) sendBody(current *call) {
	for len(current.unsent) > 0 {
		length := min(len(current.unsent), maxFrame, c.window, current.window)
		if length <= 0 {
			c.blocked = append(c.blocked, current)
			return
		}
		var flags byte
		if length == len(current.unsent) {
			flags = flagEndStream
		}
		c.appendFrame(frameData, flags, current.stream, length)
		c.output = append(c.output, current.unsent[:length]...)
		current.unsent = current.unsent[length:]
		current.window -= length
		c.window -= length
	}
}

func (c *connection) flush() error {
	if len(c.output) == 0 {
		return nil
	}
	_, err := c.socket.Write(c.output)
	c.output = c.output[:0]
	return err
}

func (c *connection) appendWindowUpdate(size int) {
	c.appendFrame(frameWindowUpdate, 0, 0, 4)
	c.output = binary.BigEndian.AppendUint32(c.output, uint32(size))
}

// appendFrame appends the header of a frame. The caller appends the payload of `length` bytes.
func (c *connection) appendFrame(kind, flags byte, stream uint32, length int) {
	c.output = append(c.output, byte(length>>16), byte(length>>8), byte(length), kind, flags)
	c.output = binary.BigEndian.AppendUint32(c.output, stream)
}
