package daikon

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// occupy uses the only slot of a client with one in-flight call until release is called.
func occupy(t *testing.T, client *Client) (release func()) {
	t.Helper()
	if err := client.connection.acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	return client.connection.release
}

func TestConcurrentChecksShareABatch(t *testing.T) {
	client, server := startStub(t, evenIDs, WithMaxInFlight(1))
	release := occupy(t, client)
	var checks sync.WaitGroup
	for id := range 500 {
		start(&checks, func() {
			subject := Subject{Token: "e30.e30." + strings.Repeat("xxxx", id%7+1)}
			isAllowed, err := client.Check(t.Context(), subject, "view", document(id))
			if err != nil || isAllowed != (id%2 == 0) {
				t.Errorf("check %d: %v, %v", id, isAllowed, err)
			}
		})
	}
	waitUntil(t, func() bool { return client.batcher.queued() == 500 })
	release()
	checks.Wait()
	if sizes := server.sizes(); !slices.Equal(sizes, []int{500}) {
		t.Errorf("batches have %v items", sizes)
	}
	item := server.batches[0].GetEvaluations()[0]
	if item.GetSubject().GetType() != "access_token" || item.GetResource().GetType() != "docs:document" {
		t.Errorf("the first item is %v", item)
	}
}

func TestIdenticalChecksAreSentOnce(t *testing.T) {
	client, server := startStub(t, evenIDs, WithMaxInFlight(1))
	release := occupy(t, client)
	alice, bob := Subject{UserID: "alice"}, Subject{UserID: "bob"}
	checks := []Check{
		{alice, "view", document(2), nil},
		{alice, "view", document(2), nil},
		{Subject{Token: "alice"}, "view", document(2), nil},
		{bob, "view", document(2), nil},
		{alice, "edit", document(2), nil},
		{alice, "view", document(4), nil},
		{alice, "view", document(4), map[string]any{"amount": 1}},
		{alice, "view", document(4), map[string]any{"amount": 1}},
	}
	var running sync.WaitGroup
	for _, check := range append(checks, checks...) {
		start(&running, func() {
			input := InContext(check.Context)
			isAllowed, err := client.Check(t.Context(), check.Subject, check.Action, check.Resource, input)
			if !isAllowed {
				t.Errorf("%v: %v", check, err)
			}
		})
	}
	waitUntil(t, func() bool { return client.batcher.queued() == 6 && waiters(client) == 16 })
	release()
	running.Wait()
	if sizes := server.sizes(); !slices.Equal(sizes, []int{6}) {
		t.Errorf("batches have %v items", sizes)
	}
}

func TestManyIdenticalChecksOfOneSubjectAreSentOnce(t *testing.T) {
	client, server := startStub(t, evenIDs, WithMaxInFlight(1))
	checks := make([]Check, 200)
	for index := range checks {
		checks[index] = Check{Subject{UserID: "u"}, "view", document(index % 100), nil}
	}
	results, err := client.CheckMany(t.Context(), checks)
	if err != nil {
		t.Fatal(err)
	}
	for index, isAllowed := range results {
		if isAllowed != (index%2 == 0) {
			t.Errorf("check %d is %v", index, isAllowed)
		}
	}
	if sizes := server.sizes(); !slices.Equal(sizes, []int{100}) {
		t.Errorf("batches have %v items", sizes)
	}
}

func TestATokenIsNotReadIfOneOfItsChecksWasAllowed(t *testing.T) {
	client, _ := startStub(t, evenIDs)
	checks := []Check{
		{Subject{Token: "t"}, "view", document(1), nil},
		{Subject{Token: "t"}, "view", document(2), nil},
	}
	if results, err := client.CheckMany(t.Context(), checks); err != nil || results[0] || !results[1] {
		t.Errorf("%v, %v", results, err)
	}
	if _, err := client.CheckMany(t.Context(), checks[:1]); !errors.Is(err, ErrInvalidToken) {
		t.Error(err)
	}
}

