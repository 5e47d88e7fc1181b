package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// apiError is an error response (RFC 9457).
type apiError struct {
	Detail    string `json:"detail"`
	Reason    string `json:"reason"`
	RequestID string `json:"request_id"`
	Errors    []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errors"`
}

func (e *apiError) Error() string {
	if e.RequestID == "" {
		return e.Detail
	}
	return fmt.Sprintf("%s (%s, request %s)", e.Detail, e.Reason, e.RequestID)
}

// isGone reports whether the object does not exist. A wrong URL is another error.
func isGone(err error) bool {
	var failure *apiError
	return errors.As(err, &failure) && strings.HasSuffix(failure.Reason, "_NOT_FOUND")
}

// hasReason reports whether the server has rejected a call for this reason.
func hasReason(err error, reason string) bool {
	var failure *apiError
	return errors.As(err, &failure) && failure.Reason == reason
}

// readError returns an apiError if the response is one of daikon.
func readError(method, path string, response *http.Response, data []byte) error {
	failure := &apiError{}
	if json.Unmarshal(data, failure) != nil || failure.Reason == "" {
		return fmt.Errorf("%s %s returned %s, which is not a response of daikon: check the URL", method, path, response.Status)
	}
	return failure
}

// attributeSchema is the schema of a resource or data source.
type attributeSchema interface {
	TypeAtPath(context.Context, path.Path) (attr.Type, diag.Diagnostics)
}

// addError adds an error, unless it is nil: one diagnostic for each field that the server names, at
// its attribute.
func addError(ctx context.Context, diagnostics *diag.Diagnostics, schema attributeSchema, summary string, err error) {
	var failure *apiError
	switch {
	case err == nil:
	case errors.As(err, &failure) && len(failure.Errors) > 0:
		for _, violation := range failure.Errors {
			detail := violation.Field + " " + violation.Message
			if at, ok := attributePath(ctx, schema, violation.Field); ok {
				diagnostics.AddAttributeError(at, summary, detail)
			} else {
				diagnostics.AddError(summary, detail)
			}
		}
	case hasReason(err, "CHANGED_SINCE_READ"):
		diagnostics.AddError(summary, "It has changed since the plan was made. Run terraform plan again. "+failure.Error())
	default:
		diagnostics.AddError(summary, err.Error())
	}
}

var fieldSegment = regexp.MustCompile(`([a-z_]+)|\[(\d+)\]`)

// attributePath returns the attribute that a field such as `roles[0].actions[1]` belongs to: the
// nearest one that the schema has.
func attributePath(ctx context.Context, schema attributeSchema, field string) (path.Path, bool) {
	at, ok := path.Empty(), false
	for _, segment := range fieldSegment.FindAllStringSubmatch(field, -1) {
		next := at.AtName(segment[1])
		if segment[1] == "" {
			kind, _ := schema.TypeAtPath(ctx, at)
			if _, isList := kind.(types.ListType); !isList {
				return at, ok
			}
			index, _ := strconv.Atoi(segment[2])
			next = at.AtListIndex(index)
		}
		if _, problems := schema.TypeAtPath(ctx, next); problems.HasError() {
			return at, ok
		}
		at, ok = next, true
	}
	return at, ok
}
