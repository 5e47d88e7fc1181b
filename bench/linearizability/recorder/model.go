package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/anishathalye/porcupine"
)

// operation names a call that reads or changes the state of its lane.
type operation string

// invocation is an operation, and the number of the link or delegation that it is about, if any.
type invocation struct {
	operation
	number int
}

const (
	register   operation = "register"
	unregister operation = "unregister"
	share      operation = "share"
	revoke     operation = "revoke"
	remove     operation = "remove"
	invite     operation = "invite"
	deactivate operation = "deactivate"
	activate   operation = "activate"
	// shareRole shares with a role whose actions the declaration of the type determines.
	shareRole operation = "share role"
	// open and closed set the attribute that a required condition reads.
	open   operation = "open"
	closed operation = "close"
	// declare, requireOpen and narrow replace the declaration of the type: declare requires nothing,
	// requireOpen requires the attribute for viewing, and in that of narrow the role gives no view.
	declare     operation = "declare"
	requireOpen operation = "require open"
	narrow      operation = "narrow role"
	createLink  operation = "create link"
	deleteLink  operation = "delete link"
	// endDelegation ends a delegation of the owner, who is always an active member.
	endDelegation operation = "end delegation"

	check    operation = "check"
	evaluate operation = "evaluate"
	list     operation = "list"
	// follow evaluates as a link.
	follow operation = "follow link"
	// act evaluates as an agent with a delegation of the owner.
	act operation = "act by delegation"
)

// outcome is the result of a call: whether a write was accepted, which may be unknown, or whether a
// read allowed the action.
type outcome string

const (
	accepted outcome = "true"
	rejected outcome = "false"
	unknown  outcome = "unknown"
)

func outcomeOf(isAccepted bool) outcome {
	if isAccepted {
		return accepted
	}
	return rejected
}

// maxLinks is the maximum number of links of a history.
const maxLinks = 64

// maxDelegations is the number of delegations of a history.
const maxDelegations = 4

// facts are the state of a lane: whether the user is active, whether the user is a member of the workspace, whether
// the resource is registered, whether it is shared with the user with a permission or with a role, whether it has the
// attribute, which links it has and which delegations have ended, one bit each, and what the type declares.
type facts struct {
	active, member, registered, shared, sharedRole, open bool
	links                                                uint64
	ended                                                uint8
	required, narrowed                                   bool
}

// initialFacts are the state at the start of each history.
var initialFacts = facts{active: true, member: true}

// resets are operations that restore initialFacts from any other state, but for the delegations: the next history has
// others.
var resets = []operation{activate, invite, unregister, declare}

// apply returns the state after an operation, and whether the operation is accepted or allowed.
func apply(before facts, called invocation) (facts, bool) {
	after := before
	isOpen := before.open || !before.required
	switch called.operation {
	case register:
		// Registering a resource again changes nothing.
		after.registered = true
		return after, true
	case unregister:
		after.registered, after.shared, after.sharedRole, after.open, after.links = false, false, false, false, 0
		return after, before.registered
	case share, shareRole:
		isAccepted := before.registered && before.member
		if isAccepted {
			after.shared, after.sharedRole = called.operation == share, called.operation == shareRole
		}
		return after, isAccepted
	case revoke:
		after.shared, after.sharedRole = false, false
		return after, before.shared || before.sharedRole
	case open, closed:
		after.open = before.registered && called.operation == open
		return after, before.registered
	case declare, requireOpen, narrow:
		after.required, after.narrowed = called.operation == requireOpen, called.operation == narrow
		return after, true
	case createLink:
		if before.registered {
			after.links |= 1 << called.number
		}
		return after, before.registered
	case deleteLink:
		after.links &^= 1 << called.number
		return after, before.links != after.links
	case endDelegation:
		after.ended |= 1 << called.number
		return after, before.ended != after.ended
	case remove:
		after.member, after.shared, after.sharedRole = false, false, false
		return after, before.member
	case invite:
		// Inviting a member again changes nothing.
		after.member = true
		return after, true
	case deactivate:
		after.active = false
		return after, true
	case activate:
		after.active = true
		return after, true
	case check, evaluate, list:
		isShared := before.shared || before.sharedRole && !before.narrowed
		return after, before.active && before.member && isShared && isOpen
	case follow:
		return after, before.links&(1<<called.number) != 0 && isOpen
	case act:
		return after, before.registered && before.ended&(1<<called.number) == 0 && isOpen
	}
	panic("unknown operation " + called.operation)
}

var model = porcupine.Model{
	Init: func() any { return initialFacts },
	Step: func(state, input, output any) (bool, any) {
		called, actual := input.(invocation), output.(outcome)
		after, isAccepted := apply(state.(facts), called)
		// Several concurrent calls that unregister the same resource may succeed.
		isRepeated := called.operation == unregister && actual == accepted
		return actual == unknown || actual == outcomeOf(isAccepted) || isRepeated, after
	},
}

// describe prints the operations of a history that was rejected, with times in milliseconds.
func describe(history []porcupine.Operation) {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	start := history[0].Call
	for _, call := range history {
		called := float64(call.Call-start) / 1e6
		returned := float64(call.Return-start) / 1e6
		input := call.Input.(invocation)
		name := string(input.operation)
		if slices.Contains([]operation{createLink, deleteLink, follow, endDelegation, act}, input.operation) {
			name = fmt.Sprintf("%s %d", name, input.number)
		}
		if call.Output == unknown {
			fmt.Fprintf(os.Stderr, "  %10.3f            client %d %s: unknown\n", called, call.ClientId, name)
			continue
		}
		fmt.Fprintf(os.Stderr, "  %10.3f %10.3f client %d %s: %s\n",
			called, returned, call.ClientId, name, call.Output)
	}
}
