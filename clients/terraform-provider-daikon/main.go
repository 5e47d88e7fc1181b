// Command terraform-provider-daikon is a provider for Terraform and OpenTofu.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/daikon-auth/daikon/clients/terraform-provider-daikon/internal/provider"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/daikon-auth/daikon"}
	if err := providerserver.Serve(context.Background(), provider.New, options); err != nil {
		log.Fatal(err)
	}
}
