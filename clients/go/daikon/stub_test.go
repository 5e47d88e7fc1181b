package daikon

import (
	"context"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// stub is a gRPC server that evaluates batches with a function and fails changes with UNAVAILABLE.
type stub struct {
	daikonv1.UnimplementedAccessServiceServer
	daikonv1.UnimplementedPermissionServiceServer

	evaluate func(context.Context, *daikonv1.EvaluateBatchRequest) ([]bool, error)

	mu      sync.Mutex
	batches []*daikonv1.EvaluateBatchRequest
	changes int
}

func (s *stub) EvaluateBatch(
	ctx context.Context, request *daikonv1.EvaluateBatchRequest,
) (*daikonv1.EvaluateBatchResponse, error) {
	s.mu.Lock()
	s.batches = append(s.batches, request)
	s.mu.Unlock()
	results, err := s.evaluate(ctx, request)
	if err != nil {
		return nil, err
	}
	response := &daikonv1.EvaluateBatchResponse{}
	for _, result := range results {
		response.Evaluations = append(response.Evaluations, &daikonv1.Evaluation{Decision: result})
	}
	return response, nil
}

func (s *stub) fail() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	return status.Error(codes.Unavailable, "away")
}

func (s *stub) RevokeShare(context.Context, *daikonv1.ShareRequest) (*daikonv1.Acknowledgement, error) {
	return nil, s.fail()
}

func (s *stub) TransferOwnership(
	context.Context, *daikonv1.TransferOwnershipRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	return nil, s.fail()
}

func (s *stub) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// sizes returns the number of items of each batch.
func (s *stub) sizes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	sizes := make([]int, len(s.batches))
	for index, batch := range s.batches {
		sizes[index] = len(batch.GetEvaluations())
	}
	return sizes
}

// startStub starts a stub and creates a client for it.
func startStub(
	t *testing.T, evaluate func(context.Context, *daikonv1.EvaluateBatchRequest) ([]bool, error), options ...Option,
) (*Client, *stub) {
	t.Helper()
	server := &stub{evaluate: evaluate}
	address := serve(t, nil, func(registrar *grpc.Server) {
		daikonv1.RegisterAccessServiceServer(registrar, server)
		daikonv1.RegisterPermissionServiceServer(registrar, server)
	})
	return connectTo(t, address, options...), server
}

// serve starts a gRPC server and returns its address.
func serve(t *testing.T, tls credentials.TransportCredentials, register func(*grpc.Server)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.Creds(tls))
	register(server)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// connectTo creates a client with a timeout that tests do not reach, and closes it at the end of the test.
func connectTo(t *testing.T, address string, options ...Option) *Client {
	t.Helper()
	own := []Option{WithService("docs"), WithServiceKey("dk_stub"), WithTimeout(time.Minute)}
	client, err := New(address, append(own, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func document(id int) Resource { return Resource{Type: "document", ID: strconv.Itoa(id)} }

// evenIDs allows resources with an even ID.
func evenIDs(_ context.Context, request *daikonv1.EvaluateBatchRequest) ([]bool, error) {
	results := make([]bool, len(request.GetEvaluations()))
	for index, evaluation := range request.GetEvaluations() {
		id, err := strconv.Atoi(evaluation.GetResource().GetId())
		results[index] = err == nil && id%2 == 0
	}
	return results, nil
}

// waitUntil polls for a condition that does not depend on time.
func waitUntil(t *testing.T, condition func() bool) {
	t.Helper()
	for start := time.Now(); !condition(); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Error("the condition is still false after a minute")
			return
		}
	}
}

// queued returns the number of items that wait to be sent.
func (b *batcher) queued() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := 0
	for _, queue := range b.queue {
		count += len(queue.items)
	}
	return count
}

// start runs a function in a goroutine of a group.
func start(group *sync.WaitGroup, run func()) {
	group.Add(1)
	go func() {
		defer group.Done()
		run()
	}()
}
