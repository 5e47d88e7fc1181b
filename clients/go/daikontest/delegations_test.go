package daikontest_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

var (
	folder    = daikon.Resource{Type: "folder", ID: "q4"}
	below     = daikon.Resource{Type: "document", ID: "below"}
	detached  = daikon.Resource{Type: "document", ID: "detached"}
	elsewhere = daikon.Resource{Type: "document", ID: "elsewhere"}
	public    = daikon.Resource{Type: "document", ID: "public"}
	ofBob     = daikon.Resource{Type: "document", ID: "of-bob"}
	ofGlobex  = daikon.Resource{Type: "document", ID: "of-globex"}
	unknown   = daikon.Resource{Type: "document", ID: "unknown"}
	workspace = daikon.Resource{Type: "workspace", ID: "acme"}

	otherWorkspace  = daikon.Resource{Type: "workspace", ID: "globex"}
	privateOfGlobex = daikon.Resource{Type: "document", ID: "private-of-globex"}
)

var bot = daikon.Agent{Type: daikon.AgentClient, ID: "bot-id", Name: "Report bot"}

var expired = time.Now().Add(-time.Second).UTC()

// newAgentWorld returns a world in which alice, an editor of acme who owns documents, has delegated in many ways.
func newAgentWorld() daikontest.World {
	owned := func(resource daikon.Resource, parent *daikon.Resource) daikontest.Resource {
		return daikontest.Resource{
			Type: resource.Type, ID: resource.ID, WorkspaceID: "acme", OwnerID: "alice", Parent: parent,
		}
	}
	apart, open := owned(detached, &folder), owned(public, nil)
	apart.Detached, open.Visibility = true, daikon.VisibilityPublic
	by := func(id string, change func(*daikontest.Delegation)) daikontest.Delegation {
		delegation := daikontest.Delegation{ID: id, UserID: "alice", WorkspaceID: "acme"}
		change(&delegation)
		return delegation
	}
	return daikontest.World{
		Users: []daikontest.User{{ID: "inactive", Inactive: true}},
		Members: []daikontest.Member{
			{WorkspaceID: "acme", UserID: "alice", Role: daikontest.RoleEditor},
			{WorkspaceID: "acme", UserID: "bob", Role: daikontest.RoleViewer},
			{WorkspaceID: "globex", UserID: "alice", Role: daikontest.RoleEditor},
			{WorkspaceID: "acme", UserID: "gone", Role: daikontest.RoleEditor, ExpiresAt: expired},
			{WorkspaceID: "acme", UserID: "inactive", Role: daikontest.RoleEditor},
		},
		Actions:       []string{"publish"},
		ResourceTypes: map[string]daikon.TypeDeclaration{"document": {AllowPublic: true}},
		Resources: []daikontest.Resource{
			owned(folder, nil), owned(below, &folder), apart, owned(elsewhere, nil), open,
			{Type: "document", ID: "of-bob", WorkspaceID: "acme", OwnerID: "bob"},
			{Type: "document", ID: "of-globex", WorkspaceID: "globex", OwnerID: "alice", Visibility: daikon.VisibilityPublic},
			{Type: "document", ID: "private-of-globex", WorkspaceID: "globex", OwnerID: "alice"},
		},
		Delegations: []daikontest.Delegation{
			by("viewing", func(d *daikontest.Delegation) { d.Actions = []string{"view"} }),
			by("publishing", func(d *daikontest.Delegation) { d.Actions = []string{"publish"} }),
			by("documents", func(d *daikontest.Delegation) { d.ResourceTypes = []string{"document"} }),
			by("below-q4", func(d *daikontest.Delegation) { d.Resources = []daikon.Resource{folder} }),
			by("nothing", func(d *daikontest.Delegation) { d.Resources = []daikon.Resource{} }),
			by("no-action", func(d *daikontest.Delegation) { d.Actions = []string{} }),
			by("no-type", func(d *daikontest.Delegation) { d.ResourceTypes = []string{} }),
			by("expired", func(d *daikontest.Delegation) { d.Actions, d.ExpiresAt = []string{"view"}, expired }),
			by("ended", func(d *daikontest.Delegation) {
				d.Actions, d.ExpiresAt, d.Ended = []string{"view"}, expired, true
			}),
			by("other-service", func(d *daikontest.Delegation) { d.Actions, d.ServiceName = []string{"view"}, "other" }),
			by("managing", func(d *daikontest.Delegation) { d.Actions = []string{"manage"} }),
			by("workspace", func(d *daikontest.Delegation) { d.ResourceTypes = []string{"workspace"} }),
			by("workspaces-listed", func(d *daikontest.Delegation) {
				d.ResourceTypes, d.Resources = []string{"workspace"}, []daikon.Resource{folder}
			}),
			by("of-bot", func(d *daikontest.Delegation) {
				d.Actions, d.Agent, d.ExpiresAt = []string{"view"}, bot, time.Now().Add(time.Hour).UTC()
			}),
			by("of-gone", func(d *daikontest.Delegation) { d.UserID, d.Actions = "gone", []string{"view"} }),
			by("of-inactive", func(d *daikontest.Delegation) { d.UserID, d.Actions = "inactive", []string{"view"} }),
		},
	}
}

