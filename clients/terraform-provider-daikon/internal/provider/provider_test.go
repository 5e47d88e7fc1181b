package provider

import (
	"context"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// lifecycle is what a test does with a resource.
type lifecycle struct {
	name           string
	create, change config
	// notRead names attributes that an import cannot know.
	notRead []string
}

// run creates and changes a resource, and imports it. Between the steps, the plan is empty.
func (h *harness) run(l lifecycle) instance {
	h.Helper()
	state := h.expectNoChanges(l.name, h.create(l.name, l.create), l.create)
	state = h.expectNoChanges(l.name, h.mustApply(l.name, state, l.change), l.change)
	imported := maps.Clone(l.change)
	for _, name := range l.notRead {
		delete(imported, name)
	}
	h.expectNoChanges(l.name, h.imports(l.name, state.text("id")), imported)
	return state
}

// removeOutside checks that what others have removed is planned again.
func (h *harness) removeOutside(name, path string, state instance) {
	h.Helper()
	h.check(h.client.delete(context.Background(), path, ""), nil)
	if !h.read(name, state).value.IsNull() {
		h.Fatalf("%s has been removed, but is in the state", name)
	}
	h.destroy(name, state)
}

func TestResources(t *testing.T) {
	h := startHarness(t)

	app := h.run(lifecycle{
		name: "daikon_service_app",
		create: config{"name": "Reports", "service_name": "reports", "rotation": "1", "api_resources": []any{
			config{"uri": "https://reports.example.com/mcp", "name": "Reports", "scopes": []any{
				config{"name": "reports:read", "description": "Read your reports"},
			}},
		}},
		change:  config{"name": "Reports 2", "service_name": "reports", "is_active": false, "rotation": "1", "force": true},
		notRead: []string{"rotation", "force"},
	})
	key := app.text("key")
	app = h.mustApply("daikon_service_app", app, config{"name": "Reports", "service_name": "reports", "rotation": "2", "overlap_seconds": 0})
	if app.text("key") == key || key == "" {
		t.Fatal("the rotation has created no key")
	}
	h.removeOutside("daikon_service_app", "/admin/service-apps/"+app.text("id"), app)

	inactive := h.create("daikon_service_app", config{"name": "Inactive", "service_name": "reports", "is_active": false})
	h.destroy("daikon_service_app", h.expectNoChanges("daikon_service_app", inactive,
		config{"name": "Inactive", "service_name": "reports", "is_active": false}))

	workspace := h.run(lifecycle{
		name:   "daikon_workspace",
		create: config{"slug": "harness", "name": "Harness"},
		change: config{"slug": "harness", "name": "Harness 2", "description": "Changed"},
	})
	workspaceID := workspace.text("id")
	if _, replaced := h.plan("daikon_workspace", workspace, config{"slug": "other", "name": "Harness"}); len(replaced) != 1 {
		t.Fatal("another slug replaces the workspace")
	}

	owner := h.run(lifecycle{
		name:    "daikon_member",
		create:  config{"workspace_id": workspaceID, "email": "Carol@harness.example"},
		change:  config{"workspace_id": workspaceID, "email": "carol@harness.example", "role": "owner", "keep_last_owner": true},
		notRead: []string{"keep_last_owner"},
	})
	ownerID := owner.text("user_id")
	h.run(lifecycle{
		name:   "daikon_member",
		create: config{"workspace_id": workspaceID, "email": "gus@harness.example", "guest": true},
		change: config{"workspace_id": workspaceID, "email": "gus@harness.example", "role": "editor"},
	})
	editor := h.create("daikon_member", config{"workspace_id": workspaceID, "email": "dan@harness.example", "role": "editor"})

	child := h.create("daikon_group", config{"workspace_id": workspaceID, "name": "Child"})
	member, childID := editor.text("user_id"), child.text("id")
	group := h.run(lifecycle{
		name:   "daikon_group",
		create: config{"workspace_id": workspaceID, "name": "Group", "member_ids": []any{ownerID}, "child_group_ids": []any{}},
		change: config{"workspace_id": workspaceID, "name": "Group 2", "member_ids": []any{member}, "child_group_ids": []any{childID}},
	})
	// Attributes that are not set any more are left alone.
	group = h.mustApply("daikon_group", group, config{"workspace_id": workspaceID, "name": "Group 2"})
	h.expectNoChanges("daikon_group", h.imports("daikon_group", group.text("id")),
		config{"workspace_id": workspaceID, "name": "Group 2", "member_ids": []any{member}, "child_group_ids": []any{childID}})

	action := h.publishAction()
	role := h.run(lifecycle{
		name:   "daikon_role",
		create: config{"workspace_id": workspaceID, "name": "Role", "service_action_ids": []any{action}, "member_ids": []any{ownerID}, "group_ids": []any{}},
		change: config{"workspace_id": workspaceID, "name": "Role 2", "service_action_ids": []any{}, "member_ids": []any{member}, "group_ids": []any{childID}},
	})

	document := h.run(lifecycle{
		name: "daikon_resource_type",
		create: config{"service_name": "docs", "resource_type": "page/1", "roles": []any{
			config{"name": "reviewer", "actions": []any{"view", "publish"}},
		}},
		change: config{"service_name": "docs", "resource_type": "page/1", "allow_public": true, "conditions": []any{
			config{"name": "small", "expression": "context.amount <= params.limit", "parameters": config{"limit": "int"}},
			config{"name": "office", "expression": "in_cidr(context.ip, '10.0.0.0/8')", "description": "In the office"},
		}, "requirements": []any{config{"action": "edit", "condition": "office", "inherited": true}}},
	})

	portal := h.run(lifecycle{
		name:   "daikon_client_app",
		create: config{"name": "Portal", "redirect_uris": []any{"https://a.example/1"}, "workspace_id": workspaceID},
		change: config{"name": "Portal 2", "type": "confidential", "redirect_uris": []any{"https://a.example/2", "https://a.example/1"},
			"post_logout_redirect_uris": []any{"https://a.example/"}, "pkce_required": false, "popup_sign_in": true, "consent_required": true,
			"is_active": false, "rotation": "1"},
		notRead: []string{"rotation"},
	})
	secret := portal.text("client_secret")
	confidential := config{"name": "Portal", "type": "confidential", "redirect_uris": []any{"https://a.example/1"}}
	portal = h.mustApply("daikon_client_app", portal, confidential)
	if secret == "" || portal.text("client_secret") != secret {
		t.Fatal("an app keeps the secret that it received when it became confidential")
	}
	confidential["rotation"] = "2"
	if portal = h.mustApply("daikon_client_app", portal, confidential); portal.text("client_secret") == secret {
		t.Fatal("the rotation has created no secret")
	}
	if _, replaced := h.plan("daikon_client_app", portal, config{"name": "Portal"}); len(replaced) != 1 {
		t.Fatal("removing all redirect URIs replaces the app")
	}

	webhook := h.run(lifecycle{
		name:    "daikon_webhook",
		create:  config{"url": "http://127.0.0.1:9/", "events": []any{"member.*"}, "workspace_id": workspaceID},
		change:  config{"url": "http://127.0.0.1:9/2", "workspace_id": workspaceID, "is_active": false, "rotation": "1"},
		notRead: []string{"rotation"},
	})

	h.removeOutside("daikon_webhook", "/admin/webhooks/"+webhook.text("id"), webhook)
	h.removeOutside("daikon_client_app", "/admin/client-apps/"+portal.text("id"), portal)
	h.removeOutside("daikon_resource_type", "/admin/resource-types/docs/page%2F1", document)
	h.removeOutside("daikon_role", "/admin/roles/"+role.text("id"), role)
	h.removeOutside("daikon_group", "/admin/groups/"+group.text("id"), group)
	h.destroy("daikon_group", child)
	h.removeOutside("daikon_member", "/admin/workspaces/"+workspaceID+"/members/"+member, editor)
	h.destroy("daikon_member", owner)
	h.removeOutside("daikon_workspace", "/admin/workspaces/"+workspaceID, workspace)
}

func TestDataSources(t *testing.T) {
	h := startHarness(t)
	workspace := h.create("daikon_workspace", config{"slug": "lookup", "name": "Lookup"})
	owner := h.create("daikon_member", config{"workspace_id": workspace.text("id"), "email": "erin@harness.example"})
	if found := h.lookUp("daikon_workspace", config{"slug": "lookup"}); found.text("id") != workspace.text("id") {
		t.Fatal(found.value)
	}
	if found := h.lookUp("daikon_user", config{"email": "Erin@harness.example"}); found.text("id") != owner.text("user_id") {
		t.Fatal(found.value)
	}
	found := h.lookUp("daikon_service_actions", config{"service_name": "docs"})
	if ids := attributes(attributes(found.value)["ids"]); len(ids) != 1 {
		t.Fatal(found.value)
	}
	h.destroy("daikon_member", owner)
	h.destroy("daikon_workspace", workspace)
}

func TestErrorsNameAttributes(t *testing.T) {
	h := startHarness(t)
	_, diagnostics := h.apply("daikon_resource_type", h.destroyed("daikon_resource_type"), config{
		"service_name": "docs", "resource_type": "note", "roles": []any{config{"name": "reviewer", "actions": []any{"launch"}}},
	})
	at := tftypes.NewAttributePath().WithAttributeName("roles").WithElementKeyInt(0).WithAttributeName("actions")
	if len(diagnostics) != 1 || !at.Equal(diagnostics[0].Attribute) {
		t.Fatal(diagnostics)
	}
}

func TestChangesByOthersAreNotOverwritten(t *testing.T) {
	h := startHarness(t)
	settings := config{"slug": "conflict", "name": "Conflict"}
	state := h.create("daikon_workspace", settings)
	path := "/admin/workspaces/" + state.text("id")
	h.check(h.client.patch(context.Background(), path, "", object{"name": "By others"}, nil), nil)
	_, diagnostics := h.apply("daikon_workspace", state, config{"slug": "conflict", "name": "Changed"})
	if len(diagnostics) != 1 {
		t.Fatal("expected an error")
	}
	if _, diagnostics = h.apply("daikon_workspace", state, nil); len(diagnostics) != 1 {
		t.Fatal("expected an error")
	}
	h.destroy("daikon_workspace", h.read("daikon_workspace", state))
}

func TestPartsOfAFailedCreationAreInTheState(t *testing.T) {
	h := startHarness(t)
	workspace := h.create("daikon_workspace", config{"slug": "partial", "name": "Partial"})
	group, diagnostics := h.apply("daikon_group", h.destroyed("daikon_group"), config{
		"workspace_id": workspace.text("id"), "name": "Group", "member_ids": []any{"0199f4a2-6b1e-7c3a-9d7e-2f1f4e1c9b10"},
	})
	if len(diagnostics) != 1 || group.text("id") == "" {
		t.Fatal(group.value, diagnostics)
	}
	h.destroy("daikon_group", h.read("daikon_group", group))
	h.destroy("daikon_workspace", workspace)
}

// publishAction returns the ID of the action `publish` of the service `docs`.
func (h *harness) publishAction() string {
	found := h.lookUp("daikon_service_actions", config{"service_name": "docs"})
	return instance{value: attributes(found.value)["ids"]}.text("publish")
}
