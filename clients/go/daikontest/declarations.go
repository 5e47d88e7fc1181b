package daikontest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/daikon-auth/daikon/clients/go/daikon"
)

// findResourceRole returns the actions of a role of a resource type.
func (s *state) findResourceRole(kind string, name daikon.ResourceRole) (actions []string, isDeclared bool) {
	for _, role := range s.types[kind].Roles {
		if role.Name == name {
			return role.Actions, true
		}
	}
	return nil, false
}

// declare replaces the declaration of a resource type. It returns an error if it contains unknown actions or
// conditions, or if something uses what it removes.
func (s *state) declare(kind string, declared daikon.TypeDeclaration) error {
	if err := s.requireValid(kind, declared); err != nil {
		return err
	}
	if err := s.requireUnused(kind, declared); err != nil {
		return err
	}
	isEmpty := declared.Description == "" && !declared.AllowPublic && len(declared.Roles) == 0 &&
		len(declared.Conditions) == 0 && len(declared.Requirements) == 0
	if isEmpty {
		delete(s.types, kind)
	} else {
		s.types[kind] = declared
	}
	return nil
}

func (s *state) requireValid(kind string, declared daikon.TypeDeclaration) error {
	if err := requireFreeType(kind); err != nil {
		return err
	}
	var fields []daikon.Field
	add := func(message, name string, arguments ...any) {
		fields = append(fields, daikon.Field{Field: fmt.Sprintf(name, arguments...), Message: message})
	}
	isKnown := func(action string) bool { return isBuiltIn(action) || s.actions[action] }
	unknown := "is not an action that " + s.service + " has registered"
	for index, role := range declared.Roles {
		for position, action := range role.Actions {
			if !isKnown(action) {
				add(unknown, "roles[%d].actions[%d]", index, position)
			}
		}
	}
	for index, requirement := range declared.Requirements {
		if !isKnown(requirement.Action) {
			add(unknown, "requirements[%d].action", index)
		}
		condition, isDeclared := findCondition(declared, requirement.Condition)
		if !isDeclared {
			add("is not a condition of the declaration", "requirements[%d].condition", index)
		} else if len(condition.Parameters) > 0 {
			add("must not have parameters", "requirements[%d].condition", index)
		}
	}
	if fields == nil {
		return nil
	}
	return invalidArguments(fields...)
}

func requireFreeType(kind string) error {
	if kind != workspaceType {
		return nil
	}
	return invalidArgument("resource_type", "must not be workspace, which names the workspaces of daikon")
}

// requireUnused requires that nothing uses what a declaration removes.
func (s *state) requireUnused(kind string, declared daikon.TypeDeclaration) error {
	for _, grant := range s.grantsOf(kind) {
		hasRole := func(role daikon.RoleDeclaration) bool { return role.Name == grant.role }
		if grant.role != "" && !slices.ContainsFunc(declared.Roles, hasRole) {
			return failure(daikon.CodeAlreadyExists, "ROLE_IN_USE",
				"Shares or links use a role that the declaration would remove: "+string(grant.role))
		}
	}
	for _, grant := range s.grantsOf(kind) {
		if grant.condition == nil {
			continue
		}
		condition, isKept := findCondition(declared, grant.condition.Name)
		if !isKept || findMisfits(condition, grant.condition.Params) != nil {
			return failure(daikon.CodeAlreadyExists, "CONDITION_IN_USE",
				"Shares or links use a condition that the declaration would remove, or whose parameters would not fit: "+
					grant.condition.Name)
		}
	}
	for _, resource := range s.resources {
		isPublic := resource.kind == kind && resource.visibility == daikon.VisibilityPublic
		if isPublic && !declared.AllowPublic {
			return failure(daikon.CodeAlreadyExists, "PUBLIC_RESOURCES", "Resources of the type are public")
		}
	}
	return nil
}

// requireCondition requires that a type has a condition with these parameters. The types of values are not checked.
func (s *state) requireCondition(kind string, condition *daikon.Condition) error {
	if condition == nil {
		return nil
	}
	declared, isDeclared := findCondition(s.types[kind], condition.Name)
	if !isDeclared {
		return invalidArgument("condition.name", "is not a condition of "+kind+": "+condition.Name)
	}
	if fields := findMisfits(declared, condition.Params); fields != nil {
		return invalidArguments(fields...)
	}
	return nil
}

func findCondition(declared daikon.TypeDeclaration, name string) (daikon.ConditionDeclaration, bool) {
	for _, condition := range declared.Conditions {
		if condition.Name == name {
			return condition, true
		}
	}
	return daikon.ConditionDeclaration{}, false
}

func findMisfits(condition daikon.ConditionDeclaration, params map[string]any) []daikon.Field {
	var fields []daikon.Field
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if _, isDeclared := condition.Parameters[name]; !isDeclared {
			message := "is not a parameter of the condition"
			fields = append(fields, daikon.Field{Field: "condition.params." + name, Message: message})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(condition.Parameters)) {
		if _, isGiven := params[name]; !isGiven {
			fields = append(fields, daikon.Field{Field: "condition.params." + name, Message: "is required"})
		}
	}
	return fields
}

// countBelow returns the number of resources that inherit from a resource of a type.
func (s *state) countBelow(kind string) int32 {
	var count int32
	for _, one := range s.resources {
		for above := one.inheritsFrom(); above != nil; above = above.inheritsFrom() {
			if above.kind == kind {
				count++
				break
			}
		}
	}
	return count
}

// countUses returns what uses the declaration of a type.
func (s *state) countUses(kind string) daikon.TypeUses {
	uses := daikon.TypeUses{Roles: map[string]int{}, Conditions: map[string]int{}}
	for _, resource := range s.resources {
		if resource.kind == kind {
			uses.Resources++
		}
	}
	for _, role := range s.types[kind].Roles {
		uses.Roles[string(role.Name)] = 0
	}
	for _, condition := range s.types[kind].Conditions {
		uses.Conditions[condition.Name] = 0
	}
	for _, grant := range s.grantsOf(kind) {
		if grant.role != "" {
			uses.Roles[string(grant.role)]++
		}
		if grant.condition != nil {
			uses.Conditions[grant.condition.Name]++
		}
	}
	return uses
}

// grantsOf returns what shares and links grant on the resources of a type.
func (s *state) grantsOf(kind string) []granted {
	var grants []granted
	for _, resource := range s.resources {
		if resource.kind != kind {
			continue
		}
		for _, share := range resource.shares {
			grants = append(grants, share.granted)
		}
		for _, link := range resource.links {
			grants = append(grants, link.granted)
		}
	}
	return grants
}
