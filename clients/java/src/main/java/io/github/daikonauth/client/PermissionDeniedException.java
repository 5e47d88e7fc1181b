package io.github.daikonauth.client;

/** The user is not allowed to make the change, or the key belongs to another service. */
public final class PermissionDeniedException extends DaikonException {
  private static final long serialVersionUID = 1;

  PermissionDeniedException(String reason, String message, Details details) {
    super(Code.PERMISSION_DENIED, reason, message, details);
  }
}
