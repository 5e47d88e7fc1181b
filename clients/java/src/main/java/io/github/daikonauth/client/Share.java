package io.github.daikonauth.client;

import java.time.Instant;

/**
 * A permission or a role on a resource, granted to a user or a group.
 *
 * @param grantee a {@link Grantee.UserId} or a {@link Grantee.GroupId}
 * @param grantedBy the ID of the user who shared the resource
 * @param expiresAt when the share ends; null if it does not
 * @param condition the condition under which the share counts; null if it always does
 * @param granteeName the name of the user or group: only of shares and get, and null if the user has none
 * @param granteeEmail the e-mail address of the user: only of shares and get
 */
public record Share(
    String id,
    Grantee grantee,
    Grant grant,
    String grantedBy,
    Instant grantedAt,
    Instant expiresAt,
    Condition condition,
    String granteeName,
    String granteeEmail) {}
