package daikon

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// Register registers a resource. Call it when the resource is created; repeating the call with the same workspace
// and owner returns the registered resource.
func (c *Client) Register(ctx context.Context, registration Registration) (*RegisteredResource, error) {
	request, err := c.registerRequest(registration)
	if err != nil {
		return nil, err
	}
	return c.change(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.Register(ctx, request, options...)
	})
}

// RegisterMany registers up to 1,000 resources, all or none. Items may name each other as parents.
func (c *Client) RegisterMany(ctx context.Context, registrations []Registration) ([]RegisteredResource, error) {
	registered := make([]RegisteredResource, 0, len(registrations))
	if len(registrations) == 0 {
		return registered, nil
	}
	request := &daikonv1.RegisterBatchRequest{}
	for _, registration := range registrations {
		item, err := c.registerRequest(registration)
		if err != nil {
			return nil, err
		}
		request.Resources = append(request.Resources, item)
	}
	err := c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		response, err := c.permissions.RegisterBatch(ctx, request, options...)
		for _, record := range response.GetResources() {
			registered = append(registered, *readResource(record))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return registered, nil
}

func (c *Client) registerRequest(registration Registration) (*daikonv1.RegisterResourceRequest, error) {
	resource := Resource{Type: registration.Type, ID: registration.ID}
	id, err := c.ResourceID(resource)
	if err != nil {
		return nil, err
	}
	owners := 0
	for _, owner := range []string{registration.OwnerID, registration.OwnerEmail, registration.OwnerExternalID} {
		if owner != "" {
			owners++
		}
	}
	if owners != 1 {
		message := "is required, or OwnerEmail or OwnerExternalID: exactly one"
		return nil, invalidArgument(Field{Field: "OwnerID", Message: message})
	}
	attributes, err := newStruct("Attributes", registration.Attributes)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.RegisterResourceRequest{
		ServiceName:     c.service,
		ResourceType:    resource.Type,
		ResourceId:      &id,
		WorkspaceId:     registration.WorkspaceID,
		OwnerId:         registration.OwnerID,
		OwnerEmail:      optional(registration.OwnerEmail),
		OwnerExternalId: optional(registration.OwnerExternalID),
		Visibility:      optional(string(registration.Visibility)),
		Attributes:      attributes,
		DisplayName:     optional(registration.DisplayName),
	}
	if !isUUID(resource.ID) {
		request.ExternalId = &resource.ID
	}
	if registration.Parent != nil {
		request.Parent, err = c.parentReference(*registration.Parent)
	}
	return request, err
}

func (c *Client) parentReference(parent Resource) (*daikonv1.ParentReference, error) {
	id, err := c.ResourceID(parent)
	if err != nil {
		return nil, err
	}
	return &daikonv1.ParentReference{ResourceType: parent.Type, ResourceId: &id}, nil
}

// Get returns a registered resource.
func (c *Client) Get(ctx context.Context, resource Resource) (*RegisteredResource, error) {
	id, err := c.ResourceID(resource)
	if err != nil {
		return nil, err
	}
	withNames := true
	request := &daikonv1.GetResourceRequest{
		ServiceName:  c.service,
		ResourceType: resource.Type,
		ResourceId:   id,
		WithNames:    &withNames,
	}
	return c.change(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.GetResource(ctx, request, options...)
	})
}

// Shares returns the shares of a resource, without those that have ended.
func (c *Client) Shares(ctx context.Context, resource Resource) ([]Share, error) {
	found, err := c.Get(ctx, resource)
	if err != nil {
		return nil, err
	}
	return found.Shares, nil
}

// Unregister removes a resource and its shares. Call it when the resource is deleted.
func (c *Client) Unregister(ctx context.Context, resource Resource, opts ...UnregisterOption) error {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return err
	}
	request := &daikonv1.UnregisterRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		Cascade:      &target.cascade,
		Context:      target.context,
	}
	how := call{token: target.token, isRepeatable: true, succeededBefore: "RESOURCE_NOT_FOUND"}
	return c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.Unregister(ctx, request, options...)
		return err
	})
}

