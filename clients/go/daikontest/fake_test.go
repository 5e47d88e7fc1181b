package daikontest_test

import (
	"errors"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
)

const (
	acme  = "0b000000-0000-4000-8000-000000000001"
	alice = "0a000000-0000-4000-8000-00000000000a"
	bob   = "0a000000-0000-4000-8000-00000000000b"
)

var roadmap = daikon.Resource{Type: "document", ID: "roadmap"}

func newFake(t *testing.T, options ...daikon.Option) *daikontest.Fake {
	t.Helper()
	return daikontest.New(t, daikontest.World{
		Members: []daikontest.Member{
			{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleEditor},
			{WorkspaceID: acme, UserID: bob, Role: daikontest.RoleViewer},
		},
		Resources: []daikontest.Resource{{Type: "document", ID: "roadmap", WorkspaceID: acme, OwnerID: alice}},
	}, options...)
}

func TestFailWithAndRecover(t *testing.T) {
	fake := newFake(t)
	fake.FailWith(&daikon.Error{
		Code:       daikon.CodeResourceExhausted,
		Reason:     "RATE_LIMITED",
		Message:    "Too many requests",
		RetryAfter: 3 * time.Second,
		Fields:     []daikon.Field{{Field: "subject", Message: "is busy"}},
	})
	_, err := fake.Check(t.Context(), daikon.Subject{UserID: alice}, "view", roadmap)
	var failure *daikon.Error
	if !errors.As(err, &failure) || !errors.Is(err, daikon.ErrResourceExhausted) {
		t.Fatal(err)
	}
	if failure.Reason != "RATE_LIMITED" || failure.RetryAfter != 3*time.Second || failure.Fields[0].Field != "subject" {
		t.Errorf("%+v", failure)
	}
	fake.FailWith(&daikon.Error{Code: daikon.CodeUnavailable, Reason: "UNREACHABLE"})
	if err := fake.Unregister(t.Context(), roadmap); !errors.Is(err, daikon.ErrUnavailable) {
		t.Error(err)
	}
	fake.Recover()
	isAllowed, err := fake.Check(t.Context(), daikon.Subject{UserID: alice}, "view", roadmap)
	if !isAllowed || err != nil {
		t.Error(isAllowed, err)
	}
}

