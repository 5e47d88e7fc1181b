package daikon

import (
	"context"
	"regexp"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// advice describes how to fix an error, by its reason. It is appended to the server's message.
var advice = map[string]string{
	"SERVICE_KEY_MISSING": "Pass WithServiceKey: `npm run daikon -- service-app create` creates a key for your service.",
	"SERVICE_KEY_INVALID": "Check WithServiceKey: the key is wrong, was replaced, or its service app was deactivated.",
	"OTHER_SERVICE":       "Pass WithService with the service_name of your service key.",
	"TOKEN_MISSING":       "Use As to pass the access token of the user making the change.",
	"TOKEN_EXPIRED":       "Let the user refresh it and try again.",
	"TOKEN_INVALID":       "Pass an access token that daikon has issued, without the word \"Bearer\".",
	"TOKEN_REVOKED":       "The user must sign in again.",
}

var codeNames = map[codes.Code]Code{
	codes.Canceled:           CodeCanceled,
	codes.InvalidArgument:    CodeInvalidArgument,
	codes.DeadlineExceeded:   CodeDeadlineExceeded,
	codes.NotFound:           CodeNotFound,
	codes.AlreadyExists:      CodeAlreadyExists,
	codes.PermissionDenied:   CodePermissionDenied,
	codes.ResourceExhausted:  CodeResourceExhausted,
	codes.FailedPrecondition: CodeFailedPrecondition,
	codes.Aborted:            CodeAborted,
	codes.OutOfRange:         CodeOutOfRange,
	codes.Unimplemented:      CodeUnimplemented,
	codes.Internal:           CodeInternal,
	codes.Unavailable:        CodeUnavailable,
	codes.DataLoss:           CodeDataLoss,
	codes.Unauthenticated:    CodeUnauthenticated,
}

func codeName(code codes.Code) Code {
	if name, ok := codeNames[code]; ok {
		return name
	}
	return CodeUnknown
}

// withAdvice returns the server's message, with advice if there is any.
func withAdvice(reason, message string) string {
	if hint, ok := advice[reason]; ok {
		return strings.TrimSuffix(message, ".") + ". " + hint
	}
	return message
}

// convertError converts a gRPC error.
func (c *connection) convertError(ctx context.Context, failure error, trailer metadata.MD) *Error {
	grpcStatus := status.Convert(failure)
	if len(grpcStatus.Details()) > 0 {
		err := readDetails(grpcStatus, trailer)
		err.cause = failure
		return err
	}
	if c.isClosed() {
		return closedError()
	}
	if ctx.Err() != nil {
		return c.contextError(ctx)
	}
	switch code := grpcStatus.Code(); {
	case code == codes.Unavailable:
		return c.connectionError(grpcStatus.Message(), failure)
	case code == codes.DeadlineExceeded:
		return c.responseDeadlineError()
	case code == codes.Internal && strings.Contains(grpcStatus.Message(), "invalid UTF-8"):
		err := invalidArgument(Field{Field: "request", Message: "must have strings of valid UTF-8 only"})
		err.cause = failure
		return err
	}
	name := codeName(grpcStatus.Code())
	reason := strings.ToUpper(string(name))
	return &Error{Code: name, Reason: reason, Message: grpcStatus.Message(), cause: failure}
}

// readDetails reads google.rpc.ErrorInfo, BadRequest and RetryInfo.
func readDetails(grpcStatus *status.Status, trailer metadata.MD) *Error {
	name := codeName(grpcStatus.Code())
	err := &Error{Code: name, Reason: strings.ToUpper(string(name))}
	for _, detail := range grpcStatus.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			err.Reason = detail.GetReason()
		case *errdetails.BadRequest:
			for _, violation := range detail.GetFieldViolations() {
				err.Fields = append(err.Fields, Field{violation.GetField(), violation.GetDescription()})
			}
		case *errdetails.RetryInfo:
			err.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	err.Message = withAdvice(err.Reason, grpcStatus.Message())
	if ids := trailer.Get("x-request-id"); len(ids) > 0 {
		err.RequestID = ids[0]
	}
	return err
}

var (
	connectionPrefix = regexp.MustCompile(`^(last connection error: )?connection error: desc = `)
	whitespace       = regexp.MustCompile(`\s+`)
	certificateError = regexp.MustCompile(`x509:|certificate|handshake failure|remote error: tls`)
	notTLS           = regexp.MustCompile(`first record does not look like a TLS handshake`)
)

// connectionError returns the error of a call that could not connect.
func (c *connection) connectionError(message string, cause error) *Error {
	text := connectionPrefix.ReplaceAllString(message, "")
	text = strings.TrimSuffix(strings.Trim(whitespace.ReplaceAllString(text, " "), `"`), ".")
	reason, start, hint := "UNREACHABLE", "No connection to ", "Check the address (the gRPC port is 50051 by default), "+
		"whether daikon is running, and whether it uses TLS on this port (WithTLS)."
	switch {
	case notTLS.MatchString(text):
		reason, start = "TLS_FAILED", "No TLS connection to "
		hint = "The server does not use TLS on this port: check the address, or pass WithPlaintext."
	case certificateError.MatchString(text):
		reason, start = "TLS_FAILED", "No TLS connection to "
		hint = "Pass WithTLS with RootCAs for the certificate authority of the server, ServerName if its " +
			"certificate has another name, and Certificates if the server requires client certificates."
	case c.usesTLS:
		// A server that requires a client certificate may close the connection before the client reads the reason.
		hint += " If the server requires client certificates, pass WithTLS with Certificates."
	}
	return &Error{
		Code:    CodeUnavailable,
		Reason:  reason,
		Message: start + c.address + ": " + text + ". " + hint,
		cause:   cause,
	}
}
