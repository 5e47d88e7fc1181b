package daikon

import "time"

// Subject is who acts: the user of an access token, or a user by ID, e-mail address or external_id. Set
// exactly one field. Prefer the token of the request: daikon verifies it with every check, so a sign-out or a
// removed member takes effect at once.
type Subject struct {
	Token      string
	UserID     string
	Email      string
	ExternalID string
}

// Resource is a resource of your service. The ID is a UUID or any other text of at most 255 characters.
type Resource struct {
	Type string
	ID   string
}

// Grantee is with whom a resource is shared: a user or a group of its workspace. Set exactly one field.
type Grantee struct {
	UserID  string
	GroupID string
}

// Check is one check of [Client.CheckMany].
type Check struct {
	Subject  Subject
	Action   string
	Resource Resource
}

// Visibility is who may view a resource without a share.
type Visibility string

const (
	// VisibilityPrivate restricts a resource to its owner, those it is shared with, and owners and admins of the
	// workspace.
	VisibilityPrivate Visibility = "private"
	// VisibilityWorkspace lets every member of the workspace view a resource.
	VisibilityWorkspace Visibility = "workspace"
)

// Permission is what a share allows.
type Permission string

const (
	PermissionView Permission = "view"
	PermissionEdit Permission = "edit"
)

// Registration is a resource to register.
type Registration struct {
	Type        string
	ID          string
	WorkspaceID string
	// OwnerID is the user who owns the resource, a member of the workspace.
	OwnerID string
	// Visibility is VisibilityPrivate by default.
	Visibility Visibility
	// Parent is the resource whose grants it inherits, in the same workspace.
	Parent *Resource
}

// RegisteredResource is a resource as daikon has registered it.
type RegisteredResource struct {
	Type string
	ID   string
	// ResourceID is the UUID by which daikon knows the resource. It equals ID if that is a UUID.
	ResourceID  string
	WorkspaceID string
	OwnerID     string
	Visibility  Visibility
	// Parent is nil without a parent.
	Parent *ResourceRef
	// Inherits is whether grants of the parent apply.
	Inherits  bool
	CreatedAt time.Time
	Shares    []Share
}

// ResourceRef is a resource by the UUID by which daikon knows it.
type ResourceRef struct {
	Type       string
	ResourceID string
}

// Share is a permission on a resource that a user or a group has.
type Share struct {
	ID         string
	Grantee    Grantee
	Permission Permission
	// GrantedBy is the ID of the user who shared the resource.
	GrantedBy string
	GrantedAt time.Time
	// ExpiresAt is when the share ends; zero if it does not.
	ExpiresAt time.Time
}

// Explanation is a decision and the grants that lead to it, or why there is none.
type Explanation struct {
	Allowed bool
	Reasons []Reason
}

// Reason is a grant that allows an action, or why it is denied. Fields that do not apply are zero.
type Reason struct {
	// Rule is owner, workspace_role, workspace_visibility, share, group_share or custom_role; or, if the action
	// is denied, user_unknown, user_inactive, not_a_member, resource_unknown, action_unknown or no_grant.
	Rule string
	// Permission is that of a share.
	Permission Permission
	// Role is the role in the workspace, or the name of a custom role.
	Role      string
	GroupID   string
	ShareID   string
	ExpiresAt time.Time
	// InheritedFrom is the ancestor that has the grant; nil for a grant on the resource itself.
	InheritedFrom *ResourceRef
}

// Claims are the claims of a verified access token (RFC 7519).
type Claims struct {
	// Subject is the ID of the user.
	Subject string `json:"sub"`
	// ID is the ID of the token.
	ID    string `json:"jti"`
	Email string `json:"email"`
	Name  string `json:"name"`
	// WorkspaceID is the workspace for which the token was issued.
	WorkspaceID   string `json:"wid"`
	WorkspaceSlug string `json:"wslug"`
	// Role is the role in the workspace when the token was issued. Decide with Check, not with the role.
	Role string `json:"wrole"`
	// Groups are the IDs of the user's groups when the token was issued; empty if there are more than 100.
	Groups        []string `json:"groups,omitempty"`
	GroupsOverage bool     `json:"groups_overage,omitempty"`
	Issuer        string   `json:"iss"`
	Audience      string   `json:"aud"`
	Type          string   `json:"type"`
	IssuedAtUnix  int64    `json:"iat"`
	ExpiresAtUnix int64    `json:"exp"`
}

// ExpiresAt returns the time from which the token is not valid.
func (c *Claims) ExpiresAt() time.Time { return time.Unix(c.ExpiresAtUnix, 0) }
