package daikontest

import (
	"fmt"
	"strings"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// World has the facts by which a [Fake] decides. Everything is optional.
type World struct {
	// Service is the service of the resources; "test" by default.
	Service string
	// Users lists users with an e-mail address or external ID, and inactive ones. Others exist by being a member.
	Users []User
	// Workspaces lists the IDs of workspaces without members. Others exist by having a member.
	Workspaces []string
	Members    []Member
	Groups     []Group
	// Actions lists the actions that the service has registered, besides view, edit and manage.
	Actions []string
	// Roles lists custom roles.
	Roles     []CustomRole
	Resources []Resource
	Shares    []Share
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
}

// Role is a role in a workspace.
type Role string

const (
	RoleViewer Role = "viewer"
	RoleEditor Role = "editor"
	RoleAdmin  Role = "admin"
	RoleOwner  Role = "owner"
)

// Group is a group of a workspace. Members and Groups are IDs; the members of Groups are members, too.
type Group struct {
	ID          string
	WorkspaceID string
	Members     []string
	Groups      []string
}

// CustomRole is a role of a workspace that grants registered actions to its members.
type CustomRole struct {
	Name        string
	WorkspaceID string
	Actions     []string
	Members     []string
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

// Share is a share of a resource with a user or a group.
type Share struct {
	Resource   daikon.Resource
	Grantee    daikon.Grantee
	Permission daikon.Permission
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
	grantedBy  string
	grantedAt  time.Time
	expiresAt  time.Time
}

// state has the facts of a world, which operations change.
type state struct {
	service    string
	users      map[string]User
	workspaces map[string]bool
	roles      map[memberKey]Role
	groups     map[string]Group
	actions    map[string]bool
	custom     []CustomRole
	resources  map[resourceKey]*resource
	nextShare  int
}

func newState(world World) (*state, error) {
	s := &state{
		service:    world.Service,
		users:      map[string]User{},
		workspaces: map[string]bool{},
		roles:      map[memberKey]Role{},
		groups:     map[string]Group{},
		actions:    map[string]bool{},
		custom:     world.Roles,
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
		s.roles[memberKey{member.WorkspaceID, member.UserID}] = member.Role
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
	if added.Parent != nil {
		created.parent = s.find(added.Parent.Type, added.Parent.ID)
		if created.parent == nil {
			return fmt.Errorf("daikontest: list the parent %s %s before %s %s",
				added.Parent.Type, added.Parent.ID, added.Type, added.ID)
		}
	}
	if _, isMember := s.roles[memberKey{added.WorkspaceID, added.OwnerID}]; !isMember {
		return fmt.Errorf("daikontest: the owner of %s %s is not in Members of its workspace", added.Type, added.ID)
	}
	s.resources[created.key()] = created
	return nil
}

func (s *state) addShare(added Share) error {
	found := s.find(added.Resource.Type, added.Resource.ID)
	if found == nil {
		return fmt.Errorf("daikontest: %s %s of Shares is not in Resources", added.Resource.Type, added.Resource.ID)
	}
	if id := added.Grantee.GroupID; id != "" && s.groups[id].ID == "" {
		return fmt.Errorf("daikontest: the group %s of Shares is not in Groups", id)
	}
	found.shares = append(found.shares, &share{
		id:         s.newShareID(),
		grantee:    added.Grantee,
		permission: added.Permission,
		grantedBy:  found.ownerID,
		grantedAt:  time.Now(),
		expiresAt:  added.ExpiresAt,
	})
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

// findUser finds a user by ID, e-mail address or external ID.
func (s *state) findUser(id string) (User, bool) {
	if user, ok := s.users[id]; ok {
		return user, true
	}
	email := strings.TrimSpace(id)
	for _, user := range s.users {
		if user.ExternalID == id || user.Email != "" && strings.EqualFold(user.Email, email) {
			return user, true
		}
	}
	return User{}, false
}
