package io.github.daikonauth.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.client.DaikonException.Details;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Converts errors of gRPC. */
final class ServerErrors {
  /** How to fix an error, by its reason. Appended to the server's message. */
  static final Map<String, String> ADVICE = Map.of(
      "SERVICE_KEY_MISSING",
      "Set serviceKey: `npm run daikon -- service-app create` creates a key for your service.",
      "SERVICE_KEY_INVALID",
      "Check serviceKey: the key is wrong, was replaced, or its service app was deactivated.",
      "OTHER_SERVICE",
      "Set service to the service_name of your service key.",
      "TOKEN_MISSING",
      "Use Options.as to pass the access token of the user making the change.",
      "TOKEN_EXPIRED",
      "Let the user refresh it and try again.",
      "TOKEN_INVALID",
      "Pass an access token that daikon has issued, without the word \"Bearer\".",
      "TOKEN_REVOKED",
      "The user must sign in again.");

  private static final Metadata.Key<String> REQUEST_ID =
      Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);

  private static final Pattern NOT_TLS = Pattern.compile("NotSslRecord|not an SSL/TLS record");
  private static final Pattern CERTIFICATE =
      Pattern.compile("certificat|CertPath|SSLHandshake|handshake_failure|alert", Pattern.CASE_INSENSITIVE);

  private ServerErrors() {}

  /** Returns the server's message, with advice if there is any. */
  static String withAdvice(String reason, String message) {
    String advice = ADVICE.get(reason);
    return advice == null ? message : message + ". " + advice;
  }

  /** Converts an error of a call. `target` identifies the server in messages. */
  static DaikonException read(StatusRuntimeException error, String target) {
    Code code = codeOf(error);
    com.google.rpc.Status details = StatusProto.fromThrowable(error);
    if (details != null && details.getDetailsCount() > 0) return readDetails(code, error, details);
    if (code == Code.UNAVAILABLE) return connectionError(error, target);
    if (code == Code.DEADLINE_EXCEEDED) {
      boolean isConnecting = String.valueOf(error.getStatus().getDescription()).contains("wait_for_ready")
          || String.valueOf(error.getStatus().getDescription()).contains("connecting");
      String hint = isConnecting
          ? " No connection to " + target + " so far: check address, network and firewall."
          : " Check the load of daikon and its database, or raise the timeout.";
      String message = "daikon did not respond before the deadline." + hint;
      return DaikonException.of(code, "DEADLINE_EXCEEDED", message, Details.cause(error));
    }
    String message = error.getStatus().getDescription();
    return DaikonException.of(
        code, code.name(), message == null ? code.toString() : message, Details.cause(error));
  }

  private static DaikonException readDetails(
      Code code, StatusRuntimeException error, com.google.rpc.Status status) {
    String reason = code.name();
    List<Field> fields = new ArrayList<>();
    Duration retryAfter = null;
    try {
      for (Any detail : status.getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          reason = detail.unpack(ErrorInfo.class).getReason();
        } else if (detail.is(BadRequest.class)) {
          for (BadRequest.FieldViolation violation : detail.unpack(BadRequest.class).getFieldViolationsList())
            fields.add(new Field(violation.getField(), violation.getDescription()));
        } else if (detail.is(RetryInfo.class)) {
          com.google.protobuf.Duration delay = detail.unpack(RetryInfo.class).getRetryDelay();
          retryAfter = Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
        }
      }
    } catch (InvalidProtocolBufferException invalid) {
      error.addSuppressed(invalid);
    }
    Metadata trailers = error.getTrailers();
    String requestId = trailers == null ? null : trailers.get(REQUEST_ID);
    String message = withAdvice(reason, String.valueOf(error.getStatus().getDescription()));
    return DaikonException.of(code, reason, message, new Details(fields, requestId, retryAfter, error));
  }

  private static DaikonException connectionError(StatusRuntimeException error, String target) {
    StringBuilder text = new StringBuilder(String.valueOf(error.getStatus().getDescription()));
    StringBuilder kinds = new StringBuilder(text);
    for (Throwable cause = error.getStatus().getCause(); cause != null; cause = cause.getCause()) {
      kinds.append(' ').append(cause);
      if (cause.getMessage() != null) text.append(": ").append(cause.getMessage());
    }
    boolean isProtocol = NOT_TLS.matcher(kinds).find();
    if (isProtocol || CERTIFICATE.matcher(kinds).find()) {
      String hint = isProtocol
          ? "The server does not use TLS on this port: check the address, or call plaintext()."
          : "Pass credentials with the certificate authority of the server, serverName if its certificate has another "
              + "name, and a key manager if the server requires client certificates.";
      String message = "No TLS connection to " + target + ": " + text + ". " + hint;
      return DaikonException.of(Code.UNAVAILABLE, "TLS_FAILED", message, Details.cause(error));
    }
    String message = "No connection to " + target + ": " + text + ". Check the address (the gRPC port is 50051 by "
        + "default), whether daikon is running, and whether it uses TLS on this port.";
    return DaikonException.of(Code.UNAVAILABLE, "UNREACHABLE", message, Details.cause(error));
  }

  private static Code codeOf(StatusRuntimeException error) {
    try {
      return Code.valueOf(error.getStatus().getCode().name());
    } catch (IllegalArgumentException unknown) {
      return Code.UNKNOWN;
    }
  }
}
