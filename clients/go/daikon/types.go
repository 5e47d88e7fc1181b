package daikon

import "time"

// Subject is the user who acts, identified by an access token, ID, e-mail address or external_id; the service account of
// an API key (also accepted as Token); a group, which may do what every one of its members may do; the holder of a
// link; a delegation; or anyone at all. Set exactly one field. Prefer the access token of the request: daikon verifies
// it with every check, so a sign-out or the removal of a member takes effect immediately.
type Subject struct {
	Token      string
	UserID     string
	Email      string
	ExternalID string
	GroupID    string
	APIKey     string
	// Link is the token of a link (dl_…).
	Link string
	// Delegation is the ID of a delegation, by which an agent acts for a user.
	Delegation string
	Anonymous  bool
}

// Resource is a resource of your service. The ID is a UUID or any other text of at most 255 characters. The type
// workspace stands for a workspace of daikon, by its ID or slug.
type Resource struct {
	Type string
	ID   string
}

// Grantee is the user or group that a resource is shared with. It must belong to the resource's workspace. Set exactly
// one field.
type Grantee struct {
	UserID     string
	GroupID    string
	Email      string
	ExternalID string
	// Group is the name of a group.
	Group string
}

// Condition is a condition that your service declared for the type, with values of its parameters.
type Condition struct {
	Name   string
	Params map[string]any
}

// Check is one check of [Client.CheckMany].
type Check struct {
	Subject  Subject
	Action   string
	Resource Resource
	// Context overrides the one of [InContext].
	Context map[string]any
}

// Visibility specifies who may view a resource without a share.
type Visibility string

const (
	// VisibilityPrivate restricts a resource to its owner, the users and groups it is shared with, and owners and
	// admins of the workspace.
	VisibilityPrivate Visibility = "private"
	// VisibilityWorkspace lets every member of the workspace view a resource.
	VisibilityWorkspace Visibility = "workspace"
	// VisibilityPublic lets everybody view a resource, signed in or not. The declaration of its type must allow it.
	VisibilityPublic Visibility = "public"
)

// Permission is what a share allows, unless it has a role.
type Permission string

const (
	PermissionView Permission = "view"
	PermissionEdit Permission = "edit"
)

// ResourceRole is the name of a role that your service declared for the type of a resource.
type ResourceRole string

// Grant is what a share gives: a [Permission] or a [ResourceRole].
type Grant interface {
	grant() (permission, role *string)
}

func (p Permission) grant() (permission, role *string) { return (*string)(&p), nil }

func (r ResourceRole) grant() (permission, role *string) { return nil, (*string)(&r) }

// NewShare is one share of [Client.ShareMany].
type NewShare struct {
	Resource Resource
	Grantee  Grantee
	Grant    Grant
	// ExpiresAt is when the share ends; zero if it does not.
	ExpiresAt time.Time
	// Condition is the condition under which the share counts; nil if it always counts.
	Condition *Condition
}

// Registration is a resource to register. Set exactly one of the owners, a member of the workspace.
type Registration struct {
	Type            string
	ID              string
	WorkspaceID     string
	OwnerID         string
	OwnerEmail      string
	OwnerExternalID string
	// Visibility is VisibilityPrivate by default.
	Visibility Visibility
	// Parent is the resource whose grants it inherits, in the same workspace.
	Parent *Resource
	// Attributes are what conditions read as resource.attributes: JSON values by name, at most 4 KiB.
	Attributes map[string]any
	// DisplayName is the name for people, at most 255 characters.
	DisplayName string
}

// RegisteredResource is a resource that is registered with daikon.
type RegisteredResource struct {
	Type string
	ID   string
	// ResourceID is the UUID that identifies the resource in the API. It equals ID if ID is a UUID.
	ResourceID  string
	WorkspaceID string
	OwnerID     string
	// OwnerName and OwnerEmail are set by [Client.Get] alone. The name is empty if the owner has none.
	OwnerName  string
	OwnerEmail string
	Visibility Visibility
	// Parent is nil without a parent.
	Parent *ResourceRef
	// Inherits reports whether grants on the parent apply.
	Inherits bool
	// Attributes are what conditions read as resource.attributes.
	Attributes map[string]any
	// DisplayName is the name for people; empty if there is none.
	DisplayName string
	CreatedAt   time.Time
	Shares      []Share
	// Ancestors are what the resource inherits, nearest ancestor first; set by [Client.Get] alone.
	Ancestors []Ancestor
}

// Ancestor is an ancestor that a resource inherits from. Its owner, visibility and shares count for the resource.
type Ancestor struct {
	Type       string
	ID         string
	ResourceID string
	// DisplayName is the name for people; empty if there is none.
	DisplayName string
	OwnerID     string
	OwnerName   string
	OwnerEmail  string
	Visibility  Visibility
	Shares      []Share
}

// ResourceRef identifies a resource by its UUID in the API.
type ResourceRef struct {
	Type       string
	ResourceID string
}

// Share is a permission or a role on a resource that a user or a group has.
type Share struct {
	ID      string
	Grantee Grantee
	// GranteeName and GranteeEmail are set by [Client.Shares] and [Client.Get] alone. A user may have no name, and a
	// group has no e-mail address.
	GranteeName  string
	GranteeEmail string
	// Permission is empty if the share has a role.
	Permission Permission
	// Role is the role of the resource type; empty if the share has a permission.
	Role ResourceRole
	// GrantedBy is the ID of the user who shared the resource.
	GrantedBy string
	GrantedAt time.Time
	// ExpiresAt is when the share ends; zero if it does not.
	ExpiresAt time.Time
	// Condition is the condition under which the share counts; nil if it always counts.
	Condition *Condition
}

