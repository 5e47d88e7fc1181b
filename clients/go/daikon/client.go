package daikon

import (
	"context"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
	"github.com/daikon-auth/daikon/clients/go/daikonv1/oauthv1"
)

// Client is a client of daikon. It is safe for concurrent use; create one for a whole process. Every operation
// fails with an [*Error]; a denied check is not a failure.
type Client struct {
	service     string
	connection  *connection
	batcher     *batcher
	tokens      *tokenVerifier
	access      daikonv1.AccessServiceClient
	permissions daikonv1.PermissionServiceClient
}

// New creates a client for the gRPC server at an address such as localhost:50051. It connects on the first call. It
// returns an [*Error] with code invalid_argument if an option is missing or malformed.
func New(address string, opts ...Option) (*Client, error) {
	settings := &options{timeout: defaultTimeout, maxInFlight: defaultMaxInFlight}
	for _, option := range opts {
		option(settings)
	}
	if err := settings.validate(address); err != nil {
		return nil, err
	}
	connection, err := newConnection(address, settings)
	if err != nil {
		return nil, err
	}
	client := &Client{
		service:     settings.service,
		connection:  connection,
		batcher:     newBatcher(connection, settings.service),
		access:      daikonv1.NewAccessServiceClient(connection.grpc),
		permissions: daikonv1.NewPermissionServiceClient(connection.grpc),
	}
	client.tokens = &tokenVerifier{load: client.loadKeys, issuer: settings.issuer, now: time.Now}
	return client, nil
}

// Check reports whether the subject may perform the action on the resource. Unknown users, resources and actions are
// denied. Concurrent checks share calls.
func (c *Client) Check(ctx context.Context, subject Subject, action string, resource Resource) (bool, error) {
	results, err := c.batcher.check(ctx, []Check{{Subject: subject, Action: action, Resource: resource}})
	if err != nil {
		return false, err
	}
	return results[0], nil
}

// CheckMany returns the results of many checks, in order. It sends up to 1,000 checks in one call.
func (c *Client) CheckMany(ctx context.Context, checks []Check) ([]bool, error) {
	if len(checks) == 0 {
		return []bool{}, nil
	}
	return c.batcher.check(ctx, checks)
}

// Filter returns the items whose resources the subject may perform the action on, in order. It checks them with one
// [Client.CheckMany].
func Filter[Item any](
	ctx context.Context, client *Client, subject Subject, action string, items []Item, resourceOf func(Item) Resource,
) ([]Item, error) {
	checks := make([]Check, len(items))
	for index, item := range items {
		checks[index] = Check{Subject: subject, Action: action, Resource: resourceOf(item)}
	}
	results, err := client.CheckMany(ctx, checks)
	if err != nil {
		return nil, err
	}
	allowed := []Item{}
	for index, item := range items {
		if results[index] {
			allowed = append(allowed, item)
		}
	}
	return allowed, nil
}

// AccessibleOption restricts [Client.Accessible].
type AccessibleOption func(*accessibleOptions)

type accessibleOptions struct{ workspaceID string }

// InWorkspace restricts [Client.Accessible] to one workspace. By default, it lists the resources of all workspaces
// that the subject is a member of.
func InWorkspace(workspaceID string) AccessibleOption {
	return func(o *accessibleOptions) { o.workspaceID = workspaceID }
}

// Accessible iterates over the IDs of all resources of a type on which the subject may perform the action. It reads
// pages of 1,000 as you iterate; the timeout of the client applies to each page. An error ends the iteration.
func (c *Client) Accessible(
	ctx context.Context, subject Subject, action, resourceType string, opts ...AccessibleOption,
) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		request, err := c.searchRequest(subject, action, resourceType, opts)
		if err != nil {
			yield("", err)
			return
		}
		for {
			var page *daikonv1.SearchResourcesResponse
			err := c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
				var err error
				page, err = c.access.SearchResources(ctx, request, options...)
				return err
			})
			if err == nil && request.GetPage() == nil && len(page.GetResults()) == 0 {
				err = c.deniedError(request.GetSubject())
			}
			if err != nil {
				yield("", err)
				return
			}
			for _, entity := range page.GetResults() {
				if !yield(entity.GetId(), nil) {
					return
				}
			}
			next := page.GetPage().GetNextToken()
			if next == "" {
				return
			}
			request.Page = &daikonv1.SearchPage{Token: &next}
		}
	}
}

