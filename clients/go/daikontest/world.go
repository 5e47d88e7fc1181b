package daikontest

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// World contains the data that a [Fake] bases its decisions on. Every field is optional. The IDs of users, workspaces
// and groups may be any text, such as acme.
type World struct {
	// Service is the service of the resources; "test" by default.
	Service string
	// Users lists users who are inactive or have an e-mail address or external ID. Other members need not be listed.
	Users []User
	// Workspaces lists workspaces that have a slug or no members. Others need not be listed.
	Workspaces []Workspace
	Members    []Member
	Groups     []Group
	// Actions lists the actions that the service has registered, besides view, edit and manage.
	Actions []string
	// Roles lists custom roles.
	Roles []CustomRole
	// ResourceTypes contains the types that the service has declared, by name.
	ResourceTypes map[string]daikon.TypeDeclaration
	// Conditions contains functions for the conditions of ResourceTypes, by name. They stand for the expressions,
	// which only the server evaluates.
	Conditions map[string]Condition
	Resources  []Resource
	Shares     []Share
	// Delegations lists delegations of users to agents.
	Delegations []Delegation
}

// Workspace is a workspace of a [World].
type Workspace struct {
	ID   string
	Slug string
}

// User is a user of a [World].
type User struct {
	ID         string
	Name       string
	Email      string
	ExternalID string
	Inactive   bool
}

// Member is a user in a workspace. Role is viewer, editor, admin or owner.
type Member struct {
	WorkspaceID string
	UserID      string
	Role        Role
	// Guest reports whether the user is a guest. A guest has the role viewer.
	Guest bool
	// ExpiresAt is when the membership ends. Zero if it does not end.
	ExpiresAt time.Time
}

// Role is a role in a workspace.
type Role string

const (
	RoleViewer Role = "viewer"
	RoleEditor Role = "editor"
	RoleAdmin  Role = "admin"
	RoleOwner  Role = "owner"
)

// Group is a group of a workspace. Members and Groups contain IDs. The members of Groups are also members of the
// group.
type Group struct {
	ID          string
	WorkspaceID string
	Name        string
	Members     []string
	Groups      []string
}

// CustomRole is a role of a workspace that grants registered actions to its members and to the members of its groups.
type CustomRole struct {
	Name        string
	WorkspaceID string
	Actions     []string
	Members     []string
	Groups      []string
}

// Resource is a registered resource. List a parent before its children.
type Resource struct {
	Type        string
	ID          string
	WorkspaceID string
	// OwnerID is a member of the workspace.
	OwnerID string
	// Visibility is daikon.VisibilityPrivate by default.
	Visibility daikon.Visibility
	Parent     *daikon.Resource
	// Detached resources do not inherit the grants of their parent.
	Detached    bool
	Attributes  map[string]any
	DisplayName string
}

// Share is a share of a resource with a user or a group. Set either Permission or Role.
type Share struct {
	Resource   daikon.Resource
	Grantee    daikon.Grantee
	Permission daikon.Permission
	Role       daikon.ResourceRole
	// ExpiresAt is when the share ends; zero if it does not.
	ExpiresAt time.Time
	// Condition is the condition under which the share counts; nil if it always counts.
	Condition *daikon.Condition
}

// Delegation lets an agent act for a user in a workspace. A list that is nil stands for all, and at least one is
// required. The action manage and the type workspace are only covered by name.
type Delegation struct {
	// ID may be any text.
	ID string
	// UserID is a member of the workspace.
	UserID      string
	WorkspaceID string
	// Agent is a service account with the ID agent by default. Its Name is its ID by default.
	Agent daikon.Agent
	// ServiceName is the service of the World by default.
	ServiceName   string
	Actions       []string
	ResourceTypes []string
	// Resources cover what inherits from them, too.
	Resources []daikon.Resource
	// ExpiresAt is when the delegation expires; zero if it does not.
	ExpiresAt time.Time
	// Ended delegations have been ended by their user, or by an admin.
	Ended bool
}

type memberKey struct{ workspaceID, userID string }

type resourceKey struct{ kind, resourceID string }

