package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/daikon-auth/daikon/clients/go/daikonv1"
	"github.com/daikon-auth/daikon/clients/go/daikonv1/adminv1"
)

// timeout is the time after which the outcome of a call is unknown.
const timeout = 5 * time.Second

// node is a node of daikon, reached over a single connection.
type node struct {
	permissions daikonv1.PermissionServiceClient
	access      daikonv1.AccessServiceClient
	admin       adminv1.AdminServiceClient
	delegations daikonv1.DelegationServiceClient
}

func connect(port int) (*node, error) {
	connection, err := grpc.NewClient(
		fmt.Sprintf("passthrough:///127.0.0.1:%d", port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// A retried write would be executed twice but recorded once.
		grpc.WithDisableRetry(),
		grpc.WithDisableServiceConfig(),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1, MaxDelay: 50 * time.Millisecond},
			MinConnectTimeout: time.Second,
		}),
	)
	if err != nil {
		return nil, err
	}
	return &node{
		permissions: daikonv1.NewPermissionServiceClient(connection),
		access:      daikonv1.NewAccessServiceClient(connection),
		admin:       adminv1.NewAdminServiceClient(connection),
		delegations: daikonv1.NewDelegationServiceClient(connection),
	}, nil
}

// credentials returns a context that sends the metadata with each call.
func credentials(pairs ...string) context.Context {
	return metadata.NewOutgoingContext(context.Background(), metadata.Pairs(pairs...))
}

// send makes a call with a timeout and returns its status code.
func send(ctx context.Context, call func(context.Context) error) codes.Code {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return status.Code(call(ctx))
}

// anyNode returns a random node other than `previous`, which may be nil.
func anyNode(nodes []*node, previous *node) *node {
	for {
		chosen := nodes[rand.IntN(len(nodes))]
		if chosen != previous || len(nodes) == 1 {
			return chosen
		}
	}
}
