package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type clientAppModel struct {
	ID                     types.String `tfsdk:"id"`
	Name                   types.String `tfsdk:"name"`
	Type                   types.String `tfsdk:"type"`
	RedirectURIs           []string     `tfsdk:"redirect_uris"`
	PostLogoutRedirectURIs []string     `tfsdk:"post_logout_redirect_uris"`
	BackchannelLogoutURI   types.String `tfsdk:"backchannel_logout_uri"`
	PKCERequired           types.Bool   `tfsdk:"pkce_required"`
	PopupSignIn            types.Bool   `tfsdk:"popup_sign_in"`
	ConsentRequired        types.Bool   `tfsdk:"consent_required"`
	WorkspaceID            types.String `tfsdk:"workspace_id"`
	ServiceAccountID       types.String `tfsdk:"service_account_id"`
	JWKS                   types.String `tfsdk:"jwks"`
	IsActive               types.Bool   `tfsdk:"is_active"`
	Rotation               types.String `tfsdk:"rotation"`
	OverlapSeconds         types.Int64  `tfsdk:"overlap_seconds"`
	ClientSecret           types.String `tfsdk:"client_secret"`
}

var clientAppKind = kind[clientAppModel]{
	name: "client_app",
	schema: schema.Schema{
		MarkdownDescription: "An application that users sign in to. Its ID is its `client_id` in OAuth.",
		Attributes: map[string]schema.Attribute{
			"id":                        idAttribute("The ID of the client app."),
			"name":                      nameAttribute("A display name."),
			"type":                      defaultAttribute("public", "`public` (default) or `confidential`."),
			"redirect_uris":             redirectURIsAttribute(),
			"post_logout_redirect_uris": defaultSet("The URLs that `/oauth/logout` may redirect to."),
			"backchannel_logout_uri":    optionalAttribute("The URL that receives logout tokens."),
			"pkce_required":             boolAttribute(true, "Whether sign-ins must use PKCE."),
			"popup_sign_in":             boolAttribute(false, "Whether the app signs users in from a popup."),
			"consent_required":          boolAttribute(false, "Whether users must agree before the app has access."),
			"workspace_id":              optionalAttribute("The ID of the only workspace whose members can sign in."),
			"service_account_id":        optionalAttribute("The ID of the service account that a confidential app obtains tokens for."),
			"jwks":                      optionalAttribute("The public keys of a confidential app: a JSON Web Key Set, as with `jsonencode`.", keepSame(sameJSON)...),
			"is_active":                 boolAttribute(true, "Whether users can sign in to the app."),
			"rotation":                  rotationAttribute("secret"),
			"overlap_seconds":           overlapAttribute("secrets"),
			"client_secret":             secretAttribute("The newest secret of a confidential app.", "rotation", "type"),
		},
	},
	id: func(m *clientAppModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *clientAppModel) error {
		body, err := clientAppSettings(m)
		if err != nil {
			return err
		}
		body["redirect_uris"] = m.RedirectURIs
		var created clientApp
		if err := c.post(ctx, "/admin/client-apps", body, &created); err != nil {
			return err
		}
		m.ID = types.StringValue(created.ID)
		m.ClientSecret = optionalString(created.ClientSecret)
		if m.IsActive.ValueBool() {
			return nil
		}
		return c.patch(ctx, clientAppPath(m), "", object{"is_active": false}, nil)
	},
	read: func(ctx context.Context, c *client, m *clientAppModel) (string, error) {
		var found clientApp
		etag, err := c.get(ctx, clientAppPath(m), &found)
		if err != nil {
			return "", err
		}
		m.Name = types.StringValue(found.Name)
		m.Type = types.StringValue(found.Type)
		m.RedirectURIs = notNil(found.RedirectURIs)
		m.PostLogoutRedirectURIs = notNil(found.PostLogoutRedirectURIs)
		m.BackchannelLogoutURI = optionalString(found.BackchannelLogoutURI)
		m.PKCERequired = types.BoolValue(found.PKCERequired)
		m.PopupSignIn = types.BoolValue(found.PopupSignIn)
		m.ConsentRequired = types.BoolValue(found.ConsentRequired)
		m.WorkspaceID = optionalString(found.WorkspaceID)
		m.ServiceAccountID = optionalString(found.ServiceAccountID)
		m.JWKS = sameOr(m.JWKS, rawString(found.JWKS), sameJSON)
		m.IsActive = types.BoolValue(found.IsActive)
		return etag, nil
	},
	update: func(ctx context.Context, c *client, state, plan *clientAppModel, etag string) error {
		body, err := clientAppSettings(plan)
		if err != nil {
			return err
		}
		if len(plan.RedirectURIs) > 0 {
			body["redirect_uris"] = plan.RedirectURIs
		}
		if len(plan.PostLogoutRedirectURIs) == 0 {
			body["post_logout_redirect_uris"] = nil
		}
		body["is_active"] = plan.IsActive.ValueBool()
		var updated clientApp
		if err := c.patch(ctx, clientAppPath(plan), etag, body, &updated); err != nil {
			return err
		}
		isConfidential := updated.Type == "confidential"
		switch {
		case updated.ClientSecret != nil || !isConfidential:
			plan.ClientSecret = optionalString(updated.ClientSecret)
		case isRotation(state.Rotation, plan.Rotation):
			var rotated clientApp
			err := c.post(ctx, clientAppPath(plan)+"/rotate", overlap(plan.OverlapSeconds), &rotated)
			plan.ClientSecret = optionalString(rotated.ClientSecret)
			return err
		default:
			plan.ClientSecret = state.ClientSecret
		}
		return nil
	},
	delete: func(ctx context.Context, c *client, m *clientAppModel, etag string) error {
		return c.delete(ctx, clientAppPath(m), etag)
	},
	imported: func(id string) (clientAppModel, error) {
		return clientAppModel{ID: types.StringValue(id)}, nil
	},
}

