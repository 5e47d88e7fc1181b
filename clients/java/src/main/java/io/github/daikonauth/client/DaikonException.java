package io.github.daikonauth.client;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The base class of all errors of operations; a denied check is not an error. Programs should compare {@link #code}
 * and {@link #reason}: the message is meant for people and may change.
 */
public class DaikonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of error: a status of gRPC. */
  public enum Code {
    CANCELLED,
    UNKNOWN,
    INVALID_ARGUMENT,
    DEADLINE_EXCEEDED,
    NOT_FOUND,
    ALREADY_EXISTS,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    FAILED_PRECONDITION,
    ABORTED,
    OUT_OF_RANGE,
    UNIMPLEMENTED,
    INTERNAL,
    UNAVAILABLE,
    DATA_LOSS,
    UNAUTHENTICATED;

    /** Returns the name as in the documentation, such as {@code not_found}. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What an error says besides its message. */
  record Details(List<Field> fields, String requestId, Duration retryAfter, Throwable cause) {
    static final Details NONE = new Details(List.of(), null, null, null);

    static Details cause(Throwable cause) {
      return new Details(List.of(), null, null, cause);
    }
  }

  private final Code code;
  private final String reason;
  private final transient List<Field> fields;
  private final String requestId;
  private final Duration retryAfter;

  DaikonException(Code code, String reason, String message, Details details) {
    super(message, details.cause());
    this.code = code;
    this.reason = reason;
    this.fields = List.copyOf(details.fields());
    this.requestId = details.requestId();
    this.retryAfter = details.retryAfter();
  }

  /** Creates an error of the class for the code. */
  static DaikonException of(Code code, String reason, String message, Details details) {
    return switch (code) {
      case UNAUTHENTICATED -> new UnauthenticatedException(reason, message, details);
      case PERMISSION_DENIED -> new PermissionDeniedException(reason, message, details);
      case NOT_FOUND -> new NotFoundException(reason, message, details);
      case INVALID_ARGUMENT -> new InvalidArgumentException(reason, message, details);
      case OUT_OF_RANGE -> new CursorGoneException(reason, message, details);
      case UNAVAILABLE -> new UnavailableException(reason, message, details);
      case DEADLINE_EXCEEDED -> new DeadlineExceededException("DEADLINE_EXCEEDED", message, details);
      case CANCELLED -> new CancelledException("CANCELLED", message, details);
      default -> new DaikonException(code, reason, message, details);
    };
  }

  /** Creates an error of the class for the code, for test doubles. */
  public static DaikonException of(Code code, String reason, String message, Field... fields) {
    return of(code, reason, message, new Details(List.of(fields), null, null, null));
  }

  /** Creates the error for arguments that are missing or malformed. */
  static DaikonException invalid(Field... fields) {
    StringBuilder message = new StringBuilder();
    for (Field field : fields) {
      if (!message.isEmpty()) message.append("; ");
      message.append(field.field()).append(' ').append(field.message());
    }
    return of(Code.INVALID_ARGUMENT, "INVALID_REQUEST", message.toString(), fields);
  }

  /** Returns the kind of error. */
  public Code code() {
    return code;
  }

  /** Returns a stable identifier of the cause, such as {@code RESOURCE_NOT_FOUND}. */
  public String reason() {
    return reason;
  }

  /** Returns all invalid fields of an {@code invalid_argument} error. */
  public List<Field> fields() {
    return fields == null ? List.of() : fields;
  }

  /** Returns the ID under which the server logged the request; null if there is none. */
  public String requestId() {
    return requestId;
  }

  /** Returns the time after which a retry may succeed; null if the server did not say. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
