"""Messages of the gRPC API, generated."""
