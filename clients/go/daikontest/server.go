package daikontest

import (
	"context"
	"errors"
	"maps"
	"slices"
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
	switch {
	case s.failure != nil:
		err = s.failure
	case s.namesOtherService(request):
		err = s.otherService()
	default:
		response, err = handleWithConditions(ctx, request, handle)
	}
	var failure *daikon.Error
	if errors.As(err, &failure) {
		return nil, toStatus(failure)
	}
	return response, err
}

// namesOtherService reports whether a request, or an item of it, names a service other than the key's.
func (s *server) namesOtherService(request any) bool {
	items := []any{request}
	switch batch := request.(type) {
	case *daikonv1.RegisterBatchRequest:
		for _, item := range batch.GetResources() {
			items = append(items, item)
		}
	case *daikonv1.ShareBatchRequest:
		for _, item := range batch.GetShares() {
			items = append(items, item)
		}
	}
	return slices.ContainsFunc(items, func(item any) bool {
		named, isNamed := item.(interface{ GetServiceName() string })
		return isNamed && named.GetServiceName() != s.state.service
	})
}

// handleWithConditions handles a request. It fails if the fake has no function for a condition.
func handleWithConditions(ctx context.Context, request any, handle grpc.UnaryHandler) (response any, err error) {
	defer func() {
		switch panicked := recover().(type) {
		case nil:
		case missingCondition:
			err = panicked.failure()
		default:
			panic(panicked)
		}
	}()
	return handle(ctx, request)
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
	isAllowed, reasons := s.evaluate(request)
	evaluation := &daikonv1.Evaluation{Decision: isAllowed, Context: subjectContext(request.GetSubject())}
	if request.GetContext().GetFields()["explain"].GetBoolValue() {
		list := make([]any, len(reasons))
		for index, reason := range reasons {
			list[index] = reason.record()
		}
		explained, err := structpb.NewStruct(map[string]any{"reasons": list})
		if err != nil {
			return nil, err
		}
		maps.Copy(explained.Fields, evaluation.Context.GetFields())
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
		isAllowed, _ := s.evaluate(item)
		evaluation := &daikonv1.Evaluation{Decision: isAllowed, Context: subjectContext(item.GetSubject())}
		response.Evaluations = append(response.Evaluations, evaluation)
	}
	return response, nil
}

func (s accessServer) SearchResources(
	_ context.Context, request *daikonv1.SearchResourcesRequest,
) (*daikonv1.SearchResourcesResponse, error) {
	workspace := request.GetContext().GetFields()["workspace_id"]
	if workspace != nil {
		if err := s.state.requireID("context.workspace_id", workspace.GetStringValue()); err != nil {
			return nil, err
		}
	}
	if !s.isOwnType(request.GetResource().GetType()) {
		return nil, s.otherService()
	}
	kind := s.resourceType(request.GetResource().GetType())
	who := s.findSubject(request.GetSubject())
	input := request.GetContext().AsMap()
	response := &daikonv1.SearchResourcesResponse{
		Page:    &daikonv1.SearchPageInfo{},
		Context: subjectContext(request.GetSubject()),
	}
	for id, workspaceID := range s.listResources(who, kind) {
		if workspace != nil && workspaceID != workspace.GetStringValue() {
			continue
		}
		isAllowed, reasons := s.decide(who, request.GetAction().GetName(), kind, id, input)
		// For a link, what is only public is not listed.
		isLink := func(reason reason) bool { return reason.rule == "link" }
		if isAllowed && (who.kind != subjectLink || slices.ContainsFunc(reasons, isLink)) {
			response.Results = append(response.Results, &daikonv1.AccessEntity{Type: kind, Id: id})
		}
	}
	response.Page.Count = int32(len(response.Results))
	return response, nil
}

// listResources returns the workspaces of what a search for a subject covers, by ID.
func (s *server) listResources(who subject, kind string) map[string]string {
	listed := map[string]string{}
	if kind == workspaceType {
		for id := range s.state.workspaces {
			listed[id] = id
		}
		return listed
	}
	for _, resource := range s.state.resources {
		_, denial := s.state.standingOf(who, resource)
		if resource.kind == kind && (denial == "" || who.kind == subjectAnonymous) {
			listed[resource.id] = resource.workspaceID
		}
	}
	return listed
}

