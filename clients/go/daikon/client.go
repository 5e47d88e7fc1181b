package daikon

import (
	"context"
	"iter"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/structpb"

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
	exchange    *exchange
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
	if settings.agent != nil {
		client.exchange = newExchange(connection, *settings.agent)
	}
	return client, nil
}

// Check reports whether the subject may perform the action on the resource. Unknown users, resources and actions are
// denied. Concurrent checks share calls.
func (c *Client) Check(
	ctx context.Context, subject Subject, action string, resource Resource, opts ...CheckOption,
) (bool, error) {
	check := Check{Subject: subject, Action: action, Resource: resource}
	results, err := c.batcher.check(ctx, []Check{check}, readOptions(opts).input)
	if err != nil {
		return false, err
	}
	return results[0], nil
}

// CheckMany returns the results of many checks, in order. It sends up to 1,000 checks in one call.
func (c *Client) CheckMany(ctx context.Context, checks []Check, opts ...CheckOption) ([]bool, error) {
	if len(checks) == 0 {
		return []bool{}, nil
	}
	return c.batcher.check(ctx, checks, readOptions(opts).input)
}

// Filter returns the items whose resources the subject may perform the action on, in order. It checks them with one
// [Client.CheckMany].
func Filter[Item any](
	ctx context.Context, client *Client, subject Subject, action string, items []Item, resourceOf func(Item) Resource,
	opts ...CheckOption,
) ([]Item, error) {
	checks := make([]Check, len(items))
	for index, item := range items {
		checks[index] = Check{Subject: subject, Action: action, Resource: resourceOf(item)}
	}
	results, err := client.CheckMany(ctx, checks, opts...)
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
				err = c.deniedError(request.GetSubject(), page.GetContext())
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
	name, invalid := nameSubject(&subject)
	if invalid != nil {
		return nil, invalid
	}
	if err := requireAction(action); err != nil {
		return nil, err
	}
	if err := requireType(resourceType); err != nil {
		return nil, err
	}
	request := &daikonv1.SearchResourcesRequest{
		Subject:  name.message(),
		Action:   &daikonv1.AccessAction{Name: action},
		Resource: &daikonv1.ResourceSearch{Type: c.service + ":" + resourceType},
	}
	settings := readOptions(opts)
	input, err := searchContext(settings)
	if err != nil {
		return nil, err
	}
	request.Context = input
	return request, nil
}

// Subjects iterates over who may perform the action on the resource now: for each user or group, the external_id if
// there is one, otherwise the ID. It lists members of the workspace only, also of a public resource. It reads pages of
// 1,000 as you iterate; the timeout of the client applies to each page. An error ends the iteration.
func (c *Client) Subjects(
	ctx context.Context, action string, resource Resource, opts ...SubjectsOption,
) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		request, err := c.subjectsRequest(action, resource, opts)
		if err != nil {
			yield("", err)
			return
		}
		for {
			var page *daikonv1.SearchSubjectsResponse
			err := c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
				var err error
				page, err = c.access.SearchSubjects(ctx, request, options...)
				return err
			})
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

func (c *Client) subjectsRequest(
	action string, resource Resource, opts []SubjectsOption,
) (*daikonv1.SearchSubjectsRequest, error) {
	if err := requireAction(action); err != nil {
		return nil, err
	}
	if err := requireResource(resource); err != nil {
		return nil, err
	}
	settings := readOptions(opts)
	input, err := searchContext(settings)
	if err != nil {
		return nil, err
	}
	kind := kindUser
	if settings.listsGroups {
		kind = kindGroup
	}
	return &daikonv1.SearchSubjectsRequest{
		Subject:  &daikonv1.SubjectSearch{Type: kind},
		Action:   &daikonv1.AccessAction{Name: action},
		Resource: &daikonv1.AccessResource{Type: c.service + ":" + resource.Type, Id: resource.ID},
		Context:  input,
	}, nil
}

// deniedError explains a denial that is due to an invalid token. It returns nil for any other denial.
func (c *Client) deniedError(subject *daikonv1.AccessSubject, context *structpb.Struct) error {
	if err := deniedTokenError(subjectName{subject.GetType(), subject.GetId()}, context); err != nil {
		return err
	}
	return nil
}

// Explain returns whether an action is allowed, and every grant that allows it or the reason why it is denied.
func (c *Client) Explain(
	ctx context.Context, subject Subject, action string, resource Resource, opts ...CheckOption,
) (*Explanation, error) {
	input := readOptions(opts).input
	var item batchItem
	if err := item.name(&Check{Subject: subject, Action: action, Resource: resource}, input); err != nil {
		return nil, err
	}
	explain, err := decodeStruct("context", item.key.context)
	if err != nil {
		return nil, err
	}
	if explain == nil {
		explain = &structpb.Struct{Fields: map[string]*structpb.Value{}}
	}
	explain.Fields["explain"] = structpb.NewBoolValue(true)
	request := &daikonv1.EvaluateRequest{
		Subject:  item.subject.message(),
		Action:   &daikonv1.AccessAction{Name: action},
		Resource: &daikonv1.AccessResource{Type: c.service + ":" + resource.Type, Id: resource.ID},
		Context:  explain,
	}
	var evaluation *daikonv1.Evaluation
	err = c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		evaluation, err = c.access.Evaluate(ctx, request, options...)
		return err
	})
	if err == nil && !evaluation.GetDecision() {
		err = c.deniedError(request.GetSubject(), evaluation.GetContext())
	}
	if err != nil {
		return nil, err
	}
	return &Explanation{Allowed: evaluation.GetDecision(), Reasons: readReasons(evaluation.GetContext())}, nil
}

// VerifyAccessToken verifies an access token with daikon's public keys and returns its claims. The keys are cached, so
// most calls send nothing to the server. It therefore accepts revoked tokens until they expire; Check rejects them. The
// API key of a service account is verified by the server on every call. An invalid token is an [ErrInvalidToken], and
// so is one with which an agent acts for the user, without [Delegated].
func (c *Client) VerifyAccessToken(ctx context.Context, token string, opts ...VerifyOption) (*Claims, error) {
	settings := readOptions(opts)
	if c.connection.isClosed() {
		return nil, closedError()
	}
	if settings.audience == nil && isAPIKey(token) {
		return c.verifyAPIKey(ctx, token)
	}
	return c.tokens.verify(ctx, token, acceptedTokens{settings.audience, settings.delegated})
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
		return nil, tokenInvalidError("the API key is unknown or no longer valid")
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
