package io.github.daikonauth.client;

import java.time.Instant;

/**
 * One share of {@link Daikon#shareMany}.
 *
 * @param expiresAt when the share ends; null if it does not
 * @param condition the condition under which the share counts; null if it always does
 */
public record NewShare(Resource resource, Grantee grantee, Grant grant, Instant expiresAt, Condition condition) {
  public NewShare(Resource resource, Grantee grantee, Grant grant) {
    this(resource, grantee, grant, null, null);
  }
}