// Share shares a resource, or replaces an existing share. It requires the option [As]. To grant a role that contains
// manage, the user of As must own the resource or an ancestor that it inherits from, or be an owner or admin of the
// workspace.
func (c *Client) Share(
	ctx context.Context, resource Resource, grantee Grantee, grant Grant, opts ...ShareOption,
) (*Share, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	item, err := c.shareItem(NewShare{
		Resource:  resource,
		Grantee:   grantee,
		Grant:     grant,
		ExpiresAt: target.expiresAt,
		Condition: target.condition,
	})
	if err != nil {
		return nil, err
	}
	request := shareRequest(item)
	request.Context = target.context
	var share *daikonv1.ShareResponse
	how := call{token: target.token, isRepeatable: true}
	err = c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		share, err = c.permissions.Share(ctx, request, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return readShare(share), nil
}

// ShareMany grants up to 1,000 shares, all or none. With [As], that user must be allowed to manage every resource; without
// it, your service decides.
func (c *Client) ShareMany(ctx context.Context, shares []NewShare, opts ...ChangeOption) ([]Share, error) {
	granted := make([]Share, 0, len(shares))
	if len(shares) == 0 {
		return granted, nil
	}
	settings := readOptions(opts)
	input, err := newStruct("context", settings.input)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.ShareBatchRequest{Context: input}
	for _, share := range shares {
		item, err := c.shareItem(share)
		if err != nil {
			return nil, err
		}
		request.Shares = append(request.Shares, item)
	}
	how := call{token: settings.token, isRepeatable: true}
	err = c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		response, err := c.permissions.ShareBatch(ctx, request, options...)
		for _, record := range response.GetShares() {
			granted = append(granted, *readShare(record))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return granted, nil
}

func (c *Client) shareItem(share NewShare) (*daikonv1.ShareItem, error) {
	id, err := c.ResourceID(share.Resource)
	if err != nil {
		return nil, err
	}
	name, invalid := nameGrantee(share.Grantee)
	if invalid != nil {
		return nil, invalid
	}
	permission, role, err := readGrant(share.Grant)
	if err != nil {
		return nil, err
	}
	item := &daikonv1.ShareItem{
		ServiceName:       &c.service,
		ResourceType:      &share.Resource.Type,
		ResourceId:        &id,
		GranteeType:       name.kind,
		GranteeId:         name.id,
		GranteeEmail:      name.email,
		GranteeExternalId: name.externalID,
		GroupName:         name.group,
		Permission:        permission,
		Role:              role,
		ExpiresAt:         newTimestamp(share.ExpiresAt),
	}
	if share.Condition != nil {
		params, err := newStruct("condition.params", share.Condition.Params)
		if err != nil {
			return nil, err
		}
		item.Condition = &daikonv1.ShareCondition{Name: share.Condition.Name, Params: params}
	}
	return item, nil
}

func shareRequest(item *daikonv1.ShareItem) *daikonv1.ShareRequest {
	return &daikonv1.ShareRequest{
		ServiceName:       item.ServiceName,
		ResourceType:      item.ResourceType,
		ResourceId:        item.ResourceId,
		GranteeType:       item.GetGranteeType(),
		GranteeId:         item.GetGranteeId(),
		GranteeEmail:      item.GranteeEmail,
		GranteeExternalId: item.GranteeExternalId,
		GroupName:         item.GroupName,
		Permission:        item.GetPermission(),
		Role:              item.Role,
		ExpiresAt:         item.ExpiresAt,
		Condition:         item.Condition,
	}
}

func readGrant(grant Grant) (permission, role *string, err error) {
	if grant == nil {
		return nil, nil, invalidArgument(Field{Field: "permission", Message: "must be a Permission or a ResourceRole"})
	}
	permission, role = grant.grant()
	return permission, role, nil
}

func newTimestamp(time time.Time) *timestamppb.Timestamp {
	if time.IsZero() {
		return nil
	}
	return timestamppb.New(time)
}

// Revoke ends the share of a user or group.
func (c *Client) Revoke(ctx context.Context, resource Resource, grantee Grantee, opts ...ChangeOption) error {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return err
	}
	// Older servers require a permission; none compares it with the share's.
	item, err := c.shareItem(NewShare{Resource: resource, Grantee: grantee, Grant: PermissionView})
	if err != nil {
		return err
	}
	request := shareRequest(item)
	request.Context = target.context
	how := call{token: target.token, isRepeatable: true, succeededBefore: "SHARE_NOT_FOUND"}
	return c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.RevokeShare(ctx, request, options...)
		return err
	})
}

