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
	if s.failure != nil {
		err = s.failure
	} else {
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
	// The names of gRPC in JSON differ from daikon.Code by case only.
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
	kind := s.resourceType(request.GetResource().GetType())
	who := s.findSubject(request.GetSubject())
	response := &daikonv1.SearchResourcesResponse{Page: &daikonv1.SearchPageInfo{}}
	for _, resource := range s.state.resources {
		isListed := resource.kind == kind && (workspace == nil || resource.workspaceID == workspace.GetStringValue())
		if !isListed {
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

func (s *server) findSubject(name *daikonv1.AccessSubject) subject {
	if name.GetType() != "access_token" {
		user, isKnown := s.state.findUser(name.GetId())
		return subject{user: user, isKnown: isKnown}
	}
	claims, isValid, isCurrent := readToken(name.GetId())
	if !isValid || !isCurrent || s.revoked[name.GetId()] {
		return subject{}
	}
	user, isKnown := s.state.users[claims.Subject]
	return subject{user: user, isKnown: isKnown, workspaceID: claims.WorkspaceID}
}

// record returns the reason as it is in context.reasons.
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

// bearerToken returns the access token that accompanies a call.
func bearerToken(ctx context.Context) string {
	incoming, _ := metadata.FromIncomingContext(ctx)
	for _, value := range incoming.Get("authorization") {
		if token, ok := strings.CutPrefix(value, "Bearer "); ok {
			return token
		}
	}
	return ""
}
