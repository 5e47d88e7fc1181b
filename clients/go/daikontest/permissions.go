package daikontest

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"time"

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
	registered, err := s.registerResource(request)
	if err != nil {
		return nil, err
	}
	return registered.view(), nil
}

func (s permissionServer) RegisterBatch(
	_ context.Context, request *daikonv1.RegisterBatchRequest,
) (*daikonv1.RegisterBatchResponse, error) {
	before := maps.Clone(s.state.resources)
	registered, err := withFields("resources", request.GetResources(), s.registerResource)
	if err != nil {
		s.state.resources = before
		return nil, err
	}
	response := &daikonv1.RegisterBatchResponse{}
	for _, resource := range registered {
		response.Resources = append(response.Resources, resource.view())
	}
	return response, nil
}

func (s permissionServer) registerResource(request *daikonv1.RegisterResourceRequest) (*resource, error) {
	if err := requireFreeType(request.GetResourceType()); err != nil {
		return nil, err
	}
	workspaceID := request.GetWorkspaceId()
	if err := s.state.requireID("workspace_id", workspaceID); err != nil {
		return nil, err
	}
	field, ownerID, err := s.state.findOwner(request)
	if err != nil {
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
		attributes:  request.GetAttributes().AsMap(),
		displayName: request.GetDisplayName(),
		createdAt:   time.Now(),
	}
	if request.ExternalId != nil {
		created.id = request.GetExternalId()
	}
	if known := s.state.resources[created.key()]; known != nil {
		if known.workspaceID == workspaceID && known.ownerID == ownerID {
			return known, nil
		}
		return nil, failure(daikon.CodeAlreadyExists, "RESOURCE_REGISTERED",
			"The resource is registered with another workspace or owner")
	}
	if _, isKnown := s.state.workspaces[workspaceID]; !isKnown {
		return nil, failure(daikon.CodeNotFound, "WORKSPACE_NOT_FOUND", "Workspace not found")
	}
	if err := s.requireMember(workspaceID, field, ownerID); err != nil {
		return nil, err
	}
	if err := s.state.requireVisibility(created.kind, visibility); err != nil {
		return nil, err
	}
	if parent := request.GetParent(); parent != nil {
		if created.parent, err = s.requireParent(workspaceID, parent); err != nil {
			return nil, err
		}
	}
	s.state.resources[created.key()] = created
	return created, nil
}

func (s permissionServer) requireParent(workspaceID string, parent *daikonv1.ParentReference) (*resource, error) {
	found := s.state.resources[resourceKey{parent.GetResourceType(), parent.GetResourceId()}]
	if found == nil || found.workspaceID != workspaceID {
		return nil, invalidArgument("parent", "must be a resource of the same service and workspace")
	}
	return found, nil
}

func (s permissionServer) GetResource(
	_ context.Context, request *daikonv1.GetResourceRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	found := s.state.resources[resourceKey{request.GetResourceType(), request.GetResourceId()}]
	if found == nil {
		return nil, failure(daikon.CodeNotFound, "RESOURCE_NOT_FOUND", "Resource not found")
	}
	record := found.view()
	if request.GetWithAncestors() {
		record.Ancestors = found.viewAncestors()
	}
	if request.GetWithNames() {
		record.OwnerName, record.OwnerEmail = s.state.namesOf(record)
		for _, ancestor := range record.GetAncestors() {
			ancestor.OwnerName, ancestor.OwnerEmail = s.state.namesOf(ancestor)
		}
	}
	return record, nil
}

func (s permissionServer) Unregister(
	ctx context.Context, request *daikonv1.UnregisterRequest,
) (*daikonv1.UnregisterResponse, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	var removed []resourceKey
	for key, other := range s.state.resources {
		if other == found || request.GetCascade() && other.depthBelow(found) > 0 {
			removed = append(removed, key)
		}
	}
	for _, key := range removed {
		delete(s.state.resources, key)
	}
	for _, child := range s.state.resources {
		if child.parent == found {
			child.parent = nil
		}
	}
	return &daikonv1.UnregisterResponse{}, nil
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

func (s permissionServer) UpdateAttributes(
	ctx context.Context, request *daikonv1.UpdateAttributesRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	found.attributes = mergePatch(found.attributes, request.GetAttributes().AsMap())
	return found.view(), nil
}

// mergePatch applies a merge patch (RFC 7396) to an object.
func mergePatch(target, patch map[string]any) map[string]any {
	merged := map[string]any{}
	maps.Copy(merged, target)
	for name, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(merged, name)
		case map[string]any:
			before, _ := merged[name].(map[string]any)
			merged[name] = mergePatch(before, value)
		default:
			merged[name] = value
		}
	}
	return merged
}

func (s permissionServer) UpdateResource(
	ctx context.Context, request *daikonv1.UpdateResourceRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	found.displayName = request.GetDisplayName()
	return found.view(), nil
}

func (s permissionServer) UpdateParent(
	ctx context.Context, request *daikonv1.UpdateParentRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	if request.GetParent() != nil {
		parent, err := s.requireParent(found.workspaceID, request.GetParent())
		if err != nil {
			return nil, err
		}
		if parent != found.parent {
			if err := s.move(ctx, request, found, parent); err != nil {
				return nil, err
			}
		}
	}
	if request.GetDetach() {
		found.parent = nil
	}
	if request.Inherits != nil {
		found.inherits = request.GetInherits()
	}
	return found.view(), nil
}

const maxChainLength = 32

func (s permissionServer) move(
	ctx context.Context, request *daikonv1.UpdateParentRequest, moved, parent *resource,
) error {
	if err := s.requireEdit(ctx, parent, request.GetContext().AsMap()); err != nil {
		return err
	}
	if parent == moved || parent.depthBelow(moved) > 0 {
		return failure(daikon.CodeAlreadyExists, "PARENT_CYCLE", "A resource cannot be its own ancestor")
	}
	length := 1
	for above := parent; above != nil; above = above.parent {
		length++
	}
	deepest := 0
	for _, other := range s.state.resources {
		deepest = max(deepest, other.depthBelow(moved))
	}
	if length+deepest > maxChainLength {
		return invalidArgument("parent", fmt.Sprintf("must not be nested more than %d levels deep", maxChainLength))
	}
	moved.parent = parent
	return nil
}

// depthBelow returns how far a resource is below another one; 0 if it is not.
func (r *resource) depthBelow(above *resource) int {
	depth := 1
	for parent := r.parent; parent != nil; parent = parent.parent {
		if parent == above {
			return depth
		}
		depth++
	}
	return 0
}

func (s permissionServer) TransferOwnership(
	ctx context.Context, request *daikonv1.TransferOwnershipRequest,
) (*daikonv1.ResourcePermissionResponse, error) {
	if err := s.state.requireID("owner_id", request.GetOwnerId()); err != nil {
		return nil, err
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	if err := s.requireOwnership(ctx, found); err != nil {
		return nil, err
	}
	if err := s.requireMember(found.workspaceID, "owner_id", request.GetOwnerId()); err != nil {
		return nil, err
	}
	found.ownerID = request.GetOwnerId()
	return found.view(), nil
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

// requireID requires a UUID, as the server does. The IDs of users, workspaces and groups of a test may be any text.
func (s *state) requireID(field, id string) error {
	_, isUser := s.users[id]
	_, isWorkspace := s.workspaces[id]
	_, isGroup := s.groups[id]
	if isUUID(id) || isUser || isWorkspace || isGroup {
		return nil
	}
	return invalidArgument(field, "must be a UUID")
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
