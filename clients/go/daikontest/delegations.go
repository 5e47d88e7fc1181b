package daikontest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// delegation is a delegation of the state of a fake. A list that is nil stands for all.
type delegation struct {
	id          string
	userID      string
	workspaceID string
	agent       daikon.Agent
	service     string
	actions     []string
	types       []string
	resources   []*resource
	expiresAt   time.Time
	hasEnded    bool
}

func (s *state) addDelegation(added Delegation) error {
	if _, isMember := s.members[memberKey{added.WorkspaceID, added.UserID}]; !isMember {
		return fmt.Errorf("daikontest: the user of the delegation %s is not in Members of its workspace", added.ID)
	}
	if added.Actions == nil && added.ResourceTypes == nil && added.Resources == nil {
		return fmt.Errorf("daikontest: the delegation %s needs Actions, ResourceTypes or Resources", added.ID)
	}
	created := &delegation{
		id:          added.ID,
		userID:      added.UserID,
		workspaceID: added.WorkspaceID,
		agent:       added.Agent,
		service:     added.ServiceName,
		actions:     added.Actions,
		types:       added.ResourceTypes,
		expiresAt:   added.ExpiresAt,
		hasEnded:    added.Ended,
	}
	if created.agent == (daikon.Agent{}) {
		created.agent = daikon.Agent{Type: daikon.AgentServiceAccount, ID: "agent"}
	}
	if created.agent.Name == "" {
		created.agent.Name = created.agent.ID
	}
	if created.service == "" {
		created.service = s.service
	}
	if added.Resources != nil {
		created.resources = []*resource{}
	}
	for _, listed := range added.Resources {
		found := s.find(listed.Type, listed.ID)
		if found == nil {
			return fmt.Errorf("daikontest: %s %s of Delegations is not in Resources", listed.Type, listed.ID)
		}
		created.resources = append(created.resources, found)
	}
	s.delegations[created.id] = created
	return nil
}

// coveredCheck is what a delegation is asked to cover.
type coveredCheck struct {
	action string
	kind   string
	// target is nil for a workspace, or if the resource is unknown.
	target *resource
	// workspaceID is the workspace that is asked about, or that of the resource. It is empty if either is unknown.
	workspaceID string
	// isKnown reports whether the resource exists for the user. If not, it is no reason that it is not covered.
	isKnown bool
}

// isKnown reports whether a resource exists for the user of a delegation: it is in the workspace of the delegation, or
// public.
func (s *state) isKnown(who subject, target *resource, input map[string]any) bool {
	if target == nil || target.workspaceID == who.workspaceID {
		return target != nil
	}
	isPublic, _ := s.decidePublic(who, "view", target, input, "resource_unknown")
	return isPublic
}

// decideDelegated adds what a delegation says to a decision about its user.
func (s *state) decideDelegated(d *delegation, asked coveredCheck, isAllowed bool, ofUser []reason) (bool, []reason) {
	denials := s.findDenials(d, asked)
	switch {
	case len(denials) > 0 && isAllowed:
		return false, denials
	case len(denials) > 0:
		return false, append(ofUser, denials...)
	case !isAllowed:
		return false, ofUser
	}
	return true, append(ofUser, reason{rule: "delegation", delegation: d, expiresAt: d.expiresAt})
}

// findDenials returns why a delegation does not allow what its user may do; nothing if it does.
func (s *state) findDenials(d *delegation, asked coveredCheck) []reason {
	// A delegation ends with its user, and with their membership.
	_, isMember := s.findRole(d.workspaceID, d.userID)
	if d.hasEnded || !isMember || s.users[d.userID].Inactive {
		return []reason{{rule: "delegation_ended", delegation: d}}
	}
	if !d.expiresAt.IsZero() && !time.Now().Before(d.expiresAt) {
		return []reason{{rule: "delegation_expired", delegation: d, expiresAt: d.expiresAt}}
	}
	var denials []reason
	uncovered := func(limit string) {
		denials = append(denials, reason{rule: "delegation_does_not_cover", delegation: d, uncovered: limit})
	}
	if !coversName(d.actions, asked.action, "manage") {
		uncovered("action")
	}
	// A type belongs to a service.
	if d.service != s.service || !coversName(d.types, asked.kind, workspaceType) {
		uncovered("type")
	}
	if asked.isKnown && !d.coversResource(asked) {
		uncovered("resource")
	}
	return denials
}

// coversName reports whether a list contains a name. A list that is nil contains all but one.
func coversName(names []string, name, onlyByName string) bool {
	if names == nil {
		return name != onlyByName
	}
	return slices.Contains(names, name)
}

// coversResource reports whether a delegation covers a resource, or a workspace. A resource that is registered again is
// another one.
func (d *delegation) coversResource(asked coveredCheck) bool {
	if asked.workspaceID != d.workspaceID {
		return false
	}
	if d.resources == nil {
		return true
	}
	for current := asked.target; current != nil; current = current.inheritsFrom() {
		if slices.Contains(d.resources, current) {
			return true
		}
	}
	return false
}

// isOfDelegation reports whether a reason denies what the user may do.
func (r reason) isOfDelegation() bool { return strings.HasPrefix(r.rule, "delegation_") }
