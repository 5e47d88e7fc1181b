package daikon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/daikon-auth/daikon/clients/go/daikonv1/oauthv1"
)

// oauthStub answers token requests with a function.
type oauthStub struct {
	oauthv1.UnimplementedOAuthServiceServer

	answer func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error)

	mu       sync.Mutex
	requests []*oauthv1.OAuthTokenRequest
}

func (s *oauthStub) IssueToken(
	_ context.Context, request *oauthv1.OAuthTokenRequest,
) (*oauthv1.OAuthTokenResponse, error) {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	return s.answer(request)
}

func (s *oauthStub) sent() []*oauthv1.OAuthTokenRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func startOAuthStub(
	t *testing.T, agent AgentCredentials,
	answer func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error),
) (*Client, *oauthStub) {
	t.Helper()
	server := &oauthStub{answer: answer}
	address := serve(t, nil, func(registrar *grpc.Server) { oauthv1.RegisterOAuthServiceServer(registrar, server) })
	return connectTo(t, address, WithServiceKey(""), WithAgent(agent)), server
}

// issueFor returns a function that answers each request with a numbered token. The tokens are valid for a number of
// seconds.
func issueFor(seconds int32) func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) {
	var mu sync.Mutex
	count := 0
	return func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		count++
		return &oauthv1.OAuthTokenResponse{AccessToken: strconv.Itoa(count), ExpiresIn: seconds, Scope: proto.String("read")}, nil
	}
}

func TestExchangeSendsWhoAsksForWhom(t *testing.T) {
	account := AgentCredentials{APIKey: "da_key"}
	app := AgentCredentials{ClientID: "id", ClientSecret: "secret"}
	grantType := proto.String("urn:ietf:params:oauth:grant-type:token-exchange")
	accessToken := proto.String("urn:ietf:params:oauth:token-type:access_token")
	delegation := proto.String("urn:daikon:params:oauth:token-type:delegation")
	for name, test := range map[string]struct {
		agent    AgentCredentials
		request  ExchangeRequest
		expected *oauthv1.OAuthTokenRequest
	}{
		"a service account, person away": {account, ExchangeRequest{DelegationID: "d"}, &oauthv1.OAuthTokenRequest{
			GrantType: grantType, SubjectToken: proto.String("d"), SubjectTokenType: delegation,
			ActorToken: proto.String("da_key"), ActorTokenType: proto.String("urn:daikon:params:oauth:token-type:api_key"),
		}},
		"a client app, person at hand": {app, ExchangeRequest{SubjectToken: "t"}, &oauthv1.OAuthTokenRequest{
			GrantType: grantType, SubjectToken: proto.String("t"), SubjectTokenType: accessToken,
			ClientId: proto.String("id"), ClientSecret: proto.String("secret"),
		}},
		"a delegation, an API and scopes": {
			app,
			ExchangeRequest{SubjectToken: "t", DelegationID: "d", Resource: "https://api.example", Scope: "read write"},
			&oauthv1.OAuthTokenRequest{
				GrantType: grantType, SubjectToken: proto.String("t"), SubjectTokenType: accessToken,
				DelegationId: proto.String("d"), Resource: proto.String("https://api.example"), Scope: proto.String("read write"),
				ClientId: proto.String("id"), ClientSecret: proto.String("secret"),
			},
		},
	} {
		client, server := startOAuthStub(t, test.agent, issueFor(900))
		before := time.Now()
		token, err := client.Exchange(t.Context(), test.request)
		if err != nil || token.Token != "1" || token.Scope != "read" {
			t.Fatal(name, token, err)
		}
		if lifetime := token.ExpiresAt.Sub(before); lifetime < 890*time.Second || lifetime > 960*time.Second {
			t.Error(name, lifetime)
		}
		if sent := server.sent(); len(sent) != 1 || !proto.Equal(sent[0], test.expected) {
			t.Errorf("%s: %v instead of %v", name, sent, test.expected)
		}
	}
}

