package daikontest

import (
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

func (r *resource) view() *daikonv1.ResourcePermissionResponse {
	record := &daikonv1.ResourcePermissionResponse{
		Id:           r.resourceID,
		ResourceType: r.kind,
		ResourceId:   r.resourceID,
		WorkspaceId:  r.workspaceID,
		OwnerId:      r.ownerID,
		Visibility:   string(r.visibility),
		Inherits:     r.inherits,
		Attributes:   newStruct(r.attributes),
		DisplayName:  optional(r.displayName),
		CreatedAt:    timestamppb.New(r.createdAt),
	}
	if r.id != r.resourceID {
		record.ExternalId = &r.id
	}
	if r.parent != nil {
		record.Parent = &daikonv1.ParentResource{ResourceType: r.parent.kind, ResourceId: r.parent.resourceID}
	}
	for _, share := range r.shares {
		if share.isCurrent() {
			record.Shares = append(record.Shares, share.view())
		}
	}
	return record
}

func (s *share) view() *daikonv1.ShareResponse {
	record := &daikonv1.ShareResponse{
		Id:          s.id,
		GranteeType: "user",
		GranteeId:   s.grantee.userID,
		Permission:  string(s.permission),
		Role:        optional(string(s.role)),
		GrantedBy:   s.grantedBy,
		GrantedAt:   timestamppb.New(s.grantedAt),
		ExpiresAt:   viewTime(s.expiresAt),
	}
	if s.grantee.groupID != "" {
		record.GranteeType, record.GranteeId = "group", s.grantee.groupID
	}
	if s.condition != nil {
		record.Condition = &daikonv1.ShareCondition{Name: s.condition.Name, Params: newStruct(s.condition.Params)}
	}
	return record
}

func (r *resource) viewAncestors() []*daikonv1.InheritedGrants {
	var ancestors []*daikonv1.InheritedGrants
	for current := r; current.parent != nil && current.inherits; {
		current = current.parent
		record := current.view()
		ancestors = append(ancestors, &daikonv1.InheritedGrants{
			ResourceType: record.GetResourceType(),
			ResourceId:   record.GetResourceId(),
			ExternalId:   record.ExternalId,
			DisplayName:  record.DisplayName,
			OwnerId:      record.GetOwnerId(),
			Visibility:   record.GetVisibility(),
			Shares:       record.GetShares(),
		})
	}
	return ancestors
}

// grantHolder is a resource or an ancestor.
type grantHolder interface {
	GetOwnerId() string
	GetShares() []*daikonv1.ShareResponse
}

// namesOf returns the name and e-mail address of the owner, and adds those of the users and groups to the shares.
func (s *state) namesOf(record grantHolder) (name, email *string) {
	for _, share := range record.GetShares() {
		if share.GetGranteeType() == "group" {
			share.GranteeName = optional(s.groups[share.GetGranteeId()].Name)
			continue
		}
		user := s.users[share.GetGranteeId()]
		share.GranteeName, share.GranteeEmail = optional(user.Name), optional(user.Email)
	}
	owner := s.users[record.GetOwnerId()]
	return optional(owner.Name), optional(owner.Email)
}

func (l *link) view() *daikonv1.ResourceLink {
	record := &daikonv1.ResourceLink{
		Id:         l.id,
		Permission: optional(string(l.permission)),
		Role:       optional(string(l.role)),
		Name:       optional(l.name),
		CreatedBy:  optional(l.createdBy),
		CreatedAt:  timestamppb.New(l.createdAt),
		ExpiresAt:  viewTime(l.expiresAt),
	}
	if l.condition != nil {
		record.Condition = &daikonv1.LinkCondition{Name: l.condition.Name, Params: newStruct(l.condition.Params)}
	}
	return record
}

func (s *state) viewType(kind string, declared daikon.TypeDeclaration) *daikonv1.ResourceType {
	record := &daikonv1.ResourceType{
		ServiceName:  s.service,
		ResourceType: kind,
		Description:  declared.Description,
		AllowPublic:  declared.AllowPublic,
	}
	for _, role := range declared.Roles {
		record.Roles = append(record.Roles, &daikonv1.ResourceRole{
			Name:        string(role.Name),
			Description: role.Description,
			Actions:     role.Actions,
		})
	}
	for _, condition := range declared.Conditions {
		parameters := map[string]any{}
		for name, kind := range condition.Parameters {
			parameters[name] = kind
		}
		record.Conditions = append(record.Conditions, &daikonv1.ResourceCondition{
			Name:        condition.Name,
			Description: condition.Description,
			Expression:  condition.Expression,
			Parameters:  newStruct(parameters),
		})
	}
	for _, requirement := range declared.Requirements {
		record.Requirements = append(record.Requirements, &daikonv1.ActionRequirement{
			Action:    requirement.Action,
			Condition: requirement.Condition,
			Inherited: &requirement.Inherited,
		})
	}
	return record
}

func viewCounts(counts map[string]int) *structpb.Struct {
	values := map[string]any{}
	for name, count := range counts {
		values[name] = count
	}
	return newStruct(values)
}

// newStruct returns an object as a message. It panics for what is not JSON, which only a test can have passed.
func newStruct(object map[string]any) *structpb.Struct {
	message, err := structpb.NewStruct(object)
	if err != nil {
		panic(err)
	}
	return message
}

func viewTime(end time.Time) *timestamppb.Timestamp {
	if end.IsZero() {
		return nil
	}
	return timestamppb.New(end)
}

// optional returns nil for an empty text.
func optional(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}
