// Package daikon checks permissions with daikon, a gRPC-first identity and authorization server.
//
// Create one [Client] for the whole process. It connects on the first call and reconnects automatically:
//
//	client, err := daikon.New("localhost:50051",
//		daikon.WithService("docs"),
//		daikon.WithServiceKey(os.Getenv("DAIKON_SERVICE_KEY")),
//	)
//
// # Checks
//
// [Client.Check] reports whether a subject may perform an action on a resource. Checks that goroutines start at the
// same moment are sent in one call, without a timer that would delay a single check. At most [WithMaxInFlight] calls
// run concurrently. Further checks wait, and share the next call.
//
// # Deadlines and retries
//
// An operation ends at the deadline of its context, or after the timeout of [WithTimeout] (2 seconds by default) if
// the context has none. Calls that may run twice are retried up to two times after the gRPC status UNAVAILABLE, within
// the deadline.
//
// # Errors
//
// A denied check is not an error. Every failure is an [*Error] with a [Code], a stable reason and, for invalid
// arguments, the invalid fields. Compare with [errors.Is] and [errors.As]:
//
//	if errors.Is(err, daikon.ErrUnavailable) {
//		http.Error(w, "try again", http.StatusServiceUnavailable)
//	}
//
// # Agents
//
// An agent that acts for a user obtains tokens with [Client.Exchange], in a client with [WithAgent]. Checks with such a
// token decide for both. [Client.VerifyAccessToken] refuses it without [Delegated].
//
// # Tests
//
// Package daikontest provides an in-memory server that applies daikon's rules. Package daikonhttp provides middleware
// for net/http. Package daikonv1 contains the generated code of the whole API, for use with [Client.Conn].
package daikon
