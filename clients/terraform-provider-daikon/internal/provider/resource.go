package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	datasourceschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// kind describes a type of resource whose attributes M contains.
type kind[M any] struct {
	// name is the name of the type without that of the provider.
	name   string
	schema schema.Schema
	// id returns the ID, which create sets.
	id func(*M) types.String
	// create creates the object and sets its ID and secrets. After an error, an object whose ID is set
	// exists and will be replaced.
	create func(context.Context, *client, *M) error
	// read sets everything but the secrets and returns the ETag, if the object has one.
	read func(context.Context, *client, *M) (string, error)
	// update makes the object as planned and sets new secrets. The ETag is empty if it is unknown.
	update func(ctx context.Context, c *client, state, plan *M, etag string) error
	delete func(ctx context.Context, c *client, state *M, etag string) error
	// imported returns what read needs to know of an object.
	imported func(id string) (M, error)
}

// managed is a resource of any kind.
type managed[M any] struct {
	kind[M]
	client *client
}

// etagKey names the ETag of the last read in the private state.
const etagKey = "etag"

func (k kind[M]) factory() func() resource.Resource {
	return func() resource.Resource { return &managed[M]{kind: k} }
}

func (r *managed[M]) Metadata(_ context.Context, request resource.MetadataRequest, response *resource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + r.name
}

func (r *managed[M]) Schema(_ context.Context, _ resource.SchemaRequest, response *resource.SchemaResponse) {
	response.Schema = r.schema
}

func (r *managed[M]) Configure(_ context.Context, request resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.client, _ = request.ProviderData.(*client)
}

func (r *managed[M]) Create(ctx context.Context, request resource.CreateRequest, response *resource.CreateResponse) {
	var plan M
	response.Diagnostics.Append(request.Plan.Get(ctx, &plan)...)
	if response.Diagnostics.HasError() {
		return
	}
	err := r.create(ctx, r.client, &plan)
	addError(ctx, &response.Diagnostics, r.schema, "Cannot create daikon_"+r.name, err)
	if r.id(&plan).IsUnknown() {
		return
	}
	etag, err := r.read(ctx, r.client, &plan)
	addError(ctx, &response.Diagnostics, r.schema, "Cannot read daikon_"+r.name, err)
	response.Diagnostics.Append(response.State.Set(ctx, &plan)...)
	response.Diagnostics.Append(storeTag(ctx, response.Private, etag)...)
}

func (r *managed[M]) Read(ctx context.Context, request resource.ReadRequest, response *resource.ReadResponse) {
	var state M
	response.Diagnostics.Append(request.State.Get(ctx, &state)...)
	if response.Diagnostics.HasError() {
		return
	}
	etag, err := r.read(ctx, r.client, &state)
	if isGone(err) {
		response.State.RemoveResource(ctx)
		return
	}
	addError(ctx, &response.Diagnostics, r.schema, "Cannot read daikon_"+r.name, err)
	if err != nil {
		return
	}
	response.Diagnostics.Append(response.State.Set(ctx, &state)...)
	response.Diagnostics.Append(storeTag(ctx, response.Private, etag)...)
}

func (r *managed[M]) Update(ctx context.Context, request resource.UpdateRequest, response *resource.UpdateResponse) {
	var state, plan M
	response.Diagnostics.Append(request.State.Get(ctx, &state)...)
	response.Diagnostics.Append(request.Plan.Get(ctx, &plan)...)
	if response.Diagnostics.HasError() {
		return
	}
	err := r.update(ctx, r.client, &state, &plan, loadTag(ctx, request.Private))
	addError(ctx, &response.Diagnostics, r.schema, "Cannot update daikon_"+r.name, err)
	if err != nil {
		return
	}
	etag, err := r.read(ctx, r.client, &plan)
	addError(ctx, &response.Diagnostics, r.schema, "Cannot read daikon_"+r.name, err)
	// Also after an error: the plan may contain a secret that is shown only once.
	response.Diagnostics.Append(response.State.Set(ctx, &plan)...)
	response.Diagnostics.Append(storeTag(ctx, response.Private, etag)...)
}

func (r *managed[M]) Delete(ctx context.Context, request resource.DeleteRequest, response *resource.DeleteResponse) {
	var state M
	response.Diagnostics.Append(request.State.Get(ctx, &state)...)
	if response.Diagnostics.HasError() {
		return
	}
	err := r.delete(ctx, r.client, &state, loadTag(ctx, request.Private))
	if !isGone(err) {
		addError(ctx, &response.Diagnostics, r.schema, "Cannot delete daikon_"+r.name, err)
	}
}

func (r *managed[M]) ImportState(ctx context.Context, request resource.ImportStateRequest, response *resource.ImportStateResponse) {
	state, err := r.imported(request.ID)
	addError(ctx, &response.Diagnostics, r.schema, "Cannot import daikon_"+r.name, err)
	if err == nil {
		response.Diagnostics.Append(response.State.Set(ctx, &state)...)
	}
}

type privateState interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
	SetKey(context.Context, string, []byte) diag.Diagnostics
}

// storeTag keeps an ETag as JSON, which the private state requires.
func storeTag(ctx context.Context, private privateState, etag string) diag.Diagnostics {
	value, _ := json.Marshal(etag)
	return private.SetKey(ctx, etagKey, value)
}

func loadTag(ctx context.Context, private privateState) string {
	var etag string
	if value, _ := private.GetKey(ctx, etagKey); value != nil {
		_ = json.Unmarshal(value, &etag)
	}
	return etag
}

// lookup describes a data source whose attributes M contains.
type lookup[M any] struct {
	name   string
	schema datasourceschema.Schema
	read   func(context.Context, *client, *M) error
}

type source[M any] struct {
	lookup[M]
	client *client
}

func (l lookup[M]) factory() func() datasource.DataSource {
	return func() datasource.DataSource { return &source[M]{lookup: l} }
}

func (s *source[M]) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + s.name
}

func (s *source[M]) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	response.Schema = s.schema
}

func (s *source[M]) Configure(_ context.Context, request datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	s.client, _ = request.ProviderData.(*client)
}

func (s *source[M]) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	var config M
	response.Diagnostics.Append(request.Config.Get(ctx, &config)...)
	if response.Diagnostics.HasError() {
		return
	}
	err := s.read(ctx, s.client, &config)
	addError(ctx, &response.Diagnostics, s.schema, "Cannot read daikon_"+s.name, err)
	if err == nil {
		response.Diagnostics.Append(response.State.Set(ctx, &config)...)
	}
}