// resource is a resource of the state of a fake.
type resource struct {
	kind        string
	id          string
	resourceID  string
	workspaceID string
	ownerID     string
	visibility  daikon.Visibility
	parent      *resource
	inherits    bool
	attributes  map[string]any
	displayName string
	createdAt   time.Time
	shares      []*share
	links       []*link
}

// inheritsFrom returns the parent that the resource inherits from, or nil.
func (r *resource) inheritsFrom() *resource {
	if r.inherits {
		return r.parent
	}
	return nil
}

// granted is what a share or link grants.
type granted struct {
	permission daikon.Permission
	role       daikon.ResourceRole
	expiresAt  time.Time
	condition  *daikon.Condition
}

// isCurrent reports whether a share or link has not expired.
func (g *granted) isCurrent() bool { return g.expiresAt.IsZero() || time.Now().Before(g.expiresAt) }

type share struct {
	granted
	id        string
	grantee   grantee
	grantedBy string
	grantedAt time.Time
}

// grantee is a user or a group, by its ID.
type grantee struct{ userID, groupID string }

type link struct {
	granted
	id        string
	token     string
	name      string
	createdBy string
	createdAt time.Time
}

// state is the mutable state of a fake, initialized from a World.
type state struct {
	service string
	users   map[string]User
	// workspaces contains slugs by ID; empty if a workspace has none.
	workspaces map[string]string
	members    map[memberKey]Member
	groups     map[string]Group
	actions    map[string]bool
	custom     []CustomRole
	types      map[string]daikon.TypeDeclaration
	conditions map[string]Condition
	resources  map[resourceKey]*resource

	delegations map[string]*delegation
	nextID      int
}

