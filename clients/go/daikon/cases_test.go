package daikon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/daikon-auth/daikon/clients/go/daikon"
	"github.com/daikon-auth/daikon/clients/go/daikontest"
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
	Members    []struct {
		WorkspaceID, UserID, Role, State string
		Guest                            bool
	}
	Groups []struct {
		Name, ID, WorkspaceID string
		Members, Groups       []string
	}
	Actions   []string
	Roles     []daikontest.CustomRole
	Resources []struct {
		Type, ID, WorkspaceID, OwnerID, Visibility, DisplayName string
		Parent                                                  *daikon.Resource
		Inherits                                                *bool
		Attributes                                              map[string]any
	}
	ResourceTypes []struct {
		Type string
		daikon.TypeDeclaration
	}
	Shares []struct {
		Resource        daikon.Resource
		UserID, GroupID string
		Permission      daikon.Permission
		Role            daikon.ResourceRole
		Condition       *daikon.Condition
	}
	Delegations []struct {
		Name, ID, UserID, WorkspaceID, ServiceName, State string
		Agent                                             daikon.Agent
		Actions, ResourceTypes                            []string
		Resources                                         []daikon.Resource
	}
	Tokens []struct {
		Name, UserID, WorkspaceID, State, Resource, Delegation string
		Scopes                                                 []string
	}
}

type clientCase struct {
	Name    string
	Service string
	Needs   string
	Call    string
	Args    any
	Save    map[string]string
	Returns any
	Fails   *struct {
		Code   daikon.Code
		Reason string
		Fields []string
	}
}

type caseArguments struct {
	Subject      daikon.Subject
	Action       string
	Actions      []caseAction
	Resource     daikon.Resource
	Items        []daikon.Check
	Context      map[string]any
	WorkspaceID  string
	UserID       string
	Visibility   daikon.Visibility
	DisplayName  string
	Attributes   map[string]any
	caseGrant    // permission and role of a share or link
	Shares       []caseShare
	Resources    []daikon.Registration
	Parent       *daikon.Resource
	Inherits     *bool
	Cascade      bool
	Grantee      daikon.Grantee
	Name         string
	LinkID       string
	As           string
	Token        string
	Audience     *string
	Delegated    bool
	Type, ID     string
	DryRun       bool
	registration daikon.Registration
	declaration  daikon.TypeDeclaration
}

type caseGrant struct {
	Permission daikon.Permission
	Role       *daikon.ResourceRole
	Condition  *daikon.Condition
}

type caseShare struct {
	Resource daikon.Resource
	Grantee  daikon.Grantee
	caseGrant
}

// caseAction is a name, or an action with a description.
type caseAction daikon.Action

func (a *caseAction) UnmarshalJSON(encoded []byte) error {
	if json.Unmarshal(encoded, &a.Name) == nil {
		return nil
	}
	return json.Unmarshal(encoded, (*daikon.Action)(a))
}

func (g caseGrant) grant() daikon.Grant {
	switch {
	case g.Role != nil:
		return *g.Role
	case g.Permission != "":
		return g.Permission
	}
	return nil
}

// readArguments converts the arguments of a case, with values in place of strings that begin with $.
func readArguments(t *testing.T, row clientCase, values map[string]string) (args caseArguments) {
	t.Helper()
	text, err := json.Marshal(substitute(row.Args, values))
	if err != nil {
		t.Fatal(err)
	}
	into := []any{&args}
	switch row.Call {
	case "register":
		into = append(into, &args.registration)
	case "declareType":
		into = append(into, &args.declaration)
	}
	for _, target := range into {
		if err := json.Unmarshal(text, target); err != nil {
			t.Fatal(err)
		}
	}
	return args
}

// changeOptions returns the options of a change.
func (a *caseArguments) changeOptions() []daikon.ChangeOption {
	options := []daikon.ChangeOption{daikon.As(a.As)}
	if a.Context != nil {
		options = append(options, daikon.InContext(a.Context))
	}
	return options
}

// grantOptions returns the options of a share or link.
func grantOptions[Option any](a *caseArguments) []Option {
	var options []Option
	for _, option := range a.changeOptions() {
		options = append(options, option.(Option))
	}
	if a.Condition != nil {
		options = append(options, daikon.OnlyIf(*a.Condition).(Option))
	}
	return options
}

