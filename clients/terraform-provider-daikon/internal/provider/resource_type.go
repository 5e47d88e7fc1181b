package provider

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type resourceTypeModel struct {
	ID           types.String        `tfsdk:"id"`
	ServiceName  types.String        `tfsdk:"service_name"`
	ResourceType types.String        `tfsdk:"resource_type"`
	Description  types.String        `tfsdk:"description"`
	AllowPublic  types.Bool          `tfsdk:"allow_public"`
	Roles        []resourceRole      `tfsdk:"roles"`
	Conditions   []resourceCondition `tfsdk:"conditions"`
	Requirements []requirement       `tfsdk:"requirements"`
}

var resourceTypeKind = kind[resourceTypeModel]{
	name: "resource_type",
	schema: schema.Schema{
		MarkdownDescription: "The declaration of a resource type of a service: the roles and conditions that shares can have.",
		Attributes: map[string]schema.Attribute{
			"id":            idAttribute("The service and the resource type, escaped as in URLs and separated by `/`."),
			"service_name":  fixedAttribute("The name of the service."),
			"resource_type": fixedAttribute("The resource type."),
			"description":   descriptionAttribute(),
			"allow_public":  boolAttribute(false, "Whether resources of the type may be public."),
			"roles": nestedList("The roles that shares can grant.", map[string]schema.Attribute{
				"name":        schema.StringAttribute{Required: true, MarkdownDescription: "The name of the role."},
				"description": descriptionAttribute(),
				"actions": schema.SetAttribute{
					Required:            true,
					ElementType:         types.StringType,
					MarkdownDescription: "`view`, `edit`, `manage` and actions that the service has registered.",
				},
			}),
			"conditions": nestedList("The conditions that shares can have.", map[string]schema.Attribute{
				"name":        schema.StringAttribute{Required: true, MarkdownDescription: "The name of the condition."},
				"description": descriptionAttribute(),
				"expression":  schema.StringAttribute{Required: true, MarkdownDescription: "A CEL expression."},
				"parameters": schema.MapAttribute{
					Optional:            true,
					ElementType:         types.StringType,
					MarkdownDescription: "The types of the parameters by name, such as `int` or `list<string>`.",
				},
			}),
			"requirements": nestedList("The conditions that actions require.", map[string]schema.Attribute{
				"action":    schema.StringAttribute{Required: true, MarkdownDescription: "The action."},
				"condition": schema.StringAttribute{Required: true, MarkdownDescription: "The name of a condition without parameters."},
				"inherited": boolAttribute(false, "Whether it also binds everything that inherits from a resource of the type."),
			}),
		},
	},
	id: func(m *resourceTypeModel) types.String { return m.ID },
	create: func(ctx context.Context, c *client, m *resourceTypeModel) error {
		found, err := findResourceType(ctx, c, m)
		if err != nil {
			return err
		}
		id := route("%s/%s", m.ServiceName.ValueString(), m.ResourceType.ValueString())
		if found != nil {
			return errors.New("the service has declared the resource type: import it with the ID " + id)
		}
		if err := putResourceType(ctx, c, m); err != nil {
			return err
		}
		m.ID = types.StringValue(id)
		return nil
	},
	read: func(ctx context.Context, c *client, m *resourceTypeModel) (string, error) {
		found, err := findResourceType(ctx, c, m)
		if err != nil {
			return "", err
		}
		if found == nil {
			return "", &apiError{Reason: "RESOURCE_TYPE_NOT_FOUND", Detail: "the service has not declared the resource type; an empty declaration is not stored"}
		}
		m.Description = types.StringValue(found.Description)
		m.AllowPublic = types.BoolValue(found.AllowPublic)
		m.Roles = emptyAs(m.Roles, found.Roles)
		for i := range found.Conditions {
			parameters := &found.Conditions[i].Parameters
			if len(*parameters) == 0 {
				*parameters = nil
			}
			if i < len(m.Conditions) && len(*parameters) == 0 && len(m.Conditions[i].Parameters) == 0 {
				*parameters = m.Conditions[i].Parameters
			}
		}
		m.Conditions = emptyAs(m.Conditions, found.Conditions)
		m.Requirements = emptyAs(m.Requirements, found.Requirements)
		return "", nil
	},
	update: func(ctx context.Context, c *client, _, plan *resourceTypeModel, _ string) error {
		return putResourceType(ctx, c, plan)
	},
	delete: func(ctx context.Context, c *client, m *resourceTypeModel, _ string) error {
		return c.delete(ctx, resourceTypePath(m), "")
	},
	imported: func(id string) (resourceTypeModel, error) {
		service, kind, ok := strings.Cut(id, "/")
		serviceName, serviceErr := url.PathUnescape(service)
		resourceType, kindErr := url.PathUnescape(kind)
		if !ok || serviceErr != nil || kindErr != nil {
			return resourceTypeModel{}, errors.New("the ID must be service_name/resource_type, each escaped as in URLs")
		}
		return resourceTypeModel{
			ID:           types.StringValue(id),
			ServiceName:  types.StringValue(serviceName),
			ResourceType: types.StringValue(resourceType),
		}, nil
	},
}

func nestedList(description string, attributes map[string]schema.Attribute) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Optional:            true,
		MarkdownDescription: description,
		NestedObject:        schema.NestedAttributeObject{Attributes: attributes},
	}
}

func putResourceType(ctx context.Context, c *client, m *resourceTypeModel) error {
	return c.put(ctx, resourceTypePath(m), object{
		"description":  m.Description.ValueString(),
		"allow_public": m.AllowPublic.ValueBool(),
		"roles":        notNil(m.Roles),
		"conditions":   notNil(m.Conditions),
		"requirements": notNil(m.Requirements),
	})
}

// findResourceType returns nil for a resource type without a declaration.
func findResourceType(ctx context.Context, c *client, m *resourceTypeModel) (*declaration, error) {
	var declarations []declaration
	if _, err := c.get(ctx, "/admin/resource-types", &declarations); err != nil {
		return nil, err
	}
	for _, found := range declarations {
		if found.ServiceName == m.ServiceName.ValueString() && found.ResourceType == m.ResourceType.ValueString() {
			return &found, nil
		}
	}
	return nil, nil
}

func resourceTypePath(m *resourceTypeModel) string {
	return route("/admin/resource-types/%s/%s", m.ServiceName.ValueString(), m.ResourceType.ValueString())
}

// declaration is a ResourceType.
type declaration struct {
	ServiceName  string              `json:"service_name"`
	ResourceType string              `json:"resource_type"`
	Description  string              `json:"description"`
	AllowPublic  bool                `json:"allow_public"`
	Roles        []resourceRole      `json:"roles"`
	Conditions   []resourceCondition `json:"conditions"`
	Requirements []requirement       `json:"requirements"`
}

type resourceRole struct {
	Name        string   `tfsdk:"name" json:"name"`
	Description string   `tfsdk:"description" json:"description"`
	Actions     []string `tfsdk:"actions" json:"actions"`
}

type resourceCondition struct {
	Name        string            `tfsdk:"name" json:"name"`
	Description string            `tfsdk:"description" json:"description"`
	Expression  string            `tfsdk:"expression" json:"expression"`
	Parameters  map[string]string `tfsdk:"parameters" json:"parameters,omitempty"`
}

type requirement struct {
	Action    string `tfsdk:"action" json:"action"`
	Condition string `tfsdk:"condition" json:"condition"`
	Inherited bool   `tfsdk:"inherited" json:"inherited"`
}
