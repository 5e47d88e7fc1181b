package io.github.daikonauth.client;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads lists page by page. */
final class Pages {
  /** @param nextToken the token of the next page; empty if there is none */
  record Page(List<String> ids, String nextToken) {}

  private Pages() {}

  /** Returns the IDs of all pages. `read` is called with the token of a page, which is empty for the first. */
  static Stream<String> stream(Function<String, Page> read) {
    return Stream.iterate(
            (Page) null,
            page -> page == null || page != END,
            page -> {
              if (page == null) return read.apply("");
              return page.nextToken().isEmpty() ? END : read.apply(page.nextToken());
            })
        .skip(1)
        .map(Page::ids)
        .flatMap(Collection::stream);
  }

  private static final Page END = new Page(List.of(), "");
}