// conditions are what the expressions of the conditions in the table say.
var conditions = map[string]daikontest.Condition{
	"in_office": func(input daikontest.ConditionInput) bool { return input.Context["network"] == "office" },
	"up_to": func(input daikontest.ConditionInput) bool {
		return input.Context["amount"].(float64) <= input.Params["max"].(float64)
	},
	"not_locked": func(input daikontest.ConditionInput) bool { return input.Resource.Attributes["locked"] != true },
	"not_guest":  func(input daikontest.ConditionInput) bool { return !input.Subject.Guest },
	"by_person":  func(input daikontest.ConditionInput) bool { return input.Agent.Type == "" },
	"by_agent": func(input daikontest.ConditionInput) bool {
		return string(input.Agent.Type) == input.Params["type"] && input.Agent.ID == input.Params["id"]
	},
	"own": func(input daikontest.ConditionInput) bool {
		return input.Resource.OwnerID == input.Subject.ID
	},
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
	world := raw.(map[string]any)["world"].(map[string]any)
	if values == nil {
		values = map[string]string{}
		for _, kind := range []string{"users", "workspaces", "groups", "delegations"} {
			for _, entry := range world[kind].([]any) {
				named := entry.(map[string]any)
				values[named["name"].(string)] = named["id"].(string)
			}
		}
	}
	raw.(map[string]any)["world"] = substitute(world, values)
	text, err = json.Marshal(raw)
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
		replaced := make([]any, len(value))
		for index := range value {
			replaced[index] = substitute(value[index], values)
		}
		return replaced
	case map[string]any:
		replaced := map[string]any{}
		for key := range value {
			replaced[key] = substitute(value[key], values)
		}
		return replaced
	}
	return value
}

func TestCasesOnServer(t *testing.T) {
	server := startCasesServer(t)
	table := readCases(t, server.Values)
	client := connect(t, server)
	other := func(service string) *daikon.Client { return connect(t, server, daikon.WithService(service)) }
	runCases(t, client, other, table.Cases, server.Values)
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
	for _, delegation := range table.World.Delegations {
		values[delegation.Name] = delegation.ID
	}
	for _, token := range table.World.Tokens {
		lifetime := 15 * time.Minute
		if token.State == "expired" {
			lifetime = -time.Minute
		}
		created := fake.TokenWithLifetime(token.UserID, token.WorkspaceID, lifetime)
		if token.Resource != "" {
			created = fake.TokenForAPI(token.UserID, token.WorkspaceID, token.Resource, token.Scopes...)
		}
		if token.Delegation != "" {
			created = fake.DelegatedToken(token.Delegation)
		}
		if token.State == "revoked" {
			fake.RevokeToken(created)
		}
		if token.State == "forged" {
			parts := strings.Split(created, ".")
			created = strings.Join([]string{parts[0], parts[1], parts[1]}, ".")
		}
		values[token.Name] = created
	}
	other := func(service string) *daikon.Client {
		return daikontest.New(t, table.World.fake(table.Service), daikon.WithService(service)).Client
	}
	// A fake evaluates no expressions.
	needsServer := func(row clientCase) bool { return row.Needs == "cel" }
	runCases(t, fake.Client, other, slices.DeleteFunc(table.Cases, needsServer), values)
}