func (c *Client) searchRequest(
	subject Subject, action, resourceType string, opts []AccessibleOption,
) (*daikonv1.SearchResourcesRequest, error) {
	name, err := nameSubject(subject)
	if err != nil {
		return nil, err
	}
	if err := requireAction(action); err != nil {
		return nil, err
	}
	if err := requireResource(Resource{Type: resourceType, ID: "-"}); err != nil {
		return nil, err
	}
	request := &daikonv1.SearchResourcesRequest{
		Subject:  name.message(),
		Action:   &daikonv1.AccessAction{Name: action},
		Resource: &daikonv1.ResourceSearch{Type: c.service + ":" + resourceType},
	}
	var settings accessibleOptions
	for _, option := range opts {
		option(&settings)
	}
	if settings.workspaceID != "" {
		id := structpb.NewStringValue(settings.workspaceID)
		request.Context = &structpb.Struct{Fields: map[string]*structpb.Value{"workspace_id": id}}
	}
	return request, nil
}

// deniedError explains a denial that is due to an invalid token. It returns nil for any other denial.
func (c *Client) deniedError(subject *daikonv1.AccessSubject) error {
	if err := deniedTokenError(subjectName{subject.GetType(), subject.GetId()}); err != nil {
		return err
	}
	return nil
}

// Explain returns whether an action is allowed, and every grant that allows it or the reason why it is denied.
func (c *Client) Explain(ctx context.Context, subject Subject, action string, resource Resource) (*Explanation, error) {
	key, err := newItemKey(Check{Subject: subject, Action: action, Resource: resource})
	if err != nil {
		return nil, err
	}
	explain := map[string]*structpb.Value{"explain": structpb.NewBoolValue(true)}
	request := &daikonv1.EvaluateRequest{
		Subject:  key.subject.message(),
		Action:   &daikonv1.AccessAction{Name: action},
		Resource: &daikonv1.AccessResource{Type: c.service + ":" + resource.Type, Id: resource.ID},
		Context:  &structpb.Struct{Fields: explain},
	}
	var evaluation *daikonv1.Evaluation
	err = c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		evaluation, err = c.access.Evaluate(ctx, request, options...)
		return err
	})
	if err == nil && !evaluation.GetDecision() {
		err = c.deniedError(request.GetSubject())
	}
	if err != nil {
		return nil, err
	}
	return &Explanation{Allowed: evaluation.GetDecision(), Reasons: readReasons(evaluation.GetContext())}, nil
}

// Register registers a resource. Call it when the resource is created; repeating the call with the same workspace
// and owner returns the registered resource.
func (c *Client) Register(ctx context.Context, registration Registration) (*RegisteredResource, error) {
	resource := Resource{Type: registration.Type, ID: registration.ID}
	if err := requireResource(resource); err != nil {
		return nil, err
	}
	id := ResourceID(c.service, resource)
	request := &daikonv1.RegisterResourceRequest{
		ServiceName:  c.service,
		ResourceType: resource.Type,
		ResourceId:   &id,
		WorkspaceId:  registration.WorkspaceID,
		OwnerId:      registration.OwnerID,
	}
	if !isUUID(resource.ID) {
		request.ExternalId = &resource.ID
	}
	if registration.Visibility != "" {
		request.Visibility = (*string)(&registration.Visibility)
	}
	if parent := registration.Parent; parent != nil {
		if err := requireResource(*parent); err != nil {
			return nil, err
		}
		parentID := ResourceID(c.service, *parent)
		request.Parent = &daikonv1.ParentReference{ResourceType: parent.Type, ResourceId: &parentID}
	}
	return c.change(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.Register(ctx, request, options...)
	})
}

// ChangeOption configures an operation that changes a resource.
type ChangeOption interface {
	ShareOption
	applyToChange(*changeOptions)
}

// ShareOption configures [Client.Share].
type ShareOption interface{ applyToShare(*shareOptions) }

type changeOptions struct{ token string }

type shareOptions struct {
	changeOptions
	expiresAt time.Time
}

type asOption string

func (token asOption) applyToChange(o *changeOptions) { o.token = string(token) }
func (token asOption) applyToShare(o *shareOptions)   { o.token = string(token) }

