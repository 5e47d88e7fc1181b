package io.github.daikonauth.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The claims of a verified access token (RFC 7519).
 *
 * @param subject the ID of the user or service account ({@code sub})
 * @param workspaceId the workspace for which the token was issued ({@code wid})
 * @param role the role in the workspace when the token was issued. Decide with {@link Daikon#check}, not with the role
 * @param isGuest whether the user was a guest of the workspace when the token was issued
 * @param groups the IDs of the user's groups when the token was issued; empty if there are more than 100
 * @param type {@code access}, {@code api_key} for the API key of a service account, {@code resource_access} for a token
 *     that is limited to an API, which names no person, or {@code delegated} for one with which an agent acts for the
 *     user
 * @param expiresAt when the token expires; null for an API key that does not
 * @param all all claims by name. An API key has only sub, wid, wslug, wrole, type and exp
 * @param agent the agent that acts for the user; null without one
 * @param delegationId the delegation by which the agent acts; null without one
 */
public record Claims(
    String subject,
    String workspaceId,
    String workspaceSlug,
    String role,
    boolean isGuest,
    List<String> groups,
    String type,
    Instant expiresAt,
    Map<String, Object> all,
    Agent agent,
    String delegationId) {
  /** Creates the claims of a token without an agent. */
  public Claims(
      String subject,
      String workspaceId,
      String workspaceSlug,
      String role,
      boolean isGuest,
      List<String> groups,
      String type,
      Instant expiresAt,
      Map<String, Object> all) {
    this(subject, workspaceId, workspaceSlug, role, isGuest, groups, type, expiresAt, all, null, null);
  }
}
