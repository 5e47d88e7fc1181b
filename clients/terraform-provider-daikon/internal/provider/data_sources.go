package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type workspaceLookupModel struct {
	Slug        types.String `tfsdk:"slug"`
	ID          types.String `tfsdk:"id"`
	Name        types.String `tfsdk:"name"`
	Description types.String `tfsdk:"description"`
}

var workspaceLookup = lookup[workspaceLookupModel]{
	name: "workspace",
	schema: schema.Schema{
		MarkdownDescription: "A workspace by its slug.",
		Attributes: map[string]schema.Attribute{
			"slug":        schema.StringAttribute{Required: true, MarkdownDescription: "The slug."},
			"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "The ID."},
			"name":        schema.StringAttribute{Computed: true, MarkdownDescription: "The name."},
			"description": schema.StringAttribute{Computed: true, MarkdownDescription: "The description."},
		},
	},
	read: func(ctx context.Context, c *client, m *workspaceLookupModel) error {
		slug := m.Slug.ValueString()
		found, err := findItem(ctx, c, "/admin/workspaces", slug, pageItems[named],
			func(found named) bool { return found.Slug == slug })
		if err != nil {
			return err
		}
		if found == nil {
			return fmt.Errorf("no workspace has the slug %s", slug)
		}
		m.ID = types.StringValue(found.ID)
		m.Name = types.StringValue(found.Name)
		m.Description = types.StringValue(found.Description)
		return nil
	},
}

type userLookupModel struct {
	Email      types.String `tfsdk:"email"`
	ID         types.String `tfsdk:"id"`
	Name       types.String `tfsdk:"name"`
	IsActive   types.Bool   `tfsdk:"is_active"`
	ExternalID types.String `tfsdk:"external_id"`
}

var userLookup = lookup[userLookupModel]{
	name: "user",
	schema: schema.Schema{
		MarkdownDescription: "A user by e-mail address.",
		Attributes: map[string]schema.Attribute{
			"email":       schema.StringAttribute{Required: true, MarkdownDescription: "The e-mail address."},
			"id":          schema.StringAttribute{Computed: true, MarkdownDescription: "The ID."},
			"name":        schema.StringAttribute{Computed: true, MarkdownDescription: "The display name."},
			"is_active":   schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the user can sign in."},
			"external_id": schema.StringAttribute{Computed: true, MarkdownDescription: "The ID in another system."},
		},
	},
	read: func(ctx context.Context, c *client, m *userLookupModel) error {
		email := m.Email.ValueString()
		found, err := findItem(ctx, c, "/admin/users", email, pageItems[user],
			func(found user) bool { return strings.EqualFold(found.Email, email) })
		if err != nil {
			return err
		}
		if found == nil {
			return fmt.Errorf("no user has the e-mail address %s", email)
		}
		m.ID = types.StringValue(found.ID)
		m.Name = types.StringValue(found.Name)
		m.IsActive = types.BoolValue(found.IsActive)
		m.ExternalID = optionalString(found.ExternalID)
		return nil
	},
}

type serviceActionsLookupModel struct {
	ServiceName types.String      `tfsdk:"service_name"`
	IDs         map[string]string `tfsdk:"ids"`
}

var serviceActionsLookup = lookup[serviceActionsLookupModel]{
	name: "service_actions",
	schema: schema.Schema{
		MarkdownDescription: "The actions that a service has registered.",
		Attributes: map[string]schema.Attribute{
			"service_name": schema.StringAttribute{Required: true, MarkdownDescription: "The name of the service."},
			"ids": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "The IDs of the actions by name. Empty if the service has registered none.",
			},
		},
	},
	read: func(ctx context.Context, c *client, m *serviceActionsLookupModel) error {
		var services []serviceActions
		_, err := c.get(ctx, "/admin/service-actions", &services)
		m.IDs = map[string]string{}
		for _, service := range services {
			if service.ServiceName != m.ServiceName.ValueString() {
				continue
			}
			for _, action := range service.Actions {
				m.IDs[action.Name] = action.ID
			}
		}
		return err
	},
}

func pageItems[T any](response json.RawMessage) ([]T, error) {
	var page struct {
		Items []T `json:"items"`
	}
	return page.Items, json.Unmarshal(response, &page)
}

// user is a UserSummary.
type user struct {
	ID         string  `json:"id"`
	Email      string  `json:"email"`
	Name       string  `json:"name"`
	IsActive   bool    `json:"is_active"`
	ExternalID *string `json:"external_id"`
}

// serviceActions is a ServiceActions.
type serviceActions struct {
	ServiceName string `json:"service_name"`
	Actions     []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"actions"`
}
