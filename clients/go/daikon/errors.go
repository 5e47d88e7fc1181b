package daikon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the kind of an [Error]: a gRPC status in snake_case.
type Code string

const (
	CodeCanceled           Code = "cancelled"
	CodeUnknown            Code = "unknown"
	CodeInvalidArgument    Code = "invalid_argument"
	CodeDeadlineExceeded   Code = "deadline_exceeded"
	CodeNotFound           Code = "not_found"
	CodeAlreadyExists      Code = "already_exists"
	CodePermissionDenied   Code = "permission_denied"
	CodeResourceExhausted  Code = "resource_exhausted"
	CodeFailedPrecondition Code = "failed_precondition"
	CodeAborted            Code = "aborted"
	CodeOutOfRange         Code = "out_of_range"
	CodeUnimplemented      Code = "unimplemented"
	CodeInternal           Code = "internal"
	CodeUnavailable        Code = "unavailable"
	CodeDataLoss           Code = "data_loss"
	CodeUnauthenticated    Code = "unauthenticated"
)

// Errors to compare with [errors.Is].
var (
	// ErrInvalidArgument: an argument is missing or malformed; [Error.Fields] names each.
	ErrInvalidArgument = errors.New("daikon: invalid argument")
	// ErrUnauthenticated: the service key or access token is missing, invalid or expired.
	ErrUnauthenticated = errors.New("daikon: unauthenticated")
	// ErrInvalidToken: an access token is missing, malformed, expired, revoked, or from another issuer. Such an error
	// is also an ErrUnauthenticated.
	ErrInvalidToken = errors.New("daikon: invalid token")
	// ErrPermissionDenied: the user may not make the change, or the key belongs to another service.
	ErrPermissionDenied = errors.New("daikon: permission denied")
	// ErrNotFound: the resource, workspace, grantee or share does not exist.
	ErrNotFound = errors.New("daikon: not found")
	// ErrAlreadyExists: the resource is registered with another workspace or owner.
	ErrAlreadyExists = errors.New("daikon: already exists")
	// ErrResourceExhausted: a rate limit or quota is exceeded; [Error.RetryAfter] is the time to wait.
	ErrResourceExhausted = errors.New("daikon: resource exhausted")
	// ErrCursorGone: the cursor of a watch is older than the retention, or from before a restore of the database.
	ErrCursorGone = errors.New("daikon: cursor gone")
	// ErrUnavailable: daikon cannot be reached, or cannot reach its database.
	ErrUnavailable = errors.New("daikon: unavailable")
	// ErrDeadlineExceeded: the deadline passed before there was a result. Such an error is also a
	// [context.DeadlineExceeded].
	ErrDeadlineExceeded = errors.New("daikon: deadline exceeded")
	// ErrCanceled: the context was canceled, or the client was closed.
	ErrCanceled = errors.New("daikon: canceled")
)

var sentinels = map[Code]error{
	CodeInvalidArgument:   ErrInvalidArgument,
	CodeUnauthenticated:   ErrUnauthenticated,
	CodePermissionDenied:  ErrPermissionDenied,
	CodeNotFound:          ErrNotFound,
	CodeAlreadyExists:     ErrAlreadyExists,
	CodeResourceExhausted: ErrResourceExhausted,
	CodeOutOfRange:        ErrCursorGone,
	CodeUnavailable:       ErrUnavailable,
	CodeDeadlineExceeded:  ErrDeadlineExceeded,
	CodeCanceled:          ErrCanceled,
}

// Field is a problem with one field of a request.
type Field struct {
	Field   string
	Message string
}

// Error is the error that every operation returns. Compare Code and Reason in programs; Message is for people and may
// change.
type Error struct {
	// Code is the kind of error.
	Code Code
	// Reason is a stable identifier of the cause, such as RESOURCE_NOT_FOUND.
	Reason string
	// Message describes the problem and how to fix it.
	Message string
	// Fields lists every invalid field of an invalid_argument error.
	Fields []Field
	// RequestID identifies the request in the server's log; empty if the server did not receive it.
	RequestID string
	// RetryAfter is the time after which a retry may succeed; 0 if the server did not specify one.
	RetryAfter time.Duration

	cause error
}

// Error returns the message and the reason.
func (e *Error) Error() string {
	return fmt.Sprintf("daikon: %s (%s)", strings.TrimSuffix(e.Message, "."), e.Reason)
}

// Unwrap returns the error of the context or of gRPC, if that is the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether target is the Err variable for e's code.
func (e *Error) Is(target error) bool {
	if target == ErrInvalidToken {
		return e.Code == CodeUnauthenticated && strings.HasPrefix(e.Reason, "TOKEN_")
	}
	sentinel, ok := sentinels[e.Code]
	return ok && target == sentinel
}

// invalidArgument returns the error for arguments that are missing or malformed.
func invalidArgument(fields ...Field) *Error {
	messages := make([]string, len(fields))
	for index, field := range fields {
		messages[index] = field.Field + " " + field.Message
	}
	message := strings.Join(messages, "; ")
	return &Error{Code: CodeInvalidArgument, Reason: "INVALID_REQUEST", Message: message, Fields: fields}
}

// deadlineError returns the error of an operation whose deadline has passed. hint is the message.
func deadlineError(hint string) *Error {
	return &Error{
		Code:    CodeDeadlineExceeded,
		Reason:  "DEADLINE_EXCEEDED",
		Message: hint,
		cause:   context.DeadlineExceeded,
	}
}

func queueDeadlineError() *Error {
	return deadlineError("The deadline passed while the operation waited for others. Start fewer concurrently, " +
		"or raise WithMaxInFlight.")
}

// canceledError returns the error of an operation whose context was canceled.
func canceledError(cause error) *Error {
	message := "The operation was canceled by its context."
	return &Error{Code: CodeCanceled, Reason: "CANCELLED", Message: message, cause: cause}
}

// waitForShared waits until done is closed, for a request that other callers may wait for, too. It returns an error if ctx
// ends before. failure says what is missing then.
func waitForShared(ctx context.Context, done <-chan struct{}, failure string) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		if ctx.Err() == context.Canceled {
			return canceledError(context.Cause(ctx))
		}
		return deadlineError(failure + " before the deadline. Check the address.")
	}
}

// closedError returns the error of an operation on a client that was closed.
func closedError() *Error {
	message := "The client was closed. Call Close only when it is no longer needed."
	return &Error{Code: CodeCanceled, Reason: "CANCELLED", Message: message}
}

func tokenExpiredError() *Error {
	return &Error{
		Code:    CodeUnauthenticated,
		Reason:  "TOKEN_EXPIRED",
		Message: withAdvice("TOKEN_EXPIRED", "The access token has expired"),
	}
}

func tokenInvalidError(cause string) *Error {
	return &Error{
		Code:    CodeUnauthenticated,
		Reason:  "TOKEN_INVALID",
		Message: withAdvice("TOKEN_INVALID", "The access token is not valid: "+cause),
	}
}
