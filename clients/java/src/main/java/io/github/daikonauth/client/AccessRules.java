package io.github.daikonauth.client;

import java.util.Set;

/** The rules of the server (src/permissions/access.ts), with the same bits for grants. */
final class AccessRules {
  static final int REGISTERED = 1;
  static final int OWNER = 2;
  static final int WORKSPACE = 4;
  static final int VIEW = 8;
  static final int EDIT = 16;
  static final int ACTION_REGISTERED = 32;
  static final int ACTION_GRANTED = 64;
  static final int MANAGE = 256;
  static final int ACTION = 512;
  static final int PUBLIC = 1024;

  static final Set<String> BUILT_IN = Set.of("view", "edit", "manage");

  private static final int VISIBLE = WORKSPACE | VIEW | EDIT;

  private AccessRules() {}

  /** Whether a role gives access to every resource of its workspace. */
  static boolean coversWorkspace(String role) {
    return role.equals("owner") || role.equals("admin");
  }

  /** Returns the grants that each suffice to allow an action for a member with a role. */
  static int sufficientGrants(String role, String action, int facts) {
    if (!BUILT_IN.contains(action) && (facts & ACTION_REGISTERED) == 0) return 0;
    if (coversWorkspace(role)) return REGISTERED;
    return switch (action) {
      case "manage" -> OWNER | MANAGE;
      case "view" -> OWNER | VISIBLE;
      case "edit" -> OWNER | EDIT | (role.equals("editor") ? WORKSPACE : 0);
      default -> OWNER | ACTION | ((facts & ACTION_GRANTED) != 0 ? VISIBLE : 0);
    };
  }

  static boolean isAllowed(String role, String action, int facts) {
    int everybody = action.equals("view") ? PUBLIC : 0;
    return ((sufficientGrants(role, action, facts) | everybody) & facts) != 0;
  }
}
