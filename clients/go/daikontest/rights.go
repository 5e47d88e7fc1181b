package daikontest

import (
	"context"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// requireUser returns the claims of the access token of a call. Without a token, hasUser is false.
func (s permissionServer) requireUser(ctx context.Context) (claims daikon.Claims, hasUser bool, err error) {
	token := bearerToken(ctx)
	if token == "" {
		return claims, false, nil
	}
	claims, _, _ = readToken(token)
	_, isMember := s.state.findRole(claims.WorkspaceID, claims.Subject)
	switch reason, message := tokenError(token); {
	case reason != "":
		err = failure(daikon.CodeUnauthenticated, reason, message)
	case s.revoked[token] || !isMember:
		err = failure(daikon.CodeUnauthenticated, "TOKEN_REVOKED", "The token was revoked")
	}
	return claims, true, err
}

func tokenMissing() error {
	return failure(daikon.CodeUnauthenticated, "TOKEN_MISSING", "The access token is missing")
}

// requireManageable finds a resource. If the call has an access token, its user must be allowed to manage the
// resource.
func (s permissionServer) requireManageable(
	ctx context.Context, request interface {
		GetResourceType() string
		GetResourceId() string
		GetContext() *structpb.Struct
	},
) (*resource, error) {
	key := resourceKey{request.GetResourceType(), request.GetResourceId()}
	return s.requireManage(ctx, key, request.GetContext().AsMap())
}

func (s permissionServer) requireManage(
	ctx context.Context, key resourceKey, input map[string]any,
) (*resource, error) {
	claims, hasUser, err := s.requireUser(ctx)
	if err != nil {
		return nil, err
	}
	found := s.state.resources[key]
	switch {
	case found == nil, hasUser && claims.WorkspaceID != found.workspaceID:
		return nil, failure(daikon.CodeNotFound, "RESOURCE_NOT_FOUND", "Resource not found")
	case !hasUser:
		return found, nil
	}
	mayManage, err := s.mayUser(claims, "manage", found, input)
	if err == nil && !mayManage {
		err = failure(daikon.CodePermissionDenied, "NOT_THE_OWNER",
			"Only the resource's owner, an owner or admin of its workspace, or a user whose role includes manage may do this")
	}
	return found, err
}

// mayUser reports whether the user of a token may perform an action. It fails if a requirement is not met, or if only
// the delegation of an agent denies the action.
func (s permissionServer) mayUser(
	claims daikon.Claims, action string, target *resource, input map[string]any,
) (bool, error) {
	isAllowed, reasons := s.state.decide(s.state.tokenSubject(claims), action, target.kind, target, input)
	// The denials of the user come first.
	if !isAllowed && reasons[0].isOfDelegation() {
		message := "The delegation has ended or does not cover " + action + " on this " + target.kind
		return false, failure(daikon.CodePermissionDenied, "DELEGATION_DOES_NOT_COVER", message)
	}
	if !isAllowed && reasons[0].rule == "requirement_not_met" {
		message := action + " requires the condition " + reasons[0].condition + ", which is not met"
		return false, failure(daikon.CodePermissionDenied, "REQUIREMENT_NOT_MET", message)
	}
	return isAllowed, nil
}

// requireEdit requires that the user of the call, if any, may edit the new parent of a resource.
func (s permissionServer) requireEdit(ctx context.Context, parent *resource, input map[string]any) error {
	claims, hasUser, err := s.requireUser(ctx)
	if err != nil || !hasUser {
		return err
	}
	mayEdit, err := s.mayUser(claims, "edit", parent, input)
	if err == nil && !mayEdit {
		err = failure(daikon.CodePermissionDenied, "PARENT_NOT_EDITABLE", "Requires permission to edit the parent")
	}
	return err
}

// requireOwnership fails unless the user of the call, if any, owns the resource or is an owner or admin of its
// workspace; a role with manage is not enough.
// requireManage has checked the requirements of manage.
func (s permissionServer) requireOwnership(ctx context.Context, found *resource) error {
	claims, hasUser, err := s.requireUser(ctx)
	if err != nil || !hasUser || s.state.isOwner(claims.Subject, found) {
		return err
	}
	return failure(daikon.CodePermissionDenied, "NOT_THE_OWNER",
		"Only the resource's owner, or an owner or admin of its workspace, may do this")
}

func (s permissionServer) requireMember(workspaceID, field, userID string) error {
	if _, isMember := s.state.findRole(workspaceID, userID); isMember {
		return nil
	}
	return invalidArgument(field, "must be a member of the workspace")
}

// findOwner returns the field that names an owner, and the ID of the owner; empty if there is none.
func (s *state) findOwner(request *daikonv1.RegisterResourceRequest) (field, id string, err error) {
	switch {
	case request.OwnerEmail != nil:
		return "owner_email", s.findByEmail(request.GetOwnerEmail()), nil
	case request.OwnerExternalId != nil:
		return "owner_external_id", s.findByExternalID(request.GetOwnerExternalId()), nil
	}
	return "owner_id", request.GetOwnerId(), s.requireID("owner_id", request.GetOwnerId())
}

// namedGrantee is a request that names a grantee.
type namedGrantee interface {
	GetGranteeType() string
	GetGranteeId() string
	GetGranteeEmail() string
	GetGranteeExternalId() string
	GetGroupName() string
}

// findGrantee returns the field that names a grantee, and the grantee; its ID is "-" if it does not exist.
func (s *state) findGrantee(workspaceID string, request namedGrantee) (field string, found grantee, err error) {
	orNone := func(id string) string {
		if id == "" {
			return "-"
		}
		return id
	}
	switch {
	case request.GetGroupName() != "":
		for id, group := range s.groups {
			if group.WorkspaceID == workspaceID && group.Name == strings.TrimSpace(request.GetGroupName()) {
				return "group_name", grantee{groupID: id}, nil
			}
		}
		return "group_name", grantee{groupID: "-"}, nil
	case request.GetGranteeEmail() != "":
		return "grantee_email", grantee{userID: orNone(s.findByEmail(request.GetGranteeEmail()))}, nil
	case request.GetGranteeExternalId() != "":
		id := s.findByExternalID(request.GetGranteeExternalId())
		return "grantee_external_id", grantee{userID: orNone(id)}, nil
	}
	err = s.requireID("grantee_id", request.GetGranteeId())
	if request.GetGranteeType() == "group" {
		return "grantee_id", grantee{groupID: request.GetGranteeId()}, err
	}
	return "grantee_id", grantee{userID: request.GetGranteeId()}, err
}

// isInWorkspace reports whether a user or group belongs to a workspace.
func (s *state) isInWorkspace(workspaceID string, named grantee) bool {
	if named.groupID != "" {
		return s.groups[named.groupID].WorkspaceID == workspaceID
	}
	_, isMember := s.findRole(workspaceID, named.userID)
	return isMember
}

func (s *state) findByEmail(email string) string {
	for id, user := range s.users {
		if user.Email != "" && strings.EqualFold(user.Email, strings.TrimSpace(email)) {
			return id
		}
	}
	return ""
}

func (s *state) findByExternalID(externalID string) string {
	for id, user := range s.users {
		if user.ExternalID != "" && user.ExternalID == externalID {
			return id
		}
	}
	return ""
}
