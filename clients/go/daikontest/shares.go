package daikontest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// grantRequest is a request for a share.
type grantRequest interface {
	namedGrantee
	termsRequest
	GetCondition() *daikonv1.ShareCondition
}

// termsRequest is a request for a share or link.
type termsRequest interface {
	GetPermission() string
	GetExpiresAt() *timestamppb.Timestamp
}

func (s permissionServer) Share(ctx context.Context, request *daikonv1.ShareRequest) (*daikonv1.ShareResponse, error) {
	if bearerToken(ctx) == "" {
		return nil, tokenMissing()
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	granted, err := s.grant(ctx, found, request, request.Role)
	if err != nil {
		return nil, err
	}
	return granted.view(), nil
}

func (s permissionServer) ShareBatch(
	ctx context.Context, request *daikonv1.ShareBatchRequest,
) (*daikonv1.ShareBatchResponse, error) {
	before := map[*resource][]*share{}
	named := map[string]bool{}
	grant := func(item *daikonv1.ShareItem) (*share, error) {
		key := resourceKey{item.GetResourceType(), item.GetResourceId()}
		found := s.state.resources[key]
		if found == nil {
			return nil, invalidArgument("resource_id", "is not a registered resource")
		}
		if _, err := s.requireManage(ctx, key, request.GetContext().AsMap()); err != nil {
			return nil, err
		}
		field, name, err := s.state.findGrantee(found.workspaceID, item)
		if err != nil {
			return nil, err
		}
		if !s.state.isInWorkspace(found.workspaceID, name) {
			return nil, invalidArgument(field, "is not in the workspace of the resource")
		}
		if id := fmt.Sprint(key, name); named[id] {
			return nil, invalidArgument(field, "is duplicated")
		} else {
			named[id] = true
		}
		if _, isKept := before[found]; !isKept {
			before[found] = slices.Clone(found.shares)
		}
		return s.grant(ctx, found, item, item.Role)
	}
	granted, err := withFields("shares", request.GetShares(), grant)
	if err != nil {
		for resource, shares := range before {
			resource.shares = shares
		}
		return nil, err
	}
	response := &daikonv1.ShareBatchResponse{}
	for _, share := range granted {
		response.Shares = append(response.Shares, share.view())
	}
	return response, nil
}

// withFields reads each item. It returns the problems of all items, with fields such as shares[3].grantee_id.
func withFields[Item, Result any](list string, items []Item, read func(Item) (Result, error)) ([]Result, error) {
	var results []Result
	var fields []daikon.Field
	for index, item := range items {
		result, err := read(item)
		results = append(results, result)
		var invalid *daikon.Error
		switch {
		case err == nil:
		case errors.As(err, &invalid) && invalid.Code == daikon.CodeInvalidArgument:
			for _, field := range invalid.Fields {
				field.Field = fmt.Sprintf("%s[%d].%s", list, index, field.Field)
				fields = append(fields, field)
			}
		default:
			return nil, err
		}
	}
	if fields != nil {
		return nil, invalidArguments(fields...)
	}
	return results, nil
}

func (s permissionServer) grant(
	ctx context.Context, found *resource, request grantRequest, role *string,
) (*share, error) {
	condition := readCondition(request.GetCondition().GetName(), request.GetCondition().GetParams())
	terms, err := s.readTerms(found.kind, request, role, condition)
	if err != nil {
		return nil, err
	}
	if actions, _ := s.state.findResourceRole(found.kind, terms.role); slices.Contains(actions, "manage") {
		if err := s.requireOwnership(ctx, found); err != nil {
			return nil, err
		}
	}
	_, name, err := s.state.findGrantee(found.workspaceID, request)
	if err != nil {
		return nil, err
	}
	if !s.state.isInWorkspace(found.workspaceID, name) {
		kind := "user"
		if name.groupID != "" {
			kind = "group"
		}
		return nil, failure(daikon.CodeNotFound, "GRANTEE_NOT_FOUND", "No such "+kind+" in the workspace")
	}
	claims, hasUser, err := s.requireUser(ctx)
	if err != nil {
		return nil, err
	}
	// A service that shares without a user does so for the owner.
	created := &share{granted: *terms, grantee: name, grantedBy: found.ownerID, grantedAt: time.Now()}
	if hasUser {
		created.grantedBy = claims.Subject
	}
	if index, known := found.findShare(name); known != nil {
		created.id = known.id
		found.shares[index] = created
	} else {
		created.id = s.state.newID()
		found.shares = append(found.shares, created)
	}
	return created, nil
}

// readTerms reads the terms of a share or link.
func (s permissionServer) readTerms(
	kind string, request termsRequest, role *string, condition *daikon.Condition,
) (*granted, error) {
	terms := &granted{permission: daikon.Permission(request.GetPermission()), condition: condition}
	if role != nil {
		terms.role = daikon.ResourceRole(*role)
		if _, isDeclared := s.state.findResourceRole(kind, terms.role); !isDeclared {
			return nil, invalidArgument("role", "is not a role of "+kind+": "+*role)
		}
	} else if terms.permission != daikon.PermissionView && terms.permission != daikon.PermissionEdit {
		return nil, invalidArgument("permission", "must be one of view, edit")
	}
	if request.GetExpiresAt() != nil {
		terms.expiresAt = request.GetExpiresAt().AsTime()
		if !terms.isCurrent() {
			return nil, invalidArgument("expires_at", "must be in the future")
		}
	}
	return terms, s.state.requireCondition(kind, condition)
}

func readCondition(name string, params *structpb.Struct) *daikon.Condition {
	if name == "" {
		return nil
	}
	return &daikon.Condition{Name: name, Params: params.AsMap()}
}

func (s permissionServer) RevokeShare(
	ctx context.Context, request *daikonv1.ShareRequest,
) (*daikonv1.Acknowledgement, error) {
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	_, name, err := s.state.findGrantee(found.workspaceID, request)
	if err != nil {
		return nil, err
	}
	index, known := found.findShare(name)
	if known == nil {
		return nil, failure(daikon.CodeNotFound, "SHARE_NOT_FOUND", "Share not found")
	}
	found.shares = slices.Delete(found.shares, index, index+1)
	return &daikonv1.Acknowledgement{Status: "ok"}, nil
}
