package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type workspaceModel struct {
	ID          types.String `tfsdk:"id"`
	Slug        types.String `tfsdk:"slug"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
}

var workspaceKind = kind[workspaceModel]{
	name: "workspace",
	schema: schema.Schema{
		MarkdownDescription: "A workspace. It has no members until a `daikon_member` invites them.",
		Attributes: map[string]schema.Attribute{
			"id":          idAttribute("The ID of the workspace."),
			"slug":        slugAttribute(),
			"name":        nameAttribute("The name of the workspace."),
			"description": descriptionAttribute(),
		},
	},
	id: func(m *workspaceModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *workspaceModel) error {
		var created named
		body := describe(m.Name, m.Description)
		body["slug"] = m.Slug.ValueString()
		if err := c.post(ctx, "/admin/workspaces", body, &created); err != nil {
			return err
		}
		m.ID = types.StringValue(created.ID)
		return nil
	},
	read: func(ctx context.Context, c *client, m *workspaceModel) (string, error) {
		var found named
		etag, err := c.get(ctx, workspacePath(m), &found)
		if err != nil {
			return "", err
		}
		m.Slug = types.StringValue(found.Slug)
		m.Name = types.StringValue(found.Name)
		m.Description = types.StringValue(found.Description)
		return etag, nil
	},
	update: func(ctx context.Context, c *client, _, plan *workspaceModel, etag string) error {
		return c.patch(ctx, workspacePath(plan), etag, describe(plan.Name, plan.Description), nil)
	},
	delete: func(ctx context.Context, c *client, m *workspaceModel, etag string) error {
		return c.delete(ctx, workspacePath(m), etag)
	},
	imported: func(id string) (workspaceModel, error) {
		return workspaceModel{ID: types.StringValue(id)}, nil
	},
}

// slugAttribute checks the form of a slug when planning, because changing it later replaces the
// workspace.
func slugAttribute() schema.StringAttribute {
	attribute := fixedAttribute("The name of the workspace in URLs. Changing it replaces the workspace and all that it contains.")
	form := regexp.MustCompile(`^[a-z0-9][a-z0-9-]*[a-z0-9]$`)
	attribute.Validators = []validator.String{
		stringvalidator.RegexMatches(form, "must consist of lower-case letters, digits and, between them, hyphens"),
	}
	return attribute
}

func workspacePath(m *workspaceModel) string {
	return route("/admin/workspaces/%s", m.ID.ValueString())
}

// named has fields of a WorkspaceResponse, and those that a GroupResponse and a RoleResponse share.
type named struct {
	ID          string `json:"id"`
	WorkspaceID string `json:"workspace_id"`
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

func describe(name, description types.String) object {
	return object{"name": name.ValueString(), "description": description.ValueString()}
}
