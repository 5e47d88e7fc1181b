package io.github.daikonauth.spring;

/**
 * An agent that acts for the user of a request, and the delegation by which it does.
 *
 * @param type {@code service_account} or {@code client}
 * @param id the ID of the service account or client app
 */
public record RequestAgent(String type, String id, String delegationId) {}
