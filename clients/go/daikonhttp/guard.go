// Package daikonhttp provides net/http middleware that verifies access tokens and checks permissions with daikon.
//
//	guard := daikonhttp.New(client)
//	mux.Handle("GET /notes", guard.RequireUser(listNotes))
//	mux.Handle("PUT /notes/{id}", guard.RequirePermission("edit", daikonhttp.PathValue("note", "id"))(saveNote))
package daikonhttp

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// User is the user of a request.
type User struct {
	// Claims are the verified claims of the access token.
	Claims *daikon.Claims
	// Token is the access token, for a [daikon.Subject] and for [daikon.As].
	Token string
	// Agent is the agent that acts for the user; nil if the user acts. See [WithAgents].
	Agent *Agent
}

// Agent is an agent that acts for a user, and the delegation by which it does.
type Agent struct {
	Type         daikon.AgentType
	ID           string
	DelegationID string
}

func agentOf(claims *daikon.Claims) *Agent {
	if claims.Actor == nil {
		return nil
	}
	return &Agent{Type: claims.Actor.Type, ID: claims.Actor.ID, DelegationID: claims.DelegationID}
}

// Subject returns the subject for checks.
func (u *User) Subject() daikon.Subject { return daikon.Subject{Token: u.Token} }

// Guard provides middleware for one client.
type Guard struct {
	client       *daikon.Client
	errorHandler func(http.ResponseWriter, *http.Request, error)
	accepted     []daikon.VerifyOption
}

// Option configures a [Guard].
type Option func(*Guard)

// WithErrorHandler sets the handler of errors that the request did not cause, such as a wrong service key. The default
// logs the error with log/slog and responds with 500 without details.
func WithErrorHandler(handle func(http.ResponseWriter, *http.Request, error)) Option {
	return func(g *Guard) { g.errorHandler = handle }
}

// WithAgents also accepts tokens with which an agent acts for a user. The User then has the Agent. daikon decides for both
// in every check; what your code decides without one, it must decide for the agent as well.
func WithAgents() Option {
	return func(g *Guard) { g.accepted = []daikon.VerifyOption{daikon.Delegated()} }
}

// New creates the middleware.
func New(client *daikon.Client, options ...Option) *Guard {
	guard := &Guard{client: client, errorHandler: logError}
	for _, option := range options {
		option(guard)
	}
	return guard
}

func logError(w http.ResponseWriter, r *http.Request, err error) {
	slog.ErrorContext(r.Context(), "daikon: the request failed", "error", err, "path", r.URL.Path)
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

type contextKey struct{}

// guarded is what a guard stores in the context of a request.
type guarded struct {
	guard *Guard
	user  *User
}

// RequireUser requires a valid access token, and responds with 401 otherwise. It verifies tokens with cached keys, so
// it accepts revoked tokens until they expire; RequirePermission rejects them.
func (g *Guard) RequireUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authenticated, err := g.authenticate(r)
		if err != nil {
			g.Error(w, r, err)
			return
		}
		next.ServeHTTP(w, authenticated)
	})
}

// PermissionOption configures [Guard.RequirePermission].
type PermissionOption func(*permissionOptions)

type permissionOptions struct {
	hide    bool
	context func(*http.Request) (map[string]any, error)
}

// Hide responds with 404 instead of 403, so that the response does not reveal that the resource exists.
func Hide() PermissionOption { return func(o *permissionOptions) { o.hide = true } }

// InContext sets what conditions read as context, from the request. An error is handled like one of resource.
func InContext(context func(*http.Request) (map[string]any, error)) PermissionOption {
	return func(o *permissionOptions) { o.context = context }
}

// RequirePermission requires a valid access token of a user who may perform the action on the resource. It responds
// with 401 or 403 otherwise, and with 503 if daikon is unavailable. If resource returns an error other than a
// [*daikon.Error], it is passed to the error handler.
func (g *Guard) RequirePermission(
	action string, resource func(*http.Request) (daikon.Resource, error), options ...PermissionOption,
) func(http.Handler) http.Handler {
	var settings permissionOptions
	for _, option := range options {
		option(&settings)
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			authenticated, err := g.authorize(r, action, resource, settings)
			if err != nil {
				g.Error(w, r, err)
				return
			}
			next.ServeHTTP(w, authenticated)
		})
	}
}

// PathValue returns the resource of a type whose ID is a wildcard of the pattern of [http.ServeMux].
func PathValue(resourceType, name string) func(*http.Request) (daikon.Resource, error) {
	return func(r *http.Request) (daikon.Resource, error) {
		return daikon.Resource{Type: resourceType, ID: r.PathValue(name)}, nil
	}
}

// UserOf returns the user of a request that passed a guard. It panics for other requests.
func UserOf(r *http.Request) *User { return find(r).user }

// Filter returns the items whose resources the user of the request may perform the action on, in order. It makes one
// call for up to 1,000 items, and panics unless the request passed a guard.
func Filter[Item any](
	r *http.Request, action string, items []Item, resourceOf func(Item) daikon.Resource, opts ...daikon.CheckOption,
) ([]Item, error) {
	found := find(r)
	return daikon.Filter(r.Context(), found.guard.client, found.user.Subject(), action, items, resourceOf, opts...)
}

func find(r *http.Request) *guarded {
	if found, ok := r.Context().Value(contextKey{}).(*guarded); ok {
		return found
	}
	panic("daikonhttp: the request has no user: add RequireUser or RequirePermission before this handler")
}

var bearer = regexp.MustCompile(`(?i)^Bearer +(\S+)$`)

func (g *Guard) authenticate(r *http.Request) (*http.Request, error) {
	if found, ok := r.Context().Value(contextKey{}).(*guarded); ok && found.guard == g {
		return r, nil
	}
	match := bearer.FindStringSubmatch(r.Header.Get("Authorization"))
	if match == nil {
		return nil, &daikon.Error{
			Code:    daikon.CodeUnauthenticated,
			Reason:  "TOKEN_MISSING",
			Message: `The header "Authorization: Bearer <access token>" is missing`,
		}
	}
	claims, err := g.client.VerifyAccessToken(r.Context(), match[1], g.accepted...)
	if err != nil {
		return nil, err
	}
	stored := &guarded{guard: g, user: &User{Claims: claims, Token: match[1], Agent: agentOf(claims)}}
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, stored)), nil
}

func (g *Guard) authorize(
	r *http.Request, action string, findResource func(*http.Request) (daikon.Resource, error), options permissionOptions,
) (*http.Request, error) {
	authenticated, err := g.authenticate(r)
	if err != nil {
		return nil, err
	}
	resource, err := findResource(authenticated)
	if err != nil {
		return nil, err
	}
	var input map[string]any
	if options.context != nil {
		if input, err = options.context(authenticated); err != nil {
			return nil, err
		}
	}
	subject := UserOf(authenticated).Subject()
	isAllowed, err := g.client.Check(r.Context(), subject, action, resource, daikon.InContext(input))
	switch {
	case err != nil:
		return nil, err
	case isAllowed:
		return authenticated, nil
	case options.hide:
		return nil, &daikon.Error{Code: daikon.CodeNotFound, Reason: "RESOURCE_NOT_FOUND", Message: "Not found"}
	}
	return nil, &daikon.Error{
		Code:    daikon.CodePermissionDenied,
		Reason:  "ACTION_DENIED",
		Message: "You are not allowed to " + action + " this " + resource.Type,
	}
}
