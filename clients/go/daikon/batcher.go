package daikon

import (
	"context"
	"runtime"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

const (
	// maxBatchItems is the server's limit.
	maxBatchItems = 1000

	// maxBatchBytes is below the 4 MiB that the server accepts.
	maxBatchBytes = 3 << 20

	// itemOverhead is the maximum size of an encoded item without its strings.
	itemOverhead = 40
)

// batcher sends the checks of concurrent goroutines in shared calls. It sends the queue as soon as the connection has
// a free slot. Checks that start while all slots are taken share the next batch.
type batcher struct {
	connection *connection
	service    string
	client     daikonv1.AccessServiceClient

	mu sync.Mutex
	// queue has the subjects of unsent items in the order of their next turn. A batch takes the items of one subject
	// after the other, because the server verifies each subject of a batch.
	queue    []*subjectQueue
	subjects map[subjectName]*subjectQueue
	unsent   map[itemKey]*batchItem
	sending  bool
	isClosed bool
}

// itemKey identifies a check. Identical checks that have not been sent yet share an item.
type itemKey struct {
	subject      subjectName
	action       string
	resourceType string
	resourceID   string
	// context is JSON; empty if there is none.
	context string
}

// subjectQueue has the unsent items of a subject.
type subjectQueue struct {
	subject subjectName
	items   []*batchItem
}

type batchItem struct {
	key     itemKey
	waiters []waiter
	batch   *batch
}

// waiter is one result that a pending operation waits for.
type waiter struct {
	pending *pendingChecks
	index   int
}

// pendingChecks is a Check or CheckMany that waits for its results. The batcher's mutex guards every field except
// done.
type pendingChecks struct {
	deadline  time.Time
	items     []*batchItem
	results   []bool
	missing   int
	err       *Error
	isSettled bool
	done      chan struct{}
}

// batch is a running call, with the number of its items that an operation still waits for.
type batch struct {
	items   []*batchItem
	waiting int
	ctx     context.Context
	cancel  context.CancelFunc
}

func newBatcher(connection *connection, service string) *batcher {
	return &batcher{
		connection: connection,
		service:    service,
		client:     daikonv1.NewAccessServiceClient(connection.grpc),
		subjects:   map[subjectName]*subjectQueue{},
		unsent:     map[itemKey]*batchItem{},
	}
}

// check returns the results of the checks, in order. input is the context of checks without their own.
func (b *batcher) check(ctx context.Context, checks []Check, input map[string]any) ([]bool, error) {
	keys := make([]itemKey, len(checks))
	for index, check := range checks {
		key, err := newItemKey(check, input)
		if err != nil {
			return nil, err
		}
		keys[index] = key
	}
	ctx, cancel := b.connection.withTimeout(ctx)
	defer cancel()
	if ctx.Err() == context.Canceled {
		return nil, canceledError(context.Cause(ctx))
	}
	if ctx.Err() != nil {
		return nil, queueDeadlineError()
	}
	pending, isFirst, err := b.add(ctx, keys)
	if err != nil {
		return nil, err
	}
	if isFirst {
		b.start(ctx, pending)
	}
	select {
	case <-pending.done:
	case <-ctx.Done():
		b.leave(ctx, pending)
	}
	if pending.err != nil {
		return nil, pending.err
	}
	return pending.results, nil
}

func newItemKey(check Check, input map[string]any) (itemKey, error) {
	subject, err := nameSubject(check.Subject)
	if err != nil {
		return itemKey{}, err
	}
	if err := requireAction(check.Action); err != nil {
		return itemKey{}, err
	}
	if err := requireResource(check.Resource); err != nil {
		return itemKey{}, err
	}
	if check.Context != nil {
		input = check.Context
	}
	encoded, invalid := encodeObject("context", input)
	if invalid != nil {
		return itemKey{}, invalid
	}
	return itemKey{subject, check.Action, check.Resource.Type, check.Resource.ID, encoded}, nil
}

// add appends checks to the queue. If isFirst, the caller must start to send it.
func (b *batcher) add(ctx context.Context, keys []itemKey) (pending *pendingChecks, isFirst bool, err error) {
	deadline, _ := ctx.Deadline()
	pending = &pendingChecks{
		deadline: deadline,
		items:    make([]*batchItem, len(keys)),
		results:  make([]bool, len(keys)),
		missing:  len(keys),
		done:     make(chan struct{}),
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed {
		return nil, false, closedError()
	}
	for index, key := range keys {
		item := b.unsent[key]
		if item == nil {
			item = &batchItem{key: key}
			b.unsent[key] = item
			b.enqueue(item)
		}
		item.waiters = append(item.waiters, waiter{pending, index})
		pending.items[index] = item
	}
	isFirst = !b.sending
	b.sending = true
	return pending, isFirst, nil
}

func (b *batcher) enqueue(item *batchItem) {
	subject := item.key.subject
	queue := b.subjects[subject]
	if queue == nil {
		queue = &subjectQueue{subject: subject}
		b.subjects[subject] = queue
		b.queue = append(b.queue, queue)
	}
	queue.items = append(queue.items, item)
}

// start sends the first batch if a slot is free; otherwise the batch is sent when a slot becomes free. A batch that
// contains only the caller's checks is sent in the caller's goroutine, so that a single check costs no more than a
// plain call.
func (b *batcher) start(ctx context.Context, pending *pendingChecks) {
	if !b.connection.tryAcquire() {
		go b.sendQueue()
		return
	}
	// Yield, so that goroutines about to call Check can join this batch.
	runtime.Gosched()
	next, isLast := b.takeBatch(ctx, pending)
	switch {
	case next == nil:
		b.connection.release()
	case next.ctx == ctx:
		b.send(next)
	default:
		go b.send(next)
		if !isLast {
			go b.sendQueue()
		}
	}
}

// sendQueue sends batches until the queue is empty.
func (b *batcher) sendQueue() {
	for {
		if err := b.connection.acquire(context.Background()); err != nil {
			return // close has failed the queue
		}
		next, isLast := b.takeBatch(nil, nil)
		switch {
		case next == nil:
			b.connection.release()
			return
		case isLast:
			b.send(next)
			return
		}
		go b.send(next)
	}
}

// takeBatch takes items from the queue. It returns a nil batch if there is nothing to send, and isLast if the batch
// empties the queue; the caller stops sending in both cases. A batch that only the caller's own operation waits for
// uses the caller's ctx.
func (b *batcher) takeBatch(ctx context.Context, caller *pendingChecks) (next *batch, isLast bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next = &batch{items: b.takeItems()}
	isLast = len(b.queue) == 0
	if isLast {
		b.queue = nil
		b.sending = false
	}
	var deadline time.Time
	isOnlyCaller := true
	for _, item := range next.items {
		item.batch = next
		for _, waiter := range item.waiters {
			isOnlyCaller = isOnlyCaller && waiter.pending == caller
			if waiter.pending.deadline.After(deadline) {
				deadline = waiter.pending.deadline
			}
		}
	}
	if len(next.items) == 0 {
		return nil, true
	}
	next.waiting = len(next.items)
	if isLast && isOnlyCaller {
		next.ctx, next.cancel = ctx, func() {}
	} else {
		next.ctx, next.cancel = context.WithDeadline(context.Background(), deadline)
	}
	return next, isLast
}

// takeItems removes the items of the next batch from the queue. The caller must hold the mutex.
func (b *batcher) takeItems() []*batchItem {
	var items []*batchItem
	size := 0
	for len(b.queue) > 0 {
		queue, before := b.queue[0], len(items)
		for index, item := range queue.items {
			if len(item.waiters) == 0 {
				continue
			}
			bytes := item.key.bytes() + len(b.service)
			if len(items) == maxBatchItems || len(items) > 0 && size+bytes > maxBatchBytes {
				queue.items = queue.items[index:]
				if len(items) > before {
					// To the end, so that a subject with many checks delays no other.
					b.queue = append(b.queue[1:], queue)
				}
				return items
			}
			size += bytes
			items = append(items, item)
			delete(b.unsent, item.key)
		}
		b.queue = b.queue[1:]
		delete(b.subjects, queue.subject)
	}
	return items
}

func (k *itemKey) bytes() int {
	// "[1,1]" is the shortest JSON of a number, which takes 11 bytes.
	context := len(k.context) * 6
	return len(k.subject.id) + len(k.action) + len(k.resourceType) + len(k.resourceID) + context + itemOverhead
}

// send sends a batch. The caller must already hold a slot.
func (b *batcher) send(sent *batch) {
	defer b.connection.release()
	defer sent.cancel()
	request := b.request(sent.items)
	var response *daikonv1.EvaluateBatchResponse
	err := b.connection.send(sent.ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		response, err = b.client.EvaluateBatch(ctx, request, options...)
		return err
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		for _, item := range sent.items {
			b.settle(item, false, err)
		}
		return
	}
	b.settleResponse(sent.items, response.GetEvaluations())
}

func (b *batcher) request(items []*batchItem) *daikonv1.EvaluateBatchRequest {
	evaluations := make([]*daikonv1.EvaluationItem, len(items))
	for index, item := range items {
		key := item.key
		// The JSON of a key is valid.
		input, _ := decodeStruct("context", key.context)
		evaluations[index] = &daikonv1.EvaluationItem{
			Subject:  key.subject.message(),
			Action:   &daikonv1.AccessAction{Name: key.action},
			Resource: &daikonv1.AccessResource{Type: b.service + ":" + key.resourceType, Id: key.resourceID},
			Context:  input,
		}
	}
	return &daikonv1.EvaluateBatchRequest{Evaluations: evaluations}
}

func (b *batcher) settleResponse(items []*batchItem, evaluations []*daikonv1.Evaluation) {
	tokenErrors := map[subjectName]*Error{}
	findTokenError := func(subject subjectName) *Error {
		if subject.kind != kindToken {
			return nil
		}
		err, known := tokenErrors[subject]
		if !known {
			err = deniedTokenError(subject)
			tokenErrors[subject] = err
		}
		return err
	}
	for index, item := range items {
		if index >= len(evaluations) {
			message := "daikon returned fewer results than checks"
			b.settle(item, false, &Error{Code: CodeInternal, Reason: "INTERNAL", Message: message})
			continue
		}
		evaluation := evaluations[index]
		if evaluation.GetDecision() {
			b.settle(item, true, nil)
			continue
		}
		err := readItemError(evaluation.GetContext())
		if err == nil {
			err = findTokenError(item.key.subject)
		}
		b.settle(item, false, err)
	}
}

// settle passes the result of an item to the operations that wait for it. The caller must hold the mutex.
func (b *batcher) settle(item *batchItem, isAllowed bool, err *Error) {
	waiters := item.waiters
	item.waiters = nil
	for _, waiter := range waiters {
		pending := waiter.pending
		if pending.isSettled {
			continue
		}
		if err != nil {
			b.fail(pending, err)
			continue
		}
		pending.results[waiter.index] = isAllowed
		pending.missing--
		if pending.missing == 0 {
			pending.isSettled = true
			close(pending.done)
		}
	}
}

// fail ends an operation early, and cancels calls that no other operation waits for. The caller must hold the mutex.
func (b *batcher) fail(pending *pendingChecks, err *Error) {
	pending.isSettled = true
	pending.err = err
	close(pending.done)
	for _, item := range pending.items {
		if len(item.waiters) == 0 {
			continue
		}
		remaining := item.waiters[:0]
		for _, waiter := range item.waiters {
			if waiter.pending != pending {
				remaining = append(remaining, waiter)
			}
		}
		clear(item.waiters[len(remaining):])
		item.waiters = remaining
		if len(remaining) > 0 {
			continue
		}
		if item.batch == nil {
			delete(b.unsent, item.key)
			continue
		}
		item.batch.waiting--
		if item.batch.waiting == 0 {
			item.batch.cancel()
		}
	}
}

// leave ends an operation whose context is done, unless it already has a result.
func (b *batcher) leave(ctx context.Context, pending *pendingChecks) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if pending.isSettled {
		return
	}
	if ctx.Err() == context.Canceled {
		b.fail(pending, canceledError(context.Cause(ctx)))
		return
	}
	for _, item := range pending.items {
		if item.batch == nil {
			b.fail(pending, queueDeadlineError())
			return
		}
	}
	b.fail(pending, b.connection.responseDeadlineError())
}

// close fails the checks that have not been sent. The connection fails the others.
func (b *batcher) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	for _, queue := range b.queue {
		for _, item := range queue.items {
			b.settle(item, false, closedError())
		}
	}
	b.queue = nil
}
