package provider

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type memberModel struct {
	ID            types.String `tfsdk:"id"`
	WorkspaceID   types.String `tfsdk:"workspace_id"`
	Email         types.String `tfsdk:"email"`
	UserID        types.String `tfsdk:"user_id"`
	Role          types.String `tfsdk:"role"`
	Guest         types.Bool   `tfsdk:"guest"`
	ExpiresAt     types.String `tfsdk:"expires_at"`
	KeepLastOwner types.Bool   `tfsdk:"keep_last_owner"`
}

var memberKind = kind[memberModel]{
	name: "member",
	schema: schema.Schema{
		MarkdownDescription: "A member of a workspace: a person who is invited by e-mail address or user ID.",
		Attributes: map[string]schema.Attribute{
			"id":           idAttribute("The IDs of workspace and user, separated by `/`."),
			"workspace_id": fixedAttribute("The ID of the workspace."),
			"email": personAttribute("The e-mail address. Exactly one of `email` and `user_id` must be set.",
				stringvalidator.ExactlyOneOf(path.MatchRoot("email"), path.MatchRoot("user_id"))),
			"user_id":    personAttribute("The ID of the user."),
			"role":       defaultAttribute("viewer", "`owner`, `admin`, `editor` or `viewer` (default)."),
			"guest":      boolAttribute(false, "Whether the member is a guest: a `viewer` who does not see what is visible to all members."),
			"expires_at": optionalAttribute("When the membership ends (RFC 3339). Without it, the membership does not end.", keepSame(sameTime)...),
			"keep_last_owner": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to leave the last owner in the workspace instead of failing when the " +
					"resource is destroyed. Needed to destroy the workspace together with its owner.",
			},
		},
	},
	id: func(m *memberModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *memberModel) error {
		path := route("/admin/workspaces/%s/members/invite", m.WorkspaceID.ValueString())
		body := object{"role": m.Role.ValueString(), "guest": m.Guest.ValueBool(), "expires_at": orNull(m.ExpiresAt)}
		if m.UserID.IsUnknown() {
			body["email"] = m.Email.ValueString()
		} else {
			path = route("/admin/users/%s/workspaces", m.UserID.ValueString())
			body["workspace_id"] = m.WorkspaceID.ValueString()
		}
		var created member
		if err := c.post(ctx, path, body, &created); err != nil {
			return err
		}
		m.UserID = types.StringValue(created.UserID)
		m.ID = types.StringValue(m.WorkspaceID.ValueString() + "/" + created.UserID)
		return nil
	},
	read: func(ctx context.Context, c *client, m *memberModel) (string, error) {
		found, err := findMember(ctx, c, m, m.Email.ValueString())
		if err == nil && found == nil && m.Email.ValueString() != "" {
			// The user may have another address now.
			found, err = findMember(ctx, c, m, "")
		}
		if err != nil {
			return "", err
		}
		if found == nil {
			return "", &apiError{Reason: "MEMBER_NOT_FOUND", Detail: "Member not found"}
		}
		m.Email = sameOr(m.Email, types.StringValue(found.Email), strings.EqualFold)
		m.Role = types.StringValue(found.Role)
		m.Guest = types.BoolValue(found.Guest)
		m.ExpiresAt = sameOr(m.ExpiresAt, optionalString(found.ExpiresAt), sameTime)
		return "", nil
	},
	update: func(ctx context.Context, c *client, _, plan *memberModel, _ string) error {
		body := object{"role": plan.Role.ValueString(), "guest": plan.Guest.ValueBool(), "expires_at": orNull(plan.ExpiresAt)}
		return c.patch(ctx, memberPath(plan), "", body, nil)
	},
	delete: func(ctx context.Context, c *client, m *memberModel, _ string) error {
		err := c.delete(ctx, memberPath(m), "")
		if !hasReason(err, "LAST_OWNER") {
			return err
		}
		if m.KeepLastOwner.ValueBool() {
			return nil
		}
		return errors.Join(err, errors.New("to destroy the workspace as well, apply keep_last_owner = true first"))
	},
	imported: func(id string) (memberModel, error) {
		workspaceID, userID, ok := strings.Cut(id, "/")
		if !ok {
			return memberModel{}, errors.New("the ID must be workspace_id/user_id")
		}
		return memberModel{
			ID:          types.StringValue(id),
			WorkspaceID: types.StringValue(workspaceID),
			UserID:      types.StringValue(userID),
		}, nil
	},
}

// personAttribute identifies the person. Another person is another member.
func personAttribute(description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		Computed:            true,
		MarkdownDescription: description,
		Validators:          validators,
		PlanModifiers:       append(keepSame(strings.EqualFold), stringplanmodifier.RequiresReplaceIfConfigured()),
	}
}

func findMember(ctx context.Context, c *client, m *memberModel, q string) (*member, error) {
	path := route("/admin/workspaces/%s/members", m.WorkspaceID.ValueString())
	items := func(response json.RawMessage) (members []member, err error) {
		return members, json.Unmarshal(response, &members)
	}
	matches := func(found member) bool { return strings.EqualFold(found.UserID, m.UserID.ValueString()) }
	return findItem(ctx, c, path, q, items, matches)
}

func memberPath(m *memberModel) string {
	return route("/admin/workspaces/%s/members/%s", m.WorkspaceID.ValueString(), m.UserID.ValueString())
}

// member is a WorkspaceMemberResponse.
type member struct {
	UserID    string  `json:"user_id"`
	Email     string  `json:"email"`
	Role      string  `json:"role"`
	Guest     bool    `json:"guest"`
	ExpiresAt *string `json:"expires_at"`
}
