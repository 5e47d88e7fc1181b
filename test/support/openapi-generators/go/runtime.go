// Package runtime imports what generated code imports, so that its modules are downloaded.
package runtime

import (
	_ "github.com/oapi-codegen/runtime"
	_ "github.com/oapi-codegen/runtime/types"
)