func TestAFakeDecidesForAUserAndTheirAgent(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld())
	const uncovered = "delegation_does_not_cover "
	for _, test := range []struct {
		delegation, action string
		resource           daikon.Resource
		// reasons are the rules of the denial, with what is not covered; nothing if the action is allowed.
		reasons []string
	}{
		{"viewing", "view", below, nil},
		{"viewing", "edit", below, []string{uncovered + "action"}},
		{"viewing", "manage", below, []string{uncovered + "action"}},
		{"viewing", "view", ofBob, []string{"no_grant"}},
		{"viewing", "edit", ofBob, []string{"no_grant", uncovered + "action"}},
		{"viewing", "view", ofGlobex, []string{uncovered + "resource"}},
		{"viewing", "edit", ofGlobex, []string{"resource_unknown", uncovered + "action", uncovered + "resource"}},
		{"viewing", "view", privateOfGlobex, []string{"resource_unknown"}},
		{"viewing", "view", unknown, []string{"resource_unknown"}},
		{"viewing", "view", workspace, []string{uncovered + "type"}},
		{"publishing", "publish", below, nil},
		{"publishing", "view", below, []string{uncovered + "action"}},
		{"documents", "edit", below, nil},
		{"documents", "edit", folder, []string{uncovered + "type"}},
		{"documents", "manage", below, []string{uncovered + "action"}},
		{"documents", "manage", folder, []string{uncovered + "action", uncovered + "type"}},
		{"below-q4", "edit", below, nil},
		{"below-q4", "view", folder, nil},
		{"below-q4", "view", detached, []string{uncovered + "resource"}},
		{"below-q4", "view", elsewhere, []string{uncovered + "resource"}},
		{"below-q4", "view", unknown, []string{"resource_unknown"}},
		{"nothing", "view", below, []string{uncovered + "resource"}},
		{"no-action", "view", below, []string{uncovered + "action"}},
		{"no-type", "view", below, []string{uncovered + "type"}},
		{"expired", "view", below, []string{"delegation_expired "}},
		{"expired", "edit", ofBob, []string{"no_grant", "delegation_expired "}},
		{"ended", "view", below, []string{"delegation_ended "}},
		{"ended", "view", unknown, []string{"resource_unknown", "delegation_ended "}},
		{"other-service", "view", below, []string{uncovered + "type"}},
		{"managing", "manage", below, nil},
		{"managing", "view", below, []string{uncovered + "action"}},
		{"workspace", "view", workspace, nil},
		{"workspace", "view", otherWorkspace, []string{"resource_unknown", uncovered + "resource"}},
		{"workspace", "view", below, []string{uncovered + "type"}},
		{"workspace", "edit", workspace, []string{"no_grant"}},
		{"workspaces-listed", "view", workspace, []string{uncovered + "resource"}},
		{"of-gone", "view", public, []string{"delegation_ended "}},
		{"of-gone", "view", below, []string{"not_a_member", "delegation_ended "}},
		{"of-inactive", "view", below, []string{"user_inactive", "delegation_ended "}},
		{"unknown", "view", public, []string{"user_unknown"}},
	} {
		name := fmt.Sprint(test.delegation, " ", test.action, " ", test.resource)
		subjects := []daikon.Subject{{Delegation: test.delegation}}
		if test.delegation == "other-service" {
			subjects = nil // is unknown, see below
		}
		if test.delegation != "unknown" {
			subjects = append(subjects, daikon.Subject{Token: fake.DelegatedToken(test.delegation)})
		}
		for _, subject := range subjects {
			isAllowed, err := fake.Check(t.Context(), subject, test.action, test.resource)
			if err != nil || isAllowed != (test.reasons == nil) {
				t.Error(name, isAllowed, err)
			}
			explanation, err := fake.Explain(t.Context(), subject, test.action, test.resource)
			if err != nil || explanation.Allowed != isAllowed {
				t.Fatal(name, explanation, err)
			}
			var reasons []string
			for _, reason := range explanation.Reasons {
				rule := reason.Rule
				if reason.DelegationID != "" {
					rule += " " + reason.Uncovered
				}
				reasons = append(reasons, rule)
			}
			if test.reasons != nil && !slices.Equal(reasons, test.reasons) {
				t.Errorf("%s: %q", name, reasons)
			}
			if test.reasons == nil && (len(reasons) < 2 || reasons[len(reasons)-1] != "delegation ") {
				t.Errorf("%s: %q", name, reasons)
			}
		}
	}
	other := daikon.Subject{Delegation: "other-service"}
	explanation, err := fake.Explain(t.Context(), other, "view", below)
	if err != nil || explanation.Allowed || explanation.Reasons[0].Rule != "user_unknown" {
		t.Error(explanation, err)
	}
}

