package daikontest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// server implements the methods that the client calls.
type server struct {
	mu      sync.Mutex
	state   *state
	revoked map[string]bool
	failure *daikon.Error
	delay   time.Duration
}

type accessServer struct {
	daikonv1.UnimplementedAccessServiceServer
	*server
}

type authServer struct {
	daikonv1.UnimplementedAuthServiceServer
}

func newServer(state *state) *server {
	return &server{state: state, revoked: map[string]bool{}}
}

func (s *server) register(registrar grpc.ServiceRegistrar) {
	daikonv1.RegisterAccessServiceServer(registrar, accessServer{server: s})
	daikonv1.RegisterPermissionServiceServer(registrar, permissionServer{server: s})
	daikonv1.RegisterAuthServiceServer(registrar, authServer{})
}

// intercept applies FailWith and Delay, and runs one call at a time.
func (s *server) intercept(
	ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (any, error) {
	s.mu.Lock()
	delay := s.delay
	s.mu.Unlock()
	if delay > 0 {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, status.FromContextError(ctx.Err()).Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var response any
	var err error
	named, namesService := request.(interface{ GetServiceName() string })
	switch {
	case s.failure != nil:
		err = s.failure
	case namesService && named.GetServiceName() != s.state.service:
		err = s.otherService()
	default:
		response, err = handle(ctx, request)
	}
	var failure *daikon.Error
	if errors.As(err, &failure) {
		return nil, toStatus(failure)
	}
	return response, err
}

// toStatus encodes an error as the server does.
func toStatus(failure *daikon.Error) error {
	code := codes.Unknown
	// The JSON names of gRPC codes differ from daikon.Code only in case.
	name := strings.ToUpper(string(failure.Code))
	if code.UnmarshalJSON([]byte(`"`+name+`"`)) != nil {
		code = codes.Unknown
	}
	details := []protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: failure.Reason, Domain: "daikon"}}
	if len(failure.Fields) > 0 {
		violations := make([]*errdetails.BadRequest_FieldViolation, len(failure.Fields))
		for index, field := range failure.Fields {
			violations[index] = &errdetails.BadRequest_FieldViolation{Field: field.Field, Description: field.Message}
		}
		details = append(details, &errdetails.BadRequest{FieldViolations: violations})
	}
	if failure.RetryAfter > 0 {
		details = append(details, &errdetails.RetryInfo{RetryDelay: durationpb.New(failure.RetryAfter)})
	}
	encoded, err := status.New(code, failure.Message).WithDetails(details...)
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	return encoded.Err()
}

func (s accessServer) Evaluate(_ context.Context, request *daikonv1.EvaluateRequest) (*daikonv1.Evaluation, error) {
	if !s.isOwnType(request.GetResource().GetType()) {
		return nil, s.otherService()
	}
	isAllowed, reasons := s.evaluate(request.GetSubject(), request.GetAction(), request.GetResource())
	evaluation := &daikonv1.Evaluation{Decision: isAllowed}
	if request.GetContext().GetFields()["explain"].GetBoolValue() {
		list := make([]any, len(reasons))
		for index, reason := range reasons {
			list[index] = reason.record()
		}
		explained, err := structpb.NewStruct(map[string]any{"reasons": list})
		if err != nil {
			return nil, err
		}
		evaluation.Context = explained
	}
	return evaluation, nil
}

func (s accessServer) EvaluateBatch(
	_ context.Context, request *daikonv1.EvaluateBatchRequest,
) (*daikonv1.EvaluateBatchResponse, error) {
	response := &daikonv1.EvaluateBatchResponse{}
	for _, item := range request.GetEvaluations() {
		if !s.isOwnType(item.GetResource().GetType()) {
			denied, err := otherServiceItem(s.otherService())
			if err != nil {
				return nil, err
			}
			response.Evaluations = append(response.Evaluations, denied)
			continue
		}
		isAllowed, _ := s.evaluate(item.GetSubject(), item.GetAction(), item.GetResource())
		response.Evaluations = append(response.Evaluations, &daikonv1.Evaluation{Decision: isAllowed})
	}
	return response, nil
}

