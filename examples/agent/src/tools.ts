import type { DaikonClient } from '@daikon-auth/client'
import type { Tools } from './loop.ts'

export type Document = { title: string; text: string; isPublished: boolean }

/** Documents in memory. `npm run dev` of daikon has registered them. */
export function createDocuments(): Map<string, Document> {
  const isPublished = false
  return new Map([
    ['roadmap', { title: 'Roadmap', text: 'What we build next, and when.', isPublished }],
    ['handbook', { title: 'Handbook', text: 'How we work together.', isPublished }],
    ['salaries', { title: 'Salaries', text: 'Who earns what.', isPublished }],
  ])
}

/**
 * Creates the tools of the service that owns the documents. daikon decides each call by the agent's token:
 * whether the user may do it, and whether their delegation covers it.
 */
export function createTools(
  daikon: DaikonClient,
  documents: Map<string, Document>,
  getToken: () => Promise<string>,
): Tools {
  async function find(id: string, action: 'view' | 'edit'): Promise<Document | undefined> {
    const subject = { token: await getToken() }
    const isAllowed = await daikon.check(subject, action, { type: 'document', id })
    return isAllowed ? documents.get(id) : undefined
  }

  return {
    async list_documents() {
      const found: string[] = []
      const subject = { token: await getToken() }
      for await (const id of daikon.accessible(subject, 'view', 'document')) {
        const document = documents.get(id)
        if (document) found.push(`${id}: ${document.title}`)
      }
      return found.toSorted().join('\n') || 'There are no documents.'
    },

    async read_document({ id = '' }) {
      return (await find(id, 'view'))?.text ?? `You may not read ${id}.`
    },

    async publish_document({ id = '' }) {
      const document = await find(id, 'edit')
      if (!document) return `You may not publish ${id}.`
      document.isPublished = true
      return `${id} is published.`
    },
  }
}
