package io.github.daikonauth.client;

import java.util.Map;

/**
 * An event that daikon has sent to a webhook.
 *
 * @param id the same for every attempt to deliver the event
 * @param type the action of the event, such as {@code permission.shared}, or {@code webhook.test}
 * @param timestamp when the event occurred (ISO 8601)
 * @param position the position of the event in the activity log; null for {@code webhook.test}
 * @param data the entry of the activity log
 */
public record WebhookEvent(String id, String type, String timestamp, Long position, Map<String, Object> data) {}
