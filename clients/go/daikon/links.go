package daikon

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// target is the resource of a change, with the options of the call.
type target struct {
	callOptions
	id      string
	context *structpb.Struct
}

func newTarget[Option callOption](c *Client, resource Resource, opts []Option) (target, error) {
	id, err := c.ResourceID(resource)
	if err != nil {
		return target{}, err
	}
	settings := readOptions(opts)
	input, err := newStruct("context", settings.input)
	return target{settings, id, input}, err
}

// CreateLink creates a link. Anyone who has its token may do what it grants. The token is returned only here. It requires
// the option [As], whose user must be allowed to manage the resource. The role of a link must not contain manage.
func (c *Client) CreateLink(ctx context.Context, resource Resource, grant Grant, opts ...LinkOption) (*NewLink, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	permission, role, err := readGrant(grant)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.CreateLinkRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		Permission:   text(permission),
		Role:         role,
		Name:         optional(target.name),
		ExpiresAt:    newTimestamp(target.expiresAt),
		Context:      target.context,
	}
	if target.condition != nil {
		params, err := newStruct("condition.params", target.condition.Params)
		if err != nil {
			return nil, err
		}
		request.Condition = &daikonv1.LinkCondition{Name: target.condition.Name, Params: params}
	}
	var created *daikonv1.CreatedLink
	// A repeated call would create another link.
	err = c.connection.invoke(ctx, call{token: target.token}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		created, err = c.permissions.CreateLink(ctx, request, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &NewLink{Link: readLink(created), Token: created.GetToken()}, nil
}

// Links returns the links to a resource, oldest first, without their tokens. It requires the option [As].
func (c *Client) Links(ctx context.Context, resource Resource, opts ...ChangeOption) ([]Link, error) {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.ListLinksRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		Context:      target.context,
	}
	links := []Link{}
	how := call{token: target.token, isRepeatable: true}
	err = c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		response, err := c.permissions.ListLinks(ctx, request, options...)
		for _, record := range response.GetLinks() {
			links = append(links, readLink(record))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return links, nil
}

// RevokeLink revokes a link by its ID. It requires the option [As].
func (c *Client) RevokeLink(ctx context.Context, resource Resource, linkID string, opts ...ChangeOption) error {
	target, err := newTarget(c, resource, opts)
	if err != nil {
		return err
	}
	request := &daikonv1.DeleteLinkRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &target.id,
		LinkId:       linkID,
		Context:      target.context,
	}
	how := call{token: target.token, isRepeatable: true, succeededBefore: "LINK_NOT_FOUND"}
	return c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.DeleteLink(ctx, request, options...)
		return err
	})
}
