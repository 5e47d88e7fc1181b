package io.github.daikonauth.spring;

import io.github.daikonauth.client.DaikonException;
import io.github.daikonauth.client.DaikonException.Code;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/** Converts errors of operations to the problems (RFC 9457) with which daikon itself responds. */
public final class DaikonProblems {
  private record Kind(int status, String name, String title) {}

  private static final Kind UNAVAILABLE = new Kind(503, "unavailable", "Unavailable");

  // The limits of daikon are not those of the application's own callers.
  private static final Map<Code, Kind> KINDS = Map.of(
      Code.UNAUTHENTICATED, new Kind(401, "unauthenticated", "Unauthenticated"),
      Code.PERMISSION_DENIED, new Kind(403, "permission-denied", "Permission denied"),
      Code.NOT_FOUND, new Kind(404, "not-found", "Not found"),
      Code.INVALID_ARGUMENT, new Kind(422, "invalid-argument", "Invalid request"),
      Code.UNAVAILABLE, UNAVAILABLE,
      Code.DEADLINE_EXCEEDED, UNAVAILABLE,
      Code.RESOURCE_EXHAUSTED, UNAVAILABLE);

  private DaikonProblems() {}

  /**
   * Returns the problem for an error, in a controller or {@code @ControllerAdvice}:
   *
   * <pre>{@code
   * @ExceptionHandler
   * ProblemDetail failed(DaikonException error) {
   *   return DaikonProblems.of(error);
   * }
   * }</pre>
   *
   * @throws DaikonException the error itself if the request did not cause it, such as that of a wrong service key
   */
  public static ProblemDetail of(DaikonException error) {
    Kind kind = KINDS.get(error.code());
    String reason = error.reason();
    if (kind == null || reason.startsWith("SERVICE_KEY_") || reason.equals("OTHER_SERVICE")) throw error;
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(
        HttpStatusCode.valueOf(kind.status()),
        kind == UNAVAILABLE ? "Permissions cannot be checked right now" : error.getMessage());
    problem.setType(URI.create("urn:daikon:problem:" + kind.name()));
    problem.setTitle(kind.title());
    problem.setProperty("reason", reason);
    if (error.requestId() != null) problem.setProperty("request_id", error.requestId());
    if (!error.fields().isEmpty()) problem.setProperty("errors", List.copyOf(error.fields()));
    return problem;
  }
}
