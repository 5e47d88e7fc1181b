package io.github.daikonauth.client;

/**
 * An agent that acts for a user.
 *
 * @param type {@code service_account} or {@code client}
 * @param id the ID of the service account or client app
 * @param name its name; null in the claims of a token
 */
public record Agent(String type, String id, String name) {}
