package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type roleModel struct {
	ID               types.String `tfsdk:"id"`
	WorkspaceID      types.String `tfsdk:"workspace_id"`
	Name             types.String `tfsdk:"name"`
	Description      types.String `tfsdk:"description"`
	ServiceActionIDs []string     `tfsdk:"service_action_ids"`
	MemberIDs        []string     `tfsdk:"member_ids"`
	GroupIDs         []string     `tfsdk:"group_ids"`
}

var roleKind = kind[roleModel]{
	name: "role",
	schema: schema.Schema{
		MarkdownDescription: "A custom role of a workspace, which grants registered actions to members and groups.",
		Attributes: map[string]schema.Attribute{
			"id":                 idAttribute("The ID of the custom role."),
			"workspace_id":       fixedAttribute("The ID of the workspace."),
			"name":               nameAttribute("The name of the custom role, unique in the workspace."),
			"description":        descriptionAttribute(),
			"service_action_ids": managedSet("The IDs of all actions of the role, as in `daikon_service_actions`. Without it, they are not managed."),
			"member_ids":         managedSet("The IDs of all users and service accounts who have the role. Without it, they are not managed."),
			"group_ids":          managedSet("The IDs of all groups that have the role. Without it, they are not managed."),
		},
	},
	id: func(m *roleModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *roleModel) error {
		var created named
		path := route("/admin/workspaces/%s/roles", m.WorkspaceID.ValueString())
		if err := c.post(ctx, path, describe(m.Name, m.Description), &created); err != nil {
			return err
		}
		m.ID = types.StringValue(created.ID)
		return syncRole(ctx, c, &roleModel{}, m)
	},
	read: func(ctx context.Context, c *client, m *roleModel) (string, error) {
		var found named
		etag, err := c.get(ctx, rolePath(m), &found)
		if err != nil {
			return "", err
		}
		m.WorkspaceID = types.StringValue(found.WorkspaceID)
		m.Name = types.StringValue(found.Name)
		m.Description = types.StringValue(found.Description)
		if err := c.readSet(ctx, rolePath(m)+"/actions", "id", &m.ServiceActionIDs); err != nil {
			return "", err
		}
		if err := c.readSet(ctx, rolePath(m)+"/members", "user_id", &m.MemberIDs); err != nil {
			return "", err
		}
		return etag, c.readSet(ctx, rolePath(m)+"/groups", "id", &m.GroupIDs)
	},
	update: func(ctx context.Context, c *client, state, plan *roleModel, etag string) error {
		if err := c.patch(ctx, rolePath(plan), etag, describe(plan.Name, plan.Description), nil); err != nil {
			return err
		}
		return syncRole(ctx, c, state, plan)
	},
	delete: func(ctx context.Context, c *client, m *roleModel, etag string) error {
		return c.delete(ctx, rolePath(m), etag)
	},
	imported: func(id string) (roleModel, error) {
		none := []string{}
		return roleModel{ID: types.StringValue(id), ServiceActionIDs: none, MemberIDs: none, GroupIDs: none}, nil
	},
}

func syncRole(ctx context.Context, c *client, state, plan *roleModel) error {
	err := c.syncSet(ctx, rolePath(plan)+"/actions", state.ServiceActionIDs, plan.ServiceActionIDs, "service_action_ids")
	if err != nil {
		return err
	}
	if err := c.syncSet(ctx, rolePath(plan)+"/members", state.MemberIDs, plan.MemberIDs, ""); err != nil {
		return err
	}
	return c.syncSet(ctx, rolePath(plan)+"/groups", state.GroupIDs, plan.GroupIDs, "")
}

func rolePath(m *roleModel) string { return route("/admin/roles/%s", m.ID.ValueString()) }
