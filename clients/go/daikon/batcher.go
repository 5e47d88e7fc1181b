package daikon

import (
	"context"
	"runtime"
	"slices"
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
	sending  bool
	isClosed bool
}

// itemKey identifies a check of a subject. Identical checks that have not been sent yet share an item.
type itemKey struct {
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
	// byKey has the items once there are more than maxScanned.
	byKey map[itemKey]*batchItem
}

// batchItem is allocated with the operation that asks first. waiters begins in first, because few checks are identical.
type batchItem struct {
	subject subjectName
	key     itemKey
	waiters []waiter
	first   [1]waiter
	batch   *batch
}

// waiter is one result that a pending operation waits for.
type waiter struct {
	pending *pendingChecks
	index   int
}

// pendingChecks is a Check or CheckMany that waits for its results. The batcher's mutex guards every field except
// own and done.
type pendingChecks struct {
	deadline time.Time
	// own has an item for each check. items has those that were sent, which can be of other operations.
	own       []batchItem
	items     []*batchItem
	results   []bool
	missing   int
	err       *Error
	isSettled bool
	done      chan struct{}
}

// singleCheck is a pending Check in one allocation.
type singleCheck struct {
	pendingChecks
	own    [1]batchItem
	item   [1]*batchItem
	result [1]bool
}

func newPendingChecks(count int) *pendingChecks {
	var pending *pendingChecks
	if count == 1 {
		single := &singleCheck{}
		pending = &single.pendingChecks
		pending.own, pending.items, pending.results = single.own[:], single.item[:], single.result[:]
	} else {
		pending = &pendingChecks{
			own:     make([]batchItem, count),
			items:   make([]*batchItem, count),
			results: make([]bool, count),
		}
	}
	pending.missing = count
	pending.done = make(chan struct{})
	return pending
}

// batch is a running call, with the number of its items that an operation still waits for.
type batch struct {
	items   []*batchItem
	waiting int
	ctx     context.Context
	cancel  context.CancelFunc
	// ended is closed when the call has ended. Nil if the only operation that waits for the call sends it.
	ended chan struct{}
}

func newBatcher(connection *connection, service string) *batcher {
	return &batcher{
		connection: connection,
		service:    service,
		client:     daikonv1.NewAccessServiceClient(connection.grpc),
		subjects:   map[subjectName]*subjectQueue{},
	}
}

// check returns the results of the checks, in order. input is the context of checks without their own.
func (b *batcher) check(ctx context.Context, checks []Check, input map[string]any) ([]bool, error) {
	pending := newPendingChecks(len(checks))
	for index := range checks {
		if err := pending.own[index].name(&checks[index], input); err != nil {
			return nil, err
		}
	}
	ctx, cancel := b.connection.withTimeout(ctx)
	defer cancel()
	if ctx.Err() == context.Canceled {
		return nil, canceledError(context.Cause(ctx))
	}
	if ctx.Err() != nil {
		return nil, queueDeadlineError()
	}
	pending.deadline, _ = ctx.Deadline()
	isFirst, err := b.add(pending)
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
		b.awaitAbandoned(pending)
	}
	if pending.err != nil {
		return nil, pending.err
	}
	return pending.results, nil
}

// name sets the subject and key of an item.
func (i *batchItem) name(check *Check, input map[string]any) error {
	subject, err := nameSubject(&check.Subject)
	if err != nil {
		return err
	}
	if err := requireAction(check.Action); err != nil {
		return err
	}
	if err := requireResource(check.Resource); err != nil {
		return err
	}
	if check.Context != nil {
		input = check.Context
	}
	encoded, invalid := encodeObject("context", input)
	if invalid != nil {
		return invalid
	}
	i.subject = subject
	i.key = itemKey{check.Action, check.Resource.Type, check.Resource.ID, encoded}
	return nil
}

// add appends an operation's checks to the queue. If isFirst, the caller must start to send it.
func (b *batcher) add(pending *pendingChecks) (isFirst bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isClosed {
		return false, closedError()
	}
	for index := range pending.own {
		item := b.enqueue(&pending.own[index])
		if item.waiters == nil {
			item.waiters = item.first[:0]
		}
		item.waiters = append(item.waiters, waiter{pending, index})
		pending.items[index] = item
	}
	isFirst = !b.sending
	b.sending = true
	return isFirst, nil
}

// enqueue returns the unsent item that is identical to own, or adds own.
func (b *batcher) enqueue(own *batchItem) *batchItem {
	queue := b.subjects[own.subject]
	if queue == nil {
		queue = &subjectQueue{subject: own.subject}
		b.subjects[own.subject] = queue
		b.queue = append(b.queue, queue)
	} else if item := queue.find(&own.key); item != nil {
		return item
	}
	// Equal strings at the same address are compared without reading them.
	own.subject = queue.subject
	queue.items = append(queue.items, own)
	if queue.byKey != nil {
		queue.byKey[own.key] = own
	}
	return own
}

// maxScanned is the number of items up to which comparing each is faster than a map.
const maxScanned = 32