func TestReasonsNameTheDelegationAndTheAgent(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld())
	last := func(delegation, action string) daikon.Reason {
		t.Helper()
		explanation, err := fake.Explain(t.Context(), daikon.Subject{Delegation: delegation}, action, below)
		if err != nil || len(explanation.Reasons) == 0 {
			t.Fatal(explanation, err)
		}
		reason := explanation.Reasons[len(explanation.Reasons)-1]
		if reason.DelegationID != delegation || reason.Agent == nil {
			t.Errorf("%+v", reason)
		}
		return reason
	}
	if reason := last("of-bot", "view"); *reason.Agent != bot || !reason.ExpiresAt.After(time.Now()) {
		t.Errorf("%+v", reason)
	}
	if reason := last("of-bot", "edit"); *reason.Agent != bot || !reason.ExpiresAt.IsZero() {
		t.Errorf("%+v", reason)
	}
	if reason := last("expired", "view"); !reason.ExpiresAt.Equal(expired) {
		t.Errorf("%+v", reason)
	}
	unnamed := daikon.Agent{Type: daikon.AgentServiceAccount, ID: "agent", Name: "agent"}
	if reason := last("viewing", "view"); *reason.Agent != unnamed || !reason.ExpiresAt.IsZero() {
		t.Errorf("%+v", reason)
	}
	explanation, err := fake.Explain(t.Context(), daikon.Subject{UserID: "alice"}, "view", below)
	if err != nil || explanation.Reasons[0].Agent != nil {
		t.Error(explanation, err)
	}
}

func TestAFakeListsWhatADelegationCovers(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld())
	for _, test := range []struct {
		delegation, action string
		expected           []string
	}{
		{"below-q4", "view", []string{"below"}},
		{"viewing", "edit", nil},
		{"viewing", "view", []string{"below", "detached", "elsewhere", "public"}},
		{"expired", "view", nil},
		{"of-gone", "view", nil},
		{"unknown", "view", nil},
	} {
		var found []string
		subject := daikon.Subject{Delegation: test.delegation}
		for id, err := range fake.Accessible(t.Context(), subject, test.action, "document") {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, id)
		}
		slices.Sort(found)
		if !slices.Equal(found, test.expected) {
			t.Error(test, found)
		}
	}
}

