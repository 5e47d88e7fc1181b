package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// harness calls the provider as OpenTofu does, within this process.
type harness struct {
	*testing.T
	server  tfprotov6.ProviderServer
	schemas map[string]*tfprotov6.Schema
	sources map[string]*tfprotov6.Schema
	client  *client
}

// config are the attributes that a configuration sets.
type config map[string]any

// instance is the state of a resource. The value is null if it has been destroyed.
type instance struct {
	value   tftypes.Value
	private []byte
}

// startHarness configures the provider for the server of the environment.
func startHarness(t *testing.T) *harness {
	if os.Getenv("DAIKON_URL") == "" {
		t.Skip("DAIKON_URL, DAIKON_CLIENT_ID and DAIKON_CLIENT_SECRET are not set")
	}
	server := providerserver.NewProtocol6(New())()
	response, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	h := &harness{T: t, server: server, schemas: response.ResourceSchemas, sources: response.DataSourceSchemas}
	h.check(err, response.Diagnostics)
	configType := response.Provider.ValueType()
	configured, err := server.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{
		Config: h.encode(configType, toValue(configType, config{})),
	})
	h.check(err, configured.Diagnostics)
	h.client, err = newClient(os.Getenv("DAIKON_URL"), os.Getenv("DAIKON_CLIENT_ID"), os.Getenv("DAIKON_CLIENT_SECRET"))
	h.check(err, nil)
	return h
}

// apply plans and applies a change, as of the state that was read last. It checks that the result is
// as planned.
func (h *harness) apply(name string, prior instance, settings config) (instance, []*tfprotov6.Diagnostic) {
	h.Helper()
	planned, replaced := h.plan(name, prior, settings)
	if len(replaced) > 0 && !prior.value.IsNull() {
		h.Fatalf("%s: %v requires a replacement", name, replaced)
	}
	kind := h.typeOf(name)
	response, err := h.server.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName:       name,
		PriorState:     h.encode(kind, prior.value),
		PlannedState:   h.encode(kind, planned.value),
		Config:         h.encode(kind, h.configValue(name, settings)),
		PlannedPrivate: planned.private,
	})
	h.check(err, nil)
	after := instance{h.decode(kind, response.NewState), response.Private}
	if failed(response.Diagnostics) {
		return after, response.Diagnostics
	}
	result := attributes(after.value)
	for attribute, value := range attributes(planned.value) {
		if value.IsFullyKnown() && !value.Equal(result[attribute]) {
			h.Fatalf("%s.%s is %s instead of %s", name, attribute, result[attribute], value)
		}
	}
	return after, nil
}

func (h *harness) mustApply(name string, prior instance, settings config) instance {
	h.Helper()
	after, diagnostics := h.apply(name, prior, settings)
	h.check(nil, diagnostics)
	return after
}

func (h *harness) create(name string, settings config) instance {
	h.Helper()
	return h.mustApply(name, h.destroyed(name), settings)
}

func (h *harness) destroy(name string, prior instance) {
	h.Helper()
	h.mustApply(name, prior, nil)
}

// plan returns the planned state, and the attributes that require a replacement.
func (h *harness) plan(name string, prior instance, settings config) (instance, []*tftypes.AttributePath) {
	h.Helper()
	kind := h.typeOf(name)
	configured := h.configValue(name, settings)
	proposed := configured
	if settings != nil {
		before, values := attributes(prior.value), attributes(configured)
		for _, attribute := range h.schemas[name].Block.Attributes {
			if !attribute.Computed || !values[attribute.Name].IsNull() {
				continue
			}
			values[attribute.Name] = tftypes.NewValue(attribute.ValueType(), tftypes.UnknownValue)
			if !prior.value.IsNull() {
				values[attribute.Name] = before[attribute.Name]
			}
		}
		proposed = tftypes.NewValue(kind, values)
	}
	response, err := h.server.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName:         name,
		PriorState:       h.encode(kind, prior.value),
		ProposedNewState: h.encode(kind, proposed),
		Config:           h.encode(kind, configured),
		PriorPrivate:     prior.private,
	})
	h.check(err, response.Diagnostics)
	return instance{h.decode(kind, response.PlannedState), response.PlannedPrivate}, response.RequiresReplace
}