func TestATokenIsKeptForEachRequest(t *testing.T) {
	client, server := startOAuthStub(t, AgentCredentials{APIKey: "da_key"}, issueFor(900))
	requests := []ExchangeRequest{
		{DelegationID: "a"}, {DelegationID: "b"}, {SubjectToken: "a"}, {SubjectToken: "a", DelegationID: "a"},
		{DelegationID: "a", Resource: "https://api.example"}, {DelegationID: "a", Resource: "https://api.example", Scope: "r"},
	}
	for range 2 {
		for index, request := range requests {
			token, err := client.Exchange(t.Context(), request)
			if err != nil || token.Token != strconv.Itoa(index+1) {
				t.Fatal(request, token, err)
			}
			// What a caller does with its token is not seen by others.
			token.Token = "changed"
		}
	}
	if count := len(server.sent()); count != len(requests) {
		t.Errorf("%d requests were sent", count)
	}
}

func TestATokenIsReplacedAMinuteBeforeItsEnd(t *testing.T) {
	client, _ := startOAuthStub(t, AgentCredentials{APIKey: "da_key"}, issueFor(900))
	var elapsed time.Duration
	start := time.Now()
	client.exchange.now = func() time.Time { return start.Add(elapsed) }
	for _, step := range []struct {
		elapsed  time.Duration
		expected string
	}{{0, "1"}, {839 * time.Second, "1"}, {840 * time.Second, "2"}, {1679 * time.Second, "2"}, {time.Hour, "3"}} {
		elapsed = step.elapsed
		token, err := client.Exchange(t.Context(), ExchangeRequest{DelegationID: "d"})
		if err != nil || token.Token != step.expected {
			t.Errorf("after %s: %v %v", step.elapsed, token.Token, err)
		}
	}
}

func TestConcurrentExchangesShareARequestThatOutlivesACanceledCaller(t *testing.T) {
	started, released := make(chan struct{}), make(chan struct{})
	client, server := startOAuthStub(t, AgentCredentials{APIKey: "da_key"},
		func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) {
			close(started)
			<-released
			return &oauthv1.OAuthTokenResponse{AccessToken: "shared", ExpiresIn: 900}, nil
		})
	request := ExchangeRequest{DelegationID: "d"}
	canceled, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := client.Exchange(canceled, request)
		ended <- err
	}()
	<-started
	cancel()
	if err := <-ended; !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
	expired, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := client.Exchange(expired, request); !errors.Is(err, ErrDeadlineExceeded) {
		t.Error(err)
	}
	var group sync.WaitGroup
	for range 10 {
		start(&group, func() {
			if token, err := client.Exchange(t.Context(), request); err != nil || token.Token != "shared" {
				t.Error(token, err)
			}
		})
	}
	close(released)
	group.Wait()
	if count := len(server.sent()); count != 1 {
		t.Errorf("%d requests were sent", count)
	}
}

func TestAFailedExchangeIsNotKeptAndNamesItsReason(t *testing.T) {
	refused, err := status.New(codes.FailedPrecondition, "The delegation cannot be used").WithDetails(
		&errdetails.ErrorInfo{Reason: "INVALID_REQUEST", Domain: "daikon"})
	if err != nil {
		t.Fatal(err)
	}
	answers := []func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error){
		func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) { return nil, refused.Err() },
		issueFor(0),
		func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) {
			return &oauthv1.OAuthTokenResponse{ExpiresIn: 900}, nil
		},
		func(*oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) {
			return &oauthv1.OAuthTokenResponse{AccessToken: strings.Repeat("x", 64<<10), ExpiresIn: 900}, nil
		},
		issueFor(900),
	}
	client, server := startOAuthStub(t, AgentCredentials{ClientID: "id", ClientSecret: "hidden"}, nil)
	server.answer = func(request *oauthv1.OAuthTokenRequest) (*oauthv1.OAuthTokenResponse, error) {
		return answers[len(server.sent())-1](request)
	}
	request := ExchangeRequest{SubjectToken: "hidden"}
	for _, expected := range []struct {
		code   Code
		reason string
	}{
		{CodeFailedPrecondition, "INVALID_REQUEST"},
		{CodeInternal, "INTERNAL"},
		{CodeInternal, "INTERNAL"},
		{CodeResourceExhausted, "RESOURCE_EXHAUSTED"},
	} {
		token, err := client.Exchange(t.Context(), request)
		var failure *Error
		if token != nil || !errors.As(err, &failure) || failure.Code != expected.code || failure.Reason != expected.reason {
			t.Error(token, err)
		}
		if strings.Contains(fmt.Sprintf("%v %+v", err, failure), "hidden") {
			t.Error("the error contains a secret")
		}
	}
	if token, err := client.Exchange(t.Context(), request); err != nil || token.Token != "1" {
		t.Error(token, err)
	}
}

