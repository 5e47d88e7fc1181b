package io.github.daikonauth.client;

/** A resource by its UUID in the API. */
public record ResourceReference(String type, String resourceId) {}
