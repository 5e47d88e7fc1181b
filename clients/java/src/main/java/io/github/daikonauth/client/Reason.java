package io.github.daikonauth.client;

import java.time.Instant;
import java.util.List;

/**
 * A grant that allows an action, or the reason why the action is denied. What does not apply is null.
 *
 * @param rule owner, workspace_role, workspace_visibility, public, share, group_share, custom_role or link; or, if the
 *     action is denied, user_unknown, link_unknown, wrong_audience, user_inactive, not_a_member, resource_unknown,
 *     action_unknown, requirement_not_met, context_missing, condition_failed, guest or no_grant
 * @param permission the permission of a share or link
 * @param role the role in the workspace, the role of a share, or the name of a custom role
 * @param condition the condition of a share or link, or the one that is required
 * @param missing with context_missing: what the condition needs, such as context.amount; otherwise empty
 * @param inheritedFrom the ancestor that the grant is inherited from
 * @param requiredBy the resource whose requirement is not met: the one that was asked about, or an ancestor
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
    ResourceReference requiredBy) {}