func (w *casesWorld) fake(service string) daikontest.World {
	world := daikontest.World{
		Service:       service,
		Actions:       w.Actions,
		Roles:         w.Roles,
		ResourceTypes: map[string]daikon.TypeDeclaration{},
		Conditions:    conditions,
	}
	for _, declared := range w.ResourceTypes {
		world.ResourceTypes[declared.Type] = declared.TypeDeclaration
	}
	for _, user := range w.Users {
		world.Users = append(world.Users, daikontest.User{
			ID:         user.ID,
			Name:       user.Name,
			Email:      user.Email,
			ExternalID: user.ExternalID,
			Inactive:   user.IsActive != nil && !*user.IsActive,
		})
	}
	for _, workspace := range w.Workspaces {
		world.Workspaces = append(world.Workspaces, daikontest.Workspace{ID: workspace.ID, Slug: workspace.Name})
	}
	for _, member := range w.Members {
		added := daikontest.Member{
			WorkspaceID: member.WorkspaceID,
			UserID:      member.UserID,
			Role:        daikontest.Role(member.Role),
			Guest:       member.Guest,
		}
		if member.State == "left" {
			added.ExpiresAt = time.Now().Add(-time.Minute)
		}
		world.Members = append(world.Members, added)
	}
	for _, group := range w.Groups {
		world.Groups = append(world.Groups, daikontest.Group{
			ID:          group.ID,
			WorkspaceID: group.WorkspaceID,
			Name:        group.Name,
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
			Attributes:  resource.Attributes,
			DisplayName: resource.DisplayName,
		})
	}
	for _, share := range w.Shares {
		world.Shares = append(world.Shares, daikontest.Share{
			Resource:   share.Resource,
			Grantee:    daikon.Grantee{UserID: share.UserID, GroupID: share.GroupID},
			Permission: share.Permission,
			Role:       share.Role,
			Condition:  share.Condition,
		})
	}
	for _, delegation := range w.Delegations {
		added := daikontest.Delegation{
			ID:            delegation.ID,
			UserID:        delegation.UserID,
			WorkspaceID:   delegation.WorkspaceID,
			Agent:         delegation.Agent,
			ServiceName:   delegation.ServiceName,
			Actions:       delegation.Actions,
			ResourceTypes: delegation.ResourceTypes,
			Resources:     delegation.Resources,
			Ended:         delegation.State == "ended",
		}
		if delegation.State == "expired" {
			added.ExpiresAt = time.Now().Add(-time.Minute)
		}
		world.Delegations = append(world.Delegations, added)
	}
	return world
}

