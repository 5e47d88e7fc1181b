package daikon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
	"github.com/daikon-auth/daikon/clients/go/daikonv1"
)

// The table of clients/README.md.
type casesTable struct {
	Service string
	World   casesWorld
	Cases   []clientCase
}

type casesWorld struct {
	Users []struct {
		Name, ID, Email, ExternalID string
		IsActive                    *bool
	}
	Workspaces []struct{ Name, ID string }
	Members    []struct{ WorkspaceID, UserID, Role string }
	Groups     []struct {
		Name, ID, WorkspaceID string
		Members, Groups       []string
	}
	Actions   []string
	Roles     []daikontest.CustomRole
	Resources []struct {
		Type, ID, WorkspaceID, OwnerID, Visibility string
		Parent                                     *daikon.Resource
		Inherits                                   *bool
	}
	ResourceTypes []daikontest.ResourceType
	Shares        []struct {
		Resource        daikon.Resource
		UserID, GroupID string
		Permission      daikon.Permission
		Role            daikon.ResourceRole
	}
	Tokens []struct{ Name, UserID, WorkspaceID, State string }
}

type clientCase struct {
	Name    string
	Service string
	Call    string
	Args    caseArguments
	Returns any
	Fails   *struct {
		Code   daikon.Code
		Reason string
		Fields []string
	}
}

type caseArguments struct {
	Subject     daikon.Subject
	Action      string
	Resource    daikon.Resource
	Items       []daikon.Check
	Type, ID    string
	WorkspaceID string
	OwnerID     string
	UserID      string
	Visibility  daikon.Visibility
	Permission  daikon.Permission
	Role        *daikon.ResourceRole
	AllowPublic bool
	Roles       []*daikonv1.ResourceRoleDeclaration
	Parent      *daikon.Resource
	Grantee     daikon.Grantee
	As          string
	Token       string
}