func TestABatchHasTheChecksOfOneSubjectInARow(t *testing.T) {
	client, server := startStub(t, evenIDs, WithMaxInFlight(1))
	var checks []Check
	for id := range 2000 {
		checks = append(checks, Check{Subject{UserID: "many"}, "view", document(id), nil})
		if id < 10 {
			checks = append(checks,
				Check{Subject{UserID: "first"}, "view", document(id), nil},
				Check{Subject{UserID: "second"}, "view", document(id), nil})
		}
	}
	results, err := client.CheckMany(t.Context(), checks)
	if err != nil {
		t.Fatal(err)
	}
	for index, check := range checks {
		if id, _ := strconv.Atoi(check.Resource.ID); results[index] != (id%2 == 0) {
			t.Errorf("check %d: %v", index, results[index])
		}
	}
	// A subject with many checks delays no other.
	var runs [][]string
	for _, batch := range server.batches {
		var subjects []string
		for _, evaluation := range batch.GetEvaluations() {
			subjects = append(subjects, evaluation.GetSubject().GetId())
		}
		runs = append(runs, slices.Compact(subjects))
	}
	expected := [][]string{{"many"}, {"first", "second", "many"}, {"many"}}
	if !slices.EqualFunc(runs, expected, slices.Equal[[]string]) {
		t.Errorf("the subjects of the batches are %v", runs)
	}
}

func waiters(client *Client) int {
	client.batcher.mu.Lock()
	defer client.batcher.mu.Unlock()
	count := 0
	for _, queue := range client.batcher.queue {
		for _, item := range queue.items {
			count += len(item.waiters)
		}
	}
	return count
}

func TestACheckDoesNotUseTheResultOfABatchThatWasSentEarlier(t *testing.T) {
	var isAllowed atomic.Bool
	isAllowed.Store(true)
	var calls atomic.Int32
	released := make(chan struct{})
	client, server := startStub(t, func(context.Context, *daikonv1.EvaluateBatchRequest) ([]bool, error) {
		decision := isAllowed.Load()
		if calls.Add(1) == 1 {
			<-released
		}
		return []bool{decision}, nil
	})
	first := make(chan bool)
	go func() {
		allowed, _ := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(1))
		first <- allowed
	}()
	waitUntil(t, func() bool { return server.count() == 1 })
	isAllowed.Store(false)
	if second, err := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(1)); second || err != nil {
		t.Errorf("the second check returned %v, %v", second, err)
	}
	close(released)
	if !<-first {
		t.Error("the first check was denied")
	}
}

func TestBatchesAreLimited(t *testing.T) {
	client, server := startStub(t, evenIDs, WithMaxInFlight(1))
	checks := make([]Check, 2500)
	for id := range checks {
		checks[id] = Check{Subject{UserID: "u"}, "view", document(id), nil}
	}
	results, err := client.CheckMany(t.Context(), checks)
	if err != nil {
		t.Fatal(err)
	}
	for id, isAllowed := range results {
		if isAllowed != (id%2 == 0) {
			t.Fatalf("result %d is %v", id, isAllowed)
		}
	}
	if sizes := server.sizes(); !slices.Equal(sizes, []int{1000, 1000, 500}) {
		t.Errorf("batches have %v items", sizes)
	}
	for index := range 500 {
		checks[index].Subject = Subject{Token: "e30.e30." + strings.Repeat("x", 16_000)}
	}
	// Batches of more than 4 MiB would fail.
	if _, err := client.CheckMany(t.Context(), checks[:500]); err != nil {
		t.Error(err)
	}
	if count := server.count() - 3; count < 3 {
		t.Errorf("8 MB were sent in %d batches", count)
	}
}