// read refreshes a state.
func (h *harness) read(name string, prior instance) instance {
	h.Helper()
	kind := h.typeOf(name)
	response, err := h.server.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: h.encode(kind, prior.value), Private: prior.private,
	})
	h.check(err, response.Diagnostics)
	return instance{h.decode(kind, response.NewState), response.Private}
}

// imports returns the state of an object that the state has lacked.
func (h *harness) imports(name, id string) instance {
	h.Helper()
	response, err := h.server.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
	h.check(err, response.Diagnostics)
	imported := response.ImportedResources[0]
	return h.read(name, instance{h.decode(h.typeOf(name), imported.State), imported.Private})
}

// lookUp reads a data source.
func (h *harness) lookUp(name string, settings config) instance {
	h.Helper()
	kind := h.sources[name].ValueType()
	response, err := h.server.ReadDataSource(context.Background(), &tfprotov6.ReadDataSourceRequest{
		TypeName: name, Config: h.encode(kind, toValue(kind, settings)),
	})
	h.check(err, response.Diagnostics)
	return instance{value: h.decode(kind, response.State)}
}

// expectNoChanges refreshes a state and checks that the plan is empty.
func (h *harness) expectNoChanges(name string, state instance, settings config) instance {
	h.Helper()
	state = h.read(name, state)
	if planned, _ := h.plan(name, state, settings); !planned.value.Equal(state.value) {
		h.Fatalf("%s changes from\n%s\nto\n%s", name, state.value, planned.value)
	}
	return state
}

func (h *harness) check(err error, diagnostics []*tfprotov6.Diagnostic) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
	for _, diagnostic := range diagnostics {
		h.Errorf("%s: %s (%s)", diagnostic.Summary, diagnostic.Detail, diagnostic.Attribute)
	}
	if failed(diagnostics) {
		h.FailNow()
	}
}

func failed(diagnostics []*tfprotov6.Diagnostic) bool {
	for _, diagnostic := range diagnostics {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}
	return false
}

func (h *harness) typeOf(name string) tftypes.Type { return h.schemas[name].ValueType() }

// configValue returns null, which destroys a resource, for no configuration.
func (h *harness) configValue(name string, settings config) tftypes.Value {
	if settings == nil {
		return h.destroyed(name).value
	}
	return toValue(h.typeOf(name), settings)
}

func (h *harness) destroyed(name string) instance {
	return instance{value: tftypes.NewValue(h.typeOf(name), nil)}
}

func (h *harness) encode(kind tftypes.Type, value tftypes.Value) *tfprotov6.DynamicValue {
	h.Helper()
	encoded, err := tfprotov6.NewDynamicValue(kind, value)
	h.check(err, nil)
	return &encoded
}

func (h *harness) decode(kind tftypes.Type, encoded *tfprotov6.DynamicValue) tftypes.Value {
	h.Helper()
	value, err := encoded.Unmarshal(kind)
	h.check(err, nil)
	return value
}

// text returns an attribute that is a string.
func (i instance) text(name string) string {
	var text string
	if err := attributes(i.value)[name].As(&text); err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return text
}

func attributes(value tftypes.Value) map[string]tftypes.Value {
	values := map[string]tftypes.Value{}
	if value.IsNull() {
		return values
	}
	if err := value.As(&values); err != nil {
		panic(err)
	}
	return maps.Clone(values)
}

// toValue returns a value of a type. Attributes that an object lacks are null.
func toValue(kind tftypes.Type, value any) tftypes.Value {
	switch kind := kind.(type) {
	case tftypes.Object:
		settings := value.(config)
		values := map[string]tftypes.Value{}
		for name, attribute := range kind.AttributeTypes {
			values[name] = tftypes.NewValue(attribute, nil)
			if settings[name] != nil {
				values[name] = toValue(attribute, settings[name])
			}
		}
		return tftypes.NewValue(kind, values)
	case tftypes.Map:
		values := map[string]tftypes.Value{}
		for name, item := range value.(config) {
			values[name] = toValue(kind.ElementType, item)
		}
		return tftypes.NewValue(kind, values)
	case tftypes.List:
		return tftypes.NewValue(kind, toValues(kind.ElementType, value))
	case tftypes.Set:
		return tftypes.NewValue(kind, toValues(kind.ElementType, value))
	}
	return tftypes.NewValue(kind, value)
}

func toValues(kind tftypes.Type, items any) []tftypes.Value {
	values := []tftypes.Value{}
	for _, item := range items.([]any) {
		values = append(values, toValue(kind, item))
	}
	return values
}
