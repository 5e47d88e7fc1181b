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

// subject is a user. A user identified by a token is restricted to the token's workspace, except that every user may
// view what is public. isUnnamed is set for names of users who do not exist: they may, too.
type subject struct {
	user        User
	isKnown     bool
	isGroup     bool
	isUnnamed   bool
	workspaceID string
}

// reason explains one grant; bits are those that the grant gives.
type reason struct {
	bits          int
	rule          string
	permission    daikon.Permission
	role          string
	groupID       string
	share         *share
	inheritedFrom *resource
}

func (s *state) decide(who subject, action string, target *resource) (bool, []reason) {
	deny := func(rule string) (bool, []reason) { return false, []reason{{rule: rule}} }
	role, denial := s.roleOf(who, target)
	if denial != "" {
		isAccepted := who.isUnnamed || who.isKnown && !who.user.Inactive
		if reasons := s.findPublic(action, target); isAccepted && len(reasons) > 0 {
			return true, reasons
		}
		return deny(denial)
	}
	grants := s.findGrants(who.user.ID, action, target)
	customRoles := s.findCustomRoles(who.user.ID, action, target.workspaceID)
	facts := grantRegistered
	for _, grant := range grants {
		facts |= grant.bits
	}
	if s.actions[action] {
		facts |= actionRegistered
	}
	if len(customRoles) > 0 {
		facts |= actionGranted
	}
	if isAllowed(role, action, facts) {
		return true, listReasons(role, action, facts, grants, customRoles)
	}
	if isAllowed(RoleOwner, action, facts) {
		return deny("no_grant")
	}
	return deny("action_unknown")
}

// roleOf returns the role of a subject in the workspace of a resource, or the reason why it has none.
func (s *state) roleOf(who subject, target *resource) (role Role, denial string) {
	switch {
	case !who.isKnown:
		return "", "user_unknown"
	case who.user.Inactive:
		return "", "user_inactive"
	case target == nil, who.workspaceID != "" && target.workspaceID != who.workspaceID:
		return "", "resource_unknown"
	}
	role, isMember := s.findRole(target.workspaceID, who.user.ID)
	if who.isGroup {
		role, isMember = RoleViewer, s.groups[who.user.ID].WorkspaceID == target.workspaceID
	}
	if !isMember {
		return "", "not_a_member"
	}
	return role, ""
}

// findPublic returns the reasons why everybody may perform an action.
func (s *state) findPublic(action string, target *resource) []reason {
	if target == nil || action != "view" {
		return nil
	}
	var reasons []reason
	for _, grant := range s.findGrants("", action, target) {
		if grant.bits&grantPublic != 0 {
			reasons = append(reasons, grant)
		}
	}
	return reasons
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
	isOwnership := func(grant reason) bool { return grant.bits&grantOwner != 0 }
	return slices.ContainsFunc(s.findGrants(userID, "manage", target), isOwnership)
}

// findGrants returns the grants of a user on a resource and on the ancestors that it inherits from.
func (s *state) findGrants(userID, action string, target *resource) []reason {
	groups := s.groupsOf(userID)
	var grants []reason
	for current := target; current != nil; current = current.parent {
		add := func(grant reason) {
			if current != target {
				grant.inheritedFrom = current
			}
			grants = append(grants, grant)
		}
		if current.ownerID == userID {
			add(reason{bits: grantOwner, rule: "owner"})
		}
		switch {
		case current.visibility == daikon.VisibilityPrivate:
		case current.visibility == daikon.VisibilityPublic && s.types[target.kind].AllowPublic:
			add(reason{bits: grantWorkspace | grantPublic, rule: "public"})
		default:
			add(reason{bits: grantWorkspace, rule: "workspace_visibility"})
		}
		for _, share := range current.shares {
			if !share.expiresAt.IsZero() && !time.Now().Before(share.expiresAt) {
				continue
			}
			grant := reason{
				bits:       s.shareBits(current.kind, share, action),
				rule:       "share",
				permission: share.permission,
				role:       string(share.role),
				share:      share,
			}
			if share.grantee.UserID == userID {
				add(grant)
			}
			if groups[share.grantee.GroupID] {
				grant.rule, grant.groupID = "group_share", share.grantee.GroupID
				add(grant)
			}
		}
		if !current.inherits {
			break
		}
	}
	return grants
}

// shareBits returns the grants that a share of a resource gives for an action.
func (s *state) shareBits(kind string, granted *share, action string) int {
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