// As passes the access token of the user who makes the change. daikon then requires that this user may manage the
// resource. Share requires it. Other changes without it are made in the name of your service.
func As(token string) ChangeOption { return asOption(token) }

type expiresAtOption time.Time

func (end expiresAtOption) applyToShare(o *shareOptions) { o.expiresAt = time.Time(end) }

// ExpiresAt sets when a share ends.
func ExpiresAt(end time.Time) ShareOption { return expiresAtOption(end) }

func readChangeOptions(opts []ChangeOption) changeOptions {
	var settings changeOptions
	for _, option := range opts {
		option.applyToChange(&settings)
	}
	return settings
}

// Unregister removes a resource and its shares. Call it when the resource is deleted.
func (c *Client) Unregister(ctx context.Context, resource Resource, opts ...ChangeOption) error {
	id, err := c.ResourceID(resource)
	if err != nil {
		return err
	}
	how := call{token: readChangeOptions(opts).token, isRepeatable: true, succeededBefore: "RESOURCE_NOT_FOUND"}
	request := &daikonv1.UnregisterRequest{ServiceName: &c.service, ResourceType: &resource.Type, ResourceId: &id}
	return c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.Unregister(ctx, request, options...)
		return err
	})
}

// Share shares a resource, or changes the permission or role of an existing share. It requires the option [As]. To
// grant a role that contains manage, the user of As must own the resource or an ancestor that it inherits from, or be an
// owner or admin of the workspace.
func (c *Client) Share(
	ctx context.Context, resource Resource, grantee Grantee, grant Grant, opts ...ShareOption,
) (*Share, error) {
	request, err := c.shareRequest(resource, grantee, grant)
	if err != nil {
		return nil, err
	}
	var settings shareOptions
	for _, option := range opts {
		option.applyToShare(&settings)
	}
	if !settings.expiresAt.IsZero() {
		request.ExpiresAt = timestamppb.New(settings.expiresAt)
	}
	var share *daikonv1.ShareResponse
	how := call{token: settings.token, isRepeatable: true}
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

// Revoke ends the share of a user or group.
func (c *Client) Revoke(ctx context.Context, resource Resource, grantee Grantee, opts ...ChangeOption) error {
	// Older servers require a permission; none compares it with the share's.
	request, err := c.shareRequest(resource, grantee, PermissionView)
	if err != nil {
		return err
	}
	how := call{token: readChangeOptions(opts).token, isRepeatable: true, succeededBefore: "SHARE_NOT_FOUND"}
	return c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.RevokeShare(ctx, request, options...)
		return err
	})
}

func (c *Client) shareRequest(resource Resource, grantee Grantee, grant Grant) (*daikonv1.ShareRequest, error) {
	id, err := c.ResourceID(resource)
	if err != nil {
		return nil, err
	}
	kind, granteeID, invalid := nameGrantee(grantee)
	if invalid != nil {
		return nil, invalid
	}
	if grant == nil {
		return nil, invalidArgument(Field{Field: "permission", Message: "must be a Permission or a ResourceRole"})
	}
	request := &daikonv1.ShareRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &id,
		GranteeType:  kind,
		GranteeId:    granteeID,
	}
	grant.applyToRequest(request)
	return request, nil
}

// SetVisibility makes a resource visible to its whole workspace, or private again.
func (c *Client) SetVisibility(
	ctx context.Context, resource Resource, visibility Visibility, opts ...ChangeOption,
) (*RegisteredResource, error) {
	id, err := c.ResourceID(resource)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.UpdateVisibilityRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &id,
		Visibility:   string(visibility),
	}
	how := call{token: readChangeOptions(opts).token, isRepeatable: true}
	return c.change(ctx, how, func(ctx context.Context, options ...grpc.CallOption) (*daikonv1.ResourcePermissionResponse, error) {
		return c.permissions.UpdateVisibility(ctx, request, options...)
	})
}

