package daikon

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"
)

// maxMissed is the number of deadlines after which a connection is replaced. Pings would take longer to find out that
// nothing arrives any more.
const maxMissed = 2

// replaceableConn sends calls over one connection, and opens another if calls keep meeting their deadlines on it.
type replaceableConn struct {
	open func() (*grpc.ClientConn, error)

	mu      sync.Mutex
	current *carrier
	// all has the current connection and the replaced ones that still carry calls.
	all map[*carrier]struct{}
	// isClosed reports whether close was called.
	isClosed bool
}

// carrier is a connection. The mutex of its replaceableConn guards it.
type carrier struct {
	conn    *grpc.ClientConn
	running int
	// missed is the number of deadlines that calls have met since the last response, the last one at missedAt.
	missed   int
	missedAt time.Time
}

func newReplaceableConn(open func() (*grpc.ClientConn, error)) (*replaceableConn, error) {
	conn, err := open()
	if err != nil {
		return nil, err
	}
	current := &carrier{conn: conn}
	return &replaceableConn{open: open, current: current, all: map[*carrier]struct{}{current: {}}}, nil
}

// Invoke implements [grpc.ClientConnInterface].
func (r *replaceableConn) Invoke(
	ctx context.Context, method string, request, response any, options ...grpc.CallOption,
) error {
	used := r.begin()
	startedAt := time.Now()
	err := used.conn.Invoke(ctx, method, request, response, options...)
	r.observe(ctx, used, startedAt, err)
	r.end(used)
	return err
}

// NewStream implements [grpc.ClientConnInterface].
func (r *replaceableConn) NewStream(
	ctx context.Context, description *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	used := r.begin()
	stream, err := used.conn.NewStream(ctx, description, method, options...)
	if err != nil {
		r.end(used)
		return nil, err
	}
	context.AfterFunc(stream.Context(), func() { r.end(used) })
	return stream, nil
}

func (r *replaceableConn) begin() *carrier {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current.running++
	return r.current
}

// end closes a connection that was replaced once it carries no calls.
func (r *replaceableConn) end(used *carrier) {
	r.mu.Lock()
	defer r.mu.Unlock()
	used.running--
	if used != r.current && used.running == 0 && !r.isClosed {
		delete(r.all, used)
		_ = used.conn.Close()
	}
}

// observe opens another connection if calls keep meeting their deadlines on this one.
func (r *replaceableConn) observe(ctx context.Context, used *carrier, startedAt time.Time, err error) {
	deadline, hasDeadline := ctx.Deadline()
	isLate := hasDeadline && !time.Now().Before(deadline)
	code := status.Code(err)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case code == codes.Canceled && !isLate:
		return
	case code != codes.Canceled && code != codes.DeadlineExceeded:
		used.missed = 0
		return
	case startedAt.Before(used.missedAt):
		return // calls that ran at the same time count once
	}
	used.missed++
	used.missedAt = time.Now()
	if used.missed < maxMissed || used != r.current || r.isClosed {
		return
	}
	conn, openErr := r.open()
	if openErr != nil {
		return
	}
	r.current = &carrier{conn: conn}
	r.all[r.current] = struct{}{}
}

// GetState returns the state of the current connection.
func (r *replaceableConn) GetState() connectivity.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current.conn.GetState()
}

// Close fails all calls.
func (r *replaceableConn) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isClosed = true
	var failures []error
	for used := range r.all {
		failures = append(failures, used.conn.Close())
	}
	return errors.Join(failures...)
}