// Link is a link to a resource. Anyone who has its token may do what the link grants.
type Link struct {
	ID string
	// Permission is empty if the link has a role.
	Permission Permission
	// Role is the role of the resource type; empty if the link has a permission.
	Role ResourceRole
	Name string
	// CreatedBy is the ID of the user who created the link; empty if that user has been deleted.
	CreatedBy string
	CreatedAt time.Time
	// ExpiresAt is when the link ends; zero if it does not.
	ExpiresAt time.Time
	// LastUsedOn is the day of the last use in UTC, such as 2026-01-31; empty if the link has not been used.
	LastUsedOn string
	// Condition is the condition under which the link counts; nil if it always counts.
	Condition *Condition
}

// NewLink is a link with its token, for checks with [Subject].Link.
type NewLink struct {
	Link
	Token string
}

// Explanation is a decision, with the grants that allow the action or the reason for the denial.
type Explanation struct {
	Allowed bool
	Reasons []Reason
}

// Reason is a grant that allows an action, or the reason for a denial. Fields that do not apply are zero.
type Reason struct {
	// Rule is owner, workspace_role, workspace_visibility, public, share, group_share, custom_role or link; or, if the
	// action is denied, user_unknown, link_unknown, wrong_audience, user_inactive, not_a_member, resource_unknown,
	// action_unknown, requirement_not_met, context_missing, condition_failed, guest or no_grant. If an agent acts for
	// the user, delegation is a further reason, or delegation_ended, delegation_expired or delegation_does_not_cover.
	Rule string
	// Permission is set if Rule is share or group_share, unless the share has a role.
	Permission Permission
	// Role is the role in the workspace, the role of a share, or the name of a custom role.
	Role      string
	GroupID   string
	ShareID   string
	LinkID    string
	ExpiresAt time.Time
	// Condition is the name of the condition of a share or link, or of the one that is required.
	Condition string
	// Missing is set if Rule is context_missing: what the condition needs, such as context.amount.
	Missing []string
	// InheritedFrom is the ancestor with the grant; nil if the grant is on the resource itself.
	InheritedFrom *ResourceRef
	// RequiredBy is the resource whose requirement is not met: the one that was asked about, or an ancestor.
	RequiredBy *ResourceRef
	// DelegationID is the delegation by which an agent asks.
	DelegationID string
	// Agent is the agent that asks; nil if the user does.
	Agent *Agent
	// Uncovered is set if Rule is delegation_does_not_cover: action, type or resource.
	Uncovered string
}

// AgentType is the kind of an agent.
type AgentType string

const (
	// AgentServiceAccount is a service account of a workspace.
	AgentServiceAccount AgentType = "service_account"
	// AgentClient is a confidential client app.
	AgentClient AgentType = "client"
)

// Agent is software that acts for a user by a delegation.
type Agent struct {
	Type AgentType
	ID   string
	Name string
}

// Actor is the agent that a token names (RFC 8693, section 4.1).
type Actor struct {
	ID   string    `json:"sub"`
	Type AgentType `json:"typ"`
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
	// Guest reports whether the user was a guest of the workspace when the token was issued.
	Guest bool `json:"guest,omitempty"`
	// Groups are the IDs of the user's groups when the token was issued; empty if there are more than 100.
	Groups        []string `json:"groups,omitempty"`
	GroupsOverage bool     `json:"groups_overage,omitempty"`
	// AuthTimeUnix is when the user signed in; 0 for API keys.
	AuthTimeUnix int64 `json:"auth_time,omitempty"`
	// AuthTimeUnconfirmed reports whether the identity provider did not say when the user signed in. AuthTimeUnix is
	// then when the user came back from it.
	AuthTimeUnconfirmed bool `json:"auth_time_unconfirmed,omitempty"`
	// AMR are the methods of the sign-in (RFC 8176), as the identity provider reports them.
	AMR []string `json:"amr,omitempty"`
	// ACR is the class of the sign-in.
	ACR    string `json:"acr,omitempty"`
	Issuer string `json:"iss"`
	// Audience is daikon, or the URI of the API that the token is limited to. It is daikon:delegated if an agent acts for
	// the user and the token is not limited to an API.
	Audience string `json:"aud"`
	// ClientID is the client app, if it obtained the token at /oauth/token.
	ClientID string `json:"client_id,omitempty"`
	// Scope contains the scopes of the token, separated by spaces.
	Scope string `json:"scope,omitempty"`
	// Type is access; api_key for the API key of a service account, of which only Subject, WorkspaceID,
	// WorkspaceSlug, Role and ExpiresAt are known; resource_access for a token that is limited to an API, which
	// names no person; or delegated for a token with which an agent acts for the user.
	Type string `json:"type"`
	// Actor is the agent that acts for the user; nil if the user acts.
	Actor *Actor `json:"act,omitempty"`
	// DelegationID is the delegation by which the agent acts.
	DelegationID  string `json:"delegation_id,omitempty"`
	IssuedAtUnix  int64  `json:"iat"`
	ExpiresAtUnix int64  `json:"exp"`
}

// ExpiresAt returns the time at which the token expires; the zero time for an API key that does not expire.
func (c *Claims) ExpiresAt() time.Time {
	if c.ExpiresAtUnix == 0 {
		return time.Time{}
	}
	return time.Unix(c.ExpiresAtUnix, 0)
}
