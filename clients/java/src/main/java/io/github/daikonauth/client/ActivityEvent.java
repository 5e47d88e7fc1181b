package io.github.daikonauth.client;

import java.time.Instant;
import java.util.Map;

/**
 * An entry of the activity log. What does not apply is null.
 *
 * @param action what happened, such as {@code permission.shared}
 * @param actorId the ID of the user, service account or management app that performed the action
 * @param detail depends on the action, with the names of the API
 * @param serviceAppId the service app that authenticated the request
 * @param keyPrefix the first characters of its key
 * @param apiKeyPrefix the first characters of the API key of a service account
 * @param agentId the service account or client app that acted for the actor by a delegation
 */
public record ActivityEvent(
    String id,
    String action,
    String targetType,
    String targetId,
    String actorId,
    String actorType,
    String workspaceId,
    Map<String, Object> detail,
    Instant createdAt,
    String serviceAppId,
    String keyPrefix,
    String apiKeyPrefix,
    String agentType,
    String agentId,
    String delegationId,
    String requestId) {}
