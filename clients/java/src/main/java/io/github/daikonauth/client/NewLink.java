package io.github.daikonauth.client;

/**
 * A link with its token.
 *
 * @param token the token ({@code dl_…}), for checks with {@link Subject#link}
 */
public record NewLink(Link link, String token) {
  @Override
  public String toString() {
    return "NewLink[link=" + link + ", token=…]";
  }
}