func (q *subjectQueue) find(key *itemKey) *batchItem {
	if q.byKey == nil && len(q.items) > maxScanned {
		q.byKey = make(map[itemKey]*batchItem, 2*len(q.items))
		for _, item := range q.items {
			q.byKey[item.key] = item
		}
	}
	if q.byKey != nil {
		return q.byKey[*key]
	}
	for _, item := range q.items {
		if item.key == *key {
			return item
		}
	}
	return nil
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
		next, isLast := b.takeBatch(context.Background(), nil)
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
		next.ended = make(chan struct{})
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
			bytes := item.bytes() + len(b.service)
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
			delete(queue.byKey, item.key)
		}
		b.queue = b.queue[1:]
		delete(b.subjects, queue.subject)
	}
	return items
}

func (i *batchItem) bytes() int {
	// "[1,1]" is the shortest JSON of a number, which takes 11 bytes.
	context := len(i.key.context) * 6
	key := len(i.key.action) + len(i.key.resourceType) + len(i.key.resourceID)
	return len(i.subject.id) + key + context + itemOverhead
}

// send sends a batch. The caller must already hold a slot.
func (b *batcher) send(sent *batch) {
	if sent.ended != nil {
		defer close(sent.ended)
	}
	defer b.connection.release()
	defer sent.cancel()
	request := b.request(sent.items)
	var response *daikonv1.EvaluateBatchResponse
	err := b.connection.send(sent.ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		response, err = b.client.EvaluateBatch(ctx, request, options...)
		return err
	})
	var results []itemResult
	if err == nil {
		results = readResults(sent.items, response.GetEvaluations())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for index, item := range sent.items {
		if err != nil {
			b.settle(item, itemResult{err: err})
		} else {
			b.settle(item, results[index])
		}
	}
}

// request returns the call of items. The items of a subject, which follow each other, share its message.
func (b *batcher) request(items []*batchItem) *daikonv1.EvaluateBatchRequest {
	evaluations := make([]*daikonv1.EvaluationItem, len(items))
	messages := make([]struct {
		item     daikonv1.EvaluationItem
		resource daikonv1.AccessResource
	}, len(items))
	var last *batchItem
	var subject *daikonv1.AccessSubject
	var action *daikonv1.AccessAction
	var resourceType string
	for index, item := range items {
		key := &item.key
		if last == nil || item.subject != last.subject {
			subject = item.subject.message()
		}
		if last == nil || key.action != last.key.action {
			action = &daikonv1.AccessAction{Name: key.action}
		}
		if last == nil || key.resourceType != last.key.resourceType {
			resourceType = b.service + ":" + key.resourceType
		}
		last = item
		message := &messages[index]
		message.resource.Type, message.resource.Id = resourceType, key.resourceID
		message.item.Subject, message.item.Action, message.item.Resource = subject, action, &message.resource
		// The JSON of a key is valid.
		message.item.Context, _ = decodeStruct("context", key.context)
		evaluations[index] = &message.item
	}
	return &daikonv1.EvaluateBatchRequest{Evaluations: evaluations}
}

type itemResult struct {
	isAllowed bool
	err       *Error
}

func readResults(items []*batchItem, evaluations []*daikonv1.Evaluation) []itemResult {
	results := make([]itemResult, len(items))
	start := 0
	for index, item := range items {
		if item.subject != items[start].subject {
			addTokenError(items[start].subject, results[start:index])
			start = index
		}
		result := &results[index]
		if index >= len(evaluations) {
			message := "daikon returned fewer results than checks"
			result.err = &Error{Code: CodeInternal, Reason: "INTERNAL", Message: message}
			continue
		}
		evaluation := evaluations[index]
		result.isAllowed = evaluation.GetDecision()
		if !result.isAllowed {
			result.err = readItemError(evaluation.GetContext())
		}
		if !result.isAllowed && result.err == nil {
			result.err = reportedTokenError(evaluation.GetContext())
		}
	}
	addTokenError(items[start].subject, results[start:])
	return results
}

// addTokenError sets the error of a subject's denied checks if its token cannot be valid. An allowed check proves that it is.
func addTokenError(subject subjectName, results []itemResult) {
	if subject.kind != kindToken || slices.ContainsFunc(results, func(r itemResult) bool { return r.isAllowed }) {
		return
	}
	err := impossibleTokenError(subject)
	for index := range results {
		if results[index].err == nil {
			results[index].err = err
		}
	}
}

// settle passes the result of an item to the operations that wait for it. The caller must hold the mutex.
func (b *batcher) settle(item *batchItem, result itemResult) {
	waiters := item.waiters
	item.waiters = nil
	for _, waiter := range waiters {
		pending := waiter.pending
		if pending.isSettled {
			continue
		}
		if result.err != nil {
			b.fail(pending, result.err)
			continue
		}
		pending.results[waiter.index] = result.isAllowed
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
			continue // takeItems skips it, unless an identical check joins it
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

// awaitAbandoned waits until the calls that no operation waits for any more have ended, which is immediate. Otherwise,
// the next check could use a connection that is replaced because of them.
func (b *batcher) awaitAbandoned(pending *pendingChecks) {
	for _, item := range pending.items {
		b.mu.Lock()
		left := item.batch
		isAbandoned := left != nil && left.waiting == 0 && left.ended != nil
		b.mu.Unlock()
		if isAbandoned {
			<-left.ended
		}
	}
}

// close fails the checks that have not been sent. The connection fails the others.
func (b *batcher) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isClosed = true
	for _, queue := range b.queue {
		for _, item := range queue.items {
			b.settle(item, itemResult{err: closedError()})
		}
	}
	b.queue = nil
}
