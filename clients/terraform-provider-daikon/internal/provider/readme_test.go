package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const readmePath = "../../README.md"

// TestReadme compares the reference in the README with the schemas. With UPDATE_README=1, it writes it.
func TestReadme(t *testing.T) {
	response, err := providerserver.NewProtocol6(New())().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(readmePath)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- from the schemas -->\n", "<!-- end -->"
	before, rest, _ := strings.Cut(string(content), begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatal("the README has no reference")
	}
	wanted := before + begin + renderSchemas("Resource", response.ResourceSchemas) +
		renderSchemas("Data source", response.DataSourceSchemas) + "\n" + end + after
	if os.Getenv("UPDATE_README") != "" {
		if err := os.WriteFile(readmePath, []byte(wanted), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if wanted != string(content) {
		t.Error("the reference is outdated: run UPDATE_README=1 go test ./...")
	}
}

func renderSchemas(kind string, schemas map[string]*tfprotov6.Schema) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		block := schemas[name].Block
		fmt.Fprintf(&text, "\n### %s `%s`\n\n%s\n\n| Attribute | Use | Meaning |\n| --- | --- | --- |\n", kind, name, block.Description)
		renderAttributes(&text, "", block.Attributes)
	}
	return text.String()
}

func renderAttributes(text *strings.Builder, prefix string, attributes []*tfprotov6.SchemaAttribute) {
	modes := []string{"required", "optional", "read-only"}
	sorted := slices.Clone(attributes)
	slices.SortStableFunc(sorted, func(left, right *tfprotov6.SchemaAttribute) int {
		return slices.Index(modes, modeOf(left)) - slices.Index(modes, modeOf(right))
	})
	for _, attribute := range sorted {
		mode := modeOf(attribute)
		if attribute.Sensitive {
			mode += ", sensitive"
		}
		fmt.Fprintf(text, "| `%s%s` | %s | %s |\n", prefix, attribute.Name, mode, attribute.Description)
		if attribute.NestedType != nil {
			renderAttributes(text, prefix+attribute.Name+"[].", attribute.NestedType.Attributes)
		}
	}
}

func modeOf(attribute *tfprotov6.SchemaAttribute) string {
	switch {
	case attribute.Required:
		return "required"
	case attribute.Optional:
		return "optional"
	}
	return "read-only"
}
