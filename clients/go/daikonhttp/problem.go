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

var statuses = map[daikon.Code]int{
	daikon.CodeUnauthenticated:   http.StatusUnauthorized,
	daikon.CodePermissionDenied:  http.StatusForbidden,
	daikon.CodeNotFound:          http.StatusNotFound,
	daikon.CodeInvalidArgument:   http.StatusBadRequest,
	daikon.CodeUnavailable:       http.StatusServiceUnavailable,
	daikon.CodeDeadlineExceeded:  http.StatusServiceUnavailable,
	daikon.CodeResourceExhausted: http.StatusServiceUnavailable,
}

// problem is an HTTP response with an error (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Reason string `json:"reason"`
}

// Error responds to an error of a client operation in a handler, as the guards do: with 400, 401, 403, 404 or 503. It
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
	status, isKnown := statuses[failure.Code]
	// A configuration error is not the caller's fault, so the response is a 500 without details.
	if !isKnown || strings.HasPrefix(failure.Reason, "SERVICE_KEY_") || failure.Reason == "OTHER_SERVICE" {
		g.errorHandler(w, r, err)
		return
	}
	detail := failure.Message
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", challenge(failure.Reason))
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(failure.RetryAfter.Seconds())))))
		detail = "Permissions cannot be checked right now"
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem{
		Type:   "about:blank",
		Title:  http.StatusText(status),
		Status: status,
		Detail: detail,
		Reason: failure.Reason,
	})
}

// challenge returns the WWW-Authenticate header (RFC 6750, section 3).
func challenge(reason string) string {
	switch reason {
	case "TOKEN_MISSING":
		return "Bearer"
	case "TOKEN_EXPIRED":
		return `Bearer error="invalid_token", error_description="The access token is expired"`
	}
	return `Bearer error="invalid_token", error_description="The access token is not valid"`
}
