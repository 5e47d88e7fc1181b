package main

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
	"google.golang.org/grpc/codes"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
	"github.com/daikon-auth/daikon/clients/go/daikonv1/adminv1"
)

const (
	writers = 2
	readers = 8

	// maxCalls is the number of calls after which a history ends, so that its verification is fast.
	maxCalls = 200

	// maxUnknown is the number of writes with an unknown outcome after which a history has no more
	// writes. Each of them could take effect at any later time, which multiplies the work of the
	// verification.
	maxUnknown = 4

	// retryDelay is the time that a client waits after a call with an unknown outcome.
	retryDelay = 20 * time.Millisecond
)

// objects are the objects that a lane reads and changes. No other lane uses them.
type objects struct {
	Lane       int    `json:"lane"`
	User       string `json:"user"`
	Email      string `json:"email"`
	Owner      string `json:"owner"`
	Workspace  string `json:"workspace"`
	Resource   string `json:"resource"`
	UserToken  string `json:"userToken"`
	OwnerToken string `json:"ownerToken"`
}

// scripts are sequences of writes by a client. Most of them are shares and revocations, and writes
// that deny every read are soon undone, so that most reads depend on a recent write.
var scripts = slices.Concat(
	slices.Repeat([][]operation{{share}, {share}, {revoke}}, 4),
	[][]operation{
		{unregister, register, share},
		{remove, invite, share},
		{deactivate, activate},
	},
)

// reads are the operations that read.
var reads = []operation{check, list, evaluate}

// lane runs concurrent clients that change and read the access of one user to one resource through
// all nodes.
type lane struct {
	recorder *recorder
	// index is the position of the lane among those that run concurrently.
	index   int
	objects objects
	writes  map[operation]func(*node) codes.Code
	reads   map[operation]func(*node) (bool, codes.Code)
}

func newLane(r *recorder, index int, o objects) *lane {
	service, kind, view, user := r.job.Service.Name, "document", "view", "user"
	asService := credentials("x-service-key", r.job.Service.Key)
	asUser := credentials("x-service-key", r.job.Service.Key, "authorization", "Bearer "+o.UserToken)
	asOwner := credentials("x-service-key", r.job.Service.Key, "authorization", "Bearer "+o.OwnerToken)
	asAdmin := credentials("cookie", "admin_token="+r.job.AdminTokens[o.Lane%len(r.job.AdminTokens)])

	registration := &daikonv1.RegisterResourceRequest{
		ServiceName: service, ResourceType: kind, ResourceId: &o.Resource, WorkspaceId: o.Workspace, OwnerId: o.Owner,
	}
	resource := &daikonv1.UnregisterRequest{ServiceName: &service, ResourceType: &kind, ResourceId: &o.Resource}
	grant := &daikonv1.ShareRequest{
		ServiceName: &service, ResourceType: &kind, ResourceId: &o.Resource,
		GranteeType: user, GranteeId: o.User, Permission: view,
	}
	member := &daikonv1.RemoveMemberRequest{WorkspaceId: o.Workspace, UserId: o.User}
	invitation := &daikonv1.InviteMemberRequest{WorkspaceId: o.Workspace, Email: o.Email}
	question := &daikonv1.PermissionCheckRequest{Checks: []*daikonv1.PermissionCheck{
		{ServiceName: service, ResourceType: kind, ResourceId: o.Resource, Action: view},
	}}
	page := &daikonv1.AccessibleResourcesRequest{
		ServiceName: service, ResourceType: kind, Action: view, WorkspaceId: o.Workspace,
	}
	evaluation := &daikonv1.EvaluateRequest{
		Subject:  &daikonv1.AccessSubject{Type: user, Id: o.User},
		Action:   &daikonv1.AccessAction{Name: view},
		Resource: &daikonv1.AccessResource{Type: kind, Id: o.Resource},
	}

	setActive := func(isActive bool) func(*node) codes.Code {
		update := &adminv1.UserUpdateRequest{UserId: o.User, IsActive: &isActive}
		return func(n *node) codes.Code {
			return send(asAdmin, func(ctx context.Context) error {
				_, err := n.admin.UpdateUser(ctx, update)
				return err
			})
		}
	}
	return &lane{
		recorder: r,
		index:    index,
		objects:  o,
		writes: map[operation]func(*node) codes.Code{
			register: func(n *node) codes.Code {
				return send(asService, func(ctx context.Context) error {
					_, err := n.permissions.Register(ctx, registration)
					return err
				})
			},
			unregister: func(n *node) codes.Code {
				return send(asService, func(ctx context.Context) error {
					_, err := n.permissions.Unregister(ctx, resource)
					return err
				})
			},
			share: func(n *node) codes.Code {
				return send(asOwner, func(ctx context.Context) error {
					_, err := n.permissions.Share(ctx, grant)
					return err
				})
			},
			revoke: func(n *node) codes.Code {
				return send(asService, func(ctx context.Context) error {
					_, err := n.permissions.RevokeShare(ctx, grant)
					return err
				})
			},
			remove: func(n *node) codes.Code {
				return send(asAdmin, func(ctx context.Context) error {
					_, err := n.admin.RemoveMember(ctx, member)
					return err
				})
			},
			invite: func(n *node) codes.Code {
				return send(asAdmin, func(ctx context.Context) error {
					_, err := n.admin.InviteMember(ctx, invitation)
					return err
				})
			},
			deactivate: setActive(false),
			activate:   setActive(true),
		},
		reads: map[operation]func(*node) (bool, codes.Code){
			check: func(n *node) (isAllowed bool, code codes.Code) {
				code = send(asUser, func(ctx context.Context) error {
					response, err := n.permissions.Check(ctx, question)
					isAllowed = len(response.GetResults()) == 1 && response.GetResults()[0].GetAllowed()
					return err
				})
				return isAllowed, code
			},
			list: func(n *node) (isAllowed bool, code codes.Code) {
				code = send(asUser, func(ctx context.Context) error {
					response, err := n.permissions.Accessible(ctx, page)
					isAllowed = slices.Contains(response.GetResourceIds(), o.Resource)
					return err
				})
				return isAllowed, code
			},
			evaluate: func(n *node) (isAllowed bool, code codes.Code) {
				code = send(asService, func(ctx context.Context) error {
					response, err := n.access.Evaluate(ctx, evaluation)
					isAllowed = response.GetDecision()
					return err
				})
				return isAllowed, code
			},
		},
	}
}

