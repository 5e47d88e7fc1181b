package daikontest

import (
	"slices"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// The grants by which a user may have access to a resource, as bits: the rules of src/permissions/access.ts, with
// which the tests compare them.
const (
	grantRegistered  = 1
	grantOwner       = 2
	grantWorkspace   = 4
	grantView        = 8
	grantEdit        = 16
	actionRegistered = 32
	actionGranted    = 64

	grantVisible = grantWorkspace | grantView | grantEdit
)

var roleRanks = map[Role]int{RoleViewer: 0, RoleEditor: 1, RoleAdmin: 2, RoleOwner: 3}

func isBuiltIn(action string) bool {
	return action == "view" || action == "edit" || action == "manage"
}

func coversWorkspace(role Role) bool { return role == RoleOwner || role == RoleAdmin }

// sufficientGrants returns the grants of which any one allows the action for a member with this role.
func sufficientGrants(role Role, action string, facts int) int {
	switch {
	case role == "":
		return 0
	case !isBuiltIn(action) && facts&actionRegistered == 0:
		return 0
	case coversWorkspace(role):
		return grantRegistered
	case action == "manage":
		return grantOwner
	case action == "view":
		return grantOwner | grantVisible
	case action == "edit" && role == RoleEditor:
		return grantOwner | grantEdit | grantWorkspace
	case action == "edit":
		return grantOwner | grantEdit
	case facts&actionGranted != 0:
		return grantOwner | grantVisible
	}
	return grantOwner
}

func isAllowed(role Role, action string, facts int) bool {
	return sufficientGrants(role, action, facts)&facts != 0
}

// subject is a user, restricted to one workspace if a token names them.
type subject struct {
	user        User
	isKnown     bool
	workspaceID string
}

// reason is a reason of an explanation, and the bit of the grant by which it counts.
type reason struct {
	bit           int
	rule          string
	permission    daikon.Permission
	role          string
	groupID       string
	share         *share
	inheritedFrom *resource
}

func (s *state) decide(who subject, action string, target *resource) (bool, []reason) {
	deny := func(rule string) (bool, []reason) { return false, []reason{{rule: rule}} }
	switch {
	case !who.isKnown:
		return deny("user_unknown")
	case who.user.Inactive:
		return deny("user_inactive")
	case target == nil, who.workspaceID != "" && target.workspaceID != who.workspaceID:
		return deny("resource_unknown")
	}
	role := s.roles[memberKey{target.workspaceID, who.user.ID}]
	if role == "" {
		return deny("not_a_member")
	}
	grants := s.findGrants(who.user.ID, target)
	customRoles := s.findCustomRoles(who.user.ID, action, target.workspaceID)
	facts := grantRegistered
	for _, grant := range grants {
		facts |= grant.bit
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

func listReasons(role Role, action string, facts int, grants, customRoles []reason) []reason {
	var reasons []reason
	weakest := role
	if coversWorkspace(role) {
		reasons = append(reasons, reason{rule: "workspace_role", role: string(role)})
		weakest = RoleEditor
	}
	sufficient := sufficientGrants(weakest, action, facts)
	isVisible := false
	for _, grant := range grants {
		if grant.bit&sufficient == 0 {
			continue
		}
		reasons = append(reasons, grant)
		isVisible = isVisible || grant.rule != "owner"
	}
	if !isBuiltIn(action) && isVisible {
		reasons = append(reasons, customRoles...)
	}
	return reasons
}

// findGrants returns the grants of a user on a resource, and on the ancestors from which it inherits.
func (s *state) findGrants(userID string, target *resource) []reason {
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
			add(reason{bit: grantOwner, rule: "owner"})
		}
		if current.visibility == daikon.VisibilityWorkspace {
			add(reason{bit: grantWorkspace, rule: "workspace_visibility"})
		}
		for _, share := range current.shares {
			if !share.expiresAt.IsZero() && !time.Now().Before(share.expiresAt) {
				continue
			}
			grant := reason{bit: grantView, rule: "share", permission: share.permission, share: share}
			if share.permission == daikon.PermissionEdit {
				grant.bit |= grantEdit
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

func (s *state) findCustomRoles(userID, action, workspaceID string) []reason {
	var found []reason
	for _, role := range s.custom {
		isGranted := role.WorkspaceID == workspaceID && slices.Contains(role.Actions, action)
		if isGranted && s.actions[action] && slices.Contains(role.Members, userID) {
			found = append(found, reason{rule: "custom_role", role: role.Name})
		}
	}
	return found
}

// groupsOf returns the groups that contain the user, and the groups that contain these.
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
		if slices.Contains(group.Members, userID) {
			visit(id)
		}
	}
	return found
}
