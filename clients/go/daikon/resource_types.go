package daikon

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// Action is an action of your service, in addition to view, edit and manage.
type Action struct {
	Name        string
	Description string
}

// TypeDeclaration is what a service declares about a resource type.
type TypeDeclaration struct {
	Description string
	// AllowPublic reports whether resources of the type may be public.
	AllowPublic  bool
	Roles        []RoleDeclaration
	Conditions   []ConditionDeclaration
	Requirements []Requirement
}

// RoleDeclaration is a role that shares and links of a type can name. Its actions are view, edit, manage and actions
// that your service has registered.
type RoleDeclaration struct {
	Name        ResourceRole
	Description string
	Actions     []string
}

// ConditionDeclaration is a condition that shares, links and requirements of a type can name.
type ConditionDeclaration struct {
	Name        string
	Description string
	// Expression is an expression in CEL.
	Expression string
	// Parameters are the types of the parameters by name, such as timestamp.
	Parameters map[string]string
}

// Requirement is a condition that must be true for an action, whatever grants it.
type Requirement struct {
	Action    string
	Condition string
	// Inherited reports whether the requirement also binds everything that inherits from a resource of the type. The
	// condition is then judged with that resource.
	Inherited bool
}

// DeclaredType is a declared resource type.
type DeclaredType struct {
	Type string
	TypeDeclaration
	// Uses is what uses the current declaration; nil without [DryRun].
	Uses *TypeUses
}

// TypeUses counts the resources of a type, and its shares and links by role and by condition.
type TypeUses struct {
	Resources  int
	Roles      map[string]int
	Conditions map[string]int
	// ResourcesBelow counts the resources that inherit from one of the type, if a requirement of the new declaration is
	// inherited.
	ResourcesBelow int
}

// RegisterActions registers actions of the service. Existing actions are kept.
func (c *Client) RegisterActions(ctx context.Context, actions ...Action) error {
	request := &daikonv1.RegisterActionsRequest{ServiceName: c.service}
	for _, action := range actions {
		request.Actions = append(request.Actions, &daikonv1.ActionRegistration{
			Name:        action.Name,
			Description: optional(action.Description),
		})
	}
	return c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.RegisterActions(ctx, request, options...)
		return err
	})
}

// DeclareType replaces the declaration of a resource type as a whole. It fails with [CodeAlreadyExists] if shares or
// links use what it would remove.
func (c *Client) DeclareType(
	ctx context.Context, resourceType string, declaration TypeDeclaration, opts ...DeclareOption,
) (*DeclaredType, error) {
	if err := requireType(resourceType); err != nil {
		return nil, err
	}
	settings := readOptions(opts)
	request := &daikonv1.PutResourceTypeRequest{
		ServiceName:  c.service,
		ResourceType: resourceType,
		Description:  optional(declaration.Description),
		AllowPublic:  &declaration.AllowPublic,
		DryRun:       &settings.dryRun,
	}
	for _, role := range declaration.Roles {
		request.Roles = append(request.Roles, &daikonv1.ResourceRoleDeclaration{
			Name:        string(role.Name),
			Description: optional(role.Description),
			Actions:     role.Actions,
		})
	}
	for _, condition := range declaration.Conditions {
		parameters := map[string]*structpb.Value{}
		for name, kind := range condition.Parameters {
			parameters[name] = structpb.NewStringValue(kind)
		}
		request.Conditions = append(request.Conditions, &daikonv1.ConditionDeclaration{
			Name:        condition.Name,
			Description: optional(condition.Description),
			Expression:  condition.Expression,
			Parameters:  &structpb.Struct{Fields: parameters},
		})
	}
	for _, requirement := range declaration.Requirements {
		request.Requirements = append(request.Requirements, &daikonv1.ActionRequirement{
			Action:    requirement.Action,
			Condition: requirement.Condition,
			Inherited: &requirement.Inherited,
		})
	}
	var declared *daikonv1.ResourceType
	err := c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		var err error
		declared, err = c.permissions.PutResourceType(ctx, request, options...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return readType(declared), nil
}

// ResourceTypes returns the declared resource types of the service.
func (c *Client) ResourceTypes(ctx context.Context) ([]DeclaredType, error) {
	types := []DeclaredType{}
	request := &daikonv1.ListResourceTypesRequest{ServiceName: c.service}
	err := c.connection.invoke(ctx, call{isRepeatable: true}, func(ctx context.Context, options ...grpc.CallOption) error {
		response, err := c.permissions.ListResourceTypes(ctx, request, options...)
		for _, declared := range response.GetTypes() {
			types = append(types, *readType(declared))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return types, nil
}

// DeleteType removes the declaration of a resource type, which nothing may use.
func (c *Client) DeleteType(ctx context.Context, resourceType string) error {
	if err := requireType(resourceType); err != nil {
		return err
	}
	request := &daikonv1.DeleteResourceTypeRequest{ServiceName: c.service, ResourceType: resourceType}
	how := call{isRepeatable: true, succeededBefore: "RESOURCE_TYPE_NOT_FOUND"}
	return c.connection.invoke(ctx, how, func(ctx context.Context, options ...grpc.CallOption) error {
		_, err := c.permissions.DeleteResourceType(ctx, request, options...)
		return err
	})
}

func readType(record *daikonv1.ResourceType) *DeclaredType {
	declared := &DeclaredType{Type: record.GetResourceType()}
	declared.Description = record.GetDescription()
	declared.AllowPublic = record.GetAllowPublic()
	for _, role := range record.GetRoles() {
		declared.Roles = append(declared.Roles, RoleDeclaration{
			Name:        ResourceRole(role.GetName()),
			Description: role.GetDescription(),
			Actions:     role.GetActions(),
		})
	}
	for _, condition := range record.GetConditions() {
		parameters := map[string]string{}
		for name, kind := range condition.GetParameters().GetFields() {
			parameters[name] = kind.GetStringValue()
		}
		declared.Conditions = append(declared.Conditions, ConditionDeclaration{
			Name:        condition.GetName(),
			Description: condition.GetDescription(),
			Expression:  condition.GetExpression(),
			Parameters:  parameters,
		})
	}
	for _, requirement := range record.GetRequirements() {
		declared.Requirements = append(declared.Requirements, Requirement{
			Action:    requirement.GetAction(),
			Condition: requirement.GetCondition(),
			Inherited: requirement.GetInherited(),
		})
	}
	if record.Resources != nil {
		declared.Uses = &TypeUses{
			Resources:      int(record.GetResources()),
			Roles:          readCounts(record.GetRolesUsed()),
			Conditions:     readCounts(record.GetConditionsUsed()),
			ResourcesBelow: int(record.GetResourcesBelow()),
		}
	}
	return declared
}

func readCounts(record *structpb.Struct) map[string]int {
	counts := map[string]int{}
	for name, count := range record.GetFields() {
		counts[name] = int(count.GetNumberValue())
	}
	return counts
}
