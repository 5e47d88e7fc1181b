package daikon

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// proxy forwards connections. After silence, those that exist stay open, but nothing arrives.
type proxy struct {
	address string

	mu    sync.Mutex
	conns []net.Conn
	muted map[net.Conn]bool
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{address: listener.Addr().String(), muted: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = listener.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, conn := range p.conns {
			_ = conn.Close()
		}
	})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, server)
			p.mu.Unlock()
			go p.forward(client, server)
			go p.forward(server, client)
		}
	}()
	return p
}

func (p *proxy) forward(source, sink net.Conn) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := source.Read(buffer)
		p.mu.Lock()
		isMuted := p.muted[source]
		p.mu.Unlock()
		if !isMuted {
			if _, writeErr := sink.Write(buffer[:n]); writeErr != nil {
				return
			}
		}
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
	}
}

func (p *proxy) silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		p.muted[conn] = true
	}
}

func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns) / 2
}

func TestReplacesConnectionAfterTwoDeadlines(t *testing.T) {
	address := serve(t, nil, func(registrar *grpc.Server) {
		daikonv1.RegisterAccessServiceServer(registrar, &stub{evaluate: evenIDs})
	})
	proxy := startProxy(t, address)
	// On a busy machine, the end of a call is noticed late.
	slowEnd := func(
		ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
		options ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, request, reply, conn, options...)
		time.Sleep(50 * time.Millisecond)
		return err
	}
	client := connectTo(t, proxy.address, WithDialOptions(grpc.WithUnaryInterceptor(slowEnd)))
	check := func(timeout time.Duration) error {
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		_, err := client.Check(ctx, Subject{UserID: "a"}, "view", document(2))
		return err
	}
	if err := check(30 * time.Second); err != nil {
		t.Fatal(err)
	}
	proxy.silence()
	for range 2 {
		if proxy.connections() != 1 {
			t.Fatal("the connection was replaced too early")
		}
		// The checks of one moment count once.
		var group sync.WaitGroup
		for range 3 {
			start(&group, func() {
				if err := check(200 * time.Millisecond); !errors.Is(err, ErrDeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	// Less than the 15 seconds after which pings find out.
	if err := check(9 * time.Second); err != nil {
		t.Fatal(err)
	}
	if proxy.connections() != 2 {
		t.Fatal(proxy.connections())
	}
}