// redirectURIsAttribute replaces an app that shall have no redirect URIs any more: an update cannot
// remove the last one.
func redirectURIsAttribute() schema.SetAttribute {
	attribute := defaultSet("The redirect URIs. Only an app with a service account needs none; removing all of them later replaces the app.")
	const description = "Removing all redirect URIs replaces the app."
	replace := func(_ context.Context, request planmodifier.SetRequest, response *setplanmodifier.RequiresReplaceIfFuncResponse) {
		isEmpty := !request.PlanValue.IsUnknown() && len(request.PlanValue.Elements()) == 0
		response.RequiresReplace = isEmpty && len(request.StateValue.Elements()) > 0
	}
	attribute.PlanModifiers = []planmodifier.Set{setplanmodifier.RequiresReplaceIf(replace, description, description)}
	return attribute
}

// clientAppSettings returns the fields that are the same in requests that create and change an app.
func clientAppSettings(m *clientAppModel) (object, error) {
	body := object{
		"name":                      m.Name.ValueString(),
		"type":                      m.Type.ValueString(),
		"post_logout_redirect_uris": m.PostLogoutRedirectURIs,
		"backchannel_logout_uri":    m.BackchannelLogoutURI.ValueString(),
		"pkce_required":             m.PKCERequired.ValueBool(),
		"popup_sign_in":             m.PopupSignIn.ValueBool(),
		"consent_required":          m.ConsentRequired.ValueBool(),
		"workspace_id":              orNull(m.WorkspaceID),
		"service_account_id":        orNull(m.ServiceAccountID),
		"jwks":                      nil,
	}
	if !m.JWKS.IsNull() {
		body["jwks"] = json.RawMessage(m.JWKS.ValueString())
	}
	// Fails if jwks is not JSON.
	_, err := json.Marshal(body)
	return body, err
}

func rawString(value json.RawMessage) types.String {
	if len(value) == 0 || string(value) == "null" {
		return types.StringNull()
	}
	return types.StringValue(string(value))
}

func clientAppPath(m *clientAppModel) string {
	return route("/admin/client-apps/%s", m.ID.ValueString())
}

// clientApp is a ClientAppResponse.
type clientApp struct {
	ID                     string          `json:"id"`
	Name                   string          `json:"name"`
	Type                   string          `json:"type"`
	RedirectURIs           []string        `json:"redirect_uris"`
	PostLogoutRedirectURIs []string        `json:"post_logout_redirect_uris"`
	BackchannelLogoutURI   *string         `json:"backchannel_logout_uri"`
	PKCERequired           bool            `json:"pkce_required"`
	PopupSignIn            bool            `json:"popup_sign_in"`
	ConsentRequired        bool            `json:"consent_required"`
	WorkspaceID            *string         `json:"workspace_id"`
	ServiceAccountID       *string         `json:"service_account_id"`
	JWKS                   json.RawMessage `json:"jwks"`
	IsActive               bool            `json:"is_active"`
	ClientSecret           *string         `json:"client_secret"`
}
