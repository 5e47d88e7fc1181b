package daikon

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// countingStub allows every check and counts calls.
type countingStub struct {
	daikonv1.UnimplementedAccessServiceServer
	calls atomic.Int64
}

func (s *countingStub) Evaluate(context.Context, *daikonv1.EvaluateRequest) (*daikonv1.Evaluation, error) {
	s.calls.Add(1)
	return &daikonv1.Evaluation{Decision: true}, nil
}

func (s *countingStub) EvaluateBatch(
	_ context.Context, request *daikonv1.EvaluateBatchRequest,
) (*daikonv1.EvaluateBatchResponse, error) {
	s.calls.Add(1)
	evaluations := make([]*daikonv1.Evaluation, len(request.GetEvaluations()))
	for index := range evaluations {
		evaluations[index] = &daikonv1.Evaluation{Decision: true}
	}
	return &daikonv1.EvaluateBatchResponse{Evaluations: evaluations}, nil
}

func startBench(b *testing.B) (*Client, *countingStub) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	stub := &countingStub{}
	server := grpc.NewServer()
	daikonv1.RegisterAccessServiceServer(server, stub)
	go func() { _ = server.Serve(listener) }()
	client, err := New(listener.Addr().String(), WithService("docs"), WithDevelopmentMode())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = client.Close()
		server.Stop()
	})
	if _, err := client.Check(b.Context(), Subject{UserID: "u"}, "view", document(1)); err != nil {
		b.Fatal(err)
	}
	stub.calls.Store(0)
	return client, stub
}

// BenchmarkLoneCheck makes one check at a time. Compare with BenchmarkUnaryCall.
func BenchmarkLoneCheck(b *testing.B) {
	client, _ := startBench(b)
	for b.Loop() {
		if _, err := client.Check(b.Context(), Subject{UserID: "u"}, "view", document(1)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUnaryCall uses only the generated code.
func BenchmarkUnaryCall(b *testing.B) {
	client, _ := startBench(b)
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	for b.Loop() {
		if _, err := client.access.Evaluate(ctx, unaryRequest()); err != nil {
			b.Fatal(err)
		}
	}
}

func unaryRequest() *daikonv1.EvaluateRequest {
	return &daikonv1.EvaluateRequest{
		Subject:  &daikonv1.AccessSubject{Type: "user", Id: "u"},
		Action:   &daikonv1.AccessAction{Name: "view"},
		Resource: &daikonv1.AccessResource{Type: "docs:document", Id: "1"},
	}
}

// BenchmarkConcurrentChecks runs 500 goroutines, each of which makes one check at a time.
func BenchmarkConcurrentChecks(b *testing.B) {
	client, stub := startBench(b)
	var lastID atomic.Int64 // identical checks would share an item
	b.SetParallelism(500)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			resource := document(int(lastID.Add(1)))
			if _, err := client.Check(b.Context(), Subject{UserID: "u"}, "view", resource); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/float64(stub.calls.Load()), "checks/call")
}

// BenchmarkConcurrentUnaryCalls is the baseline: the same concurrency through the generated stub.
func BenchmarkConcurrentUnaryCalls(b *testing.B) {
	client, _ := startBench(b)
	b.SetParallelism(500)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := client.access.Evaluate(b.Context(), unaryRequest()); err != nil {
				b.Error(err)
			}
		}
	})
}
