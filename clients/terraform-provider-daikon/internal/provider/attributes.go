package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// idAttribute is the ID that the server or the provider gives an object.
func idAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description, PlanModifiers: keep()}
}

// nameAttribute is a name of which the server would remove surrounding spaces.
func nameAttribute(description string) schema.StringAttribute {
	trimmed := regexp.MustCompile(`^\S(.*\S)?$`)
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: description,
		Validators:          []validator.String{stringvalidator.RegexMatches(trimmed, "must not begin or end with spaces")},
	}
}

// fixedAttribute is a required string that cannot be changed later.
func fixedAttribute(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: description,
		PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

func optionalAttribute(description string, modifiers ...planmodifier.String) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, MarkdownDescription: description, PlanModifiers: modifiers}
}

func descriptionAttribute() schema.StringAttribute {
	return defaultAttribute("", "A description.")
}

func defaultAttribute(value, description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		Computed:            true,
		Default:             stringdefault.StaticString(value),
		MarkdownDescription: description,
		Validators:          validators,
	}
}

func boolAttribute(value bool, description string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional:            true,
		Computed:            true,
		Default:             booldefault.StaticBool(value),
		MarkdownDescription: fmt.Sprintf("%s Defaults to `%t`.", description, value),
	}
}

// managedSet is a set of strings that the provider leaves alone if it is null.
func managedSet(description string) schema.SetAttribute {
	return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: description}
}

// defaultSet is a set of strings that is empty by default.
func defaultSet(description string) schema.SetAttribute {
	return schema.SetAttribute{
		Optional:            true,
		Computed:            true,
		ElementType:         types.StringType,
		Default:             setdefault.StaticValue(types.SetValueMust(types.StringType, []attr.Value{})),
		MarkdownDescription: description,
	}
}

// secretAttribute is a secret that the server shows once. It changes with the attributes that are
// named.
func secretAttribute(description string, changesWith ...string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:            true,
		Sensitive:           true,
		MarkdownDescription: description + " Null after an import until `rotation` changes.",
		PlanModifiers:       keep(changesWith...),
	}
}

func rotationAttribute(secret string) schema.StringAttribute {
	return optionalAttribute("Any text. A new " + secret + " is created whenever it changes, but not when it is removed.")
}

// keep keeps the value of the state, unless one of these attributes changes.
func keep(unlessChanged ...string) []planmodifier.String {
	return []planmodifier.String{keepModifier{unlessChanged: unlessChanged}}
}

// keepSame keeps the value of the state also if the configured one means the same.
func keepSame(same func(left, right string) bool) []planmodifier.String {
	return []planmodifier.String{keepModifier{same: same}}
}

type keepModifier struct {
	unlessChanged []string
	same          func(left, right string) bool
}

func (keepModifier) Description(context.Context) string {
	return "Keeps its value."
}

func (m keepModifier) MarkdownDescription(ctx context.Context) string {
	return m.Description(ctx)
}

func (m keepModifier) PlanModifyString(ctx context.Context, request planmodifier.StringRequest, response *planmodifier.StringResponse) {
	if request.State.Raw.IsNull() {
		return
	}
	if !request.PlanValue.IsUnknown() {
		if m.same != nil && isSame(request.StateValue, request.PlanValue, m.same) {
			response.PlanValue = request.StateValue
		}
		return
	}
	if !request.ConfigValue.IsNull() {
		return
	}
	for _, name := range m.unlessChanged {
		var before, after types.String
		response.Diagnostics.Append(request.State.GetAttribute(ctx, path.Root(name), &before)...)
		response.Diagnostics.Append(request.Plan.GetAttribute(ctx, path.Root(name), &after)...)
		if !before.Equal(after) {
			return
		}
	}
	response.PlanValue = request.StateValue
}

// isRotation reports whether a change of `rotation` asks for a new secret.
func isRotation(state, plan types.String) bool {
	return !plan.IsNull() && !plan.Equal(state)
}

// optionalString returns null for what the server omits.
func optionalString(value *string) types.String {
	return types.StringPointerValue(value)
}

// orNull returns JSON null, which removes a value, or the value.
func orNull(value types.String) any {
	if value.IsNull() {
		return nil
	}
	return value.ValueString()
}

// sameOr returns the current value if the server's one means the same.
func sameOr(current, server types.String, same func(left, right string) bool) types.String {
	if isSame(current, server, same) {
		return current
	}
	return server
}

func isSame(left, right types.String, same func(left, right string) bool) bool {
	isText := func(value types.String) bool { return !value.IsNull() && !value.IsUnknown() }
	return isText(left) && isText(right) && same(left.ValueString(), right.ValueString())
}

func sameTime(left, right string) bool {
	first, firstErr := time.Parse(time.RFC3339, left)
	second, secondErr := time.Parse(time.RFC3339, right)
	return firstErr == nil && secondErr == nil && first.Equal(second)
}

func sameJSON(left, right string) bool {
	var first, second any
	return json.Unmarshal([]byte(left), &first) == nil &&
		json.Unmarshal([]byte(right), &second) == nil && reflect.DeepEqual(first, second)
}

// emptyAs keeps null where the state has null, because the server returns empty values.
func emptyAs[T any](current, server []T) []T {
	if len(current) == 0 && len(server) == 0 {
		return current
	}
	return server
}

func subtract(from, items []string) []string {
	return slices.DeleteFunc(slices.Clone(from), func(item string) bool { return slices.Contains(items, item) })
}

// notNil returns an empty list for null, which the server would reject.
func notNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