// Transfer makes another member of the workspace the owner of a resource.
func (c *Client) Transfer(ctx context.Context, resource Resource, userID string, opts ...ChangeOption) (*RegisteredResource, error) {
	id, err := c.ResourceID(resource)
	if err != nil {
		return nil, err
	}
	request := &daikonv1.TransferOwnershipRequest{
		ServiceName:  &c.service,
		ResourceType: &resource.Type,
		ResourceId:   &id,
		OwnerId:      userID,
	}
	token := readChangeOptions(opts).token
	// After a transfer, the user of the token may no longer own the resource.
	how := call{token: token, isRepeatable: token == ""}
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

// VerifyAccessToken verifies an access token with daikon's public keys and returns its claims. The keys are cached, so
// most calls send nothing to the server. It therefore accepts revoked tokens until they expire; Check rejects them. The
// API key of a service account is verified by the server on every call. An invalid token is an [ErrInvalidToken].
func (c *Client) VerifyAccessToken(ctx context.Context, token string) (*Claims, error) {
	if c.connection.isClosed() {
		return nil, closedError()
	}
	if isAPIKey(token) {
		return c.verifyAPIKey(ctx, token)
	}
	return c.tokens.verify(ctx, token)
}

func (c *Client) verifyAPIKey(ctx context.Context, key string) (*Claims, error) {
	var found *oauthv1.TokenIntrospection
	oauth := oauthv1.NewOAuthServiceClient(c.connection.grpc)
	err := c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		found, err = oauth.IntrospectToken(ctx, &oauthv1.IntrospectTokenRequest{Token: &key}, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found.GetActive() || found.GetTokenType() != kindAPIKey {
		return nil, tokenInvalidError("the API key is unknown, or has ended")
	}
	return &Claims{
		Subject:       found.GetSub(),
		WorkspaceID:   found.GetWid(),
		WorkspaceSlug: found.GetWslug(),
		Role:          found.GetWrole(),
		Type:          kindAPIKey,
		ExpiresAtUnix: int64(found.GetExp()),
	}, nil
}

func (c *Client) loadKeys(ctx context.Context) (issuer string, keys []*daikonv1.Key, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.connection.timeout)
	defer cancel()
	auth := daikonv1.NewAuthServiceClient(c.connection.grpc)
	err = c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		configuration, err := auth.GetConfiguration(ctx, &daikonv1.GetConfigurationRequest{}, options...)
		if err != nil {
			return err
		}
		set, err := auth.GetKeySet(ctx, &daikonv1.GetKeySetRequest{}, options...)
		issuer, keys = configuration.GetIssuer(), set.GetKeys()
		return err
	})
	return issuer, keys, err
}

// ResourceID returns the UUID that identifies a resource in the API (resource_id).
func (c *Client) ResourceID(resource Resource) (string, error) {
	if err := requireResource(resource); err != nil {
		return "", err
	}
	return ResourceID(c.service, resource), nil
}

// Conn returns a connection for the generated code of package daikonv1, with the service key, timeout, limit and
// errors of this client. It does not retry calls. Pass an access token with [ContextWithToken].
func (c *Client) Conn() grpc.ClientConnInterface { return apiConn{c.connection} }

// ContextWithToken returns a context that passes an access token to calls of [Client.Conn].
func ContextWithToken(ctx context.Context, token string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
}

// Close closes the connection. Running operations fail with [ErrCanceled].
func (c *Client) Close() error {
	err := c.connection.close()
	c.batcher.close()
	return err
}

// apiConn adds the client's key, timeout and limit to calls made through Client.Conn.
type apiConn struct{ connection *connection }

func (a apiConn) Invoke(ctx context.Context, method string, request, response any, options ...grpc.CallOption) error {
	outgoing, _ := metadata.FromOutgoingContext(ctx)
	return a.connection.invoke(ctx, call{}, func(ctx context.Context, own ...grpc.CallOption) error {
		base, _ := metadata.FromOutgoingContext(ctx)
		ctx = metadata.NewOutgoingContext(ctx, metadata.Join(base, outgoing))
		return a.connection.grpc.Invoke(ctx, method, request, response, append(own, options...)...)
	})
}

// NewStream applies no timeout and returns gRPC errors unchanged.
func (a apiConn) NewStream(
	ctx context.Context, description *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	outgoing, _ := metadata.FromOutgoingContext(ctx)
	ctx = metadata.NewOutgoingContext(ctx, metadata.Join(a.connection.metadata(""), outgoing))
	return a.connection.grpc.NewStream(ctx, description, method, options...)
}