// runCases runs the cases in order, because they depend on the changes of earlier ones. Cases with a service use
// the client that other returns.
func runCases(
	t *testing.T, client *daikon.Client, other func(service string) *daikon.Client, rows []clientCase,
	values map[string]string,
) {
	t.Helper()
	if len(rows) < 100 {
		t.Fatalf("the table has only %d cases", len(rows))
	}
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			operation, ok := operations[row.Call]
			if !ok {
				t.Fatalf("no operation %s", row.Call)
			}
			caller := client
			if row.Service != "" {
				caller = other(row.Service)
			}
			result, err := operation(t.Context(), caller, readArguments(t, row, values))
			if row.Fails != nil {
				requireFailure(t, row, result, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			row.Returns = substitute(row.Returns, values)
			requireResult(t, row, result, values)
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
func requireResult(t *testing.T, row clientCase, result any, values map[string]string) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var actual any
	if err := json.Unmarshal(text, &actual); err != nil {
		t.Fatal(err)
	}
	for name, field := range row.Save {
		values[name] = actual.(map[string]any)[field].(string)
	}
	expected := row.Returns
	switch row.Call {
	case "accessible", "subjects", "shares", "shareMany":
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
		return client.Check(ctx, args.Subject, args.Action, args.Resource, daikon.InContext(args.Context))
	},
	"checkMany": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return client.CheckMany(ctx, args.Items, daikon.InContext(args.Context))
	},
	"accessible": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		options := []daikon.AccessibleOption{daikon.InContext(args.Context)}
		if args.WorkspaceID != "" {
			options = append(options, daikon.InWorkspace(args.WorkspaceID))
		}
		return collect(client.Accessible(ctx, args.Subject, args.Action, args.Type, options...))
	},
	"subjects": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		options := []daikon.SubjectsOption{daikon.InContext(args.Context)}
		if args.Type == "group" {
			options = append(options, daikon.Groups())
		}
		return collect(client.Subjects(ctx, args.Action, args.Resource, options...))
	},
	"explain": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		input := daikon.InContext(args.Context)
		explanation, err := client.Explain(ctx, args.Subject, args.Action, args.Resource, input)
		if err != nil {
			return nil, err
		}
		lists := map[string][]string{
			"rules": {}, "roles": {}, "conditions": {}, "missing": {}, "requiredBy": {},
			"uncovered": {}, "delegations": {}, "agents": {},
		}
		add := func(list string, names ...string) {
			for _, name := range names {
				if name != "" {
					lists[list] = append(lists[list], name)
				}
			}
			slices.Sort(lists[list])
		}
		for _, reason := range explanation.Reasons {
			add("rules", reason.Rule)
			add("roles", reason.Role)
			add("conditions", reason.Condition)
			add("missing", reason.Missing...)
			if reason.RequiredBy != nil {
				add("requiredBy", reason.RequiredBy.Type)
			}
			add("uncovered", reason.Uncovered)
			add("delegations", reason.DelegationID)
			if agent := reason.Agent; agent != nil {
				add("agents", fmt.Sprintf("%s:%s %s", agent.Type, agent.ID, agent.Name))
			}
		}
		result := map[string]any{"allowed": explanation.Allowed}
		for name, list := range lists {
			result[name] = list
		}
		return result, nil
	},
	"register": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.Register(ctx, args.registration))
	},
	"registerMany": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		registered, err := client.RegisterMany(ctx, args.Resources)
		ids := []string{}
		for _, resource := range registered {
			ids = append(ids, resource.ID)
		}
		return ids, err
	},
	"get": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.Get(ctx, args.Resource))
	},
	"unregister": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		options := []daikon.UnregisterOption{daikon.As(args.As)}
		if args.Cascade {
			options = append(options, daikon.Cascade())
		}
		return nil, client.Unregister(ctx, args.Resource, options...)
	},
	"share": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		options := grantOptions[daikon.ShareOption](&args)
		share, err := client.Share(ctx, args.Resource, args.Grantee, args.grant(), options...)
		if err != nil {
			return nil, err
		}
		grantee := map[string]string{"userId": share.Grantee.UserID}
		if share.Grantee.GroupID != "" {
			grantee = map[string]string{"groupId": share.Grantee.GroupID}
		}
		result := viewGrant(share.Permission, share.Role)
		result["grantee"] = grantee
		if share.Condition != nil {
			result["condition"] = map[string]any{"name": share.Condition.Name, "params": share.Condition.Params}
		}
		return result, nil
	},
	"shareMany": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		shares := []daikon.NewShare{}
		for _, share := range args.Shares {
			shares = append(shares, daikon.NewShare{
				Resource:  share.Resource,
				Grantee:   share.Grantee,
				Grant:     share.grant(),
				Condition: share.Condition,
			})
		}
		return listGrantees(client.ShareMany(ctx, shares, args.changeOptions()...))
	},
	"shares": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return listGrantees(client.Shares(ctx, args.Resource))
	},
	"revoke": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return nil, client.Revoke(ctx, args.Resource, args.Grantee, args.changeOptions()...)
	},
	"createLink": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		options := append(grantOptions[daikon.LinkOption](&args), daikon.LinkName(args.Name))
		link, err := client.CreateLink(ctx, args.Resource, args.grant(), options...)
		if err != nil {
			return nil, err
		}
		result := viewGrant(link.Permission, link.Role)
		result["id"], result["token"], result["name"], result["createdBy"] = link.ID, link.Token, link.Name, link.CreatedBy
		return result, nil
	},
	"links": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		links, err := client.Links(ctx, args.Resource, args.changeOptions()...)
		names := []string{}
		for _, link := range links {
			names = append(names, link.Name)
		}
		return names, err
	},
	"revokeLink": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return nil, client.RevokeLink(ctx, args.Resource, args.LinkID, args.changeOptions()...)
	},
	"setVisibility": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.SetVisibility(ctx, args.Resource, args.Visibility, args.changeOptions()...))
	},
	"setAttributes": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.SetAttributes(ctx, args.Resource, args.Attributes, args.changeOptions()...))
	},
	"setDisplayName": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.SetDisplayName(ctx, args.Resource, args.DisplayName, args.changeOptions()...))
	},
	"setParent": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		options := []daikon.ParentOption{daikon.As(args.As)}
		if args.Inherits != nil {
			options = append(options, daikon.Inherits(*args.Inherits))
		}
		return viewResource(client.SetParent(ctx, args.Resource, args.Parent, options...))
	},
	"transfer": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return viewResource(client.Transfer(ctx, args.Resource, args.UserID, args.changeOptions()...))
	},
	"registerActions": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		var actions []daikon.Action
		for _, action := range args.Actions {
			actions = append(actions, daikon.Action(action))
		}
		return nil, client.RegisterActions(ctx, actions...)
	},
	"declareType": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		if !args.DryRun {
			_, err := client.DeclareType(ctx, args.Type, args.declaration)
			return nil, err
		}
		declared, err := client.DeclareType(ctx, args.Type, args.declaration, daikon.DryRun())
		if err != nil {
			return nil, err
		}
		uses := declared.Uses
		counts := map[string]any{"resources": uses.Resources, "roles": uses.Roles, "conditions": uses.Conditions}
		if uses.ResourcesBelow > 0 {
			counts["resourcesBelow"] = uses.ResourcesBelow
		}
		return map[string]any{"uses": counts}, nil
	},
	"resourceTypes": func(ctx context.Context, client *daikon.Client, _ caseArguments) (any, error) {
		types, err := client.ResourceTypes(ctx)
		names := []string{}
		for _, declared := range types {
			names = append(names, declared.Type)
		}
		slices.Sort(names)
		return names, err
	},
	"deleteType": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return nil, client.DeleteType(ctx, args.Type)
	},
	"verifyAccessToken": func(ctx context.Context, client *daikon.Client, args caseArguments) (any, error) {
		var opts []daikon.VerifyOption
		if args.Audience != nil {
			opts = append(opts, daikon.Audience(*args.Audience))
		}
		if args.Delegated {
			opts = append(opts, daikon.Delegated())
		}
		claims, err := client.VerifyAccessToken(ctx, args.Token, opts...)
		if err != nil {
			return nil, err
		}
		result := map[string]string{"userId": claims.Subject, "workspaceId": claims.WorkspaceID}
		if claims.Actor != nil {
			result["agent"] = fmt.Sprintf("%s:%s", claims.Actor.Type, claims.Actor.ID)
			result["delegationId"] = claims.DelegationID
		}
		return result, nil
	},
	"resourceId": func(_ context.Context, client *daikon.Client, args caseArguments) (any, error) {
		return client.ResourceID(daikon.Resource{Type: args.Type, ID: args.ID})
	},
}

