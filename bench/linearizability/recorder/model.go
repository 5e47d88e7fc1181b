package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/anishathalye/porcupine"
)

// operation is a call that reads or changes the state of its lane.
type operation string

const (
	register   operation = "register"
	unregister operation = "unregister"
	share      operation = "share"
	revoke     operation = "revoke"
	remove     operation = "remove"
	invite     operation = "invite"
	deactivate operation = "deactivate"
	activate   operation = "activate"
	check      operation = "check"
	evaluate   operation = "evaluate"
	list       operation = "list"
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

// facts are the state of a lane: whether the user is active, whether the user is a member of the workspace, whether
// the resource is registered, and whether it is shared with the user.
type facts struct {
	active, member, registered, shared bool
}

// initialFacts are the state at the start of each history.
var initialFacts = facts{active: true, member: true}

// resets are operations that restore initialFacts from any other state.
var resets = []operation{activate, invite, unregister}

// apply returns the state after an operation, and whether the operation is accepted or allowed.
func apply(before facts, called operation) (facts, bool) {
	after := before
	switch called {
	case register:
		// Registering a resource again changes nothing.
		after.registered = true
		return after, true
	case unregister:
		after.registered, after.shared = false, false
		return after, before.registered
	case share:
		isAccepted := before.registered && before.member
		after.shared = before.shared || isAccepted
		return after, isAccepted
	case revoke:
		after.shared = false
		return after, before.shared
	case remove:
		after.member, after.shared = false, false
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
		return after, before.active && before.member && before.shared
	}
	panic("unknown operation " + called)
}

var model = porcupine.Model{
	Init: func() any { return initialFacts },
	Step: func(state, input, output any) (bool, any) {
		called, actual := input.(operation), output.(outcome)
		after, isAccepted := apply(state.(facts), called)
		// Several concurrent calls that unregister the same resource may succeed.
		isRepeated := called == unregister && actual == accepted
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
		if call.Output == unknown {
			fmt.Fprintf(os.Stderr, "  %10.3f            client %d %s: unknown\n", called, call.ClientId, call.Input)
			continue
		}
		fmt.Fprintf(os.Stderr, "  %10.3f %10.3f client %d %s: %s\n",
			called, returned, call.ClientId, call.Input, call.Output)
	}
}
