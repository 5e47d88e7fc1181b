package daikonhttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonhttp"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

func newFakeWithAgent(t *testing.T) *daikontest.Fake {
	t.Helper()
	return daikontest.New(t, daikontest.World{
		Members: []daikontest.Member{{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleEditor}},
		Resources: []daikontest.Resource{
			{Type: "note", ID: "1", WorkspaceID: acme, OwnerID: alice},
			{Type: "note", ID: "2", WorkspaceID: acme, OwnerID: alice},
		},
		Delegations: []daikontest.Delegation{{
			ID:          "viewing",
			UserID:      alice,
			WorkspaceID: acme,
			Agent:       daikon.Agent{Type: daikon.AgentClient, ID: "bot"},
			Actions:     []string{"view"},
			Resources:   []daikon.Resource{{Type: "note", ID: "1"}},
		}},
	})
}

// newAgentApp returns a handler that responds with the agent of the request.
func newAgentApp(guard *daikonhttp.Guard) http.Handler {
	describe := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := daikonhttp.UserOf(r)
		visible, err := daikonhttp.Filter(r, "view", []string{"1", "2"}, func(id string) daikon.Resource {
			return daikon.Resource{Type: "note", ID: id}
		})
		if err != nil {
			guard.Error(w, r, err)
			return
		}
		agent := "nobody"
		if user.Agent != nil {
			agent = fmt.Sprint(user.Agent.Type, " ", user.Agent.ID, " ", user.Agent.DelegationID)
		}
		fmt.Fprint(w, user.Claims.Subject, " by ", agent, ": ", strings.Join(visible, ","))
	})
	toNote := daikonhttp.PathValue("note", "id")
	mux := http.NewServeMux()
	mux.Handle("GET /me", guard.RequireUser(describe))
	mux.Handle("GET /recent", guard.RequireRecent(daikonhttp.SignIn{MaxAge: time.Hour})(describe))
	mux.Handle("GET /notes/{id}", guard.RequirePermission("view", toNote)(describe))
	mux.Handle("PUT /notes/{id}", guard.RequirePermission("edit", toNote)(describe))
	return mux
}

func TestGuardsTakeTokensOfAgentsOnlyIfAskedTo(t *testing.T) {
	fake := newFakeWithAgent(t)
	ofAgent, ofPerson := "Bearer "+fake.DelegatedToken("viewing"), "Bearer "+fake.Token(alice, acme)
	strict := newAgentApp(daikonhttp.New(fake.Client))
	open := newAgentApp(daikonhttp.New(fake.Client, daikonhttp.WithAgents()))
	const agent, person = alice + " by client bot viewing: 1", alice + " by nobody: 1,2"
	for _, test := range []struct {
		app         http.Handler
		path, token string
		status      int
		body        string
	}{
		{strict, "/me", ofAgent, 401, "TOKEN_INVALID"},
		{strict, "/recent", ofAgent, 401, "TOKEN_INVALID"},
		{strict, "/notes/1", ofAgent, 401, "TOKEN_INVALID"},
		{strict, "/notes/1", ofPerson, 200, person},
		{open, "/me", ofAgent, 200, agent},
		{open, "/me", ofPerson, 200, person},
		{open, "/recent", ofPerson, 200, person},
		// An agent has not signed in.
		{open, "/recent", ofAgent, 401, "INSUFFICIENT_USER_AUTHENTICATION"},
		{open, "/notes/1", ofAgent, 200, agent},
		{open, "/notes/2", ofAgent, 403, "ACTION_DENIED"},
		{open, "/notes/2", ofPerson, 200, person},
		{open, "/me", "Bearer " + fake.DelegatedTokenForAPI("viewing", "https://api.example"), 401, "TOKEN_INVALID"},
	} {
		response := get(test.app, test.path, test.token)
		body := response.Body.String()
		if test.status != http.StatusOK {
			var problem struct{ Reason string }
			if err := json.Unmarshal(response.Body.Bytes(), &problem); err != nil {
				t.Error(err)
			}
			body = problem.Reason
		}
		if response.Code != test.status || body != test.body {
			t.Errorf("%s: %d %s", test.path, response.Code, body)
		}
	}
}

// A guard without agents refuses a request that a guard with agents has let pass.
func TestAStricterGuardRefusesWhatAnotherHasAccepted(t *testing.T) {
	fake := newFakeWithAgent(t)
	strict, open := daikonhttp.New(fake.Client), daikonhttp.New(fake.Client, daikonhttp.WithAgents())
	ok := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	app := open.RequireUser(strict.RequireUser(ok))
	if response := get(app, "/", "Bearer "+fake.DelegatedToken("viewing")); response.Code != 401 {
		t.Error(response.Code)
	}
}
