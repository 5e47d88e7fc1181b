package daikontest

import (
	"fmt"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// Condition stands for the expression of a condition, which only the server evaluates. A condition whose function
// panics is false, like one whose evaluation fails.
type Condition func(ConditionInput) bool

// ConditionInput is what a condition of a fake reads, as the variables of an expression on the server.
type ConditionInput struct {
	Subject ConditionSubject
	// Agent is the agent that acts for the user; empty if the user acts.
	Agent ConditionAgent
	// Resource is the one that is asked about, also if the share is on an ancestor.
	Resource ConditionResource
	Action   string
	Context  map[string]any
	Params   map[string]any
	Now      time.Time
}

// ConditionSubject is the subject of a check. What does not exist is empty.
type ConditionSubject struct {
	ID         string
	ExternalID string
	// Type is user, group, link or anonymous.
	Type  string
	Email string
	// Role is the role in the workspace of the resource.
	Role Role
	// Guest reports whether the user is a guest of the workspace of the resource.
	Guest bool
}

// ConditionAgent is the agent that acts for the user of a check.
type ConditionAgent struct {
	Type daikon.AgentType
	ID   string
}

// ConditionResource is the resource of a check.
type ConditionResource struct {
	ID          string
	ExternalID  string
	Type        string
	WorkspaceID string
	OwnerID     string
	Visibility  daikon.Visibility
	Attributes  map[string]any
}

// verdict is the result of a condition.
type verdict struct {
	condition string
	isTrue    bool
	hasFailed bool
}

// evaluation evaluates the conditions of one decision.
type evaluation func(daikon.Condition) verdict

// missingCondition is the panic of an evaluation without a function, which the server converts to an error.
type missingCondition string

func (name missingCondition) failure() *daikon.Error {
	return &daikon.Error{
		Code:   daikon.CodeFailedPrecondition,
		Reason: "CONDITION_WITHOUT_FUNCTION",
		Message: fmt.Sprintf("The fake has no function for the condition %s: only the server evaluates expressions. "+
			"Add one to World.Conditions", string(name)),
	}
}

func (s *state) newEvaluation(
	who subject, action string, target *resource, input map[string]any, role Role,
) evaluation {
	read := ConditionInput{
		Subject: ConditionSubject{ExternalID: who.externalID, Type: who.kind, Email: who.email},
		Resource: ConditionResource{
			ID:          target.resourceID,
			Type:        target.kind,
			WorkspaceID: target.workspaceID,
			OwnerID:     target.ownerID,
			Visibility:  target.visibility,
			Attributes:  target.attributes,
		},
		Action:  action,
		Context: input,
		Now:     time.Now(),
	}
	if who.isKnown {
		read.Subject.ID = who.id
	}
	if who.kind != subjectLink {
		read.Subject.Role = role
	}
	if who.delegation != nil {
		read.Agent = ConditionAgent{Type: who.delegation.agent.Type, ID: who.delegation.agent.ID}
	}
	if target.id != target.resourceID {
		read.Resource.ExternalID = target.id
	}
	isGuest := s.hasGuest(who, target.workspaceID)
	guests := []bool{isGuest}
	if isGuest && who.kind == subjectGroup {
		// The members differ, so a condition that reads it has no result.
		guests = []bool{true, false}
	}
	return func(condition daikon.Condition) verdict {
		judge, known := s.conditions[condition.Name]
		if !known {
			panic(missingCondition(condition.Name))
		}
		read := read
		read.Params = condition.Params
		read.Subject.Guest = guests[0]
		judged := judgeCondition(condition.Name, judge, read)
		for _, isGuest := range guests[1:] {
			read.Subject.Guest = isGuest
			if other := judgeCondition(condition.Name, judge, read); other != judged {
				return verdict{condition: condition.Name, hasFailed: true}
			}
		}
		return judged
	}
}

func judgeCondition(name string, judge Condition, input ConditionInput) (judged verdict) {
	defer func() {
		if recover() != nil {
			judged = verdict{condition: name, hasFailed: true}
		}
	}()
	return verdict{condition: name, isTrue: judge(input)}
}