// SetVisibility makes a resource visible to its whole workspace or to everybody, or private again.
func (c *Client) SetVisibility(
	ctx context.Context, resource Resource, visibility Visibility, opts ...ChangeOption,
) (*RegisteredResource, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.UpdateVisibilityRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		Visibility:   string(visibility),
		Context:      target.context,
	}
	how := call{token: target.token, isRepeatable: true}
	return c.change(ctx, how, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.UpdateVisibility(ctx, request, options...)
	})
}

// SetAttributes changes attributes, which conditions read, by a merge patch (RFC 7396): members of attributes are
// merged, and nil removes a member.
func (c *Client) SetAttributes(
	ctx context.Context, resource Resource, attributes map[string]any, opts ...ChangeOption,
) (*RegisteredResource, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	if attributes == nil {
		attributes = map[string]any{}
	}
	patch, err := newStruct("attributes", attributes)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.UpdateAttributesRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		Attributes:   patch,
		Context:      target.context,
	}
	how := call{token: target.token, isRepeatable: true}
	return c.change(ctx, how, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.UpdateAttributes(ctx, request, options...)
	})
}

// SetDisplayName sets the name of a resource for people. An empty name removes it.
func (c *Client) SetDisplayName(
	ctx context.Context, resource Resource, displayName string, opts ...ChangeOption,
) (*RegisteredResource, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.UpdateResourceRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		DisplayName:  optional(displayName),
		Context:      target.context,
	}
	if displayName == "" {
		isRemoved := true
		request.RemoveDisplayName = &isRemoved
	}
	how := call{token: target.token, isRepeatable: true}
	return c.change(ctx, how, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.UpdateResource(ctx, request, options...)
	})
}

// SetParent moves a resource, with everything below it, to another parent of the same workspace, or, if parent is nil,
// to none. The user of [As] must also be allowed to edit the new parent.
func (c *Client) SetParent(
	ctx context.Context, resource Resource, parent *Resource, opts ...ParentOption,
) (*RegisteredResource, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.UpdateParentRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		Inherits:     target.inherits,
		Context:      target.context,
	}
	if parent == nil {
		isDetached := true
		request.Detach = &isDetached
	} else if request.Parent, err = c.parentReference(*parent); err != nil {
		return nil, err
	}
	// After a move, the user of the token may no longer manage the resource.
	how := call{token: target.token, isRepeatable: target.token == ""}
	return c.change(ctx, how, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.UpdateParent(ctx, request, options...)
	})
}

// Transfer makes another member of the workspace the owner of a resource.
func (c *Client) Transfer(ctx context.Context, resource Resource, userID string, opts ...ChangeOption) (*RegisteredResource, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.TransferOwnershipRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		OwnerId:      userID,
		Context:      target.context,
	}
	// After a transfer, the user of the token may no longer own the resource.
	how := call{token: target.token, isRepeatable: target.token == ""}
	return c.change(ctx, how, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.TransferOwnership(ctx, request, options...)
	})
}

// change sends a call that returns the resource.
func (c *Client) change(
	ctx context.Context,
	how call,
	send func(context.Context, ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error),
) (*RegisteredResource, error) {
	var record *daikonv1.ResourcePermissionResponse
	err := c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		record, err = send(ctx, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return readResource(record), nil
}