func viewResource(resource *daikon.RegisteredResource, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	view := map[string]any{
		"type":        resource.Type,
		"id":          resource.ID,
		"workspaceId": resource.WorkspaceID,
		"ownerId":     resource.OwnerID,
		"visibility":  string(resource.Visibility),
		"inherits":    resource.Inherits,
		"attributes":  resource.Attributes,
		"ownerName":   resource.OwnerName,
		"ownerEmail":  resource.OwnerEmail,
	}
	sharedWith := []any{}
	for _, name := range nameGrantees(resource.Shares) {
		sharedWith = append(sharedWith, name)
	}
	view["sharedWith"] = sharedWith
	inherited := []any{}
	for _, ancestor := range resource.Ancestors {
		holders := append([]string{ancestor.OwnerName + " " + ancestor.OwnerEmail}, nameGrantees(ancestor.Shares)...)
		inherited = append(inherited, fmt.Sprintf(
			"%s %s %s: %s", ancestor.Type, ancestor.ID, ancestor.Visibility, strings.Join(holders, ", ")))
	}
	view["inherited"] = inherited
	if resource.DisplayName != "" {
		view["displayName"] = resource.DisplayName
	}
	return view, nil
}

func nameGrantees(shares []daikon.Share) []string {
	names := []string{}
	for _, share := range shares {
		names = append(names, share.GranteeName+" "+share.GranteeEmail)
	}
	slices.Sort(names)
	return names
}

func viewGrant(permission daikon.Permission, role daikon.ResourceRole) map[string]any {
	view := map[string]any{}
	if permission != "" {
		view["permission"] = permission
	}
	if role != "" {
		view["role"] = role
	}
	return view
}

func listGrantees(shares []daikon.Share, err error) (any, error) {
	ids := []string{}
	for _, share := range shares {
		ids = append(ids, share.Grantee.UserID+share.Grantee.GroupID)
	}
	slices.Sort(ids)
	return ids, err
}

func collect(found iter.Seq2[string, error]) (any, error) {
	ids := []string{}
	for id, err := range found {
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids, nil
}

// connect creates a client of the server and closes it at the end of the test.
func connect(t *testing.T, server *casesServer, options ...daikon.Option) *daikon.Client {
	t.Helper()
	own := []daikon.Option{
		daikon.WithService("docs"), daikon.WithServiceKey(server.ServiceKey), daikon.WithTimeout(30 * time.Second),
	}
	client, err := daikon.New(server.Address, append(own, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