func TestDelay(t *testing.T) {
	fake := newFake(t, daikon.WithTimeout(50*time.Millisecond))
	fake.Delay(time.Hour)
	_, err := fake.Check(t.Context(), daikon.Subject{UserID: alice}, "view", roadmap)
	if !errors.Is(err, daikon.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

func TestSharesExpire(t *testing.T) {
	fake := newFake(t)
	as := daikon.As(fake.Token(alice, acme))
	share := func(end time.Time) (*daikon.Share, error) {
		grantee := daikon.Grantee{UserID: bob}
		return fake.Share(t.Context(), roadmap, grantee, daikon.PermissionView, as, daikon.ExpiresAt(end))
	}
	end := time.Now().Add(time.Hour).UTC()
	created, err := share(end)
	if err != nil || !created.ExpiresAt.Equal(end) || created.GrantedBy != alice {
		t.Error(created, err)
	}
	explanation, err := fake.Explain(t.Context(), daikon.Subject{UserID: bob}, "view", roadmap)
	if err != nil || !explanation.Allowed || !explanation.Reasons[0].ExpiresAt.Equal(end) {
		t.Error(explanation, err)
	}
	if _, err := share(time.Now().Add(-time.Second)); !errors.Is(err, daikon.ErrInvalidArgument) {
		t.Error(err)
	}
}

func TestConditionsNeedFunctions(t *testing.T) {
	conditions := map[string]daikontest.Condition{
		"large": func(input daikontest.ConditionInput) bool { return input.Context["amount"].(float64) > 10 },
	}
	fake := daikontest.New(t, daikontest.World{
		Members: []daikontest.Member{
			{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleEditor},
			{WorkspaceID: acme, UserID: bob, Role: daikontest.RoleViewer},
		},
		Resources: []daikontest.Resource{{Type: "document", ID: "roadmap", WorkspaceID: acme, OwnerID: alice}},
		ResourceTypes: map[string]daikon.TypeDeclaration{"document": {Conditions: []daikon.ConditionDeclaration{
			{Name: "large", Expression: "context.amount > 10"},
			{Name: "late", Expression: "context.hour > 20"},
		}}},
		Conditions: conditions,
	})
	subject, as := daikon.Subject{UserID: bob}, daikon.As(fake.Token(alice, acme))
	share := func(condition string) {
		t.Helper()
		only := daikon.OnlyIf(daikon.Condition{Name: condition})
		if _, err := fake.Share(t.Context(), roadmap, daikon.Grantee{UserID: bob}, daikon.PermissionView, as, only); err != nil {
			t.Fatal(err)
		}
	}
	share("large")
	explanation, err := fake.Explain(t.Context(), subject, "view", roadmap)
	if err != nil || explanation.Allowed || explanation.Reasons[0].Rule != "condition_failed" {
		t.Error(explanation, err)
	}
	share("late")
	_, err = fake.Check(t.Context(), subject, "view", roadmap)
	var failure *daikon.Error
	if !errors.As(err, &failure) || failure.Reason != "CONDITION_WITHOUT_FUNCTION" {
		t.Error(err)
	}
}

func TestAWorldMustBeConsistent(t *testing.T) {
	member := []daikontest.Member{{WorkspaceID: acme, UserID: alice, Role: daikontest.RoleOwner}}
	resource := daikontest.Resource{Type: "document", ID: "roadmap", WorkspaceID: acme, OwnerID: alice}
	child := resource
	child.Parent = &daikon.Resource{Type: "folder", ID: "none"}
	withShare := func(permission daikon.Permission, role daikon.ResourceRole) daikontest.World {
		share := daikontest.Share{
			Resource: roadmap, Grantee: daikon.Grantee{UserID: alice}, Permission: permission, Role: role,
		}
		return daikontest.World{
			Members:   member,
			Resources: []daikontest.Resource{resource},
			Shares:    []daikontest.Share{share},
		}
	}
	for name, world := range map[string]daikontest.World{
		"a role":                          {Members: []daikontest.Member{{WorkspaceID: acme, UserID: alice, Role: "king"}}},
		"an owner":                        {Resources: []daikontest.Resource{resource}},
		"a parent":                        {Members: member, Resources: []daikontest.Resource{child}},
		"a share":                         {Shares: []daikontest.Share{{Resource: roadmap, Grantee: daikon.Grantee{UserID: bob}}}},
		"a permission or role of a share": withShare("", ""),
		"either a permission or a role":   withShare(daikon.PermissionView, "king"),
		"a role of a share":               withShare("", "king"),
		"an action of a role": {ResourceTypes: map[string]daikon.TypeDeclaration{
			"document": {Roles: []daikon.RoleDeclaration{{Name: "king", Actions: []string{"rule"}}}},
		}},
		"a group": {
			Members:   member,
			Resources: []daikontest.Resource{resource},
			Shares:    []daikontest.Share{{Resource: roadmap, Grantee: daikon.Grantee{GroupID: bob}}},
		},
	} {
		if fake, err := daikontest.Start(world); err == nil {
			fake.Stop()
			t.Errorf("a world without %s started", name)
		}
	}
}

func TestFakesHaveNoActivityLog(t *testing.T) {
	fake := newFake(t)
	var failure *daikon.Error
	for _, err := range fake.Watch(t.Context(), daikon.WatchOptions{}) {
		if !errors.As(err, &failure) {
			t.Fatal("the watch has not failed")
		}
	}
	if failure == nil || failure.Code != daikon.CodeUnimplemented {
		t.Fatal(failure)
	}
}
