package io.github.daikonauth.client;

import java.time.Instant;
import java.util.List;

/**
 * A grant that allows an action, or the reason why the action is denied. What does not apply is null.
 *
 * @param rule owner, workspace_role, workspace_visibility, public, share, group_share, custom_role or link; or, if the
 *     action is denied, user_unknown, link_unknown, wrong_audience, user_inactive, not_a_member, resource_unknown,
 *     action_unknown, requirement_not_met, context_missing, condition_failed, guest or no_grant. If an agent acts for
 *     the user, there is also delegation or, if the action is denied, delegation_ended, delegation_expired or
 *     delegation_does_not_cover
 * @param permission the permission of a share or link
 * @param role the role in the workspace, the role of a share, or the name of a custom role
 * @param condition the condition of a share or link, or the one that is required
 * @param missing with context_missing: what the condition needs, such as context.amount; otherwise empty
 * @param inheritedFrom the ancestor that the grant is inherited from
 * @param requiredBy the resource whose requirement is not met: the one that was asked about, or an ancestor
 * @param delegationId the delegation by which the agent acts
 * @param agent the agent that acts for the user
 * @param uncovered with delegation_does_not_cover: action, type or resource
 */
public record Reason(
    String rule,
    Permission permission,
    String role,
    String groupId,
    String shareId,
    String linkId,
    Instant expiresAt,
    String condition,
    List<String> missing,
    ResourceReference inheritedFrom,
    ResourceReference requiredBy,
    String delegationId,
    Agent agent,
    String uncovered) {
  /** Creates a reason that names no delegation. */
  public Reason(
      String rule,
      Permission permission,
      String role,
      String groupId,
      String shareId,
      String linkId,
      Instant expiresAt,
      String condition,
      List<String> missing,
      ResourceReference inheritedFrom,
      ResourceReference requiredBy) {
    this(
        rule, permission, role, groupId, shareId, linkId, expiresAt, condition, missing, inheritedFrom, requiredBy,
        null, null, null);
  }
}