func TestChangesByAnAgentMustBeCovered(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld())
	setVisibility := func(resource daikon.Resource, delegation string) error {
		as := daikon.As(fake.DelegatedToken(delegation))
		_, err := fake.SetVisibility(t.Context(), resource, daikon.VisibilityWorkspace, as)
		return err
	}
	requireReason := func(err error, reason string) {
		t.Helper()
		var failure *daikon.Error
		if !errors.As(err, &failure) || failure.Code != daikon.CodePermissionDenied || failure.Reason != reason {
			t.Error(err)
		}
	}
	requireReason(setVisibility(below, "documents"), "DELEGATION_DOES_NOT_COVER")
	requireReason(setVisibility(below, "expired"), "DELEGATION_DOES_NOT_COVER")
	requireReason(setVisibility(ofBob, "managing"), "NOT_THE_OWNER")
	requireReason(setVisibility(ofBob, "documents"), "NOT_THE_OWNER")
	if err := setVisibility(below, "managing"); err != nil {
		t.Error(err)
	}
	// The new parent must be covered, too.
	as := daikon.As(fake.DelegatedToken("managing"))
	_, err := fake.SetParent(t.Context(), elsewhere, &folder, as)
	requireReason(err, "DELEGATION_DOES_NOT_COVER")
	_, err = fake.Transfer(t.Context(), elsewhere, "bob", daikon.As(fake.DelegatedToken("viewing")))
	requireReason(err, "DELEGATION_DOES_NOT_COVER")
}

func TestAResourceThatIsRegisteredAgainIsAnotherOne(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld())
	subject := daikon.Subject{Delegation: "below-q4"}
	if err := fake.Unregister(t.Context(), folder, daikon.Cascade()); err != nil {
		t.Fatal(err)
	}
	registration := daikon.Registration{Type: folder.Type, ID: folder.ID, WorkspaceID: "acme", OwnerID: "alice"}
	if _, err := fake.Register(t.Context(), registration); err != nil {
		t.Fatal(err)
	}
	for id, expected := range map[daikon.Subject]bool{subject: false, {UserID: "alice"}: true} {
		if isAllowed, err := fake.Check(t.Context(), id, "view", folder); err != nil || isAllowed != expected {
			t.Error(id, isAllowed, err)
		}
	}
}

func TestTokensOfAgentsOfAFake(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld())
	const uri = "https://docs.example.com/api"
	token, limited := fake.DelegatedToken("of-bot"), fake.DelegatedTokenForAPI("of-bot", uri, "read", "write")
	for _, test := range []struct {
		token      string
		options    []daikon.VerifyOption
		isAccepted bool
	}{
		{token, nil, false},
		{token, []daikon.VerifyOption{daikon.Delegated()}, true},
		{token, []daikon.VerifyOption{daikon.Delegated(), daikon.Audience(uri)}, false},
		{limited, []daikon.VerifyOption{daikon.Audience(uri)}, false},
		{limited, []daikon.VerifyOption{daikon.Delegated()}, false},
		{limited, []daikon.VerifyOption{daikon.Delegated(), daikon.Audience(uri)}, true},
		{fake.Token("alice", "acme"), []daikon.VerifyOption{daikon.Delegated()}, true},
	} {
		claims, err := fake.VerifyAccessToken(t.Context(), test.token, test.options...)
		if test.isAccepted {
			if err != nil || claims.Subject != "alice" || claims.WorkspaceID != "acme" {
				t.Error(claims, err)
			}
		} else if !errors.Is(err, daikon.ErrInvalidToken) {
			t.Error(claims, err)
		}
	}
	both := []daikon.VerifyOption{daikon.Delegated(), daikon.Audience(uri)}
	claims, err := fake.VerifyAccessToken(t.Context(), limited, both...)
	if err != nil {
		t.Fatal(err)
	}
	if *claims.Actor != (daikon.Actor{ID: bot.ID, Type: bot.Type}) || claims.DelegationID != "of-bot" ||
		claims.Scope != "read write" || claims.AuthTimeUnix != 0 {
		t.Errorf("%+v", claims)
	}
	fake.RevokeToken(token)
	isAllowed, err := fake.Check(t.Context(), daikon.Subject{Token: token}, "view", below)
	if err != nil || isAllowed {
		t.Error(isAllowed, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a token by an unknown delegation was created")
		}
	}()
	fake.DelegatedToken("unknown")
}