// run records and verifies histories until the recorder stops or the outcome of a write is unknown. The state is reset
// between histories, so that each starts from the same one.
func (l *lane) run() {
	for !l.recorder.isStopping.Load() {
		h := &history{lane: l}
		h.record()
		isReset := h.unknown.Load() == 0 && !l.recorder.isStopping.Load() && h.reset()
		l.recorder.verify(h.operations, l.objects.Lane)
		if !isReset {
			return
		}
	}
}

// history is a set of calls by concurrent clients.
type history struct {
	lane       *lane
	calls      atomic.Int32
	unknown    atomic.Int32
	mutex      sync.Mutex
	operations []porcupine.Operation
}

func (h *history) record() {
	runAll(writers+readers, func(client int) {
		script := []operation{register, share}
		for h.calls.Load() < maxCalls && !h.lane.recorder.isStopping.Load() {
			h.lane.recorder.calm.wait(h.lane.index < calmLanes && client < writers)
			if client >= writers || h.unknown.Load() >= maxUnknown {
				h.read(client, anyNode(h.lane.recorder.nodes, nil))
				continue
			}
			if len(script) == 0 {
				script = scripts[rand.IntN(len(scripts))]
			}
			// A stale standby is most likely to be noticed by a read through another node right
			// after the write.
			wrote := anyNode(h.lane.recorder.nodes, nil)
			if h.write(client, script[0], wrote) {
				h.read(client, anyNode(h.lane.recorder.nodes, wrote))
			}
			script = script[1:]
		}
	})
}

// reset restores initialFacts and reports whether it succeeded.
func (h *history) reset() bool {
	for _, called := range resets {
		if !h.write(0, called, anyNode(h.lane.recorder.nodes, nil)) {
			return false
		}
	}
	return true
}

// write performs and records a write. It reports whether the outcome is known.
func (h *history) write(client int, called operation, n *node) bool {
	start := h.lane.recorder.now()
	code := h.lane.writes[called](n)
	switch code {
	case codes.OK, codes.AlreadyExists:
		// Inviting an existing member returns AlreadyExists, which the model accepts.
		h.add(client, start, accepted, called)
	case codes.NotFound:
		h.add(client, start, rejected, called)
	default:
		h.unknown.Add(1)
		h.add(client, start, unknown, called)
	}
	return h.lane.recorder.isKnown(code, codes.AlreadyExists, codes.NotFound)
}

// read performs a read and records it if its result is known.
func (h *history) read(client int, n *node) {
	start := h.lane.recorder.now()
	called := reads[rand.IntN(len(reads))]
	isAllowed, code := h.lane.reads[called](n)
	// The token of a deactivated user is not accepted.
	if !h.lane.recorder.isKnown(code, codes.Unauthenticated) {
		return
	}
	h.add(client, start, outcomeOf(isAllowed), called)
}

func (h *history) add(client int, start int64, result outcome, called operation) {
	end := int64(math.MaxInt64)
	if result != unknown {
		end = h.lane.recorder.now()
	}
	h.calls.Add(1)
	h.lane.recorder.operations.Add(1)
	h.mutex.Lock()
	defer h.mutex.Unlock()
	call := porcupine.Operation{ClientId: client, Input: called, Call: start, Output: result, Return: end}
	h.operations = append(h.operations, call)
}
