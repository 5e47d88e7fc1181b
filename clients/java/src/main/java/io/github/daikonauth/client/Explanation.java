package io.github.daikonauth.client;

import java.util.List;

/** A decision, with every grant that allows the action, or the reason for the denial. */
public record Explanation(boolean allowed, List<Reason> reasons) {}
