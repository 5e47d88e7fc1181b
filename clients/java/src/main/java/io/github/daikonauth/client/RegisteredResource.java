package io.github.daikonauth.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A resource that is registered with daikon.
 *
 * @param resourceId the UUID that identifies the resource in the API. It equals {@code id} if that is a UUID
 * @param parent the parent; null if there is none
 * @param inherits whether the resource inherits the grants of its parent
 * @param attributes what conditions read as {@code resource.attributes}; numbers are of type Double
 * @param displayName the name for people; null if there is none
 * @param ownerName the name of the owner: only of get, and null if the owner has none
 * @param ownerEmail the e-mail address of the owner: only of get
 * @param ancestors what the resource inherits, nearest ancestor first: only of get
 */
public record RegisteredResource(
    String type,
    String id,
    String resourceId,
    String workspaceId,
    String ownerId,
    Visibility visibility,
    ResourceReference parent,
    boolean inherits,
    Map<String, Object> attributes,
    String displayName,
    Instant createdAt,
    List<Share> shares,
    String ownerName,
    String ownerEmail,
    List<Ancestor> ancestors) {}