func (s accessServer) SearchSubjects(
	_ context.Context, request *daikonv1.SearchSubjectsRequest,
) (*daikonv1.SearchSubjectsResponse, error) {
	if !s.isOwnType(request.GetResource().GetType()) {
		return nil, s.otherService()
	}
	kind, id := s.resourceType(request.GetResource().GetType()), request.GetResource().GetId()
	resource := s.state.find(kind, id)
	workspaceID := s.state.findWorkspace(id)
	if kind != workspaceType {
		workspaceID = ""
		if resource != nil {
			workspaceID = resource.workspaceID
		}
	}
	response := &daikonv1.SearchSubjectsResponse{Page: &daikonv1.SearchPageInfo{}}
	for _, who := range s.listSubjects(request.GetSubject().GetType(), workspaceID) {
		if _, denial := s.state.standingOf(who, resource); resource != nil && denial != "" {
			continue
		}
		isAllowed, _ := s.decide(who, request.GetAction().GetName(), kind, id, request.GetContext().AsMap())
		if isAllowed {
			entity := &daikonv1.AccessEntity{Type: request.GetSubject().GetType(), Id: who.listedName()}
			response.Results = append(response.Results, entity)
		}
	}
	response.Page.Count = int32(len(response.Results))
	return response, nil
}

// listSubjects returns the users or groups that may have access to something in a workspace.
func (s *server) listSubjects(kind, workspaceID string) []subject {
	var listed []subject
	if workspaceID == "" {
		return nil
	}
	if kind == subjectUser {
		for _, id := range slices.Sorted(maps.Keys(s.state.users)) {
			listed = append(listed, s.state.userSubject(id, ""))
		}
		return listed
	}
	for _, id := range slices.Sorted(maps.Keys(s.state.groups)) {
		if who := s.state.groupSubject(id); who.home == workspaceID {
			listed = append(listed, who)
		}
	}
	return listed
}

// listedName returns how a search names a user or group: by its external ID, if that cannot be another name.
func (s subject) listedName() string {
	if s.externalID == "" || isUUID(s.externalID) || strings.Contains(s.externalID, "@") {
		return s.id
	}
	return s.externalID
}

func (s *server) evaluate(request interface {
	GetSubject() *daikonv1.AccessSubject
	GetAction() *daikonv1.AccessAction
	GetResource() *daikonv1.AccessResource
	GetContext() *structpb.Struct
}) (bool, []reason) {
	kind, id := s.resourceType(request.GetResource().GetType()), request.GetResource().GetId()
	who := s.findSubject(request.GetSubject())
	return s.decide(who, request.GetAction().GetName(), kind, id, request.GetContext().AsMap())
}

// subjectContext returns the context of a response about a token that is not valid; nil for other subjects.
func subjectContext(name *daikonv1.AccessSubject) *structpb.Struct {
	if name.GetType() != "access_token" {
		return nil
	}
	reason, message := tokenError(name.GetId())
	if reason == "" {
		return nil
	}
	return &structpb.Struct{Fields: map[string]*structpb.Value{
		"subject_error": structpb.NewStructValue(&structpb.Struct{Fields: map[string]*structpb.Value{
			"reason":  structpb.NewStringValue(reason),
			"message": structpb.NewStringValue(message),
		}}),
	}}
}

// decide decides about a resource or a workspace.
func (s *server) decide(who subject, action, kind, id string, input map[string]any) (bool, []reason) {
	if kind == workspaceType {
		return s.state.decideWorkspace(who, action, s.state.findWorkspace(id))
	}
	return s.state.decide(who, action, kind, s.state.find(kind, id), input)
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
	set("share_id", r.shareID)
	set("link_id", r.linkID)
	set("condition", r.condition)
	if !r.expiresAt.IsZero() {
		set("expires_at", r.expiresAt.UTC().Format(time.RFC3339Nano))
	}
	if r.requiredBy != nil {
		set("resource_type", r.requiredBy.kind)
		set("resource_id", r.requiredBy.resourceID)
	}
	if r.delegation != nil {
		set("delegation_id", r.delegation.id)
		record["agent"] = map[string]any{
			"type": string(r.delegation.agent.Type),
			"id":   r.delegation.agent.ID,
			"name": r.delegation.agent.Name,
		}
	}
	set("uncovered", r.uncovered)
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
