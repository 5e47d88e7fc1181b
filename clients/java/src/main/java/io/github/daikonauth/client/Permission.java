package io.github.daikonauth.client;

import java.util.Locale;

/** The permission that a share or link grants. */
public enum Permission implements Grant {
  VIEW,
  EDIT;

  /** Returns the name in the API. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