// Runs more work than there are slots, including canceled and late calls. All calls end and free their slots.
func TestMoreWorkThanSlots(t *testing.T) {
	var running, most atomic.Int32
	client, _ := startStub(t, func(ctx context.Context, request *daikonv1.EvaluateBatchRequest) ([]bool, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for {
			if highest := most.Load(); now <= highest || most.CompareAndSwap(highest, now) {
				break
			}
		}
		time.Sleep(time.Millisecond)
		return evenIDs(ctx, request)
	}, WithMaxInFlight(2))
	var work sync.WaitGroup
	for id := range 1000 {
		start(&work, func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if id%5 == 0 {
				ctx, cancel = context.WithTimeout(ctx, time.Duration(rand.IntN(3000))*time.Microsecond)
				defer cancel()
			}
			switch {
			case id%100 == 3:
				if err := client.Revoke(ctx, document(id), Grantee{UserID: "u"}); err == nil {
					t.Error("the stub has no shares")
				}
			case id%3 == 0:
				checks := []Check{{Subject{UserID: "u"}, "view", document(id), nil}, {Subject{UserID: "u"}, "view", document(0), nil}}
				_, err := client.CheckMany(ctx, checks)
				requireDoneOrLate(t, err)
			default:
				isAllowed, err := client.Check(ctx, Subject{UserID: "u"}, "view", document(id))
				requireDoneOrLate(t, err)
				if err == nil && isAllowed != (id%2 == 0) {
					t.Errorf("check %d is %v", id, isAllowed)
				}
			}
		})
	}
	work.Wait()
	if highest := most.Load(); highest > 2 {
		t.Errorf("%d calls ran concurrently", highest)
	}
	if isAllowed, err := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(2)); !isAllowed {
		t.Errorf("afterwards: %v", err)
	}
	waitUntil(t, func() bool { return len(client.connection.slots) == 0 && client.batcher.queued() == 0 })
}

func requireDoneOrLate(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, ErrDeadlineExceeded) {
		t.Error(err)
	}
}

func TestChecksThatWaitForASlotFailAtTheirDeadline(t *testing.T) {
	client, server := startStub(t, evenIDs, WithMaxInFlight(1))
	release := occupy(t, client)
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := client.Check(ctx, Subject{UserID: "u"}, "view", document(2))
	if !errors.Is(err, ErrDeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err == nil || !strings.Contains(err.Error(), "WithMaxInFlight") {
		t.Error(err)
	}
	if server.count() != 0 {
		t.Error("the check was sent")
	}
}

func TestCallsAreRetriedOnlyAfterUnavailable(t *testing.T) {
	var failures []codes.Code
	client, server := startStub(t, func(ctx context.Context, request *daikonv1.EvaluateBatchRequest) ([]bool, error) {
		if len(failures) > 0 {
			code := failures[0]
			failures = failures[1:]
			return nil, status.Error(code, "an error of the stub")
		}
		return evenIDs(ctx, request)
	})
	check := func(expected error, calls int) {
		t.Helper()
		before := server.count()
		_, err := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(2))
		if !errors.Is(err, expected) {
			t.Error(err)
		}
		if count := server.count() - before; count != calls {
			t.Errorf("%d calls instead of %d", count, calls)
		}
	}
	failures = []codes.Code{codes.Unavailable, codes.Unavailable}
	check(nil, 3)
	failures = []codes.Code{codes.Unavailable, codes.Unavailable, codes.Unavailable}
	check(ErrUnavailable, 3)
	failures = []codes.Code{codes.ResourceExhausted}
	check(ErrResourceExhausted, 1)
}

func TestOnlyIdempotentChangesAreRetried(t *testing.T) {
	client, server := startStub(t, evenIDs)
	change := func(calls int, run func() error) {
		t.Helper()
		server.changes = 0
		if err := run(); !errors.Is(err, ErrUnavailable) {
			t.Error(err)
		}
		if server.changes != calls {
			t.Errorf("%d calls instead of %d", server.changes, calls)
		}
	}
	change(1, func() error { _, err := client.Transfer(t.Context(), document(1), "u", As("token")); return err })
	change(3, func() error { _, err := client.Transfer(t.Context(), document(1), "u"); return err })
	change(3, func() error { return client.Revoke(t.Context(), document(1), Grantee{UserID: "u"}) })
}

