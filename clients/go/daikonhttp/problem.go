package daikonhttp

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// kind is a kind of problem.
type kind struct {
	status      int
	name, title string
}

var unavailable = kind{http.StatusServiceUnavailable, "unavailable", "Unavailable"}

// kinds contains the problems of the server. Its limits are not those of the application's own callers.
var kinds = map[daikon.Code]kind{
	daikon.CodeUnauthenticated:   {http.StatusUnauthorized, "unauthenticated", "Unauthenticated"},
	daikon.CodePermissionDenied:  {http.StatusForbidden, "permission-denied", "Permission denied"},
	daikon.CodeNotFound:          {http.StatusNotFound, "not-found", "Not found"},
	daikon.CodeInvalidArgument:   {http.StatusUnprocessableEntity, "invalid-argument", "Invalid request"},
	daikon.CodeUnavailable:       unavailable,
	daikon.CodeDeadlineExceeded:  unavailable,
	daikon.CodeResourceExhausted: unavailable,
}

// problem is an HTTP response with an error (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`
	// RequestID is the ID under which the server logged the request.
	RequestID string  `json:"request_id,omitempty"`
	Errors    []field `json:"errors,omitempty"`
}

// field is a problem with one field of a request.
type field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error responds to an error of a client operation in a handler, as the guards do: with 401, 403, 404, 422 or 503. It
// passes other errors to the error handler.
func (g *Guard) Error(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(r.Context().Err(), context.Canceled) {
		return // The client disconnected.
	}
	var failure *daikon.Error
	if !errors.As(err, &failure) {
		g.errorHandler(w, r, err)
		return
	}
	kind, isKnown := kinds[failure.Code]
	// A configuration error is not the caller's fault, so the response is a 500 without details.
	if !isKnown || strings.HasPrefix(failure.Reason, "SERVICE_KEY_") || failure.Reason == "OTHER_SERVICE" {
		g.errorHandler(w, r, err)
		return
	}
	detail := failure.Message
	switch kind.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", challenge(err, failure.Reason))
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(failure.RetryAfter.Seconds())))))
		detail = "Permissions cannot be checked right now"
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(kind.status)
	fields := make([]field, len(failure.Fields))
	for index, each := range failure.Fields {
		fields[index] = field{each.Field, each.Message}
	}
	_ = json.NewEncoder(w).Encode(problem{
		Type:      "urn:daikon:problem:" + kind.name,
		Title:     kind.title,
		Status:    kind.status,
		Detail:    detail,
		Reason:    failure.Reason,
		RequestID: failure.RequestID,
		Errors:    fields,
	})
}

// challenge returns the WWW-Authenticate header (RFC 6750, section 3; RFC 9470, section 3).
func challenge(err error, reason string) string {
	var stepUp *stepUpError
	if errors.As(err, &stepUp) {
		return stepUp.challenge
	}
	switch reason {
	case "TOKEN_MISSING":
		return "Bearer"
	case "TOKEN_EXPIRED":
		return `Bearer error="invalid_token", error_description="The access token is expired"`
	}
	return `Bearer error="invalid_token", error_description="The access token is not valid"`
}
