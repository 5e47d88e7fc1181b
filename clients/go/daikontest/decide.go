package daikontest

import (
	"slices"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// The grants that can give a user access to a resource, as bits. They mirror src/permissions/access.ts; a test
// compares the two.
const (
	grantRegistered  = 1
	grantOwner       = 2
	grantWorkspace   = 4
	grantView        = 8
	grantEdit        = 16
	actionRegistered = 32
	actionGranted    = 64
	grantManage      = 256
	grantAction      = 512
	grantPublic      = 1024

	grantVisible = grantWorkspace | grantView | grantEdit
)

var roleRanks = map[Role]int{RoleViewer: 0, RoleEditor: 1, RoleAdmin: 2, RoleOwner: 3}

func isBuiltIn(action string) bool {
	return action == "view" || action == "edit" || action == "manage"
}

func coversWorkspace(role Role) bool { return role == RoleOwner || role == RoleAdmin }

// sufficientGrants returns the grants that each allow the action on their own for a member with this role.
func sufficientGrants(role Role, action string, facts int) int {
	switch {
	case role == "":
		return 0
	case !isBuiltIn(action) && facts&actionRegistered == 0:
		return 0
	case coversWorkspace(role):
		return grantRegistered
	case action == "manage":
		return grantOwner | grantManage
	case action == "view":
		return grantOwner | grantVisible
	case action == "edit" && role == RoleEditor:
		return grantOwner | grantEdit | grantWorkspace
	case action == "edit":
		return grantOwner | grantEdit
	case facts&actionGranted != 0:
		return grantOwner | grantAction | grantVisible
	}
	return grantOwner | grantAction
}

func isAllowed(role Role, action string, facts int) bool {
	everybody := 0
	if action == "view" {
		everybody = grantPublic
	}
	return (sufficientGrants(role, action, facts)|everybody)&facts != 0
}

// reason explains one grant; bits are those that the grant gives.
type reason struct {
	bits          int
	rule          string
	permission    daikon.Permission
	role          string
	groupID       string
	shareID       string
	linkID        string
	expiresAt     time.Time
	condition     string
	inheritedFrom *resource
	requiredBy    *resource
	delegation    *delegation
	uncovered     string
	// withheldBits are those that the grant would give if it counted. failure is why it does not count, if that is
	// the reason for a denial.
	withheldBits int
	failure      *reason
}

func deny(rule string) (bool, []reason) { return false, []reason{{rule: rule}} }

// decide decides by the rules of the server about a resource of a kind; target is nil if it is unknown. input is the
// context of the request.
func (s *state) decide(
	who subject, action, kind string, target *resource, input map[string]any,
) (bool, []reason) {
	isAllowed, reasons := s.decideUser(who, action, target, input)
	if who.delegation == nil {
		return isAllowed, reasons
	}
	asked := coveredCheck{action: action, kind: kind, target: target, isKnown: s.isKnown(who, target, input)}
	if target != nil {
		asked.workspaceID = target.workspaceID
	}
	return s.decideDelegated(who.delegation, asked, isAllowed, reasons)
}

func (s *state) decideUser(who subject, action string, target *resource, input map[string]any) (bool, []reason) {
	role, denial := s.standingOf(who, target)
	if denial != "" {
		return s.decidePublic(who, action, target, input, denial)
	}
	evaluate := s.newEvaluation(who, action, target, input, role)
	grants := s.findGrants(who, action, target, evaluate)
	findUnmet := func(required string) []requirementVerdict {
		return s.findUnmet(who, action, target, input, role, required)
	}
	unmet := findUnmet(action)
	customRoles := s.findCustomRoles(who.id, action, target.workspaceID)
	// A custom role gives the action on what the subject may view.
	if len(customRoles) > 0 && len(findUnmet("view")) > 0 {
		customRoles = nil
	}
	actionFacts := 0
	if s.actions[action] {
		actionFacts |= actionRegistered
	}
	if len(customRoles) > 0 {
		actionFacts |= actionGranted
	}
	facts := grantRegistered | actionFacts
	for _, grant := range grants {
		facts |= grant.bits
	}
	if isAllowed(role, action, facts) {
		if len(unmet) > 0 {
			return denyUnmet(unmet)
		}
		return true, listReasons(role, action, facts, grants, customRoles)
	}
	if !isAllowed(RoleOwner, action, facts) {
		return deny("action_unknown")
	}
	var failures []reason
	for _, grant := range grants {
		if grant.failure != nil && isAllowed(role, action, grant.withheldBits|actionFacts) {
			failures = append(failures, *grant.failure)
		}
	}
	if failures == nil {
		return deny("no_grant")
	}
	return false, failures
}

// standingOf returns the role of a subject in the workspace of a resource, or the reason why it has none.
func (s *state) standingOf(who subject, target *resource) (role Role, denial string) {
	switch {
	case !who.isKnown && who.kind == subjectLink:
		return "", "link_unknown"
	case !who.isKnown:
		return "", "user_unknown"
	case who.isInactive:
		return "", "user_inactive"
	case target == nil, who.workspaceID != "" && target.workspaceID != who.workspaceID:
		return "", "resource_unknown"
	}
	role, isMember := s.roleOf(who, target.workspaceID)
	switch {
	case isMember:
		return role, ""
	case who.kind == subjectLink:
		return "", "no_grant"
	}
	return "", "not_a_member"
}

// decidePublic decides for a subject without a role in the workspace, who may only view what is public.
func (s *state) decidePublic(
	who subject, action string, target *resource, input map[string]any, denial string,
) (bool, []reason) {
	if target == nil || action != "view" || !who.mayViewPublic {
		return deny(denial)
	}
	evaluate := s.newEvaluation(who, action, target, input, "")
	var reasons []reason
	for _, grant := range s.findGrants(subject{kind: subjectAnonymous}, action, target, evaluate) {
		if grant.bits&grantPublic != 0 {
			reasons = append(reasons, grant)
		}
	}
	if reasons == nil {
		return deny(denial)
	}
	if unmet := s.findUnmet(who, action, target, input, "", action); len(unmet) > 0 {
		return denyUnmet(unmet)
	}
	return true, reasons
}

// requirementVerdict is the result of a requirement, and the resource that it was judged with.
type requirementVerdict struct {
	verdict
	requiredBy *resource
}

// findUnmet returns the requirements that are not met: those of the type of the resource, and the inherited ones of each
// ancestor that it inherits from, which are judged with that ancestor.
func (s *state) findUnmet(
	who subject, action string, target *resource, input map[string]any, role Role, required string,
) []requirementVerdict {
	var unmet []requirementVerdict
	for current := target; current != nil; current = current.inheritsFrom() {
		evaluate := s.newEvaluation(who, action, current, input, role)
		for _, requirement := range s.types[current.kind].Requirements {
			if requirement.Action != required || (current != target && !requirement.Inherited) {
				continue
			}
			if judged := evaluate(daikon.Condition{Name: requirement.Condition}); !judged.isTrue {
				unmet = append(unmet, requirementVerdict{judged, current})
			}
		}
	}
	return unmet
}

func denyUnmet(unmet []requirementVerdict) (bool, []reason) {
	var reasons []reason
	for _, judged := range unmet {
		named := reason{rule: "requirement_not_met", condition: judged.condition, requiredBy: judged.requiredBy}
		reasons = append(reasons, named)
		if judged.hasFailed {
			named.rule = "condition_failed"
			reasons = append(reasons, named)
		}
	}
	return false, reasons
}

func listReasons(role Role, action string, facts int, grants, customRoles []reason) []reason {
	var reasons []reason
	weakest := role
	if coversWorkspace(role) {
		reasons = append(reasons, reason{rule: "workspace_role", role: string(role)})
		weakest = RoleEditor
	}
	sufficient := sufficientGrants(weakest, action, facts)
	for _, grant := range grants {
		if grant.bits&sufficient != 0 {
			reasons = append(reasons, grant)
		}
	}
	// The role of a share can allow an action without view, which a custom role needs.
	if !isBuiltIn(action) && isAllowed(role, "view", facts) {
		reasons = append(reasons, customRoles...)
	}
	return reasons
}

// isOwner reports whether a user owns a resource or an ancestor that it inherits from, or administers its workspace.
func (s *state) isOwner(userID string, target *resource) bool {
	if role, isMember := s.findRole(target.workspaceID, userID); isMember && coversWorkspace(role) {
		return true
	}
	for current := target; current != nil; current = current.parent {
		if current.ownerID == userID {
			return true
		}
		if !current.inherits {
			break
		}
	}
	return false
}

// findGrants returns the grants of a subject on a resource and on the ancestors that it inherits from.
func (s *state) findGrants(who subject, action string, target *resource, evaluate evaluation) []reason {
	groups := s.groupsOf(who.id)
	isGuest := s.hasGuest(who, target.workspaceID)
	var grants []reason
	for current := target; current != nil; current = current.parent {
		var ancestor *resource
		if current != target {
			ancestor = current
		}
		add := func(grant reason) {
			grant.inheritedFrom = ancestor
			grants = append(grants, grant)
		}
		addGranted := func(terms granted, grant reason) {
			if !terms.isCurrent() {
				return
			}
			grant.bits = s.grantedBits(current.kind, terms, action)
			grant.permission, grant.role, grant.expiresAt = terms.permission, string(terms.role), terms.expiresAt
			if terms.condition != nil {
				judged := evaluate(*terms.condition)
				grant.condition = judged.condition
				if judged.hasFailed {
					grant.withheldBits = grant.bits
					grant.failure = &reason{rule: "condition_failed", condition: judged.condition,
						shareID: grant.shareID, linkID: grant.linkID}
				}
				if !judged.isTrue {
					grant.bits = 0
				}
			}
			add(grant)
		}
		if current.ownerID == who.id {
			add(reason{bits: grantOwner, rule: "owner"})
		}
		switch {
		case current.visibility == daikon.VisibilityPrivate:
		case current.visibility == daikon.VisibilityPublic && s.types[target.kind].AllowPublic:
			add(reason{bits: grantWorkspace | grantPublic, rule: "public"})
		case who.kind == subjectLink: // the holder of a link is no member
		case isGuest:
			add(reason{rule: "workspace_visibility", withheldBits: grantWorkspace,
				failure: &reason{rule: "guest", inheritedFrom: ancestor}})
		default:
			add(reason{bits: grantWorkspace, rule: "workspace_visibility"})
		}
		for _, share := range current.shares {
			if share.grantee.userID != "" && share.grantee.userID == who.id {
				addGranted(share.granted, reason{rule: "share", shareID: share.id})
			}
			if id := share.grantee.groupID; groups[id] {
				addGranted(share.granted, reason{rule: "group_share", groupID: id, shareID: share.id})
			}
		}
		for _, link := range current.links {
			if who.kind == subjectLink && link.id == who.id {
				addGranted(link.granted, reason{rule: "link", linkID: link.id})
			}
		}
		if !current.inherits {
			break
		}
	}
	return grants
}

// grantedBits returns the grants that a share or link gives for an action.
func (s *state) grantedBits(kind string, granted granted, action string) int {
	switch {
	case granted.permission == daikon.PermissionEdit:
		return grantView | grantEdit
	case granted.role == "":
		return grantView
	}
	bits := 0
	actions, _ := s.findResourceRole(kind, granted.role)
	if slices.ContainsFunc(actions, isBuiltIn) {
		bits |= grantView
	}
	if slices.Contains(actions, "edit") {
		bits |= grantEdit
	}
	if slices.Contains(actions, "manage") {
		bits |= grantManage
	}
	if slices.Contains(actions, action) {
		bits |= grantAction
	}
	return bits
}

func (s *state) findCustomRoles(userID, action, workspaceID string) []reason {
	var direct, ofGroups []reason
	groups := s.groupsOf(userID)
	for _, role := range s.custom {
		if role.WorkspaceID != workspaceID || !slices.Contains(role.Actions, action) || !s.actions[action] {
			continue
		}
		if slices.Contains(role.Members, userID) {
			direct = append(direct, reason{rule: "custom_role", role: role.Name})
		}
		for _, id := range role.Groups {
			if groups[id] {
				ofGroups = append(ofGroups, reason{rule: "custom_role", role: role.Name, groupID: id})
			}
		}
	}
	return append(direct, ofGroups...)
}

// groupsOf returns the groups that contain the user, directly or through other groups, or the group itself.
func (s *state) groupsOf(userID string) map[string]bool {
	found := map[string]bool{}
	var visit func(id string)
	visit = func(id string) {
		if found[id] {
			return
		}
		found[id] = true
		for parent, group := range s.groups {
			if slices.Contains(group.Groups, id) {
				visit(parent)
			}
		}
	}
	for id, group := range s.groups {
		if id == userID || slices.Contains(group.Members, userID) {
			visit(id)
		}
	}
	return found
}
