package daikontest

import (
	"slices"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

const (
	subjectUser       = "user"
	subjectGroup      = "group"
	subjectLink       = "link"
	subjectDelegation = "delegation"
	subjectAnonymous  = "anonymous"
)

// subject is a subject of decisions.
type subject struct {
	kind string
	// id is the ID of the user, group or link.
	id         string
	email      string
	externalID string
	// isKnown reports whether the user, group or link exists, and the token is valid.
	isKnown       bool
	isInactive    bool
	mayViewPublic bool
	// workspaceID is the workspace of the token, to which decisions are restricted.
	workspaceID string
	// home is the workspace of a group or link.
	home string
	// delegation is the delegation by which an agent acts for the user; nil if the user acts.
	delegation *delegation
}

func (s *server) findSubject(name *daikonv1.AccessSubject) subject {
	switch name.GetType() {
	case subjectAnonymous:
		return subject{kind: subjectAnonymous, mayViewPublic: true}
	case subjectLink:
		return s.state.linkSubject(name.GetId())
	case subjectGroup:
		return s.state.groupSubject(name.GetId())
	case "access_token":
		claims, isValid, isCurrent := readToken(name.GetId())
		if !isValid || !isCurrent || s.revoked[name.GetId()] {
			return subject{kind: subjectUser}
		}
		return s.state.tokenSubject(claims)
	case subjectDelegation:
		// A service knows only the delegations for itself.
		if found := s.state.delegations[name.GetId()]; found != nil && found.service != s.state.service {
			return subject{kind: subjectUser}
		}
		return s.state.delegationSubject(name.GetId())
	case subjectUser:
		user, isKnown := s.state.findUser(name.GetId())
		if !isKnown {
			return subject{kind: subjectUser, mayViewPublic: true}
		}
		return s.state.userSubject(user.ID, "")
	}
	// A fake has no API keys.
	return subject{kind: subjectUser}
}

// userSubject returns a user as a subject, with the workspace of their token.
func (s *state) userSubject(id, workspaceID string) subject {
	user, isKnown := s.users[id]
	return subject{
		kind:          subjectUser,
		id:            user.ID,
		email:         user.Email,
		externalID:    user.ExternalID,
		isKnown:       isKnown,
		isInactive:    user.Inactive,
		mayViewPublic: isKnown && !user.Inactive,
		workspaceID:   workspaceID,
	}
}

// tokenSubject returns the subject of an access token.
func (s *state) tokenSubject(claims daikon.Claims) subject {
	if claims.DelegationID != "" {
		return s.delegationSubject(claims.DelegationID)
	}
	return s.userSubject(claims.Subject, claims.WorkspaceID)
}

// delegationSubject returns the user of a delegation as a subject, in the workspace of the delegation.
func (s *state) delegationSubject(id string) subject {
	found := s.delegations[id]
	if found == nil {
		return subject{kind: subjectUser}
	}
	who := s.userSubject(found.userID, found.workspaceID)
	who.delegation = found
	return who
}

func (s *state) groupSubject(id string) subject {
	group, isKnown := s.groups[id]
	return subject{kind: subjectGroup, id: id, isKnown: isKnown, mayViewPublic: isKnown, home: group.WorkspaceID}
}

func (s *state) linkSubject(token string) subject {
	for _, resource := range s.resources {
		for _, link := range resource.links {
			if link.token == token && link.isCurrent() {
				home := resource.workspaceID
				return subject{kind: subjectLink, id: link.id, isKnown: true, mayViewPublic: true, home: home}
			}
		}
	}
	return subject{kind: subjectLink}
}

// hasGuest reports whether the visibility workspace is nothing to a subject: to guests, and to a group that has an
// active guest among its effective members.
func (s *state) hasGuest(who subject, workspaceID string) bool {
	isGuest := func(userID string) bool {
		member, _ := s.findMember(workspaceID, userID)
		return member.Guest
	}
	if who.kind == subjectUser {
		return isGuest(who.id)
	}
	if who.kind != subjectGroup {
		return false
	}
	visited := map[string]bool{}
	var visit func(groupID string) bool
	visit = func(groupID string) bool {
		if visited[groupID] {
			return false
		}
		visited[groupID] = true
		isActiveGuest := func(userID string) bool { return isGuest(userID) && !s.users[userID].Inactive }
		group := s.groups[groupID]
		return slices.ContainsFunc(group.Members, isActiveGuest) || slices.ContainsFunc(group.Groups, visit)
	}
	return visit(who.id)
}

// roleOf returns the role of a subject in a workspace. A group or link counts as a viewer of its own.
func (s *state) roleOf(who subject, workspaceID string) (Role, bool) {
	if who.kind == subjectUser {
		return s.findRole(workspaceID, who.id)
	}
	return RoleViewer, who.home == workspaceID
}
