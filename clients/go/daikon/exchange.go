package daikon

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/daikon-auth/daikon/clients/go/daikonv1/oauthv1"
)

const (
	grantTokenExchange   = "urn:ietf:params:oauth:grant-type:token-exchange"
	tokenTypeAccessToken = "urn:ietf:params:oauth:token-type:access_token"
	tokenTypeDelegation  = "urn:daikon:params:oauth:token-type:delegation"
	tokenTypeAPIKey      = "urn:daikon:params:oauth:token-type:api_key"

	// exchangeMargin is how long before its end a token is replaced.
	exchangeMargin = time.Minute

	// maxExchanged is how many tokens are kept.
	maxExchanged = 1000

	// maxExchangeResponse is the size of a response in bytes.
	maxExchangeResponse = 64 << 10
)

// AgentCredentials is who acts for users: a service account, by its APIKey, or a confidential client app, by its
// ClientID and ClientSecret.
type AgentCredentials struct {
	APIKey       string
	ClientID     string
	ClientSecret string
}

// String returns the credentials without their secrets.
func (a AgentCredentials) String() string {
	if a.ClientID != "" {
		return fmt.Sprintf("AgentCredentials{ClientID: %q}", a.ClientID)
	}
	return "AgentCredentials{APIKey: …}"
}

// GoString returns the credentials without their secrets.
func (a AgentCredentials) GoString() string { return a.String() }

func (a AgentCredentials) isValid() bool {
	isText := func(text string) bool { return isText(text, maxTokenLength) }
	isAccount := isText(a.APIKey) && a.ClientID == "" && a.ClientSecret == ""
	isClient := isText(a.ClientID) && isText(a.ClientSecret) && a.APIKey == ""
	return isAccount || isClient
}

// ExchangeRequest is what [Client.Exchange] exchanges: an access token of the user, or only the ID of the user's
// delegation.
type ExchangeRequest struct {
	// SubjectToken is an access token of the user. The new token ends with it.
	SubjectToken string
	// DelegationID is the delegation by which the agent acts. With a SubjectToken, it is needed if the user has several
	// delegations to the agent.
	DelegationID string
	// Resource is the URI of the API that the token is for. By default, it is for daikon.
	Resource string
	// Scope contains the scopes of the API, separated by spaces. By default, all that the client app has.
	Scope string
}

func (r ExchangeRequest) validate() *Error {
	if r.SubjectToken == "" && r.DelegationID == "" {
		return invalidArgument(Field{"subjectToken", "is required, or DelegationID"})
	}
	for _, field := range []struct{ name, value string }{
		{"subjectToken", r.SubjectToken},
		{"delegationID", r.DelegationID},
		{"resource", r.Resource},
		{"scope", r.Scope},
	} {
		if field.value != "" && !isText(field.value, maxTokenLength) {
			return invalidArgument(Field{field.name, "must be a string of at most 16,384 characters"})
		}
	}
	return nil
}

// message returns the request (RFC 8693, section 2.1).
func (r ExchangeRequest) message(agent AgentCredentials) *oauthv1.OAuthTokenRequest {
	message := &oauthv1.OAuthTokenRequest{
		GrantType: optional(grantTokenExchange),
		Resource:  optional(r.Resource),
		Scope:     optional(r.Scope),
	}
	if r.SubjectToken == "" {
		message.SubjectToken, message.SubjectTokenType = optional(r.DelegationID), optional(tokenTypeDelegation)
	} else {
		message.SubjectToken, message.SubjectTokenType = optional(r.SubjectToken), optional(tokenTypeAccessToken)
		message.DelegationId = optional(r.DelegationID)
	}
	if agent.APIKey == "" {
		message.ClientId, message.ClientSecret = optional(agent.ClientID), optional(agent.ClientSecret)
	} else {
		message.ActorToken, message.ActorTokenType = optional(agent.APIKey), optional(tokenTypeAPIKey)
	}
	return message
}

// DelegatedToken is a token with which an agent acts for a user.
type DelegatedToken struct {
	Token string
	// Scope contains the scopes, separated by spaces. It is empty without a Resource.
	Scope     string
	ExpiresAt time.Time
}

// String returns the token without its secret.
func (t DelegatedToken) String() string {
	return fmt.Sprintf("DelegatedToken{Scope: %q, ExpiresAt: %s}", t.Scope, t.ExpiresAt.Format(time.RFC3339))
}

// GoString returns the token without its secret.
func (t DelegatedToken) GoString() string { return t.String() }