func newState(world World) (*state, error) {
	s := &state{
		service:    world.Service,
		users:      map[string]User{},
		workspaces: map[string]string{},
		members:    map[memberKey]Member{},
		groups:     map[string]Group{},
		actions:    map[string]bool{},
		custom:     world.Roles,
		types:      map[string]daikon.TypeDeclaration{},
		conditions: world.Conditions,
		resources:  map[resourceKey]*resource{},

		delegations: map[string]*delegation{},
	}
	if s.service == "" {
		s.service = "test"
	}
	for _, user := range world.Users {
		s.users[user.ID] = user
	}
	for _, workspace := range world.Workspaces {
		s.workspaces[workspace.ID] = workspace.Slug
	}
	for _, action := range world.Actions {
		s.actions[action] = true
	}
	for _, group := range world.Groups {
		s.groups[group.ID] = group
	}
	for _, member := range world.Members {
		if _, known := roleRanks[member.Role]; !known {
			return nil, fmt.Errorf("daikontest: %q is not a role: use viewer, editor, admin or owner", member.Role)
		}
		if member.Guest && member.Role != RoleViewer {
			return nil, fmt.Errorf("daikontest: the guest %s must have the role viewer", member.UserID)
		}
		if _, known := s.workspaces[member.WorkspaceID]; !known {
			s.workspaces[member.WorkspaceID] = ""
		}
		if _, known := s.users[member.UserID]; !known {
			s.users[member.UserID] = User{ID: member.UserID}
		}
		s.members[memberKey{member.WorkspaceID, member.UserID}] = member
	}
	for kind, declared := range world.ResourceTypes {
		if err := s.declare(kind, declared); err != nil {
			return nil, fmt.Errorf("daikontest: the type %s: %w", kind, err)
		}
	}
	for _, resource := range world.Resources {
		if err := s.addResource(resource); err != nil {
			return nil, err
		}
	}
	for _, share := range world.Shares {
		if err := s.addShare(share); err != nil {
			return nil, err
		}
	}
	for _, delegation := range world.Delegations {
		if err := s.addDelegation(delegation); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *state) addResource(added Resource) error {
	created := &resource{
		kind:        added.Type,
		id:          added.ID,
		resourceID:  s.resourceID(added.Type, added.ID),
		workspaceID: added.WorkspaceID,
		ownerID:     added.OwnerID,
		visibility:  added.Visibility,
		inherits:    !added.Detached,
		attributes:  added.Attributes,
		displayName: added.DisplayName,
		createdAt:   time.Now(),
	}
	if created.visibility == "" {
		created.visibility = daikon.VisibilityPrivate
	}
	if err := s.requireVisibility(added.Type, created.visibility); err != nil {
		return fmt.Errorf("daikontest: %s %s: %w", added.Type, added.ID, err)
	}
	if added.Parent != nil {
		created.parent = s.find(added.Parent.Type, added.Parent.ID)
		if created.parent == nil {
			return fmt.Errorf("daikontest: list the parent %s %s before %s %s",
				added.Parent.Type, added.Parent.ID, added.Type, added.ID)
		}
	}
	if _, isMember := s.members[memberKey{added.WorkspaceID, added.OwnerID}]; !isMember {
		return fmt.Errorf("daikontest: the owner of %s %s is not in Members of its workspace", added.Type, added.ID)
	}
	s.resources[created.key()] = created
	return nil
}

// findMember returns the membership of a user. From the end of the membership on, the user is not a member.
func (s *state) findMember(workspaceID, userID string) (Member, bool) {
	member, isMember := s.members[memberKey{workspaceID, userID}]
	if !isMember || !member.ExpiresAt.IsZero() && !time.Now().Before(member.ExpiresAt) {
		return Member{}, false
	}
	return member, true
}

// findRole returns the role of a user in a workspace.
func (s *state) findRole(workspaceID, userID string) (Role, bool) {
	member, isMember := s.findMember(workspaceID, userID)
	return member.Role, isMember
}

func (s *state) addShare(added Share) error {
	found := s.find(added.Resource.Type, added.Resource.ID)
	if found == nil {
		return fmt.Errorf("daikontest: %s %s of Shares is not in Resources", added.Resource.Type, added.Resource.ID)
	}
	named := grantee{added.Grantee.UserID, added.Grantee.GroupID}
	if named.groupID != "" && s.groups[named.groupID].ID == "" {
		return fmt.Errorf("daikontest: the group %s of Shares is not in Groups", named.groupID)
	}
	if err := s.requireCondition(found.kind, added.Condition); err != nil {
		return fmt.Errorf("daikontest: a share of %s %s: %w", added.Resource.Type, added.Resource.ID, err)
	}
	if (added.Permission == "") == (added.Role == "") {
		return fmt.Errorf("daikontest: a share of %s %s needs either a Permission or a Role",
			added.Resource.Type, added.Resource.ID)
	}
	if _, isDeclared := s.findResourceRole(added.Resource.Type, added.Role); added.Role != "" && !isDeclared {
		return fmt.Errorf("daikontest: the role %s of %s is not in ResourceTypes", added.Role, added.Resource.Type)
	}
	found.shares = append(found.shares, &share{
		granted:   granted{added.Permission, added.Role, added.ExpiresAt, added.Condition},
		id:        s.newID(),
		grantee:   named,
		grantedBy: found.ownerID,
		grantedAt: time.Now(),
	})
	return nil
}

func (s *state) newID() string {
	s.nextID++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.nextID)
}

func (s *state) resourceID(kind, id string) string {
	return daikon.ResourceID(s.service, daikon.Resource{Type: kind, ID: id})
}

func (s *state) find(kind, id string) *resource {
	return s.resources[resourceKey{kind, s.resourceID(kind, id)}]
}

func (r *resource) key() resourceKey { return resourceKey{r.kind, r.resourceID} }

func (r *resource) findShare(named grantee) (index int, found *share) {
	for index, share := range r.shares {
		if share.grantee == named {
			return index, share
		}
	}
	return -1, nil
}

var emailAddress = regexp.MustCompile("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@" +
	`[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`)

const maxEmailLength = 254

// findUser finds a user as the server does: the format of a name determines whether it is an ID, an e-mail address or
// an external ID. Tests may also use IDs that are not UUIDs.
func (s *state) findUser(name string) (User, bool) {
	address := strings.TrimSpace(name)
	isAddress := len(address) <= maxEmailLength && emailAddress.MatchString(address)
	for id, user := range s.users {
		var isNamed bool
		switch {
		case isUUID(name):
			isNamed = strings.EqualFold(id, name)
		case isAddress:
			isNamed = strings.EqualFold(user.Email, address)
		default:
			isNamed = user.ExternalID == name || id == name
		}
		if isNamed {
			return user, true
		}
	}
	return User{}, false
}