func TestTheNumberOfKeptTokensIsLimited(t *testing.T) {
	kept := &exchange{now: time.Now, tokens: map[ExchangeRequest]*issuedToken{}}
	kept.issue = func(context.Context, ExchangeRequest) (*DelegatedToken, error) {
		return &DelegatedToken{Token: "t", ExpiresAt: time.Now().Add(time.Hour)}, nil
	}
	for number := range maxExchanged + 100 {
		if _, err := kept.token(t.Context(), ExchangeRequest{DelegationID: strconv.Itoa(number)}); err != nil {
			t.Fatal(err)
		}
	}
	_, hasOldest := kept.tokens[ExchangeRequest{DelegationID: "0"}]
	_, hasLatest := kept.tokens[ExchangeRequest{DelegationID: strconv.Itoa(maxExchanged + 99)}]
	if len(kept.tokens) != maxExchanged || len(kept.order) != maxExchanged || hasOldest || !hasLatest {
		t.Error(len(kept.tokens), len(kept.order), hasOldest, hasLatest)
	}
}

func TestWrongAgentsAndRequestsAreRefused(t *testing.T) {
	requireField := func(name string, err error, field string) {
		t.Helper()
		var failure *Error
		if !errors.As(err, &failure) || failure.Code != CodeInvalidArgument || failure.Fields[0].Field != field {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, agent := range map[string]AgentCredentials{
		"nothing":         {},
		"no secret":       {ClientID: "a"},
		"only a secret":   {ClientSecret: "a"},
		"both":            {APIKey: "a", ClientID: "b", ClientSecret: "c"},
		"both in part":    {APIKey: "a", ClientID: "b"},
		"not valid UTF-8": {APIKey: "\xff"},
		"too long":        {APIKey: strings.Repeat("x", 16_385)},
	} {
		_, err := New("localhost:1", WithService("docs"), WithAgent(agent))
		requireField(name, err, "agent")
	}
	client, server := startOAuthStub(t, AgentCredentials{APIKey: "da_key"}, issueFor(900))
	for name, test := range map[string]struct {
		request ExchangeRequest
		field   string
	}{
		"nothing":           {ExchangeRequest{Scope: "a"}, "subjectToken"},
		"a long token":      {ExchangeRequest{SubjectToken: strings.Repeat("x", 16_385)}, "subjectToken"},
		"a wrong ID":        {ExchangeRequest{DelegationID: "\xff"}, "delegationID"},
		"a wrong resource":  {ExchangeRequest{DelegationID: "d", Resource: "\xff"}, "resource"},
		"a wrong scope":     {ExchangeRequest{DelegationID: "d", Scope: "\xff"}, "scope"},
		"a wrong token too": {ExchangeRequest{DelegationID: "d", SubjectToken: "\xff"}, "subjectToken"},
	} {
		_, err := client.Exchange(t.Context(), test.request)
		requireField(name, err, test.field)
	}
	_, err := connectTo(t, "localhost:1").Exchange(t.Context(), ExchangeRequest{DelegationID: "d"})
	requireField("no agent", err, "agent")
	if count := len(server.sent()); count != 0 {
		t.Errorf("%d requests were sent", count)
	}
	if _, err := client.Exchange(t.Context(), ExchangeRequest{DelegationID: "d"}); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Exchange(t.Context(), ExchangeRequest{DelegationID: "d"}); !errors.Is(err, ErrCanceled) {
		t.Error(err)
	}
}

func TestSecretsOfAgentsAreNotPrinted(t *testing.T) {
	for _, value := range []any{
		AgentCredentials{APIKey: "hidden"}, &AgentCredentials{ClientID: "id", ClientSecret: "hidden"},
		DelegatedToken{Token: "hidden"}, &DelegatedToken{Token: "hidden"},
	} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
			if text := fmt.Sprintf(format, value); strings.Contains(text, "hidden") {
				t.Error(format, text)
			}
		}
	}
}