func (s accessServer) SearchResources(
	_ context.Context, request *daikonv1.SearchResourcesRequest,
) (*daikonv1.SearchResourcesResponse, error) {
	workspace := request.GetContext().GetFields()["workspace_id"]
	if workspace != nil && !isUUID(workspace.GetStringValue()) {
		return nil, invalidArgument("context.workspace_id", "must be a UUID")
	}
	if !s.isOwnType(request.GetResource().GetType()) {
		return nil, s.otherService()
	}
	kind := s.resourceType(request.GetResource().GetType())
	who := s.findSubject(request.GetSubject())
	response := &daikonv1.SearchResourcesResponse{Page: &daikonv1.SearchPageInfo{}}
	for _, resource := range s.state.resources {
		isListed := resource.kind == kind && (workspace == nil || resource.workspaceID == workspace.GetStringValue())
		if !isListed {
			continue
		}
		if _, denial := s.state.roleOf(who, resource); denial != "" {
			continue
		}
		if isAllowed, _ := s.state.decide(who, request.GetAction().GetName(), resource); isAllowed {
			entity := &daikonv1.AccessEntity{Type: kind, Id: resource.id}
			response.Results = append(response.Results, entity)
		}
	}
	response.Page.Count = int32(len(response.Results))
	return response, nil
}

func (s *server) evaluate(
	who *daikonv1.AccessSubject, action *daikonv1.AccessAction, target *daikonv1.AccessResource,
) (bool, []reason) {
	found := s.state.find(s.resourceType(target.GetType()), target.GetId())
	return s.state.decide(s.findSubject(who), action.GetName(), found)
}

func (s *server) resourceType(name string) string {
	return strings.TrimPrefix(name, s.state.service+":")
}

func (s *server) isOwnType(name string) bool {
	return strings.HasPrefix(name, s.state.service+":")
}

// otherService returns the error of a client whose service is not the key's.
func (s *server) otherService() *daikon.Error {
	return &daikon.Error{
		Code:    daikon.CodePermissionDenied,
		Reason:  "OTHER_SERVICE",
		Message: "The service key is limited to " + s.state.service,
	}
}

// otherServiceItem returns the result of an item that names another service.
func otherServiceItem(failure *daikon.Error) (*daikonv1.Evaluation, error) {
	object, err := structpb.NewStruct(map[string]any{
		"error": map[string]any{"status": 403, "reason": failure.Reason, "message": failure.Message},
	})
	return &daikonv1.Evaluation{Context: object}, err
}

func (s *server) findSubject(name *daikonv1.AccessSubject) subject {
	if name.GetType() == "group" {
		_, isKnown := s.state.groups[name.GetId()]
		return subject{user: User{ID: name.GetId()}, isKnown: isKnown, isGroup: true}
	}
	if name.GetType() != "access_token" {
		user, isKnown := s.state.findUser(name.GetId())
		return subject{user: user, isKnown: isKnown, isUnnamed: !isKnown}
	}
	claims, isValid, isCurrent := readToken(name.GetId())
	if !isValid || !isCurrent || s.revoked[name.GetId()] {
		return subject{}
	}
	user, isKnown := s.state.users[claims.Subject]
	return subject{user: user, isKnown: isKnown, workspaceID: claims.WorkspaceID}
}

// record returns the reason in the format of context.reasons.
func (r reason) record() map[string]any {
	record := map[string]any{"rule": r.rule}
	set := func(name, value string) {
		if value != "" {
			record[name] = value
		}
	}
	set("permission", string(r.permission))
	set("role", r.role)
	set("group_id", r.groupID)
	if r.share != nil {
		set("share_id", r.share.id)
		if !r.share.expiresAt.IsZero() {
			set("expires_at", r.share.expiresAt.UTC().Format(time.RFC3339Nano))
		}
	}
	if r.inheritedFrom != nil {
		record["inherited_from"] = map[string]any{
			"resource_type": r.inheritedFrom.kind,
			"resource_id":   r.inheritedFrom.resourceID,
		}
	}
	return record
}

func (authServer) GetConfiguration(
	context.Context, *daikonv1.GetConfigurationRequest,
) (*daikonv1.Configuration, error) {
	return &daikonv1.Configuration{Issuer: issuer}, nil
}

func (authServer) GetKeySet(context.Context, *daikonv1.GetKeySetRequest) (*daikonv1.KeySet, error) {
	return &daikonv1.KeySet{Keys: []*daikonv1.Key{publicKey()}}, nil
}

// bearerToken returns the access token sent with a call.
func bearerToken(ctx context.Context) string {
	incoming, _ := metadata.FromIncomingContext(ctx)
	for _, value := range incoming.Get("authorization") {
		if token, ok := strings.CutPrefix(value, "Bearer "); ok {
			return token
		}
	}
	return ""
}
