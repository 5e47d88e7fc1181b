package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/structpb"

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
	Lane      int    `json:"lane"`
	User      string `json:"user"`
	Email     string `json:"email"`
	Owner     string `json:"owner"`
	Workspace string `json:"workspace"`
	Resource  string `json:"resource"`
	// Delegations by which an agent may view for the owner.
	Delegations []string `json:"delegations"`
	UserToken   string   `json:"userToken"`
	OwnerToken  string   `json:"ownerToken"`
}

// scripts are sequences of writes by a client. Most of them are shares and revocations, and writes
// that deny every read are soon undone, so that most reads depend on a recent write.
var scripts = slices.Concat(
	slices.Repeat([][]operation{{share}, {shareRole}, {revoke}}, 4),
	slices.Repeat([][]operation{{createLink, deleteLink}, {createLink, deleteLink}}, 2),
	[][]operation{{endDelegation}, {endDelegation}},
	[][]operation{
		{unregister, register, share},
		{remove, invite, share},
		{deactivate, activate},
		{requireOpen, open, closed, open, declare},
		{requireOpen, declare},
		{shareRole, narrow, declare},
	},
)

// reads are the operations that read.
var reads = []operation{check, list, evaluate, follow, act}

// lane runs concurrent clients that change and read the access of one user to one resource through
// all nodes.
type lane struct {
	recorder *recorder
	// index is the position of the lane among those that run concurrently.
	index   int
	objects objects
	writes  map[operation]func(*node) codes.Code
	reads   map[operation]func(*node) (bool, codes.Code)
	// createLink creates a link and returns its token and ID.
	createLink func(*node) (linked, codes.Code)
	deleteLink func(*node, linked) codes.Code
	follow     func(*node, linked) (bool, codes.Code)
	// endDelegation and act are about a delegation of the owner.
	endDelegation func(*node, linked) codes.Code
	act           func(*node, linked) (bool, codes.Code)
	// delegations contains the delegations that the current history uses.
	delegations []string
}

// linked is a link that was created, or a delegation.
type linked struct {
	number    int
	token, id string
}

