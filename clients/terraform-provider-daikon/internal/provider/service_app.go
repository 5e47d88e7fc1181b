package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type serviceAppModel struct {
	ID             types.String  `tfsdk:"id"`
	Name           types.String  `tfsdk:"name"`
	ServiceName    types.String  `tfsdk:"service_name"`
	IsActive       types.Bool    `tfsdk:"is_active"`
	Force          types.Bool    `tfsdk:"force"`
	Rotation       types.String  `tfsdk:"rotation"`
	OverlapSeconds types.Int64   `tfsdk:"overlap_seconds"`
	Key            types.String  `tfsdk:"key"`
	APIResources   []apiResource `tfsdk:"api_resources"`
}

// apiResource is an API that access tokens can be limited to.
type apiResource struct {
	URI    string     `tfsdk:"uri" json:"uri"`
	Name   string     `tfsdk:"name" json:"name"`
	Scopes []apiScope `tfsdk:"scopes" json:"scopes"`
}

type apiScope struct {
	Name        string `tfsdk:"name" json:"name"`
	Description string `tfsdk:"description" json:"description"`
}

var serviceAppKind = kind[serviceAppModel]{
	name: "service_app",
	schema: schema.Schema{
		MarkdownDescription: "A backend service that authenticates with a service key.",
		Attributes: map[string]schema.Attribute{
			"id":           idAttribute("The ID of the service app."),
			"name":         nameAttribute("A display name."),
			"service_name": fixedAttribute("The name of the service that the keys authenticate."),
			"is_active":    boolAttribute(true, "Whether the keys of the app are accepted."),
			"api_resources": nestedList("The APIs of the service, which access tokens can be limited to.", map[string]schema.Attribute{
				"uri":  schema.StringAttribute{Required: true, MarkdownDescription: "The URI, https without a query or fragment; an origin without a slash."},
				"name": schema.StringAttribute{Required: true, MarkdownDescription: "The name that people read."},
				"scopes": nestedList("What tokens can be granted.", map[string]schema.Attribute{
					"name":        schema.StringAttribute{Required: true, MarkdownDescription: "The name of the scope."},
					"description": schema.StringAttribute{Required: true, MarkdownDescription: "What it lets a program do, for people."},
				}),
			}),
			"force": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether the last active service app may be deactivated or destroyed, after which the " +
					"server may accept calls without a key.",
			},
			"rotation":        rotationAttribute("key"),
			"overlap_seconds": overlapAttribute("keys"),
			"key":             secretAttribute("The newest service key.", "rotation"),
		},
	},
	id: func(m *serviceAppModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *serviceAppModel) error {
		var created serviceApp
		body := object{
			"name": m.Name.ValueString(), "service_name": m.ServiceName.ValueString(),
			"api_resources": apiResourceBody(m.APIResources),
		}
		if err := c.post(ctx, "/admin/service-apps", body, &created); err != nil {
			return err
		}
		m.ID = types.StringValue(created.ID)
		m.Key = types.StringValue(created.Key)
		if m.IsActive.ValueBool() {
			return nil
		}
		return patchServiceApp(ctx, c, m, "")
	},
	read: func(ctx context.Context, c *client, m *serviceAppModel) (string, error) {
		var found serviceApp
		etag, err := c.get(ctx, serviceAppPath(m), &found)
		if err != nil {
			return "", err
		}
		m.Name = types.StringValue(found.Name)
		m.ServiceName = types.StringValue(found.ServiceName)
		m.IsActive = types.BoolValue(found.IsActive)
		for i := range found.APIResources {
			if scopes := &found.APIResources[i].Scopes; len(*scopes) == 0 {
				*scopes = nil
				if i < len(m.APIResources) && len(m.APIResources[i].Scopes) == 0 {
					*scopes = m.APIResources[i].Scopes
				}
			}
		}
		m.APIResources = emptyAs(m.APIResources, found.APIResources)
		return etag, nil
	},
	update: func(ctx context.Context, c *client, state, plan *serviceAppModel, etag string) error {
		if err := patchServiceApp(ctx, c, plan, etag); err != nil {
			return err
		}
		plan.Key = state.Key
		if !isRotation(state.Rotation, plan.Rotation) {
			return nil
		}
		var rotated serviceApp
		err := c.post(ctx, serviceAppPath(plan)+"/rotate", overlap(plan.OverlapSeconds), &rotated)
		plan.Key = types.StringValue(rotated.Key)
		return err
	},
	delete: func(ctx context.Context, c *client, m *serviceAppModel, etag string) error {
		path := serviceAppPath(m)
		if m.Force.ValueBool() {
			path += "?force=true"
		}
		return c.delete(ctx, path, etag)
	},
	imported: func(id string) (serviceAppModel, error) {
		return serviceAppModel{ID: types.StringValue(id)}, nil
	},
}

func overlapAttribute(secrets string) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional:            true,
		MarkdownDescription: "How long older " + secrets + " remain valid after a rotation, in seconds. A day by default.",
	}
}

func overlap(seconds types.Int64) object {
	if seconds.IsNull() {
		return object{}
	}
	return object{"overlap_seconds": seconds.ValueInt64()}
}

func patchServiceApp(ctx context.Context, c *client, m *serviceAppModel, etag string) error {
	body := object{
		"name": m.Name.ValueString(), "is_active": m.IsActive.ValueBool(), "force": m.Force.ValueBool(),
		"api_resources": apiResourceBody(m.APIResources),
	}
	return c.patch(ctx, serviceAppPath(m), etag, body, nil)
}

func serviceAppPath(m *serviceAppModel) string {
	return route("/admin/service-apps/%s", m.ID.ValueString())
}

// serviceApp is a ServiceAppResponse, or a ServiceAppKeyResponse with a new key.
type serviceApp struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ServiceName string `json:"service_name"`
	IsActive    bool   `json:"is_active"`
	Key         string `json:"key"`

	APIResources []apiResource `json:"api_resources"`
}

// apiResourceBody returns null, which removes them, for none.
func apiResourceBody(resources []apiResource) any {
	if len(resources) == 0 {
		return nil
	}
	body := []object{}
	for _, resource := range resources {
		scopes := notNil(resource.Scopes)
		body = append(body, object{"uri": resource.URI, "name": resource.Name, "scopes": scopes})
	}
	return body
}
