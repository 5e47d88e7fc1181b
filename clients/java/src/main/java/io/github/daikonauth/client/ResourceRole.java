package io.github.daikonauth.client;

/** A role that your service declared for the type of a resource, by its name. */
public record ResourceRole(String name) implements Grant {}