func newLane(r *recorder, index int, o objects) *lane {
	service, view, user, role := r.job.Service.Name, "view", "user", "reader"
	// Each lane declares a type of its own.
	kind := fmt.Sprintf("document-%d", o.Lane)
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
	roleGrant := &daikonv1.ShareRequest{
		ServiceName: &service, ResourceType: &kind, ResourceId: &o.Resource,
		GranteeType: user, GranteeId: o.User, Role: &role,
	}
	linkGrant := &daikonv1.CreateLinkRequest{
		ServiceName: &service, ResourceType: &kind, ResourceId: &o.Resource, Permission: view,
	}
	member := &daikonv1.RemoveMemberRequest{WorkspaceId: o.Workspace, UserId: o.User}
	invitation := &daikonv1.InviteMemberRequest{WorkspaceId: o.Workspace, Email: o.Email}
	question := &daikonv1.PermissionCheckRequest{Checks: []*daikonv1.PermissionCheck{
		{ServiceName: service, ResourceType: kind, ResourceId: o.Resource, Action: view},
	}}
	page := &daikonv1.AccessibleResourcesRequest{
		ServiceName: service, ResourceType: kind, Action: view, WorkspaceId: o.Workspace,
	}
	evaluateAs := func(n *node, subjectType, id string) (isAllowed bool, code codes.Code) {
		code = send(asService, func(ctx context.Context) error {
			response, err := n.access.Evaluate(ctx, &daikonv1.EvaluateRequest{
				Subject:  &daikonv1.AccessSubject{Type: subjectType, Id: id},
				Action:   &daikonv1.AccessAction{Name: view},
				Resource: &daikonv1.AccessResource{Type: kind, Id: o.Resource},
			})
			isAllowed = response.GetDecision()
			return err
		})
		return isAllowed, code
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
	put := func(actions []string, requirements ...*daikonv1.ActionRequirement) func(*node) codes.Code {
		declaration := &daikonv1.PutResourceTypeRequest{
			ServiceName: service, ResourceType: kind,
			Roles: []*daikonv1.ResourceRoleDeclaration{{Name: role, Actions: actions}},
			Conditions: []*daikonv1.ConditionDeclaration{{
				Name: "open", Expression: "has(resource.attributes.open) && resource.attributes.open",
			}},
			Requirements: requirements,
		}
		return func(n *node) codes.Code {
			return send(asService, func(ctx context.Context) error {
				_, err := n.permissions.PutResourceType(ctx, declaration)
				return err
			})
		}
	}
	setOpen := func(isOpen bool) func(*node) codes.Code {
		attributes := &structpb.Struct{Fields: map[string]*structpb.Value{"open": structpb.NewBoolValue(isOpen)}}
		update := &daikonv1.UpdateAttributesRequest{
			ServiceName: &service, ResourceType: &kind, ResourceId: &o.Resource, Attributes: attributes,
		}
		return func(n *node) codes.Code {
			return send(asService, func(ctx context.Context) error {
				_, err := n.permissions.UpdateAttributes(ctx, update)
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
			shareRole: func(n *node) codes.Code {
				return send(asOwner, func(ctx context.Context) error {
					_, err := n.permissions.Share(ctx, roleGrant)
					return err
				})
			},
			open:        setOpen(true),
			closed:      setOpen(false),
			declare:     put([]string{view}),
			requireOpen: put([]string{view}, &daikonv1.ActionRequirement{Action: view, Condition: "open"}),
			narrow:      put([]string{"publish"}),
			deactivate:  setActive(false),
			activate:    setActive(true),
		},
		createLink: func(n *node) (link linked, code codes.Code) {
			code = send(asOwner, func(ctx context.Context) error {
				created, err := n.permissions.CreateLink(ctx, linkGrant)
				link = linked{token: created.GetToken(), id: created.GetId()}
				return err
			})
			return link, code
		},
		deleteLink: func(n *node, link linked) codes.Code {
			return send(asOwner, func(ctx context.Context) error {
				_, err := n.permissions.DeleteLink(ctx, &daikonv1.DeleteLinkRequest{
					ServiceName: &service, ResourceType: &kind, ResourceId: &o.Resource, LinkId: link.id,
				})
				return err
			})
		},
		follow: func(n *node, link linked) (bool, codes.Code) { return evaluateAs(n, "link", link.token) },
		endDelegation: func(n *node, delegation linked) codes.Code {
			return send(asAdmin, func(ctx context.Context) error {
				_, err := n.delegations.DeleteDelegation(ctx, &daikonv1.DeleteDelegationRequest{DelegationId: delegation.id})
				return err
			})
		},
		act: func(n *node, delegation linked) (bool, codes.Code) {
			return evaluateAs(n, "delegation", delegation.id)
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
			evaluate: func(n *node) (bool, codes.Code) { return evaluateAs(n, user, o.User) },
		},
	}
}

// run records and verifies histories until the recorder stops, the outcome of a write is unknown or no delegations are
// left. The state is reset between histories, so that each starts from the same one.
func (l *lane) run() {
	// A share can only have a role that is declared.
	for l.writes[declare](anyNode(l.recorder.nodes, nil)) != codes.OK {
		if l.recorder.isStopping.Load() {
			return
		}
		time.Sleep(retryDelay)
	}
	for l.delegations = range slices.Chunk(l.objects.Delegations, maxDelegations) {
		if l.recorder.isStopping.Load() {
			return
		}
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
	// links are those that were created, which may have been deleted since.
	links []linked
	// created is the number of links that may have been created.
	created int
	// ended is the number of delegations that may have been ended.
	ended int
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
	link, isKnown := h.chooseLink(called)
	if !isKnown {
		return true
	}
	start := h.lane.recorder.now()
	var code codes.Code
	switch called {
	case createLink:
		var created linked
		created, code = h.lane.createLink(n)
		link = linked{number: link.number, token: created.token, id: created.id}
		if code == codes.OK {
			h.mutex.Lock()
			h.links = append(h.links, link)
			h.mutex.Unlock()
		}
	case deleteLink:
		code = h.lane.deleteLink(n, link)
	case endDelegation:
		code = h.lane.endDelegation(n, link)
	default:
		code = h.lane.writes[called](n)
	}
	switch code {
	case codes.OK, codes.AlreadyExists:
		// Roles and requirements are refused, without effect, while a session has not told its version.
		if code != codes.OK && called != invite {
			break
		}
		// Inviting an existing member returns AlreadyExists, which the model accepts.
		h.add(client, start, accepted, invocation{called, link.number})
	case codes.NotFound:
		h.add(client, start, rejected, invocation{called, link.number})
	default:
		h.unknown.Add(1)
		h.add(client, start, unknown, invocation{called, link.number})
	}
	return h.lane.recorder.isKnown(code, codes.AlreadyExists, codes.NotFound)
}

// read performs a read and records it if its result is known.
func (h *history) read(client int, n *node) {
	called := reads[rand.IntN(len(reads))]
	link, isKnown := h.chooseLink(called)
	if !isKnown {
		called = check
	}
	start := h.lane.recorder.now()
	var isAllowed bool
	var code codes.Code
	switch called {
	case follow:
		isAllowed, code = h.lane.follow(n, link)
	case act:
		isAllowed, code = h.lane.act(n, link)
	default:
		isAllowed, code = h.lane.reads[called](n)
	}
	// The token of a deactivated user is not accepted.
	if !h.lane.recorder.isKnown(code, codes.Unauthenticated) {
		return
	}
	h.add(client, start, outcomeOf(isAllowed), invocation{called, link.number})
}

// chooseLink returns the link or delegation that an operation is about, if any: a new number, or one of the latest. It
// reports false if there is none.
func (h *history) chooseLink(called operation) (linked, bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	switch called {
	case createLink:
		if h.created == maxLinks {
			return linked{}, false
		}
		h.created++
		return linked{number: h.created - 1}, true
	case deleteLink, follow:
		latest := h.links[max(0, len(h.links)-2):]
		if len(latest) == 0 {
			return linked{}, false
		}
		return latest[rand.IntN(len(latest))], true
	case endDelegation:
		if h.ended == len(h.lane.delegations) {
			return linked{}, false
		}
		h.ended++
		return h.delegation(h.ended - 1), true
	case act:
		// The one that was ended last, or the next.
		first, last := max(0, h.ended-1), min(h.ended, len(h.lane.delegations)-1)
		return h.delegation(first + rand.IntN(last-first+1)), true
	}
	return linked{}, true
}

func (h *history) delegation(number int) linked {
	return linked{number: number, id: h.lane.delegations[number]}
}

func (h *history) add(client int, start int64, result outcome, called invocation) {
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
