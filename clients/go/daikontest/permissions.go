package daikontest

import (
	"context"
	"regexp"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// permissionServer implements the changes of resources.
type permissionServer struct {
	daikonv1.UnimplementedPermissionServiceServer
	*server
}

func (s permissionServer) Register(
	_ context.Context, request *daikonv1.RegisterResourceRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	workspaceID, ownerID := request.GetWorkspaceId(), request.GetOwnerId()
	if err := requireUUIDs(map[string]string{"workspace_id": workspaceID, "owner_id": ownerID}); err != nil {
		return nil, err
	}
	visibility := daikon.VisibilityPrivate
	if request.Visibility != nil {
		visibility = daikon.Visibility(request.GetVisibility())
	}
	created := &resource{
		kind:        request.GetResourceType(),
		id:          request.GetResourceId(),
		resourceID:  request.GetResourceId(),
		workspaceID: workspaceID,
		ownerID:     ownerID,
		visibility:  visibility,
		inherits:    true,
		createdAt:   time.Now(),
	}
	if request.ExternalId != nil {
		created.id = request.GetExternalId()
	}
	if known := s.state.resources[created.key()]; known != nil {
		if known.workspaceID == workspaceID && known.ownerID == ownerID {
			return known.view(), nil
		}
		return nil, failure(daikon.CodeAlreadyExists, "RESOURCE_REGISTERED",
			"The resource is registered with another workspace or owner")
	}
	if !s.state.workspaces[workspaceID] {
		return nil, failure(daikon.CodeNotFound, "WORKSPACE_NOT_FOUND", "Workspace not found")
	}
	if err := s.requireMember(workspaceID, ownerID); err != nil {
		return nil, err
	}
	if err := s.state.requireVisibility(created.kind, visibility); err != nil {
		return nil, err
	}
	if parent := request.GetParent(); parent != nil {
		created.parent = s.state.resources[resourceKey{parent.GetResourceType(), parent.GetResourceId()}]
		if created.parent == nil || created.parent.workspaceID != workspaceID {
			return nil, invalidArgument("parent", "must be a resource of the workspace")
		}
	}
	s.state.resources[created.key()] = created
	return created.view(), nil
}

func (s permissionServer) Unregister(
	ctx context.Context, request *daikonv1.UnregisterRequest,
) (*daikonv1.UnregisterResponse, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	delete(s.state.resources, found.key())
	for _, child := range s.state.resources {
		if child.parent == found {
			child.parent = nil
		}
	}
	return &daikonv1.UnregisterResponse{}, nil
}

func (s permissionServer) Share(ctx context.Context, request *daikonv1.ShareRequest) (*daikonv1.ShareResponse, error) {
	permission, role := daikon.Permission(request.GetPermission()), daikon.ResourceRole(request.GetRole())
	if request.Role == nil && permission != daikon.PermissionView && permission != daikon.PermissionEdit {
		return nil, invalidArgument("permission", "must be one of view, edit")
	}
	var expiresAt time.Time
	if request.ExpiresAt != nil {
		expiresAt = request.GetExpiresAt().AsTime()
		if !time.Now().Before(expiresAt) {
			return nil, invalidArgument("expires_at", "must be in the future")
		}
	}
	if bearerToken(ctx) == "" {
		return nil, failure(daikon.CodeUnauthenticated, "TOKEN_MISSING", "The access token is missing")
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	if request.Role != nil {
		if err := s.requireRole(ctx, found, role); err != nil {
			return nil, err
		}
	}
	grantee := readGrantee(request)
	if err := s.requireGrantee(found, grantee); err != nil {
		return nil, err
	}
	claims, _, _ := readToken(bearerToken(ctx))
	created := &share{
		grantee:    grantee,
		permission: permission,
		role:       role,
		grantedBy:  claims.Subject,
		grantedAt:  time.Now(),
		expiresAt:  expiresAt,
	}
	if index, known := found.findShare(grantee); known != nil {
		created.id = known.id
		found.shares[index] = created
	} else {
		created.id = s.state.newShareID()
		found.shares = append(found.shares, created)
	}
	return created.view(), nil
}

func (s permissionServer) RevokeShare(
	ctx context.Context, request *daikonv1.ShareRequest,
) (*daikonv1.Acknowledgement, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	index, known := found.findShare(readGrantee(request))
	if known == nil {
		return nil, failure(daikon.CodeNotFound, "SHARE_NOT_FOUND", "Share not found")
	}
	found.shares = slices.Delete(found.shares, index, index+1)
	return &daikonv1.Acknowledgement{Status: "ok"}, nil
}

func (s permissionServer) PutResourceType(
	_ context.Context, request *daikonv1.PutResourceTypeRequest,
) (*daikonv1.ResourceType, error) {
	declared := &daikonv1.ResourceType{ServiceName: request.GetServiceName(), ResourceType: request.GetResourceType()}
	roles := make([]TypeRole, len(request.GetRoles()))
	for index, role := range request.GetRoles() {
		roles[index] = TypeRole{Name: daikon.ResourceRole(role.GetName()), Actions: role.GetActions()}
		declared.Roles = append(declared.Roles, &daikonv1.ResourceRole{Name: role.GetName(), Actions: role.GetActions()})
	}
	declaration := ResourceType{Type: request.GetResourceType(), Roles: roles, AllowPublic: request.GetAllowPublic()}
	if err := s.state.declare(declaration); err != nil {
		return nil, err
	}
	declared.AllowPublic = declaration.AllowPublic
	return declared, nil
}

func (s permissionServer) UpdateVisibility(
	ctx context.Context, request *daikonv1.UpdateVisibilityRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	visibility := daikon.Visibility(request.GetVisibility())
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	if err := s.state.requireVisibility(found.kind, visibility); err != nil {
		return nil, err
	}
	found.visibility = visibility
	return found.view(), nil
}

func (s permissionServer) TransferOwnership(
	ctx context.Context, request *daikonv1.TransferOwnershipRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	if err := requireUUIDs(map[string]string{"owner_id": request.GetOwnerId()}); err != nil {
		return nil, err
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	if err := s.requireOwnership(ctx, found); err != nil {
		return nil, err
	}
	if err := s.requireMember(found.workspaceID, request.GetOwnerId()); err != nil {
		return nil, err
	}
	found.ownerID = request.GetOwnerId()
	return found.view(), nil
}

// requireManageable finds a resource. If the call has an access token, its user must be allowed to manage the
// resource.
func (s permissionServer) requireManageable(
	ctx context.Context, request interface {
		GetResourceType() string
		GetResourceId() string
	},
) (*resource, error) {
	token := bearerToken(ctx)
	claims, isValid, isCurrent := readToken(token)
	_, isMember := s.state.findRole(claims.WorkspaceID, claims.Subject)
	if token != "" {
		switch {
		case !isValid:
			return nil, failure(daikon.CodeUnauthenticated, "TOKEN_INVALID", "The access token is not valid")
		case !isCurrent:
			return nil, failure(daikon.CodeUnauthenticated, "TOKEN_EXPIRED", "The access token has expired")
		case s.revoked[token] || !isMember:
			return nil, failure(daikon.CodeUnauthenticated, "TOKEN_REVOKED", "The token was revoked")
		}
	}
	found := s.state.resources[resourceKey{request.GetResourceType(), request.GetResourceId()}]
	switch {
	case found == nil, token != "" && claims.WorkspaceID != found.workspaceID:
		return nil, failure(daikon.CodeNotFound, "RESOURCE_NOT_FOUND", "Resource not found")
	case token == "":
		return found, nil
	}
	user, isKnown := s.state.users[claims.Subject]
	who := subject{user: user, isKnown: isKnown, workspaceID: claims.WorkspaceID}
	if mayManage, _ := s.state.decide(who, "manage", found); !mayManage {
		return nil, failure(daikon.CodePermissionDenied, "NOT_THE_OWNER",
			"Requires the owner of the resource, an owner or admin of its workspace, or a role with manage")
	}
	return found, nil
}

func (s permissionServer) requireRole(ctx context.Context, found *resource, name daikon.ResourceRole) error {
	actions, isDeclared := s.state.findResourceRole(found.kind, name)
	if !isDeclared {
		return invalidArgument("role", "is not a role of "+found.kind+": "+string(name))
	}
	if slices.Contains(actions, "manage") {
		return s.requireOwnership(ctx, found)
	}
	return nil
}

// requireOwnership requires that the user of the call, if any, may do what a role with manage is not enough for.
func (s permissionServer) requireOwnership(ctx context.Context, found *resource) error {
	token := bearerToken(ctx)
	claims, _, _ := readToken(token)
	if token == "" || s.state.isOwner(claims.Subject, found) {
		return nil
	}
	return failure(daikon.CodePermissionDenied, "NOT_THE_OWNER",
		"Requires the owner of the resource, or an owner or admin of its workspace")
}

func (s permissionServer) requireMember(workspaceID, userID string) error {
	if _, isMember := s.state.findRole(workspaceID, userID); isMember {
		return nil
	}
	return invalidArgument("owner_id", "must be a member of the workspace")
}

func (s permissionServer) requireGrantee(found *resource, grantee daikon.Grantee) error {
	kind, id := "user", grantee.UserID
	_, isKnown := s.state.findRole(found.workspaceID, id)
	if grantee.GroupID != "" {
		kind, id = "group", grantee.GroupID
		isKnown = s.state.groups[id].WorkspaceID == found.workspaceID
	}
	if !isUUID(id) {
		return invalidArgument("grantee_id", "must be a UUID")
	}
	if isKnown {
		return nil
	}
	return failure(daikon.CodeNotFound, "GRANTEE_NOT_FOUND", "No such "+kind+" in the workspace")
}

// requireVisibility requires that a type allows a visibility.
func (s *state) requireVisibility(kind string, visibility daikon.Visibility) error {
	switch visibility {
	case daikon.VisibilityPrivate, daikon.VisibilityWorkspace:
		return nil
	case daikon.VisibilityPublic:
		if s.types[kind].AllowPublic {
			return nil
		}
		return invalidArgument("visibility", "must not be public: the declaration of "+kind+" does not allow it")
	}
	return invalidArgument("visibility", "must be one of private, workspace, public")
}

func requireUUIDs(values map[string]string) error {
	for _, field := range []string{"workspace_id", "owner_id"} {
		if value, ok := values[field]; ok && !isUUID(value) {
			return invalidArgument(field, "must be a UUID")
		}
	}
	return nil
}

var uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func isUUID(text string) bool { return uuid.MatchString(text) }

func failure(code daikon.Code, reason, message string) error {
	return &daikon.Error{Code: code, Reason: reason, Message: message}
}

func invalidArgument(field, message string) error {
	return invalidArguments(daikon.Field{Field: field, Message: message})
}

func invalidArguments(fields ...daikon.Field) error {
	return &daikon.Error{
		Code:    daikon.CodeInvalidArgument,
		Reason:  "INVALID_REQUEST",
		Message: fields[0].Field + " " + fields[0].Message,
		Fields:  fields,
	}
}

func readGrantee(request *daikonv1.ShareRequest) daikon.Grantee {
	if request.GetGranteeType() == "group" {
		return daikon.Grantee{GroupID: request.GetGranteeId()}
	}
	return daikon.Grantee{UserID: request.GetGranteeId()}
}

func (r *resource) view() *daikonv1.ResourcePermissionResponse {
	record := &daikonv1.ResourcePermissionResponse{
		Id:           r.resourceID,
		ResourceType: r.kind,
		ResourceId:   r.resourceID,
		WorkspaceId:  r.workspaceID,
		OwnerId:      r.ownerID,
		Visibility:   string(r.visibility),
		Inherits:     r.inherits,
		CreatedAt:    timestamppb.New(r.createdAt),
	}
	if r.id != r.resourceID {
		record.ExternalId = &r.id
	}
	if r.parent != nil {
		record.Parent = &daikonv1.ParentResource{ResourceType: r.parent.kind, ResourceId: r.parent.resourceID}
	}
	for _, share := range r.shares {
		record.Shares = append(record.Shares, share.view())
	}
	return record
}

func (s *share) view() *daikonv1.ShareResponse {
	record := &daikonv1.ShareResponse{
		Id:          s.id,
		GranteeType: "user",
		GranteeId:   s.grantee.UserID,
		Permission:  string(s.permission),
		GrantedBy:   s.grantedBy,
		GrantedAt:   timestamppb.New(s.grantedAt),
	}
	if s.role != "" {
		role := string(s.role)
		record.Role = &role
	}
	if s.grantee.GroupID != "" {
		record.GranteeType, record.GranteeId = "group", s.grantee.GroupID
	}
	if !s.expiresAt.IsZero() {
		record.ExpiresAt = timestamppb.New(s.expiresAt)
	}
	return record
}
