package io.github.daikonauth.client;

import java.util.Locale;

/** Who may view a resource without a share. */
public enum Visibility {
  /** The owner, the people it is shared with, and owners and admins of the workspace. */
  PRIVATE,
  /** Every member of the workspace. */
  WORKSPACE,
  /** Everybody, signed in or not. The declaration of the type must allow it. */
  PUBLIC;

  /** Returns the name in the API. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
