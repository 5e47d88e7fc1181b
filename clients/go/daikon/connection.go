package daikon

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
)

const (
	maxAttempts = 3

	// retryDelay is the maximum delay before the first retry; the minimum is half of it. Each further delay is twice
	// as long.
	retryDelay = 50 * time.Millisecond
)

// connection sends calls over one HTTP/2 connection, which the first call opens. At most cap(slots) calls run
// concurrently.
type connection struct {
	address    string
	usesTLS    bool
	grpc       *replaceableConn
	serviceKey string
	timeout    time.Duration
	slots      chan struct{}
	closed     chan struct{}
	closeOnce  sync.Once
}

// call describes how to send a call.
type call struct {
	// token is the access token to send, if any.
	token string
	// isRepeatable reports whether the call may run twice.
	isRepeatable bool
	// succeededBefore is the error reason that means an earlier attempt succeeded.
	succeededBefore string
}

func newConnection(address string, o *options) (*connection, error) {
	transport := o.credentials(address)
	dialOptions := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay:  100 * time.Millisecond,
				Multiplier: 1.6,
				Jitter:     0.2,
				MaxDelay:   5 * time.Second,
			},
			MinConnectTimeout: 20 * time.Second,
		}),
		// Detects broken connections, and keeps load balancers from closing idle ones.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time:                10 * time.Second,
			Timeout:             5 * time.Second,
			PermitWithoutStream: true,
		}),
	}
	client, err := newReplaceableConn(func() (*grpc.ClientConn, error) {
		return grpc.NewClient(address, append(dialOptions, o.dialOptions...)...)
	})
	if err != nil {
		return nil, invalidArgument(Field{"address", "is not an address of gRPC: " + err.Error()})
	}
	return &connection{
		address:    address,
		usesTLS:    transport.Info().SecurityProtocol == "tls",
		grpc:       client,
		serviceKey: o.serviceKey,
		timeout:    o.timeout,
		slots:      make(chan struct{}, o.maxInFlight),
		closed:     make(chan struct{}),
	}, nil
}

// withTimeout adds the client's timeout to a context without a deadline.
func (c *connection) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, c.timeout)
}

// invoke sends a call when a slot is free, within the deadline of ctx or the timeout of the client.
func (c *connection) invoke(ctx context.Context, how call, send func(context.Context, ...grpc.CallOption) error) error {
	if how.token != "" {
		if err := requireToken(how.token); err != nil {
			return err
		}
	}
	ctx, cancel := c.withTimeout(ctx)
	defer cancel()
	if err := c.acquire(ctx); err != nil {
		return err
	}
	defer c.release()
	if err := c.send(ctx, how, send); err != nil {
		return err
	}
	return nil
}

// acquire waits for a slot. The caller must release it.
func (c *connection) acquire(ctx context.Context) *Error {
	if c.isClosed() {
		return closedError()
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-c.closed:
		return closedError()
	case <-ctx.Done():
		if ctx.Err() == context.Canceled {
			return canceledError(context.Cause(ctx))
		}
		return queueDeadlineError()
	}
}

// tryAcquire takes a slot if one is free.
func (c *connection) tryAcquire() bool {
	select {
	case c.slots <- struct{}{}:
		return true
	default:
		return false
	}
}

func (c *connection) release() { <-c.slots }

// send makes a call, and retries it after UNAVAILABLE if it may run twice. The caller must hold a slot.
func (c *connection) send(ctx context.Context, how call, send func(context.Context, ...grpc.CallOption) error) *Error {
	outgoing := metadata.NewOutgoingContext(ctx, c.metadata(how.token))
	for attempt := 1; ; attempt++ {
		var trailer metadata.MD
		failure := send(outgoing, grpc.Trailer(&trailer))
		if failure == nil {
			return nil
		}
		err := c.convertError(ctx, failure, trailer)
		if attempt > 1 && how.succeededBefore != "" && err.Reason == how.succeededBefore {
			return nil
		}
		isRetryable := how.isRepeatable && err.Code == CodeUnavailable && err.Reason != "TLS_FAILED"
		if !isRetryable || attempt == maxAttempts {
			return err
		}
		delay := time.Duration(float64(retryDelay<<(attempt-1)) * (0.5 + rand.Float64()/2))
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
			return err
		}
		if interrupted := c.sleep(ctx, delay); interrupted != nil {
			return interrupted
		}
	}
}

func (c *connection) sleep(ctx context.Context, delay time.Duration) *Error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.closed:
		return closedError()
	case <-ctx.Done():
		return c.contextError(ctx)
	}
}

func (c *connection) metadata(token string) metadata.MD {
	md := metadata.MD{}
	if c.serviceKey != "" {
		md.Set("x-service-key", c.serviceKey)
	}
	if token != "" {
		md.Set("authorization", "Bearer "+token)
	}
	return md
}

// contextError returns the error of a call whose context ended while the call ran.
func (c *connection) contextError(ctx context.Context) *Error {
	if ctx.Err() == context.Canceled {
		return canceledError(context.Cause(ctx))
	}
	return c.responseDeadlineError()
}

func (c *connection) responseDeadlineError() *Error {
	if c.grpc.GetState() != connectivity.Ready {
		return deadlineError("daikon did not respond before the deadline. No connection to " + c.address +
			" so far: check address, network and firewall.")
	}
	return deadlineError("daikon did not respond before the deadline. Check the load of daikon and its " +
		"database, or raise WithTimeout or the deadline of the context.")
}

func (c *connection) isClosed() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// close fails all calls.
func (c *connection) close() error {
	var err error
	c.closeOnce.Do(func() {
		close(c.closed)
		err = c.grpc.Close()
	})
	return err
}
