package daikontest

// workspaceType is the type that stands for workspaces themselves.
const workspaceType = "workspace"

// findWorkspace finds a workspace by its ID or slug.
func (s *state) findWorkspace(name string) string {
	if _, isID := s.workspaces[name]; isID {
		return name
	}
	for id, slug := range s.workspaces {
		if slug == name && name != "" {
			return id
		}
	}
	return ""
}

// decideWorkspace decides about a workspace itself: members may view it, owners and admins may do everything, and
// members who have a custom role with an action may perform it.
func (s *state) decideWorkspace(who subject, action, workspaceID string) (bool, []reason) {
	isAllowed, reasons := s.decideUserWorkspace(who, action, workspaceID)
	if who.delegation == nil {
		return isAllowed, reasons
	}
	asked := coveredCheck{action: action, kind: workspaceType, workspaceID: workspaceID, isKnown: true}
	return s.decideDelegated(who.delegation, asked, isAllowed, reasons)
}

func (s *state) decideUserWorkspace(who subject, action, workspaceID string) (bool, []reason) {
	switch {
	case who.kind == subjectLink:
		return deny("no_grant")
	case !who.isKnown:
		return deny("user_unknown")
	case who.isInactive:
		return deny("user_inactive")
	case workspaceID == "", who.workspaceID != "" && who.workspaceID != workspaceID:
		return deny("resource_unknown")
	}
	role, isMember := s.roleOf(who, workspaceID)
	switch {
	case !isMember:
		return deny("not_a_member")
	case !isBuiltIn(action) && !s.actions[action]:
		return deny("action_unknown")
	}
	customRoles := s.findCustomRoles(who.id, action, workspaceID)
	if !coversWorkspace(role) && action != "view" && len(customRoles) == 0 {
		return deny("no_grant")
	}
	return true, append([]reason{{rule: "workspace_role", role: string(role)}}, customRoles...)
}
