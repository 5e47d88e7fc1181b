// Package daikontest provides an in-memory daikon for tests. It applies the same rules as the server.
//
//	fake := daikontest.New(t, daikontest.World{
//		Members: []daikontest.Member{{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleEditor}},
//	})
//	app := newApp(fake.Client)
//	token := fake.Token(alice, acme)
package daikontest

import (
	"context"
	"net"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// Fake is a client connected to an in-memory server. The server stores what tests register, share and revoke.
type Fake struct {
	*daikon.Client

	server     *server
	grpcServer *grpc.Server
}

// New starts a fake that stops at the end of the test. It accepts client options such as [daikon.WithTimeout].
func New(t testing.TB, world World, options ...daikon.Option) *Fake {
	t.Helper()
	fake, err := Start(world, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fake.Stop)
	return fake
}

// Start starts a fake outside a test. Call Stop when you no longer need it. It returns an error if the world refers to
// something that it does not contain.
func Start(world World, options ...daikon.Option) (*Fake, error) {
	state, err := newState(world)
	if err != nil {
		return nil, err
	}
	listener := bufconn.Listen(1 << 20)
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	own := []daikon.Option{
		daikon.WithService(state.service),
		daikon.WithDevelopmentMode(),
		daikon.WithPlaintext(),
		daikon.WithDialOptions(grpc.WithContextDialer(dial)),
	}
	client, err := daikon.New("passthrough:daikontest", append(own, options...)...)
	if err != nil {
		return nil, err
	}
	fake := &Fake{Client: client, server: newServer(state)}
	// Accepts the pings of the client, which the default would answer with GOAWAY.
	pings := grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Second, PermitWithoutStream: true})
	fake.grpcServer = grpc.NewServer(grpc.UnaryInterceptor(fake.server.intercept), pings)
	fake.server.register(fake.grpcServer)
	go func() { _ = fake.grpcServer.Serve(listener) }()
	return fake, nil
}

// Stop closes the client and stops the server.
func (f *Fake) Stop() {
	_ = f.Client.Close()
	f.grpcServer.Stop()
}

// RevokeToken makes the fake treat a token as revoked.
func (f *Fake) RevokeToken(token string) {
	f.server.mu.Lock()
	defer f.server.mu.Unlock()
	f.server.revoked[token] = true
}

// FailWith makes every operation that calls the server fail with the error, until Recover is called:
//
//	fake.FailWith(&daikon.Error{Code: daikon.CodeUnavailable, Reason: "UNREACHABLE"})
//
// The client retries calls after CodeUnavailable, as it does with a real server.
func (f *Fake) FailWith(err *daikon.Error) {
	f.server.mu.Lock()
	defer f.server.mu.Unlock()
	f.server.failure = err
}

// Delay makes the server wait before every call, until Recover is called. Deadlines apply.
func (f *Fake) Delay(delay time.Duration) {
	f.server.mu.Lock()
	defer f.server.mu.Unlock()
	f.server.delay = delay
}

// Recover ends FailWith and Delay.
func (f *Fake) Recover() {
	f.server.mu.Lock()
	defer f.server.mu.Unlock()
	f.server.failure, f.server.delay = nil, 0
}
