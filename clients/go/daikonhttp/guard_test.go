package daikonhttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonhttp"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

const (
	acme  = "0b000000-0000-4000-8000-000000000001"
	alice = "0a000000-0000-4000-8000-00000000000a"
	bob   = "0a000000-0000-4000-8000-00000000000b"
)

func newFake(t *testing.T) *daikontest.Fake {
	t.Helper()
	return daikontest.New(t, daikontest.World{
		Members: []daikontest.Member{
			{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleEditor},
			{WorkspaceID: acme, UserID: bob, Role: daikontest.RoleViewer},
		},
		Resources: []daikontest.Resource{
			{Type: "note", ID: "private", WorkspaceID: acme, OwnerID: alice},
			{Type: "note", ID: "shared", WorkspaceID: acme, OwnerID: alice, Visibility: daikon.VisibilityWorkspace},
		},
	})
}

// newApp returns a handler with a route of each kind. It sends errors not caused by requests to the channel.
func newApp(client *daikon.Client) (app http.Handler, reported <-chan error) {
	errs := make(chan error, 10)
	guard := daikonhttp.New(client, daikonhttp.WithErrorHandler(func(w http.ResponseWriter, _ *http.Request, err error) {
		errs <- err
		w.WriteHeader(http.StatusInternalServerError)
	}))
	ok := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, daikonhttp.UserOf(r).Claims.Subject)
	})
	toNote := daikonhttp.PathValue("note", "id")
	mux := http.NewServeMux()
	mux.Handle("GET /me", guard.RequireUser(ok))
	mux.Handle("GET /recent", guard.RequireRecent(daikonhttp.SignIn{MaxAge: 5 * time.Minute})(ok))
	mux.Handle("GET /strong", guard.RequireRecent(daikonhttp.SignIn{MaxAge: 2 * time.Hour, ACR: "phr"})(ok))
	mux.Handle("GET /notes/{id}", guard.RequirePermission("view", toNote)(ok))
	mux.Handle("GET /hidden/{id}", guard.RequirePermission("view", toNote, daikonhttp.Hide())(ok))
	mux.Handle("GET /both/{id}", guard.RequireUser(guard.RequirePermission("view", toNote)(ok)))
	mux.Handle("GET /broken", guard.RequirePermission("view", func(*http.Request) (daikon.Resource, error) {
		return daikon.Resource{}, errors.New("the database is away")
	})(ok))
	mux.Handle("GET /notes", guard.RequireUser(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids, err := daikonhttp.Filter(r, "view", []string{"private", "shared", "none"}, func(id string) daikon.Resource {
			return daikon.Resource{Type: "note", ID: id}
		})
		if err != nil {
			guard.Error(w, r, err)
			return
		}
		fmt.Fprint(w, strings.Join(ids, ","))
	})))
	return mux, errs
}

func get(app http.Handler, path, token string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	if token != "" {
		request.Header.Set("Authorization", token)
	}
	response := httptest.NewRecorder()
	app.ServeHTTP(response, request)
	return response
}

func TestGuards(t *testing.T) {
	fake := newFake(t)
	app, _ := newApp(fake.Client)
	aliceToken, bobToken := "Bearer "+fake.Token(alice, acme), "bearer "+fake.Token(bob, acme)
	expired := "Bearer " + fake.TokenWithLifetime(alice, acme, -time.Minute)
	tests := []struct {
		path, token string
		status      int
		body        string
	}{
		{"/me", aliceToken, 200, alice},
		{"/me", bobToken, 200, bob},
		{"/me", "", 401, "TOKEN_MISSING"},
		{"/me", "Basic YTpi", 401, "TOKEN_MISSING"},
		{"/me", "Bearer text", 401, "TOKEN_INVALID"},
		{"/me", expired, 401, "TOKEN_EXPIRED"},
		{"/notes/private", aliceToken, 200, alice},
		{"/notes/private", bobToken, 403, "ACTION_DENIED"},
		{"/notes/private", "", 401, "TOKEN_MISSING"},
		{"/notes/none", aliceToken, 403, "ACTION_DENIED"},
		{"/notes/" + strings.Repeat("x", 256), aliceToken, 422, "INVALID_REQUEST"},
		{"/hidden/private", bobToken, 404, "RESOURCE_NOT_FOUND"},
		{"/hidden/shared", bobToken, 200, bob},
		{"/both/shared", bobToken, 200, bob},
		{"/notes", aliceToken, 200, "private,shared"},
		{"/notes", bobToken, 200, "shared"},
	}
	for _, test := range tests {
		response := get(app, test.path, test.token)
		if response.Code != test.status || !strings.Contains(response.Body.String(), test.body) {
			t.Errorf("%s: %d %s", test.path, response.Code, response.Body)
		}
		if response.Code < 400 {
			continue
		}
		var problem struct{ Type, Title, Detail, Reason string }
		if err := json.Unmarshal(response.Body.Bytes(), &problem); err != nil || problem.Reason != test.body {
			t.Errorf("%s: %s", test.path, response.Body)
		}
		if contentType := response.Header().Get("Content-Type"); contentType != "application/problem+json" {
			t.Errorf("%s: %s", test.path, contentType)
		}
	}
	body := get(app, "/notes/"+strings.Repeat("x", 256), aliceToken).Body.String()
	for _, part := range []string{`"urn:daikon:problem:invalid-argument"`, `"errors":[{"field":"resource.id",`} {
		if !strings.Contains(body, part) {
			t.Error(body)
		}
	}
	if challenge := get(app, "/me", "").Header().Get("WWW-Authenticate"); challenge != "Bearer" {
		t.Error(challenge)
	}
	if challenge := get(app, "/me", expired).Header().Get("WWW-Authenticate"); !strings.Contains(challenge, "expired") {
		t.Error(challenge)
	}
}

