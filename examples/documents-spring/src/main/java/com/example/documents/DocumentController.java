package com.example.documents;

import io.github.daikonauth.client.DaikonException;
import io.github.daikonauth.spring.DaikonProblems;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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

  /** Responds like daikon: with 503 if there is no decision, and with 422 if the ID is too long. */
  @ExceptionHandler
  ProblemDetail failed(DaikonException error) {
    return DaikonProblems.of(error);
  }
}
