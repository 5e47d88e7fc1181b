package io.github.daikonauth.client;

/**
 * An action to register in addition to view, edit and manage.
 *
 * @param description may be null
 */
public record Action(String name, String description) {
  public Action(String name) {
    this(name, null);
  }
}
