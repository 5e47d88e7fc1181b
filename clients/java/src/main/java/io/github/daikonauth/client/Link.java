package io.github.daikonauth.client;

import java.time.Instant;
import java.time.LocalDate;

/**
 * A link to a resource. Anyone who has its token may do what the link grants.
 *
 * @param name the name by which people tell links apart; null if there is none
 * @param createdBy the ID of the user who created the link; null if that user has been deleted
 * @param expiresAt when the link ends; null if it does not
 * @param lastUsedOn the day of the last use in UTC; null if it has not been used
 * @param condition the condition under which the link counts; null if it always does
 */
public record Link(
    String id,
    Grant grant,
    String name,
    String createdBy,
    Instant createdAt,
    Instant expiresAt,
    LocalDate lastUsedOn,
    Condition condition) {}
