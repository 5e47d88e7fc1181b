package io.github.daikonauth.client;

/** The resource, workspace, grantee or share does not exist. */
public final class NotFoundException extends DaikonException {
  private static final long serialVersionUID = 1;

  NotFoundException(String reason, String message, Details details) {
    super(Code.NOT_FOUND, reason, message, details);
  }
}
