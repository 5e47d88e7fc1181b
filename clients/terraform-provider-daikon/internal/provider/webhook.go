package provider

import (
	"context"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type webhookModel struct {
	ID          types.String `tfsdk:"id"`
	URL         types.String `tfsdk:"url"`
	Events      []string     `tfsdk:"events"`
	WorkspaceID types.String `tfsdk:"workspace_id"`
	Description types.String `tfsdk:"description"`
	IsActive    types.Bool   `tfsdk:"is_active"`
	Rotation    types.String `tfsdk:"rotation"`
	Secret      types.String `tfsdk:"secret"`
}

var webhookKind = kind[webhookModel]{
	name: "webhook",
	schema: schema.Schema{
		MarkdownDescription: "A URL that receives events.",
		Attributes: map[string]schema.Attribute{
			"id": idAttribute("The ID of the webhook."),
			"url": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "The URL that receives the events.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(regexp.MustCompile(`^https?://[^/]`), "must be an http or https URL"),
				},
			},
			"events": defaultSet("The actions of the events, such as `member.*`. Empty (default) for all."),
			"workspace_id": optionalAttribute("The ID of the only workspace whose events are sent. It cannot be changed later.",
				stringplanmodifier.RequiresReplace()),
			"description": descriptionAttribute(),
			"is_active":   boolAttribute(true, "Whether events are sent."),
			"rotation":    rotationAttribute("secret"),
			"secret":      secretAttribute("The secret that signs requests.", "rotation"),
		},
	},
	id: func(m *webhookModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *webhookModel) error {
		body := webhookSettings(m)
		body["events"] = m.Events
		body["workspace_id"] = orNull(m.WorkspaceID)
		var created webhook
		if err := c.post(ctx, "/admin/webhooks", body, &created); err != nil {
			return err
		}
		m.ID = types.StringValue(created.ID)
		m.Secret = optionalString(created.Secret)
		return nil
	},
	read: func(ctx context.Context, c *client, m *webhookModel) (string, error) {
		var found webhook
		if _, err := c.get(ctx, webhookPath(m), &found); err != nil {
			return "", err
		}
		m.URL = types.StringValue(found.URL)
		m.Events = notNil(found.Events)
		m.WorkspaceID = optionalString(found.WorkspaceID)
		m.Description = types.StringValue(found.Description)
		m.IsActive = types.BoolValue(found.IsActive)
		return "", nil
	},
	update: func(ctx context.Context, c *client, state, plan *webhookModel, _ string) error {
		body := webhookSettings(plan)
		body["events"] = nil
		if len(plan.Events) > 0 {
			body["events"] = plan.Events
		}
		if err := c.patch(ctx, webhookPath(plan), "", body, nil); err != nil {
			return err
		}
		plan.Secret = state.Secret
		if !isRotation(state.Rotation, plan.Rotation) {
			return nil
		}
		var rotated webhook
		err := c.post(ctx, webhookPath(plan)+"/rotate", object{}, &rotated)
		plan.Secret = optionalString(rotated.Secret)
		return err
	},
	delete: func(ctx context.Context, c *client, m *webhookModel, _ string) error {
		return c.delete(ctx, webhookPath(m), "")
	},
	imported: func(id string) (webhookModel, error) {
		return webhookModel{ID: types.StringValue(id)}, nil
	},
}

func webhookSettings(m *webhookModel) object {
	return object{
		"url":         m.URL.ValueString(),
		"description": m.Description.ValueString(),
		"is_active":   m.IsActive.ValueBool(),
	}
}

func webhookPath(m *webhookModel) string { return route("/admin/webhooks/%s", m.ID.ValueString()) }

// webhook is a WebhookResponse.
type webhook struct {
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	Events      []string `json:"events"`
	WorkspaceID *string  `json:"workspace_id"`
	Description string   `json:"description"`
	IsActive    bool     `json:"is_active"`
	Secret      *string  `json:"secret"`
}