func TestAFakeIssuesNoTokensByExchange(t *testing.T) {
	fake := daikontest.New(t, newAgentWorld(), daikon.WithAgent(daikon.AgentCredentials{APIKey: "da_key"}))
	_, err := fake.Exchange(t.Context(), daikon.ExchangeRequest{DelegationID: "viewing"})
	var failure *daikon.Error
	if !errors.As(err, &failure) || failure.Code != daikon.CodeUnimplemented {
		t.Error(err)
	}
}

func TestConditionsReadTheAgent(t *testing.T) {
	world := newAgentWorld()
	world.ResourceTypes["document"] = daikon.TypeDeclaration{
		AllowPublic:  true,
		Conditions:   []daikon.ConditionDeclaration{{Name: "no_software", Expression: "agent.type == ''"}},
		Requirements: []daikon.Requirement{{Action: "edit", Condition: "no_software"}},
	}
	var read []daikontest.ConditionAgent
	world.Conditions = map[string]daikontest.Condition{
		"no_software": func(input daikontest.ConditionInput) bool {
			read = append(read, input.Agent)
			return input.Agent.Type == ""
		},
	}
	world.Delegations = append(world.Delegations, daikontest.Delegation{
		ID: "all-documents", UserID: "alice", WorkspaceID: "acme", ResourceTypes: []string{"document"}, Agent: bot,
	})
	fake := daikontest.New(t, world)
	for _, test := range []struct {
		subject  daikon.Subject
		expected bool
		agent    daikontest.ConditionAgent
	}{
		{daikon.Subject{UserID: "alice"}, true, daikontest.ConditionAgent{}},
		{daikon.Subject{Token: fake.Token("alice", "acme")}, true, daikontest.ConditionAgent{}},
		{daikon.Subject{Delegation: "all-documents"}, false, daikontest.ConditionAgent{Type: bot.Type, ID: bot.ID}},
		{
			daikon.Subject{Token: fake.DelegatedToken("all-documents")}, false,
			daikontest.ConditionAgent{Type: bot.Type, ID: bot.ID},
		},
	} {
		read = nil
		isAllowed, err := fake.Check(t.Context(), test.subject, "edit", below)
		if err != nil || isAllowed != test.expected || !slices.Equal(read, []daikontest.ConditionAgent{test.agent}) {
			t.Error(test, isAllowed, read, err)
		}
	}
	explanation, err := fake.Explain(t.Context(), daikon.Subject{Delegation: "all-documents"}, "edit", below)
	if err != nil || explanation.Reasons[0].Rule != "requirement_not_met" {
		t.Error(explanation, err)
	}
}

func TestDelegationsOfAWorldMustBeConsistent(t *testing.T) {
	for name, change := range map[string]func(*daikontest.Delegation){
		"a member":   func(d *daikontest.Delegation) { d.UserID = "stranger" },
		"a list":     func(d *daikontest.Delegation) { d.Actions = nil },
		"a resource": func(d *daikontest.Delegation) { d.Resources = []daikon.Resource{unknown} },
	} {
		world := newAgentWorld()
		change(&world.Delegations[0])
		if fake, err := daikontest.Start(world); err == nil {
			fake.Stop()
			t.Errorf("a delegation without %s started", name)
		}
	}
}
