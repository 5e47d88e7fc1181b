package daikonhttp

import (
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// SignIn is how a user must have signed in. At least one field must be set.
type SignIn struct {
	// MaxAge is the time since the sign-in, in whole seconds from a minute.
	MaxAge time.Duration
	// ACR is the class of the sign-in.
	ACR string
}

const (
	// A user who has just signed in would be sent to sign in again.
	minMaxAge = time.Minute
	// The smallest MaxAge that the time of a callback can meet: the provider may have signed the user in long before.
	minUnconfirmedAge = time.Hour
)

var acrPattern = regexp.MustCompile(`^[\w.:/-]{1,254}$`)

// RequireRecent requires a valid access token of a user who signed in recently, or in a certain way. It responds with
// 401 and the challenge of RFC 9470 otherwise, on which daikon.fetch of the browser client begins a sign-in. It panics
// if the requirement is not valid.
func (g *Guard) RequireRecent(required SignIn) func(http.Handler) http.Handler {
	required.mustBeValid()
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			authenticated, err := g.authenticate(r)
			if err == nil && !required.isMetBy(UserOf(authenticated).Claims) {
				err = required.failure()
			}
			if err != nil {
				g.Error(w, r, err)
				return
			}
			next.ServeHTTP(w, authenticated)
		})
	}
}

func (s SignIn) mustBeValid() {
	switch {
	case s.MaxAge == 0 && s.ACR == "":
		panic("daikonhttp: RequireRecent needs MaxAge or ACR")
	case s.MaxAge != 0 && (s.MaxAge < minMaxAge || s.MaxAge%time.Second != 0):
		panic("daikonhttp: MaxAge must be whole seconds from a minute")
	case s.ACR != "" && !acrPattern.MatchString(s.ACR):
		panic("daikonhttp: ACR must be one value without spaces")
	}
}

func (s SignIn) isMetBy(claims *daikon.Claims) bool {
	if s.ACR != "" && claims.ACR != s.ACR {
		return false
	}
	if s.MaxAge == 0 {
		return true
	}
	// API keys have no sign-in.
	if claims.AuthTimeUnix == 0 || (claims.AuthTimeUnconfirmed && s.MaxAge < minUnconfirmedAge) {
		return false
	}
	return time.Since(time.Unix(claims.AuthTimeUnix, 0)) <= s.MaxAge
}

// stepUpError is the error of a sign-in that does not meet a requirement (RFC 9470).
type stepUpError struct {
	cause     *daikon.Error
	challenge string
}

func (e *stepUpError) Error() string { return e.cause.Error() }

func (e *stepUpError) Unwrap() error { return e.cause }

func (s SignIn) failure() error {
	const message = "The user must sign in again"
	challenge := `Bearer error="insufficient_user_authentication", error_description="` + message + `"`
	if s.MaxAge != 0 {
		challenge += fmt.Sprintf(`, max_age="%d"`, int64(s.MaxAge.Seconds()))
	}
	if s.ACR != "" {
		challenge += fmt.Sprintf(`, acr_values="%s"`, s.ACR)
	}
	return &stepUpError{challenge: challenge, cause: &daikon.Error{
		Code:    daikon.CodeUnauthenticated,
		Reason:  "INSUFFICIENT_USER_AUTHENTICATION",
		Message: message,
	}}
}
