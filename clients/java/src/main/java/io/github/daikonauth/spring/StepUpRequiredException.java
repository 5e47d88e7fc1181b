package io.github.daikonauth.spring;

import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2Error;

/** The user must sign in again, or in another way (RFC 9470). {@link DaikonEntryPoint} responds with its challenge. */
public final class StepUpRequiredException extends OAuth2AuthenticationException {
  private static final String MESSAGE = "The user must sign in again";

  private final String challenge;

  StepUpRequiredException(long maxAge, String acr) {
    super(new OAuth2Error("insufficient_user_authentication", MESSAGE, null));
    this.challenge = "Bearer error=\"insufficient_user_authentication\", error_description=\"" + MESSAGE + "\""
        + ", max_age=\"" + maxAge + "\""
        + (acr == null ? "" : ", acr_values=\"" + acr + "\"");
  }

  /** Returns the value of {@code WWW-Authenticate}. */
  public String challenge() {
    return challenge;
  }
}
