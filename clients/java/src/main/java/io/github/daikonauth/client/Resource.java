package io.github.daikonauth.client;

/**
 * A resource of your service. The ID is a UUID or any other string of at most 255 characters. The type {@code workspace}
 * stands for a workspace of daikon, by its ID or slug.
 */
public record Resource(String type, String id) {}
