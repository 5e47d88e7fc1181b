package daikon_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

var ctx = context.Background()

// startFake starts an in-memory daikon. Alice owns documents in the workspace acme that Bob may not view.
func startFake() *daikontest.Fake {
	fake, err := daikontest.Start(daikontest.World{
		Members: []daikontest.Member{
			{WorkspaceID: "acme", UserID: "alice", Role: daikontest.RoleEditor},
			{WorkspaceID: "acme", UserID: "bob", Role: daikontest.RoleViewer},
		},
		Resources: []daikontest.Resource{
			{Type: "document", ID: "roadmap", WorkspaceID: "acme", OwnerID: "alice"},
			{Type: "document", ID: "handbook", WorkspaceID: "acme", OwnerID: "alice", Visibility: daikon.VisibilityWorkspace},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	return fake
}

func ExampleNew() {
	client, err := daikon.New("localhost:50051",
		daikon.WithService("docs"),
		daikon.WithServiceKey(os.Getenv("DAIKON_SERVICE_KEY")),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
}

func ExampleNew_tls() {
	config, err := daikon.LoadTLS("ca.pem", "client.pem", "client.key")
	if err != nil {
		fmt.Println("certificates are missing")
		return
	}
	client, err := daikon.New("daikon.internal:50051",
		daikon.WithService("docs"),
		daikon.WithServiceKey(os.Getenv("DAIKON_SERVICE_KEY")),
		daikon.WithTLS(config))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	// Output: certificates are missing
}

func ExampleClient_Check() {
	client := startFake()
	defer client.Stop()

	roadmap := daikon.Resource{Type: "document", ID: "roadmap"}
	for _, user := range []string{"alice", "bob"} {
		isAllowed, err := client.Check(ctx, daikon.Subject{UserID: user}, "edit", roadmap)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(user, isAllowed)
	}
	// Output:
	// alice true
	// bob false
}

func ExampleClient_Accessible() {
	client := startFake()
	defer client.Stop()

	for id, err := range client.Accessible(ctx, daikon.Subject{UserID: "bob"}, "view", "document") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(id)
	}
	// Output: handbook
}

func ExampleClient_Share() {
	client := startFake()
	defer client.Stop()

	roadmap := daikon.Resource{Type: "document", ID: "roadmap"}
	token := client.Token("alice", "acme") // the access token of a request
	readers := daikon.Grantee{GroupID: "0c000000-0000-4000-8000-000000000001"}
	_, err := client.Share(ctx, roadmap, readers, daikon.PermissionView, daikon.As(token))

	var failure *daikon.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, failure.Reason)
	}
	// Output: not_found GRANTEE_NOT_FOUND
}

func ExampleClient_Explain() {
	client := startFake()
	defer client.Stop()

	handbook := daikon.Resource{Type: "document", ID: "handbook"}
	explanation, err := client.Explain(ctx, daikon.Subject{UserID: "bob"}, "view", handbook)
	if err != nil {
		log.Fatal(err)
	}
	for _, reason := range explanation.Reasons {
		fmt.Println(reason.Rule)
	}
	// Output: workspace_visibility
}

func ExampleClient_Exchange() {
	client, err := daikon.New("localhost:50051",
		daikon.WithService("docs"),
		daikon.WithAgent(daikon.AgentCredentials{APIKey: os.Getenv("AGENT_API_KEY")}),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	delegation := "0d000000-0000-7000-8000-0000000000d1"
	token, err := client.Exchange(ctx, daikon.ExchangeRequest{DelegationID: delegation})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("acts until", token.ExpiresAt)
}

func ExampleDelegated() {
	fake, err := daikontest.Start(daikontest.World{
		Members: []daikontest.Member{{WorkspaceID: "acme", UserID: "alice", Role: daikontest.RoleEditor}},
		Delegations: []daikontest.Delegation{
			{ID: "d1", UserID: "alice", WorkspaceID: "acme", Actions: []string{"view"}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Stop()

	token := fake.DelegatedToken("d1") // the access token of a request
	claims, err := fake.VerifyAccessToken(ctx, token, daikon.Delegated())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(claims.Actor.Type, claims.Actor.ID, "for", claims.Subject)
	_, err = fake.VerifyAccessToken(ctx, token)
	fmt.Println(errors.Is(err, daikon.ErrInvalidToken))
	// Output:
	// service_account agent for alice
	// true
}

func ExampleError() {
	client := startFake()
	defer client.Stop()

	err := client.Unregister(ctx, daikon.Resource{Type: "document", ID: "none"})
	if errors.Is(err, daikon.ErrNotFound) {
		fmt.Println(err)
	}
	// Output: daikon: Resource not found (RESOURCE_NOT_FOUND)
}

func ExampleFilter() {
	client := startFake()
	defer client.Stop()

	ids := []string{"roadmap", "handbook"}
	visible, err := daikon.Filter(ctx, client.Client, daikon.Subject{UserID: "bob"}, "view", ids,
		func(id string) daikon.Resource { return daikon.Resource{Type: "document", ID: id} })
	fmt.Println(visible, err)
	// Output: [handbook] <nil>
}
