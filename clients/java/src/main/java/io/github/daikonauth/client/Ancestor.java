package io.github.daikonauth.client;

import java.util.List;

/**
 * An ancestor that a resource inherits from. Its owner, visibility and shares count for the resource.
 *
 * @param displayName the name for people; null if there is none
 * @param ownerName the name of the owner; null if the owner has none
 */
public record Ancestor(
    String type,
    String id,
    String resourceId,
    String displayName,
    String ownerId,
    String ownerName,
    String ownerEmail,
    Visibility visibility,
    List<Share> shares) {}