// Exchange returns a token with which the agent of [WithAgent] acts for a user (RFC 8693). A token is kept until a minute
// before its end, and concurrent calls for the same one share a request. If the user, the delegation and the agent do not
// fit each other, or one of them has ended, the error has the code failed_precondition and the reason INVALID_REQUEST.
// Wrong credentials of a client app are an [ErrUnauthenticated].
func (c *Client) Exchange(ctx context.Context, request ExchangeRequest) (*DelegatedToken, error) {
	if c.exchange == nil {
		return nil, invalidArgument(Field{"agent", "is required by Exchange: pass WithAgent"})
	}
	if err := request.validate(); err != nil {
		return nil, err
	}
	if c.connection.isClosed() {
		return nil, closedError()
	}
	ctx, cancel := c.connection.withTimeout(ctx)
	defer cancel()
	return c.exchange.token(ctx, request)
}

// exchange obtains and keeps the tokens of an agent.
type exchange struct {
	issue func(context.Context, ExchangeRequest) (*DelegatedToken, error)
	now   func() time.Time

	mu     sync.Mutex
	tokens map[ExchangeRequest]*issuedToken
	// order contains the requests of tokens, oldest first.
	order []ExchangeRequest
}

// issuedToken is a token that several callers may wait for.
type issuedToken struct {
	done  chan struct{}
	token *DelegatedToken
	err   error
}

func newExchange(connection *connection, agent AgentCredentials) *exchange {
	created := &exchange{now: time.Now, tokens: map[ExchangeRequest]*issuedToken{}}
	oauth := oauthv1.NewOAuthServiceClient(connection.grpc)
	created.issue = func(ctx context.Context, request ExchangeRequest) (*DelegatedToken, error) {
		// Without its monotonic reading, which stops while the machine is suspended.
		sentAt := created.now().Round(0)
		var response *oauthv1.OAuthTokenResponse
		err := connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
			var err error
			options = append(options, grpc.MaxCallRecvMsgSize(maxExchangeResponse))
			response, err = oauth.IssueToken(ctx, request.message(agent), options...)
			return err
		})
		if err != nil {
			return nil, err
		}
		if response.GetAccessToken() == "" || response.GetExpiresIn() <= 0 {
			return nil, &Error{Code: CodeInternal, Reason: "INTERNAL", Message: "daikon returned no token"}
		}
		expiresAt := sentAt.Add(time.Duration(response.GetExpiresIn()) * time.Second)
		return &DelegatedToken{Token: response.GetAccessToken(), Scope: response.GetScope(), ExpiresAt: expiresAt}, nil
	}
	return created
}

// token returns the kept token of a request, or obtains one.
func (e *exchange) token(ctx context.Context, request ExchangeRequest) (*DelegatedToken, error) {
	e.mu.Lock()
	issued := e.tokens[request]
	if issued == nil || !e.isUsable(issued) {
		issued = e.startIssuing(request)
	}
	e.mu.Unlock()
	if err := waitForShared(ctx, issued.done, "The token could not be obtained"); err != nil {
		return nil, err
	}
	if issued.err != nil {
		return nil, issued.err
	}
	token := *issued.token
	return &token, nil
}

// isUsable reports whether a token is still being obtained, or does not end soon. Tokens that could not be obtained are
// not kept.
func (e *exchange) isUsable(issued *issuedToken) bool {
	select {
	case <-issued.done:
		return e.now().Add(exchangeMargin).Before(issued.token.ExpiresAt)
	default:
		return true
	}
}

// startIssuing obtains a token. Other callers may wait for the same one, so it does not end with the caller's context.
// The caller must hold the mutex.
func (e *exchange) startIssuing(request ExchangeRequest) *issuedToken {
	issued := &issuedToken{done: make(chan struct{})}
	e.remove(request)
	e.tokens[request] = issued
	e.order = append(e.order, request)
	if len(e.order) > maxExchanged {
		e.remove(e.order[0])
	}
	go func() {
		token, err := e.issue(context.Background(), request)
		e.mu.Lock()
		defer e.mu.Unlock()
		issued.token, issued.err = token, err
		if err != nil && e.tokens[request] == issued {
			e.remove(request)
		}
		close(issued.done)
	}()
	return issued
}

// remove forgets the token of a request, if there is one. The caller must hold the mutex.
func (e *exchange) remove(request ExchangeRequest) {
	if _, isKept := e.tokens[request]; !isKept {
		return
	}
	delete(e.tokens, request)
	e.order = slices.DeleteFunc(e.order, func(other ExchangeRequest) bool { return other == request })
}
