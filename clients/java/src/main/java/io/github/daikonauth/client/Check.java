package io.github.daikonauth.client;

import java.util.Map;

/**
 * One check of {@link Daikon#checkMany}.
 *
 * @param context overrides the one of {@link Options#context}; may be null
 */
public record Check(Subject subject, String action, Resource resource, Map<String, ?> context) {
  public Check(Subject subject, String action, Resource resource) {
    this(subject, action, resource, null);
  }
}
