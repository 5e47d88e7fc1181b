package provider

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// respond starts a server that issues tokens and sends these responses to the other requests.
func respond(t *testing.T, responses ...http.HandlerFunc) *client {
	tokens := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/oauth/token" {
			tokens++
			_, _ = fmt.Fprintf(w, `{"access_token": "token-%d", "expires_in": 900}`, tokens)
			return
		}
		response := responses[0]
		responses = responses[1:]
		response(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		if len(responses) > 0 {
			t.Errorf("%d responses have not been sent", len(responses))
		}
	})
	c, err := newClient(server.URL, "id", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fail(status int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"status": %d, "reason": %q}`, status, reason)
	}
}

func succeed(token string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		_, _ = w.Write([]byte("{}"))
	}
}

func TestCallsAreRepeated(t *testing.T) {
	c := respond(t,
		fail(401, "TOKEN_EXPIRED"), succeed("token-2"),
		fail(429, "RATE_LIMITED"), succeed("token-2"),
		fail(503, "DRAINING"), succeed("token-2"),
	)
	var result object
	for range 2 {
		if err := c.post(context.Background(), "/x", object{}, &result); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.get(context.Background(), "/x", &result); err != nil {
		t.Fatal(err)
	}
}

func TestCallsThatMayHaveSucceededAreNotRepeated(t *testing.T) {
	c := respond(t, fail(503, "STORAGE_UNAVAILABLE"))
	if err := c.post(context.Background(), "/x", object{}, nil); !hasReason(err, "STORAGE_UNAVAILABLE") {
		t.Fatal(err)
	}
}

func TestOnlyTheServerSaysThatAnObjectIsGone(t *testing.T) {
	for _, test := range []struct {
		response http.HandlerFunc
		gone     bool
	}{
		{fail(404, "GROUP_NOT_FOUND"), true},
		{fail(404, "NO_SUCH_ROUTE"), false},
		{http.NotFound, false},
		{func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "https://example.com", 301) }, false},
	} {
		_, err := respond(t, test.response).get(context.Background(), "/x", nil)
		if err == nil || isGone(err) != test.gone {
			t.Error(err)
		}
	}
}

func TestSecretsDoNotCrossNetworksInPlaintext(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://auth.example.com": true,
		"http://localhost:8000":    true,
		"http://[::1]:8000":        true,
		"http://auth.example.com":  false,
		"ftp://localhost":          false,
		"auth.example.com":         false,
	} {
		if _, err := newClient(address, "id", "secret"); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
	}
}
