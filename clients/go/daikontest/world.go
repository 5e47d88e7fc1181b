package daikontest

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// World contains the data that a [Fake] bases its decisions on. Every field is optional.
type World struct {
	// Service is the service of the resources; "test" by default.
	Service string
	// Users lists users who are inactive or have an e-mail address or external ID. Other members need not be listed.
	Users []User
	// Workspaces lists the IDs of workspaces without members. Other workspaces need not be listed.
	Workspaces []string
	Members    []Member
	Groups     []Group
	// Actions lists the actions that the service has registered, besides view, edit and manage.
	Actions []string
	// Roles lists custom roles.
	Roles []CustomRole
	// ResourceTypes lists the types that the service has declared.
	ResourceTypes []ResourceType
	Resources     []Resource
	Shares        []Share
}

// User is a user of a [World].
type User struct {
	ID         string
	Email      string
	ExternalID string
	Inactive   bool
}

// Member is a user in a workspace. Role is viewer, editor, admin or owner.
type Member struct {
	WorkspaceID string
	UserID      string
	Role        Role
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

// ResourceType is the declaration of a resource type: the roles that shares of its resources can name, and whether they
// may be public.
type ResourceType struct {
	Type        string
	Roles       []TypeRole
	AllowPublic bool
}

// TypeRole is a role of a resource type. Its actions are view, edit, manage and registered ones.
type TypeRole struct {
	Name    daikon.ResourceRole
	Actions []string
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
	Detached bool
}

// Share is a share of a resource with a user or a group. Set either Permission or Role.
type Share struct {
	Resource   daikon.Resource
	Grantee    daikon.Grantee
	Permission daikon.Permission
	Role       daikon.ResourceRole
	// ExpiresAt is when the share ends; zero if it does not.
	ExpiresAt time.Time
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
	createdAt   time.Time
	shares      []*share
}

type share struct {
	id         string
	grantee    daikon.Grantee
	permission daikon.Permission
	role       daikon.ResourceRole
	grantedBy  string
	grantedAt  time.Time
	expiresAt  time.Time
}

// state is the mutable state of a fake, initialized from a World.
type state struct {
	service    string
	users      map[string]User
	workspaces map[string]bool
	members    map[memberKey]Member
	groups     map[string]Group
	actions    map[string]bool
	custom     []CustomRole
	types      map[string]ResourceType
	resources  map[resourceKey]*resource
	nextShare  int
}

func newState(world World) (*state, error) {
	s := &state{
		service:    world.Service,
		users:      map[string]User{},
		workspaces: map[string]bool{},
		members:    map[memberKey]Member{},
		groups:     map[string]Group{},
		actions:    map[string]bool{},
		custom:     world.Roles,
		types:      map[string]ResourceType{},
		resources:  map[resourceKey]*resource{},
	}
	if s.service == "" {
		s.service = "test"
	}
	for _, user := range world.Users {
		s.users[user.ID] = user
	}
	for _, id := range world.Workspaces {
		s.workspaces[id] = true
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
		s.workspaces[member.WorkspaceID] = true
		if _, known := s.users[member.UserID]; !known {
			s.users[member.UserID] = User{ID: member.UserID}
		}
		s.members[memberKey{member.WorkspaceID, member.UserID}] = member
	}
	for _, declared := range world.ResourceTypes {
		if err := s.declare(declared); err != nil {
			return nil, fmt.Errorf("daikontest: the type %s: %w", declared.Type, err)
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

// findRole returns the role of a user in a workspace. From the end of the membership on, the user is not a member.
func (s *state) findRole(workspaceID, userID string) (Role, bool) {
	member, isMember := s.members[memberKey{workspaceID, userID}]
	if !isMember || !member.ExpiresAt.IsZero() && !time.Now().Before(member.ExpiresAt) {
		return "", false
	}
	return member.Role, true
}

func (s *state) addShare(added Share) error {
	found := s.find(added.Resource.Type, added.Resource.ID)
	if found == nil {
		return fmt.Errorf("daikontest: %s %s of Shares is not in Resources", added.Resource.Type, added.Resource.ID)
	}
	if id := added.Grantee.GroupID; id != "" && s.groups[id].ID == "" {
		return fmt.Errorf("daikontest: the group %s of Shares is not in Groups", id)
	}
	if (added.Permission == "") == (added.Role == "") {
		return fmt.Errorf("daikontest: a share of %s %s needs either a Permission or a Role",
			added.Resource.Type, added.Resource.ID)
	}
	if _, isDeclared := s.findResourceRole(added.Resource.Type, added.Role); added.Role != "" && !isDeclared {
		return fmt.Errorf("daikontest: the role %s of %s is not in ResourceTypes", added.Role, added.Resource.Type)
	}
	found.shares = append(found.shares, &share{
		id:         s.newShareID(),
		grantee:    added.Grantee,
		permission: added.Permission,
		role:       added.Role,
		grantedBy:  found.ownerID,
		grantedAt:  time.Now(),
		expiresAt:  added.ExpiresAt,
	})
	return nil
}

// findResourceRole returns the actions of a role of a resource type.
func (s *state) findResourceRole(kind string, name daikon.ResourceRole) (actions []string, isDeclared bool) {
	for _, role := range s.types[kind].Roles {
		if role.Name == name {
			return role.Actions, true
		}
	}
	return nil, false
}

// declare replaces the declaration of a resource type. It returns an error if a role contains an action that is not
// registered, if shares use a role that the declaration lacks, or if resources are public and it does not allow that.
func (s *state) declare(declared ResourceType) error {
	var unknown []daikon.Field
	kept := map[daikon.ResourceRole]bool{"": true}
	for index, role := range declared.Roles {
		kept[role.Name] = true
		for position, action := range role.Actions {
			if !isBuiltIn(action) && !s.actions[action] {
				name := fmt.Sprintf("roles[%d].actions[%d]", index, position)
				unknown = append(unknown, daikon.Field{Field: name, Message: "is not a registered action"})
			}
		}
	}
	if unknown != nil {
		return invalidArguments(unknown...)
	}
	for _, resource := range s.resources {
		for _, share := range resource.shares {
			if resource.kind == declared.Type && !kept[share.role] {
				return failure(daikon.CodeAlreadyExists, "ROLE_IN_USE",
					"Shares use a role that the declaration would remove: "+string(share.role))
			}
		}
	}
	for _, resource := range s.resources {
		isPublic := resource.kind == declared.Type && resource.visibility == daikon.VisibilityPublic
		if isPublic && !declared.AllowPublic {
			return failure(daikon.CodeAlreadyExists, "PUBLIC_RESOURCES", "Resources of the type are public")
		}
	}
	s.types[declared.Type] = declared
	return nil
}

func (s *state) newShareID() string {
	s.nextShare++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", s.nextShare)
}

func (s *state) resourceID(kind, id string) string {
	return daikon.ResourceID(s.service, daikon.Resource{Type: kind, ID: id})
}

func (s *state) find(kind, id string) *resource {
	return s.resources[resourceKey{kind, s.resourceID(kind, id)}]
}

func (r *resource) key() resourceKey { return resourceKey{r.kind, r.resourceID} }

func (r *resource) findShare(grantee daikon.Grantee) (index int, found *share) {
	for index, share := range r.shares {
		if share.grantee == grantee {
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
