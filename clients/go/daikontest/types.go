package daikontest

import (
	"context"
	"maps"
	"slices"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

func (s permissionServer) RegisterActions(
	_ context.Context, request *daikonv1.RegisterActionsRequest,
) (*daikonv1.ServiceActions, error) {
	for _, action := range request.GetActions() {
		s.state.actions[action.GetName()] = true
	}
	return &daikonv1.ServiceActions{ServiceName: request.GetServiceName()}, nil
}

func (s permissionServer) PutResourceType(
	_ context.Context, request *daikonv1.PutResourceTypeRequest,
) (*daikonv1.ResourceType, error) {
	kind := request.GetResourceType()
	declared := daikon.TypeDeclaration{
		Description: request.GetDescription(),
		AllowPublic: request.GetAllowPublic(),
	}
	for _, role := range request.GetRoles() {
		declared.Roles = append(declared.Roles, daikon.RoleDeclaration{
			Name:        daikon.ResourceRole(role.GetName()),
			Description: role.GetDescription(),
			Actions:     role.GetActions(),
		})
	}
	for _, condition := range request.GetConditions() {
		parameters := map[string]string{}
		for name, kind := range condition.GetParameters().GetFields() {
			parameters[name] = kind.GetStringValue()
		}
		declared.Conditions = append(declared.Conditions, daikon.ConditionDeclaration{
			Name:        condition.GetName(),
			Description: condition.GetDescription(),
			Expression:  condition.GetExpression(),
			Parameters:  parameters,
		})
	}
	for _, requirement := range request.GetRequirements() {
		declared.Requirements = append(declared.Requirements, daikon.Requirement{
			Action:    requirement.GetAction(),
			Condition: requirement.GetCondition(),
			Inherited: requirement.GetInherited(),
		})
	}
	view := s.state.viewType(kind, declared)
	if !request.GetDryRun() {
		return view, s.state.declare(kind, declared)
	}
	uses := s.state.countUses(kind)
	resources := int32(uses.Resources)
	view.Resources = &resources
	if slices.ContainsFunc(declared.Requirements, func(one daikon.Requirement) bool { return one.Inherited }) {
		below := s.state.countBelow(kind)
		view.ResourcesBelow = &below
	}
	view.RolesUsed, view.ConditionsUsed = viewCounts(uses.Roles), viewCounts(uses.Conditions)
	return view, s.state.requireValid(kind, declared)
}

func (s permissionServer) ListResourceTypes(
	context.Context, *daikonv1.ListResourceTypesRequest,
) (*daikonv1.ListResourceTypesResponse, error) {
	response := &daikonv1.ListResourceTypesResponse{}
	for _, kind := range slices.Sorted(maps.Keys(s.state.types)) {
		response.Types = append(response.Types, s.state.viewType(kind, s.state.types[kind]))
	}
	return response, nil
}

func (s permissionServer) DeleteResourceType(
	_ context.Context, request *daikonv1.DeleteResourceTypeRequest,
) (*daikonv1.DeleteResourceTypeResponse, error) {
	kind := request.GetResourceType()
	if _, isDeclared := s.state.types[kind]; !isDeclared {
		return nil, failure(daikon.CodeNotFound, "RESOURCE_TYPE_NOT_FOUND", s.state.service+" has not declared "+kind)
	}
	if err := s.state.requireUnused(kind, daikon.TypeDeclaration{}); err != nil {
		return nil, err
	}
	delete(s.state.types, kind)
	return &daikonv1.DeleteResourceTypeResponse{}, nil
}
