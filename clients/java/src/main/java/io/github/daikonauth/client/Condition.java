package io.github.daikonauth.client;

import java.util.Map;

/**
 * A condition that your service declared for the type of a resource.
 *
 * @param params the values of its parameters by name
 */
public record Condition(String name, Map<String, ?> params) {
  public Condition(String name) {
    this(name, Map.of());
  }
}