func TestACanceledContextCancelsOnlyItsOwnCheck(t *testing.T) {
	released := make(chan struct{})
	client, server := startStub(t, func(ctx context.Context, request *daikonv1.EvaluateBatchRequest) ([]bool, error) {
		<-released
		return evenIDs(ctx, request)
	}, WithMaxInFlight(1))
	release := occupy(t, client)
	ctx, cancel := context.WithCancel(t.Context())
	var canceled sync.WaitGroup
	for id := range 50 {
		start(&canceled, func() {
			_, err := client.Check(ctx, Subject{UserID: "u"}, "view", document(id))
			if !errors.Is(err, ErrCanceled) || !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	other := make(chan error)
	go func() {
		_, err := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(2))
		other <- err
	}()
	waitUntil(t, func() bool { return waiters(client) == 51 })
	release()
	waitUntil(t, func() bool { return server.count() == 1 })
	cancel()
	canceled.Wait()
	close(released)
	if err := <-other; err != nil {
		t.Error(err)
	}
	if _, err := client.Check(ctx, Subject{UserID: "u"}, "view", document(2)); !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
}

func TestACallIsCanceledWhenNoCallerWaitsForIt(t *testing.T) {
	ended := make(chan struct{}, 2)
	client, server := startStub(t, func(ctx context.Context, _ *daikonv1.EvaluateBatchRequest) ([]bool, error) {
		<-ctx.Done()
		ended <- struct{}{}
		return nil, ctx.Err()
	}, WithMaxInFlight(1))
	check := func(ctx context.Context, id int) {
		checks := []Check{{Subject{UserID: "u"}, "view", document(id), nil}, {Subject{UserID: "u"}, "view", document(id), nil}}
		if _, err := client.CheckMany(ctx, checks); !errors.Is(err, ErrCanceled) {
			t.Error(err)
		}
	}
	// A batch of one operation, and a batch of two.
	for calls, operations := range []int{1, 2} {
		release := occupy(t, client)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for id := range operations {
			start(&running, func() { check(ctx, id) })
		}
		waitUntil(t, func() bool { return waiters(client) == 2*operations })
		release()
		waitUntil(t, func() bool { return server.count() == calls+1 })
		cancel()
		running.Wait()
		<-ended
	}
	// A batch that is sent in its caller's goroutine.
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	start(&running, func() { check(ctx, 1) })
	waitUntil(t, func() bool { return server.count() == 3 })
	cancel()
	running.Wait()
	<-ended
}

func TestCloseCancelsRunningCallsAndRejectsLaterOnes(t *testing.T) {
	client, server := startStub(t, func(ctx context.Context, _ *daikonv1.EvaluateBatchRequest) ([]bool, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}, WithMaxInFlight(1))
	check := func(id int, result chan<- error) {
		_, err := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(id))
		result <- err
	}
	results := make(chan error, 3)
	go check(1, results)
	waitUntil(t, func() bool { return server.count() == 1 })
	go check(2, results)
	waitUntil(t, func() bool { return client.batcher.queued() == 1 })
	go func() { results <- client.Revoke(t.Context(), document(1), Grantee{UserID: "u"}) }()
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	for range 3 {
		if err := <-results; !errors.Is(err, ErrCanceled) {
			t.Error(err)
		}
	}
	check(3, results)
	if err := <-results; !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
	if _, err := client.VerifyAccessToken(t.Context(), "a.b.c"); !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestCallsToAServerThatNeverRespondsFailAtTheDeadline(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	client := connectTo(t, silent.Addr().String(), WithTimeout(100*time.Millisecond))
	_, errCheck := client.Check(t.Context(), Subject{UserID: "u"}, "view", document(1))
	errRevoke := client.Revoke(t.Context(), document(1), Grantee{UserID: "u"})
	_, errVerify := client.VerifyAccessToken(t.Context(), signedToken(t, nil))
	for _, err := range []error{errCheck, errRevoke, errVerify} {
		if !errors.Is(err, ErrDeadlineExceeded) {
			t.Error(err)
		}
		if err != nil && !strings.Contains(err.Error(), "check address") {
			t.Error(err)
		}
	}
}
