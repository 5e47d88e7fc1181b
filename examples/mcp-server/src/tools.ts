import type { DaikonClient, Subject } from '@daikon-auth/client'
import { type CallToolResult, McpServer, requireScopes } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Document } from './documents.ts'

/** What every request needs, and what a tool that changes something needs in addition. */
export const scopes = { read: 'documents:read', write: 'documents:write' } as const

const id = z.string().max(255).describe('The ID of a document, as list_documents returns it')

/**
 * Creates the tools for one request. daikon decides each call for the user behind the token, so that a tool never
 * does more than that user may. Scopes are in addition to that: they limit what the client may do.
 */
export function createTools(
  daikon: DaikonClient,
  documents: Map<string, Document>,
  token: string,
): McpServer {
  const subject: Subject = { token }
  const server = new McpServer({ name: 'documents', version: '1.0.0' })

  /** Returns a document on which the user may perform the action. */
  async function find(id: string, action: 'view' | 'edit'): Promise<Document | undefined> {
    const isAllowed = await daikon.check(subject, action, { type: 'document', id })
    return isAllowed ? documents.get(id) : undefined
  }

  server.registerTool(
    'list_documents',
    { description: 'Lists the documents that the user may view.' },
    async () => {
      const found: string[] = []
      for await (const id of daikon.accessible(subject, 'view', 'document')) {
        const document = documents.get(id)
        if (document) found.push(`${id}: ${document.title}`)
      }
      return reply(found.join('\n'))
    },
  )

  server.registerTool(
    'read_document',
    { description: 'Returns the text of a document.', inputSchema: z.object({ id }) },
    async ({ id }) => {
      const document = await find(id, 'view')
      return document ? reply(document.text) : refuse(id)
    },
  )

  server.registerTool(
    'write_document',
    {
      description: 'Replaces the text of a document.',
      inputSchema: z.object({ id, text: z.string().max(100_000) }),
      scopeChallenge: requireScopes(scopes.read, scopes.write),
    },
    async ({ id, text }) => {
      const document = await find(id, 'edit')
      if (!document) return refuse(id)
      document.text = text
      return reply('Saved.')
    },
  )

  return server
}

const reply = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

/** The same answer whether the document exists or not. */
const refuse = (id: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: `There is no document ${id} on which the user may do this.` }],
})
