// Package daikon checks permissions with daikon, a gRPC-first identity and authorization server.
//
// Create one [Client] for the whole process; it connects with the first call and reconnects by itself:
//
//	client, err := daikon.New("localhost:50051",
//		daikon.WithService("docs"),
//		daikon.WithServiceKey(os.Getenv("DAIKON_SERVICE_KEY")),
//	)
//
// # Checks
//
// [Client.Check] returns whether a subject may take an action on a resource. Checks that goroutines start at
// the same moment are sent in one call, without a timer that would delay a single check. At most
// [WithMaxInFlight] calls run at once; further checks wait, and are sent together when a call has finished.
//
// # Deadlines and retries
//
// An operation ends at the deadline of its context, or after the timeout of [WithTimeout] (2 seconds by
// default) if the context has none. Calls that may run twice are repeated up to two times after the gRPC
// status UNAVAILABLE, within the deadline.
//
// # Errors
//
// A denied check is not an error. Everything else that goes wrong is an [*Error], with a [Code], a stable
// reason and, for invalid arguments, the fields. Compare with [errors.Is] and [errors.As]:
//
//	if errors.Is(err, daikon.ErrUnavailable) {
//		http.Error(w, "try again", http.StatusServiceUnavailable)
//	}
//
// # Tests
//
// Package daikontest has a server in memory that decides by the rules of daikon. Package daikonhttp has
// middleware for net/http. Package daikonv1 has the generated code of the whole API, for [Client.Conn].
package daikon
