package daikontest

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

func (s permissionServer) CreateLink(
	ctx context.Context, request *daikonv1.CreateLinkRequest,
) (*daikonv1.CreatedLink, error) {
	claims, hasUser, err := s.requireUser(ctx)
	if err != nil {
		return nil, err
	}
	if !hasUser {
		return nil, tokenMissing()
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	condition := readCondition(request.GetCondition().GetName(), request.GetCondition().GetParams())
	terms, err := s.readTerms(found.kind, request, request.Role, condition)
	if err != nil {
		return nil, err
	}
	if actions, _ := s.state.findResourceRole(found.kind, terms.role); slices.Contains(actions, "manage") {
		return nil, invalidArgument("role", "must not contain manage")
	}
	created := &link{
		granted:   *terms,
		id:        s.state.newID(),
		token:     "dl_" + rand.Text(),
		name:      request.GetName(),
		createdBy: claims.Subject,
		createdAt: time.Now(),
	}
	found.links = append(found.links, created)
	view := created.view()
	return &daikonv1.CreatedLink{
		Id:         view.GetId(),
		Permission: view.Permission,
		Role:       view.Role,
		Name:       view.Name,
		CreatedBy:  view.CreatedBy,
		CreatedAt:  view.GetCreatedAt(),
		ExpiresAt:  view.GetExpiresAt(),
		Condition:  view.GetCondition(),
		Token:      created.token,
	}, nil
}

func (s permissionServer) ListLinks(
	ctx context.Context, request *daikonv1.ListLinksRequest,
) (*daikonv1.ListLinksResponse, error) {
	if bearerToken(ctx) == "" {
		return nil, tokenMissing()
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	response := &daikonv1.ListLinksResponse{}
	for _, link := range found.links {
		if link.isCurrent() {
			response.Links = append(response.Links, link.view())
		}
	}
	return response, nil
}

func (s permissionServer) DeleteLink(
	ctx context.Context, request *daikonv1.DeleteLinkRequest,
) (*daikonv1.DeleteLinkResponse, error) {
	if bearerToken(ctx) == "" {
		return nil, tokenMissing()
	}
	if err := s.state.requireID("link_id", request.GetLinkId()); err != nil {
		return nil, err
	}
	found, err := s.requireManageable(ctx, request)
	if err != nil {
		return nil, err
	}
	isNamed := func(link *link) bool { return link.id == request.GetLinkId() }
	if !slices.ContainsFunc(found.links, isNamed) {
		return nil, failure(daikon.CodeNotFound, "LINK_NOT_FOUND", "Link not found")
	}
	found.links = slices.DeleteFunc(found.links, isNamed)
	return &daikonv1.DeleteLinkResponse{}, nil
}