func TestRecentSignInsAreRequired(t *testing.T) {
	fake := newFake(t)
	app, _ := newApp(fake.Client)
	signedIn := func(ago time.Duration) string {
		return "Bearer " + fake.TokenWithSignIn(alice, acme, time.Now().Add(-ago))
	}
	const begin = `Bearer error="insufficient_user_authentication", error_description="The user must sign in again", max_age=`
	for _, test := range []struct {
		path, token string
		status      int
		challenge   string
	}{
		{"/recent", signedIn(290 * time.Second), 200, ""},
		{"/recent", signedIn(310 * time.Second), 401, begin + `"300"`},
		{"/strong", signedIn(0), 401, begin + `"7200", acr_values="phr"`},
		{"/recent", "", 401, "Bearer"},
	} {
		response := get(app, test.path, test.token)
		if challenge := response.Header().Get("WWW-Authenticate"); response.Code != test.status || challenge != test.challenge {
			t.Errorf("%s: %d %s", test.path, response.Code, challenge)
		}
	}
	if body := get(app, "/strong", signedIn(0)).Body.String(); !strings.Contains(body, "INSUFFICIENT_USER_AUTHENTICATION") {
		t.Error(body)
	}
}

func TestARequirementOfASignInMustBeOne(t *testing.T) {
	guard := daikonhttp.New(newFake(t).Client)
	for _, required := range []daikonhttp.SignIn{{}, {MaxAge: time.Second}, {MaxAge: time.Hour + 1}, {ACR: "a b"}, {ACR: `"`}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is accepted", required)
				}
			}()
			guard.RequireRecent(required)
		}()
	}
}

func TestConditionsReadTheContextOfTheRequest(t *testing.T) {
	fake := daikontest.New(t, daikontest.World{
		Members:   []daikontest.Member{{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleOwner}},
		Resources: []daikontest.Resource{{Type: "vault", ID: "safe", WorkspaceID: acme, OwnerID: alice}},
		ResourceTypes: map[string]daikon.TypeDeclaration{"vault": {
			Conditions:   []daikon.ConditionDeclaration{{Name: "in_office", Expression: "context.network == 'office'"}},
			Requirements: []daikon.Requirement{{Action: "view", Condition: "in_office"}},
		}},
		Conditions: map[string]daikontest.Condition{
			"in_office": func(input daikontest.ConditionInput) bool { return input.Context["network"] == "office" },
		},
	})
	readNetwork := func(r *http.Request) (map[string]any, error) {
		return map[string]any{"network": r.PathValue("network")}, nil
	}
	toVault := func(id string) daikon.Resource { return daikon.Resource{Type: "vault", ID: id} }
	list := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		input, _ := readNetwork(r)
		ids, err := daikonhttp.Filter(r, "view", []string{"safe"}, toVault, daikon.InContext(input))
		fmt.Fprint(w, ids, err)
	})
	mux := http.NewServeMux()
	toSafe := func(*http.Request) (daikon.Resource, error) { return toVault("safe"), nil }
	guard := daikonhttp.New(fake.Client).RequirePermission("view", toSafe, daikonhttp.InContext(readNetwork))
	mux.Handle("GET /{network}", guard(list))
	token := "Bearer " + fake.Token(alice, acme)
	if response := get(mux, "/office", token); response.Body.String() != "[safe] <nil>" {
		t.Error(response.Code, response.Body)
	}
	if response := get(mux, "/home", token); response.Code != 403 {
		t.Error(response.Code, response.Body)
	}
}

func TestARevokedTokenIsDeniedByRequirePermission(t *testing.T) {
	fake := newFake(t)
	app, _ := newApp(fake.Client)
	token := fake.Token(alice, acme)
	fake.RevokeToken(token)
	if response := get(app, "/notes/private", "Bearer "+token); response.Code != 403 {
		t.Error(response.Code, response.Body)
	}
}

func TestNoPermissionIsGrantedDuringAnOutage(t *testing.T) {
	fake := newFake(t)
	app, reported := newApp(fake.Client)
	token := "Bearer " + fake.Token(alice, acme)
	get(app, "/me", token) // loads the keys
	for code, retryAfter := range map[daikon.Code]string{
		daikon.CodeUnavailable:       "1",
		daikon.CodeResourceExhausted: "3",
	} {
		fake.FailWith(&daikon.Error{Code: code, Reason: "AWAY", RetryAfter: 2500 * time.Millisecond})
		if code == daikon.CodeUnavailable {
			fake.FailWith(&daikon.Error{Code: code, Reason: "AWAY"})
		}
		for _, path := range []string{"/notes/private", "/notes"} {
			response := get(app, path, token)
			if response.Code != 503 || response.Header().Get("Retry-After") != retryAfter {
				t.Errorf("%s: %d %v", path, response.Code, response.Header())
			}
		}
	}
	// The caller did not cause an invalid service key.
	fake.FailWith(&daikon.Error{Code: daikon.CodeUnauthenticated, Reason: "SERVICE_KEY_INVALID"})
	if response := get(app, "/notes/private", token); response.Code != 500 {
		t.Error(response.Code)
	}
	if err := <-reported; !errors.Is(err, daikon.ErrUnauthenticated) {
		t.Error(err)
	}
	fake.Recover()
	if response := get(app, "/broken", token); response.Code != 500 {
		t.Error(response.Code)
	}
	if err := <-reported; err == nil || err.Error() != "the database is away" {
		t.Error(err)
	}
}

func TestARequestWithoutGuardPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("UserOf returned")
		}
	}()
	daikonhttp.UserOf(httptest.NewRequest(http.MethodGet, "/", nil))
}
