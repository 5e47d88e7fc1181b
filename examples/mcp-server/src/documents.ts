export type Document = { id: string; title: string; text: string }

/** Documents in memory. `npm run dev` of daikon has registered them. */
export function createDocuments(): Map<string, Document> {
  const documents: Document[] = [
    { id: 'roadmap', title: 'Roadmap', text: 'What we build next, and when.' },
    { id: 'handbook', title: 'Handbook', text: 'How we work together, and whom to ask.' },
    { id: 'salaries', title: 'Salaries', text: 'Who earns what.' },
  ]
  return new Map(documents.map((document) => [document.id, document]))
}
