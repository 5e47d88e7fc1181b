package com.example.documents;

import io.github.daikonauth.client.DeadlineExceededException;
import io.github.daikonauth.client.UnavailableException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/documents/{id}")
class DocumentController {
  private final Map<String, Document> documents = new ConcurrentHashMap<>();

  record Document(String title) {}

  @GetMapping
  @PreAuthorize("@daikon.can('view', 'document', #id)")
  Document get(@PathVariable String id) {
    return documents.getOrDefault(id, new Document(id));
  }

  @PutMapping
  @PreAuthorize("@daikon.can('edit', 'document', #id)")
  Document put(@PathVariable String id, @RequestBody Document document) {
    documents.put(id, document);
    return document;
  }

  /** Without a decision, nobody has access. */
  @ExceptionHandler({UnavailableException.class, DeadlineExceededException.class})
  ProblemDetail unavailable() {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.SERVICE_UNAVAILABLE, "Permissions cannot be checked right now");
  }
}
