package daikontest_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

func newApp(client *daikon.Client) *daikon.Client { return client }

func TestTheExampleOfTheReadme(t *testing.T) {
	// README
	fake := daikontest.New(t, daikontest.World{
		Members: []daikontest.Member{
			{WorkspaceID: "acme", UserID: "alice", Role: daikontest.RoleEditor},
			{WorkspaceID: "acme", UserID: "bob", Role: daikontest.RoleViewer},
		},
		Resources: []daikontest.Resource{{Type: "document", ID: "roadmap", WorkspaceID: "acme", OwnerID: "alice"}},
	})
	app := newApp(fake.Client)
	token := fake.Token("bob", "acme")
	apiToken := fake.TokenForAPI("bob", "acme", "https://docs.example.com/api", "documents:read")

	fake.FailWith(&daikon.Error{Code: daikon.CodeUnavailable, Reason: "UNREACHABLE"})
	// and fake.Delay(duration), fake.RevokeToken(token), fake.Recover()
	// end
	fake.Recover()
	if claims, err := app.VerifyAccessToken(t.Context(), token); err != nil || claims.WorkspaceID != "acme" {
		t.Error(claims, err)
	}
	audience := daikon.Audience("https://docs.example.com/api")
	if claims, err := app.VerifyAccessToken(t.Context(), apiToken, audience); err != nil || claims.Subject != "bob" {
		t.Error(claims, err)
	}
	text, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "\t// README\n")
	example, _, _ = strings.Cut("\n"+example, "\t// end\n")
	readme, err := os.ReadFile("../README.md")
	if err != nil || !strings.Contains(string(readme), "```go"+strings.ReplaceAll(example, "\n\t", "\n")+"```\n") {
		t.Error("README.md has another example", err)
	}
}

// Operations accept the IDs of a world, whatever they are, and no others that are not UUIDs.
func TestIDsOfAWorldMayBeAnyText(t *testing.T) {
	fake := daikontest.New(t, daikontest.World{
		Members: []daikontest.Member{
			{WorkspaceID: "acme", UserID: "alice", Role: daikontest.RoleEditor},
			{WorkspaceID: "acme", UserID: "bob", Role: daikontest.RoleViewer},
		},
		Groups: []daikontest.Group{{ID: "staff", WorkspaceID: "acme", Members: []string{"bob"}}},
	})
	register := func(workspace, owner string) error {
		registration := daikon.Registration{Type: "document", ID: owner, WorkspaceID: workspace, OwnerID: owner}
		_, err := fake.Register(t.Context(), registration)
		return err
	}
	if err := register("acme", "alice"); err != nil {
		t.Fatal(err)
	}
	resource := daikon.Resource{Type: "document", ID: "alice"}
	as := daikon.As(fake.Token("alice", "acme"))
	for _, grantee := range []daikon.Grantee{{UserID: "bob"}, {GroupID: "staff"}} {
		if _, err := fake.Share(t.Context(), resource, grantee, daikon.PermissionView, as); err != nil {
			t.Error(grantee, err)
		}
	}
	if _, err := fake.Transfer(t.Context(), resource, "bob", as); err != nil {
		t.Error(err)
	}
	var found []string
	subject := daikon.Subject{UserID: "bob"}
	for id, err := range fake.Accessible(t.Context(), subject, "view", "document", daikon.InWorkspace("acme")) {
		if err != nil {
			t.Error(err)
		}
		found = append(found, id)
	}
	if len(found) != 1 {
		t.Error(found)
	}
	for _, ids := range [][2]string{{"other", "alice"}, {"acme", "carol"}} {
		if err := register(ids[0], ids[1]); !errors.Is(err, daikon.ErrInvalidArgument) {
			t.Error(ids, err)
		}
	}
}
