package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type groupModel struct {
	ID            types.String `tfsdk:"id"`
	WorkspaceID   types.String `tfsdk:"workspace_id"`
	Name          types.String `tfsdk:"name"`
	Description   types.String `tfsdk:"description"`
	MemberIDs     []string     `tfsdk:"member_ids"`
	ChildGroupIDs []string     `tfsdk:"child_group_ids"`
}

var groupKind = kind[groupModel]{
	name: "group",
	schema: schema.Schema{
		MarkdownDescription: "A group of a workspace.",
		Attributes: map[string]schema.Attribute{
			"id":              idAttribute("The ID of the group."),
			"workspace_id":    fixedAttribute("The ID of the workspace."),
			"name":            nameAttribute("The name of the group, unique in the workspace."),
			"description":     descriptionAttribute(),
			"member_ids":      managedSet("The IDs of all users and service accounts in the group. Without it, they are not managed."),
			"child_group_ids": managedSet("The IDs of all groups in the group. Without it, they are not managed."),
		},
	},
	id: func(m *groupModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *groupModel) error {
		var created named
		path := route("/admin/workspaces/%s/groups", m.WorkspaceID.ValueString())
		if err := c.post(ctx, path, describe(m.Name, m.Description), &created); err != nil {
			return err
		}
		m.ID = types.StringValue(created.ID)
		return syncGroup(ctx, c, &groupModel{}, m)
	},
	read: func(ctx context.Context, c *client, m *groupModel) (string, error) {
		var found named
		etag, err := c.get(ctx, groupPath(m), &found)
		if err != nil {
			return "", err
		}
		m.WorkspaceID = types.StringValue(found.WorkspaceID)
		m.Name = types.StringValue(found.Name)
		m.Description = types.StringValue(found.Description)
		if err := c.readSet(ctx, groupPath(m)+"/members", "user_id", &m.MemberIDs); err != nil {
			return "", err
		}
		return etag, c.readSet(ctx, groupPath(m)+"/groups", "id", &m.ChildGroupIDs)
	},
	update: func(ctx context.Context, c *client, state, plan *groupModel, etag string) error {
		if err := c.patch(ctx, groupPath(plan), etag, describe(plan.Name, plan.Description), nil); err != nil {
			return err
		}
		return syncGroup(ctx, c, state, plan)
	},
	delete: func(ctx context.Context, c *client, m *groupModel, etag string) error {
		return c.delete(ctx, groupPath(m), etag)
	},
	imported: func(id string) (groupModel, error) {
		return groupModel{ID: types.StringValue(id), MemberIDs: []string{}, ChildGroupIDs: []string{}}, nil
	},
}

func syncGroup(ctx context.Context, c *client, state, plan *groupModel) error {
	if err := c.syncSet(ctx, groupPath(plan)+"/members", state.MemberIDs, plan.MemberIDs, ""); err != nil {
		return err
	}
	return c.syncSet(ctx, groupPath(plan)+"/groups", state.ChildGroupIDs, plan.ChildGroupIDs, "")
}

func groupPath(m *groupModel) string { return route("/admin/groups/%s", m.ID.ValueString()) }
