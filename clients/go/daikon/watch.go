package daikon

import (
	"context"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/daikon-auth/daikon/clients/go/daikonv1/activityv1"
)

// ActivityEvent is an entry of the activity log. Its actions and their details are listed in docs/activity-log.md.
// Strings are empty if they do not apply.
type ActivityEvent struct {
	ID string
	// Action is what happened, such as permission.shared.
	Action string
	// TargetType is the type of the target, such as permission.
	TargetType string
	TargetID   string
	// ActorID is the ID of the user, service account or management app that performed the action.
	ActorID     string
	ActorType   string
	WorkspaceID string
	// Detail depends on the action.
	Detail    map[string]any
	CreatedAt time.Time
	// ServiceAppID is the service app that authenticated the request, KeyPrefix the first characters of its key.
	ServiceAppID string
	KeyPrefix    string
	// APIKeyPrefix contains the first characters of the API key of a service account.
	APIKeyPrefix string
	// AgentType and AgentID are the service account or client app that acted for the actor by a delegation.
	AgentType    string
	AgentID      string
	DelegationID string
	RequestID    string
}

// WatchMessage is an event, or a bookmark, which only says that all events up to its cursor were received.
type WatchMessage struct {
	// Cursor continues a watch after this message.
	Cursor string
	// Event is nil for a bookmark.
	Event *ActivityEvent
}

// WatchOptions selects the events of [Client.Watch].
type WatchOptions struct {
	// Cursor is the cursor to begin after; earliest begins with the oldest event that is retained. If it is empty,
	// only new events are returned.
	Cursor string
	// WorkspaceID selects only events in this workspace.
	WorkspaceID string
	// Actions selects only these actions. member.* selects all that begin with member.
	Actions []string
	// OnDisconnect is called when the connection has ended, before the next attempt. Use it for a log.
	OnDisconnect func(error)
}

// The maximum delays before the first attempt to reconnect and before later ones.
const (
	firstWatchDelay = 100 * time.Millisecond
	laterWatchDelay = 5 * time.Second
)

// finalWatchCodes are the errors that the next attempt would return, too.
var finalWatchCodes = []Code{
	CodeInvalidArgument,
	CodeOutOfRange,
	CodeUnauthenticated,
	CodePermissionDenied,
	CodeNotFound,
	CodeFailedPrecondition,
	CodeUnimplemented,
}

// Watch follows the activity log. It reconnects after the last message that you have received, so that no event is
// missed. Store the cursor of a message once you have processed it, and begin there next time:
//
//	for message, err := range client.Watch(ctx, daikon.WatchOptions{Cursor: stored}) {
//		if err != nil {
//			return err
//		}
//		if message.Event != nil {
//			apply(message.Event)
//		}
//		store(message.Cursor)
//	}
//
// The iteration ends when you leave the loop, or with an error: [ErrCanceled] when ctx is canceled or the client is
// closed, [ErrCursorGone] if events after the cursor are no longer retained, and the errors of arguments and
// credentials that are not valid.
func (c *Client) Watch(ctx context.Context, options WatchOptions) iter.Seq2[WatchMessage, error] {
	return func(yield func(WatchMessage, error) bool) {
		request := &activityv1.WatchActivityRequest{Actions: options.Actions}
		if options.Cursor != "" {
			request.Cursor = &options.Cursor
		}
		if options.WorkspaceID != "" {
			request.WorkspaceId = &options.WorkspaceID
		}
		delay := firstWatchDelay
		for {
			isLeft, err := c.follow(ctx, request, func(message WatchMessage) bool {
				request.Cursor = &message.Cursor
				delay = firstWatchDelay
				return yield(message, nil)
			})
			if isLeft {
				return
			}
			if c.connection.isClosed() {
				err = closedError()
			}
			isFinal := slices.Contains(finalWatchCodes, err.Code) || err.Reason == "TLS_FAILED"
			if isFinal || c.connection.isClosed() || ctx.Err() != nil {
				yield(WatchMessage{}, err)
				return
			}
			if options.OnDisconnect != nil {
				options.OnDisconnect(err)
			}
			jittered := time.Duration(float64(delay) * (0.5 + rand.Float64()/2))
			if err := c.connection.sleep(ctx, max(jittered, err.RetryAfter)); err != nil {
				yield(WatchMessage{}, err)
				return
			}
			delay = min(2*delay, laterWatchDelay)
		}
	}
}

// follow opens one stream. It returns true if the consumer has left the loop, or else the error of the stream.
func (c *Client) follow(
	ctx context.Context, request *activityv1.WatchActivityRequest, receive func(WatchMessage) bool,
) (isLeft bool, err *Error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outgoing := metadata.NewOutgoingContext(ctx, c.connection.metadata(""))
	stream, failure := activityv1.NewActivityServiceClient(c.connection.grpc).Watch(outgoing, request)
	if failure != nil {
		return false, c.connection.convertError(ctx, failure, nil)
	}
	for {
		response, failure := stream.Recv()
		if failure == io.EOF {
			return false, &Error{Code: CodeUnavailable, Reason: "STREAM_ENDED", Message: "The server has ended the stream"}
		}
		if failure != nil {
			return false, c.connection.convertError(ctx, failure, stream.Trailer())
		}
		if !receive(readWatchMessage(response)) {
			return true, nil
		}
	}
}

func readWatchMessage(response *activityv1.WatchActivityResponse) WatchMessage {
	message := WatchMessage{Cursor: response.GetCursor()}
	if entry := response.GetEvent(); entry != nil {
		message.Event = &ActivityEvent{
			ID:           entry.GetId(),
			Action:       entry.GetAction(),
			TargetType:   entry.GetTargetType(),
			TargetID:     entry.GetTargetId(),
			ActorID:      entry.GetActorId(),
			ActorType:    entry.GetActorType(),
			WorkspaceID:  entry.GetWorkspaceId(),
			Detail:       entry.GetDetail().AsMap(),
			CreatedAt:    entry.GetCreatedAt().AsTime(),
			ServiceAppID: entry.GetServiceAppId(),
			KeyPrefix:    entry.GetKeyPrefix(),
			APIKeyPrefix: entry.GetApiKeyPrefix(),
			AgentType:    entry.GetAgentType(),
			AgentID:      entry.GetAgentId(),
			DelegationID: entry.GetDelegationId(),
			RequestID:    entry.GetRequestId(),
		}
	}
	return message
}