// readCases reads the table and replaces strings that begin with $ with their values.
func readCases(t *testing.T, values map[string]string) casesTable {
	t.Helper()
	text, err := os.ReadFile("../../cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw any
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	if values == nil {
		values = map[string]string{}
		world := raw.(map[string]any)["world"].(map[string]any)
		for _, kind := range []string{"users", "workspaces", "groups"} {
			for _, entry := range world[kind].([]any) {
				named := entry.(map[string]any)
				values[named["name"].(string)] = named["id"].(string)
			}
		}
	}
	text, err = json.Marshal(substitute(raw, values))
	if err != nil {
		t.Fatal(err)
	}
	var table casesTable
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func substitute(value any, values map[string]string) any {
	switch value := value.(type) {
	case string:
		if replaced, ok := values[strings.TrimPrefix(value, "$")]; ok && strings.HasPrefix(value, "$") {
			return replaced
		}
		return value
	case []any:
		for index := range value {
			value[index] = substitute(value[index], values)
		}
	case map[string]any:
		for key := range value {
			value[key] = substitute(value[key], values)
		}
	}
	return value
}

func TestCasesOnServer(t *testing.T) {
	server := startCasesServer(t)
	table := readCases(t, server.Values)
	client := connect(t, server, daikon.WithTimeout(30*time.Second))
	other := func(service string) *daikon.Client { return connect(t, server, daikon.WithService(service)) }
	runCases(t, client, other, table)
}

func TestCasesOnFake(t *testing.T) {
	table := readCases(t, nil)
	fake := daikontest.New(t, table.World.fake(table.Service))
	values := map[string]string{}
	for _, group := range table.World.Groups {
		values[group.Name] = group.ID
	}
	for _, user := range table.World.Users {
		values[user.Name] = user.ID
	}
	for _, workspace := range table.World.Workspaces {
		values[workspace.Name] = workspace.ID
	}
	for _, token := range table.World.Tokens {
		lifetime := 15 * time.Minute
		if token.State == "expired" {
			lifetime = -time.Minute
		}
		created := fake.TokenWithLifetime(token.UserID, token.WorkspaceID, lifetime)
		if token.State == "revoked" {
			fake.RevokeToken(created)
		}
		values[token.Name] = created
	}
	other := func(service string) *daikon.Client {
		return daikontest.New(t, table.World.fake(table.Service), daikon.WithService(service)).Client
	}
	runCases(t, fake.Client, other, readCases(t, values))
}

func (w *casesWorld) fake(service string) daikontest.World {
	world := daikontest.World{Service: service, Actions: w.Actions, Roles: w.Roles, ResourceTypes: w.ResourceTypes}
	for _, user := range w.Users {
		world.Users = append(world.Users, daikontest.User{
			ID:         user.ID,
			Email:      user.Email,
			ExternalID: user.ExternalID,
			Inactive:   user.IsActive != nil && !*user.IsActive,
		})
	}
	for _, workspace := range w.Workspaces {
		world.Workspaces = append(world.Workspaces, workspace.ID)
	}
	for _, member := range w.Members {
		world.Members = append(world.Members, daikontest.Member{
			WorkspaceID: member.WorkspaceID,
			UserID:      member.UserID,
			Role:        daikontest.Role(member.Role),
		})
	}
	for _, group := range w.Groups {
		world.Groups = append(world.Groups, daikontest.Group{
			ID:          group.ID,
			WorkspaceID: group.WorkspaceID,
			Members:     group.Members,
			Groups:      group.Groups,
		})
	}
	for _, resource := range w.Resources {
		world.Resources = append(world.Resources, daikontest.Resource{
			Type:        resource.Type,
			ID:          resource.ID,
			WorkspaceID: resource.WorkspaceID,
			OwnerID:     resource.OwnerID,
			Visibility:  daikon.Visibility(resource.Visibility),
			Parent:      resource.Parent,
			Detached:    resource.Inherits != nil && !*resource.Inherits,
		})
	}
	for _, share := range w.Shares {
		world.Shares = append(world.Shares, daikontest.Share{
			Resource:   share.Resource,
			Grantee:    daikon.Grantee{UserID: share.UserID, GroupID: share.GroupID},
			Permission: share.Permission,
			Role:       share.Role,
		})
	}
	return world
}

// runCases runs the cases in order, because they depend on the changes of earlier ones. Cases with a service use
// the client that other returns.
func runCases(t *testing.T, client *daikon.Client, other func(service string) *daikon.Client, table casesTable) {
	t.Helper()
	if len(table.Cases) < 100 {
		t.Fatalf("the table has only %d cases", len(table.Cases))
	}
	for _, row := range table.Cases {
		t.Run(row.Name, func(t *testing.T) {
			operation, ok := operations[row.Call]
			if !ok {
				t.Fatalf("no operation %s", row.Call)
			}
			caller := client
			if row.Service != "" {
				caller = other(row.Service)
			}
			result, err := operation(t.Context(), caller, row.Args)
			if row.Fails != nil {
				requireFailure(t, row, result, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			requireResult(t, row, result)
		})
	}
}

func requireFailure(t *testing.T, row clientCase, result any, err error) {
	t.Helper()
	var failure *daikon.Error
	if !errors.As(err, &failure) {
		t.Fatalf("returned %v, %v", result, err)
	}
	if failure.Code != row.Fails.Code {
		t.Errorf("failed with %s: %v", failure.Code, err)
	}
	if row.Fails.Reason != "" && failure.Reason != row.Fails.Reason {
		t.Errorf("failed with %s: %v", failure.Reason, err)
	}
	var fields []string
	for _, field := range failure.Fields {
		fields = append(fields, field.Field)
	}
	if row.Fails.Fields != nil && !slices.Equal(fields, row.Fails.Fields) {
		t.Errorf("fields are %v: %v", fields, err)
	}
}

// requireResult compares results as JSON. For objects, it compares only the fields that the case lists.
func requireResult(t *testing.T, row clientCase, result any) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var actual any
	if err := json.Unmarshal(text, &actual); err != nil {
		t.Fatal(err)
	}
	expected := row.Returns
	if row.Call == "accessible" {
		expected = sortValues(expected)
	}
	if fields, ok := expected.(map[string]any); ok {
		for name, value := range fields {
			if found := actual.(map[string]any)[name]; !reflect.DeepEqual(found, value) {
				t.Errorf("%s is %v instead of %v", name, found, value)
			}
		}
		return
	}
	if !reflect.DeepEqual(actual, expected) {
		t.Errorf("returned %v instead of %v", actual, expected)
	}
}

func sortValues(values any) any {
	list := values.([]any)
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return list
}

// operations contains the operations by name. Each calls the client with the arguments of a case.
var operations = map[string]func(context.Context, *daikon.Client, caseArguments) (any, error){
	"check": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return client.Check(ctx, args.Subject, args.Action, args.Resource)
	},
	"checkMany": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return client.CheckMany(ctx, args.Items)
	},
	"accessible": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		var options []daikon.AccessibleOption
		if args.WorkspaceID != "" {
			options = append(options, daikon.InWorkspace(args.WorkspaceID))
		}
		ids := []string{}
		for id, err := range client.Accessible(ctx, args.Subject, args.Action, args.Type, options...) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return ids, nil
	},
	"explain": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		explanation, err := client.Explain(ctx, args.Subject, args.Action, args.Resource)
		if err != nil {
			return nil, err
		}
		rules, roles := []string{}, []string{}
		for _, reason := range explanation.Reasons {
			rules = append(rules, reason.Rule)
			if reason.Role != "" {
				roles = append(roles, reason.Role)
			}
		}
		slices.Sort(rules)
		slices.Sort(roles)
		return map[string]any{"allowed": explanation.Allowed, "rules": rules, "roles": roles}, nil
	},
	"register": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.Register(ctx, daikon.Registration{
			Type:        args.Type,
			ID:          args.ID,
			WorkspaceID: args.WorkspaceID,
			OwnerID:     args.OwnerID,
			Visibility:  args.Visibility,
			Parent:      args.Parent,
		}))
	},
	"unregister": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return nil, client.Unregister(ctx, args.Resource, daikon.As(args.As))
	},
	"share": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		var grant daikon.Grant
		if args.Permission != "" {
			grant = args.Permission
		}
		if args.Role != nil {
			grant = *args.Role
		}
		share, err := client.Share(ctx, args.Resource, args.Grantee, grant, daikon.As(args.As))
		if err != nil {
			return nil, err
		}
		grantee := map[string]string{"userId": share.Grantee.UserID}
		if share.Grantee.GroupID != "" {
			grantee = map[string]string{"groupId": share.Grantee.GroupID}
		}
		result := map[string]any{"grantee": grantee}
		if share.Permission != "" {
			result["permission"] = share.Permission
		}
		if share.Role != "" {
			result["role"] = share.Role
		}
		return result, nil
	},
	"declareType": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		request := &daikonv1.PutResourceTypeRequest{ServiceName: "docs", ResourceType: args.Type, Roles: args.Roles}
		request.AllowPublic = &args.AllowPublic
		_, err := daikonv1.NewPermissionServiceClient(client.Conn()).PutResourceType(ctx, request)
		return nil, err
	},
	"revoke": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return nil, client.Revoke(ctx, args.Resource, args.Grantee, daikon.As(args.As))
	},
	"setVisibility": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.SetVisibility(ctx, args.Resource, args.Visibility, daikon.As(args.As)))
	},
	"transfer": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.Transfer(ctx, args.Resource, args.UserID, daikon.As(args.As)))
	},
	"verifyAccessToken": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		claims, err := client.VerifyAccessToken(ctx, args.Token)
		if err != nil {
			return nil, err
		}
		return map[string]string{"userId": claims.Subject, "workspaceId": claims.WorkspaceID}, nil
	},
	"resourceId": func(_ context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return client.ResourceID(daikon.Resource{Type: args.Type, ID: args.ID})
	},
}

func viewResource(resource *daikon.RegisteredResource, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"type":        resource.Type,
		"id":          resource.ID,
		"workspaceId": resource.WorkspaceID,
		"ownerId":     resource.OwnerID,
		"visibility":  string(resource.Visibility),
	}, nil
}

// connect creates a client of the server and closes it at the end of the test.
func connect(t *testing.T, server *casesServer, options ...daikon.Option) *daikon.Client {
	t.Helper()
	own := []daikon.Option{daikon.WithService("docs"), daikon.WithServiceKey(server.ServiceKey)}
	client, err := daikon.New(server.Address, append(own, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
