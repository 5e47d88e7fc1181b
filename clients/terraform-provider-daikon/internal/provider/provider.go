// Package provider manages workspaces, their members, groups and custom roles, resource types, apps
// and webhooks of a daikon server.
package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type daikonProvider struct{}

// New returns the provider.
func New() provider.Provider { return daikonProvider{} }

func (daikonProvider) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "daikon"
}

func (daikonProvider) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = schema.Schema{
		MarkdownDescription: "Manages a daikon server as a management app.",
		Attributes: map[string]schema.Attribute{
			"url": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The URL of the REST API, such as `https://auth.example.com`. Defaults to `DAIKON_URL`.",
			},
			"client_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The client ID of the management app. Defaults to `DAIKON_CLIENT_ID`.",
			},
			"client_secret": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				MarkdownDescription: "The secret of the management app. Defaults to `DAIKON_CLIENT_SECRET`.",
			},
		},
	}
}

func (daikonProvider) Configure(ctx context.Context, request provider.ConfigureRequest, response *provider.ConfigureResponse) {
	read := func(name, variable string) string {
		var value types.String
		response.Diagnostics.Append(request.Config.GetAttribute(ctx, path.Root(name), &value)...)
		text := value.ValueString()
		if value.IsNull() {
			text = os.Getenv(variable)
		}
		if text == "" {
			response.Diagnostics.AddAttributeError(path.Root(name), "Missing configuration",
				"Set "+name+" to a value that is known when planning, or the environment variable "+variable+".")
		}
		return text
	}
	url := read("url", "DAIKON_URL")
	id := read("client_id", "DAIKON_CLIENT_ID")
	secret := read("client_secret", "DAIKON_CLIENT_SECRET")
	if response.Diagnostics.HasError() {
		return
	}
	client, err := newClient(url, id, secret)
	if err != nil {
		response.Diagnostics.AddAttributeError(path.Root("url"), "Invalid URL", "url "+err.Error())
		return
	}
	response.ResourceData = client
	response.DataSourceData = client
}

func (daikonProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		workspaceKind.factory(),
		memberKind.factory(),
		groupKind.factory(),
		roleKind.factory(),
		resourceTypeKind.factory(),
		serviceAppKind.factory(),
		clientAppKind.factory(),
		webhookKind.factory(),
	}
}

func (daikonProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		workspaceLookup.factory(),
		userLookup.factory(),
		serviceActionsLookup.factory(),
	}
}
