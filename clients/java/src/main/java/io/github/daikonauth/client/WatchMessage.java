package io.github.daikonauth.client;

/**
 * An event, or a bookmark, which only says that all events up to its cursor were received.
 *
 * @param cursor continues a watch after this message
 * @param event null for a bookmark
 */
public record WatchMessage(String cursor, ActivityEvent event) {}
