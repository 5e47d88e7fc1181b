package io.github.daikonauth.client;

/** A problem with one field of a request. */
public record Field(String field, String message) {}
