// Command checker reads histories of calls from standard input and verifies that they are linearizable.
//
// Each line is a JSON object that describes one call; see bench/linearizability/history.ts. Calls of one
// lane concern one user and one resource, which no other lane uses, so lanes are verified separately.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// call is a line of the history. Returned is absent if the outcome of the call is unknown.
type call struct {
	Lane     int    `json:"lane"`
	Client   int    `json:"client"`
	Op       string `json:"op"`
	Called   int64  `json:"called"`
	Returned *int64 `json:"returned"`
	Accepted bool   `json:"accepted"`
}

// output is the result of a call: whether a write was accepted, or whether a read allowed the action.
type output struct {
	known    bool
	accepted bool
}

// facts are the facts of a lane: whether the user is active and a member of the workspace, whether the
// resource is registered, and whether it is shared with the user.
type facts struct {
	active, member, registered, shared bool
}

// apply returns the facts after a call, and its result.
func apply(before facts, op string) (facts, bool) {
	after := before
	switch op {
	case "register":
		// Repeating a registration changes nothing.
		after.registered = true
		return after, true
	case "unregister":
		after.registered, after.shared = false, false
		return after, before.registered
	case "share":
		isAccepted := before.registered && before.member
		after.shared = before.shared || isAccepted
		return after, isAccepted
	case "revoke":
		after.shared = false
		return after, before.shared
	case "remove":
		after.member, after.shared = false, false
		return after, before.member
	case "invite":
		// Inviting a member again changes nothing.
		after.member = true
		return after, true
	case "deactivate":
		after.active = false
		return after, true
	case "activate":
		after.active = true
		return after, true
	case "read":
		return after, before.active && before.member && before.shared
	}
	panic("unknown operation " + op)
}

var model = porcupine.Model{
	Init: func() any { return facts{active: true, member: true} },
	Step: func(state, input, result any) (bool, any) {
		after, accepted := apply(state.(facts), input.(string))
		actual := result.(output)
		// Of concurrent calls that unregister a resource, several may succeed.
		isRepeated := input == "unregister" && actual.accepted
		return !actual.known || actual.accepted == accepted || isRepeated, after
	},
	DescribeOperation: func(input, result any) string {
		return fmt.Sprintf("%s: %+v", input, result)
	},
}

// describe prints the operations of a history that is not linearizable, with times in milliseconds.
func describe(operations []porcupine.Operation) {
	slices.SortFunc(operations, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	start := operations[0].Call
	for _, operation := range operations {
		called := float64(operation.Call-start) / 1e6
		returned := float64(operation.Return-start) / 1e6
		result := operation.Output.(output)
		if !result.known {
			fmt.Printf("  %10.3f            client %d %s: unknown\n", called, operation.ClientId, operation.Input)
			continue
		}
		fmt.Printf("  %10.3f %10.3f client %d %s: %t\n",
			called, returned, operation.ClientId, operation.Input, result.accepted)
	}
}

func main() {
	lanes := map[int][]porcupine.Operation{}
	total := 0
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		var line call
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		operation := porcupine.Operation{
			ClientId: line.Client,
			Input:    line.Op,
			Call:     line.Called,
			Output:   output{known: line.Returned != nil, accepted: line.Accepted},
			// A call without a known outcome may take effect at any time later, or never.
			Return: math.MaxInt64,
		}
		if line.Returned != nil {
			operation.Return = *line.Returned
		}
		lanes[line.Lane] = append(lanes[line.Lane], operation)
		total++
	}
	if err := scanner.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := 0
	for lane, operations := range lanes {
		result := porcupine.CheckOperationsTimeout(model, operations, time.Minute)
		if result == porcupine.Ok {
			continue
		}
		failed++
		if failed <= 3 {
			fmt.Printf("lane %d with %d operations: %s\n", lane, len(operations), result)
			describe(operations)
		}
	}
	fmt.Printf("%d operations in %d histories, %d not linearizable\n", total, len(lanes), failed)
	if failed > 0 || total == 0 {
		os.Exit(1)
	}
}
