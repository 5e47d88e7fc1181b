import type { Model } from './loop.ts'

/** A model that needs no account anywhere: it reads all documents that it is shown, and one more, and publishes one. */
export const standInModel: Model = (messages) => {
  const results = messages.flatMap((message) => (message.role === 'result' ? [message.text] : []))
  const ids = (results[0] ?? '').split('\n').flatMap((line) => /^(\w+): /.exec(line)?.[1] ?? [])
  const calls = [
    { tool: 'list_documents', args: {} },
    ...[...ids, 'salaries'].map((id) => ({ tool: 'read_document', args: { id } })),
    { tool: 'publish_document', args: { id: 'roadmap' } },
  ]
  const next = calls[results.length]
  return next ? { role: 'call', ...next } : { role: 'answer', text: 'That is all that I may do.' }
}
