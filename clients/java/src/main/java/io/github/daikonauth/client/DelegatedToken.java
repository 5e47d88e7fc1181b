package io.github.daikonauth.client;

import java.time.Instant;

/**
 * A token with which an agent acts for a user.
 *
 * @param token the access token
 * @param scope the scopes, separated by spaces; empty without a resource
 */
public record DelegatedToken(String token, String scope, Instant expiresAt) {
  @Override
  public String toString() {
    return "DelegatedToken[scope=" + scope + ", expiresAt=" + expiresAt + "]";
  }
}
