package io.github.daikonauth.client;

/** The service key or access token is missing, invalid or expired. */
public sealed class UnauthenticatedException extends DaikonException
    permits InvalidTokenException, InvalidWebhookException {
  private static final long serialVersionUID = 1;

  UnauthenticatedException(String reason, String message, Details details) {
    super(Code.UNAUTHENTICATED, reason, message, details);
  }
}
