import type { DaikonClient } from '@daikon-auth/client'
import { createGuards } from '@daikon-auth/client/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
} from '@modelcontextprotocol/server'
import express, { type Express } from 'express'
import { createDocuments } from './documents.ts'
import { createTools, scopes } from './tools.ts'

/** An MCP server at the URL `resource`, which takes tokens of daikon that are limited to this URL. */
export function createApp(daikon: DaikonClient, resource: string): Express {
  const { protectedResource, userOf, handleErrors } = createGuards(daikon)
  const documents = createDocuments()
  const handle = toNodeHandler(
    createMcpHandler(({ authInfo }) => createTools(daikon, documents, authInfo?.token ?? '')),
  )
  const app = express()
  app.use(protectedResource({ resource, scopes: [scopes.read] }))
  app.all(new URL(resource).pathname, async (request, response) => {
    const { token, clientId = '', scopes = [], claims } = userOf(request)
    const auth = {
      token,
      clientId,
      scopes: [...scopes],
      expiresAt: claims.exp,
      // For the challenges of tools that need more scopes.
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)),
    }
    await handle(Object.assign(request, { auth }), response)
  })
  app.use(handleErrors())
  return app
}
