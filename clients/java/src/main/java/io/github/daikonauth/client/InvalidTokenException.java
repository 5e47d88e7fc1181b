package io.github.daikonauth.client;

/** An access token is malformed, expired, or not signed by this daikon. */
public final class InvalidTokenException extends UnauthenticatedException {
  private static final long serialVersionUID = 1;

  InvalidTokenException(String reason, String message, Details details) {
    super(reason, message, details);
  }
}
