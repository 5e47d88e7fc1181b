package daikon_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

func TestAgentsObtainTokensOfTheServer(t *testing.T) {
	server := startCasesServer(t)
	values, service := server.Values, connect(t, server)
	newAgent := func(credentials daikon.AgentCredentials) *daikon.Client {
		t.Helper()
		client, err := daikon.New(server.Address,
			daikon.WithService("docs"), daikon.WithAgent(credentials), daikon.WithTimeout(30*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
	secret, delegation := values["agent.secret"], values["agent.delegation"]
	client := newAgent(daikon.AgentCredentials{ClientID: values["agent.id"], ClientSecret: secret})
	exchange := func(request daikon.ExchangeRequest) *daikon.DelegatedToken {
		t.Helper()
		token, err := client.Exchange(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		if lifetime := time.Until(token.ExpiresAt); lifetime < time.Minute || lifetime > 15*time.Minute {
			t.Error(lifetime)
		}
		return token
	}
	away := exchange(daikon.ExchangeRequest{DelegationID: delegation})
	if again := exchange(daikon.ExchangeRequest{DelegationID: delegation}); *again != *away {
		t.Error("the token is not kept")
	}
	atHand := exchange(daikon.ExchangeRequest{SubjectToken: values["bob.token"]})
	named := exchange(daikon.ExchangeRequest{SubjectToken: values["bob.token"], DelegationID: delegation})

	help := daikon.Resource{Type: "site", ID: "help"}
	for _, subject := range []daikon.Subject{
		{Token: away.Token}, {Token: atHand.Token}, {Token: named.Token}, {Delegation: delegation},
	} {
		if isAllowed, err := service.Check(t.Context(), subject, "view", help); err != nil || !isAllowed {
			t.Error(isAllowed, err)
		}
		allowed, err := service.Explain(t.Context(), subject, "view", help)
		if err != nil {
			t.Fatal(err)
		}
		reason := allowed.Reasons[len(allowed.Reasons)-1]
		if reason.Rule != "delegation" || reason.DelegationID != delegation || reason.Agent.ID != values["agent.id"] ||
			reason.Agent.Type != daikon.AgentClient || reason.Agent.Name == "" || reason.ExpiresAt.IsZero() {
			t.Errorf("%+v %+v", reason, reason.Agent)
		}
		denied, err := service.Explain(t.Context(), subject, "edit", help)
		if err != nil {
			t.Fatal(err)
		}
		reason = denied.Reasons[len(denied.Reasons)-1]
		if denied.Allowed || reason.Rule != "delegation_does_not_cover" || reason.Uncovered != "action" {
			t.Errorf("%+v", reason)
		}
	}

	if _, err := service.VerifyAccessToken(t.Context(), away.Token); !errors.Is(err, daikon.ErrInvalidToken) {
		t.Error(err)
	}
	claims, err := service.VerifyAccessToken(t.Context(), away.Token, daikon.Delegated())
	if err != nil {
		t.Fatal(err)
	}
	actor := daikon.Actor{ID: values["agent.id"], Type: daikon.AgentClient}
	if *claims.Actor != actor || claims.DelegationID != delegation || claims.Subject != values["bob"] {
		t.Errorf("%+v", claims)
	}

	requireFailure := func(client *daikon.Client, request daikon.ExchangeRequest, code daikon.Code, reason string) {
		t.Helper()
		_, err := client.Exchange(t.Context(), request)
		var failure *daikon.Error
		if !errors.As(err, &failure) || failure.Code != code || failure.Reason != reason {
			t.Error(err)
		}
		for _, hidden := range []string{"wrong-secret", secret, request.SubjectToken} {
			if hidden != "" && strings.Contains(err.Error(), hidden) {
				t.Error("the error contains a secret")
			}
		}
	}
	invalid := daikon.CodeFailedPrecondition
	requireFailure(client, daikon.ExchangeRequest{SubjectToken: away.Token}, invalid, "INVALID_REQUEST")
	requireFailure(client, daikon.ExchangeRequest{SubjectToken: values["alice.token"]}, invalid, "INVALID_REQUEST")
	requireFailure(client, daikon.ExchangeRequest{DelegationID: values["bob"]}, invalid, "INVALID_REQUEST")
	wrong := newAgent(daikon.AgentCredentials{ClientID: values["agent.id"], ClientSecret: "wrong-secret"})
	requireFailure(wrong, daikon.ExchangeRequest{DelegationID: delegation}, daikon.CodeUnauthenticated, "INVALID_CLIENT")
	key := newAgent(daikon.AgentCredentials{APIKey: "da_wrong-secret"})
	requireFailure(key, daikon.ExchangeRequest{DelegationID: delegation}, invalid, "INVALID_REQUEST")
}
