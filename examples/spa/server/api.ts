import { randomUUID } from 'node:crypto'
import type { DaikonClient } from '@daikon-auth/client'
import { createGuards } from '@daikon-auth/client/express'
import { PermissionServiceService } from '@daikon-auth/client/grpc'
import express, { type Request, type Router } from 'express'
import { demoDocuments, type StoredDocument } from './demo-documents.ts'

type ById = { id: string }
type ByGrantee = { id: string; userId: string }

/** Documents in memory, and daikon to decide who may do what with them. */
export function createApi(daikon: DaikonClient): Router {
  const { requireUser, requirePermission, userOf, filter, handleErrors } = createGuards(daikon)
  const documents = new Map(demoDocuments.map((document) => [document.id, document]))
  const toResource = ({ params: { id } }: Request<ById>) => ({ type: 'document', id })
  const router = express.Router()
  router.use(express.json())

  router.get('/documents', requireUser(), async (request, response) => {
    const newestFirst = [...documents.values()].sort((a, b) =>
      b.updatedAt.localeCompare(a.updatedAt),
    )
    response.json(
      await filter(request, 'view', newestFirst, ({ id }) => ({ type: 'document', id })),
    )
  })

  router.post('/documents', requireUser(), async (request, response) => {
    const { sub: ownerId, wid: workspaceId } = userOf(request).claims
    const document = { ...readText(request.body), id: randomUUID(), updatedAt: now() }
    await daikon.register({ type: 'document', id: document.id, workspaceId, ownerId })
    documents.set(document.id, document)
    response.status(201).json(document)
  })

  router.put('/documents/:id', requirePermission('edit', toResource), (request, response) => {
    const { id } = request.params
    const document = { ...readText(request.body), id, updatedAt: now() }
    documents.set(id, document)
    response.json(document)
  })

  router.get(
    '/documents/:id/shares',
    requirePermission('manage', toResource),
    async (request, response) => {
      const { owner_id, shares } = await daikon.call(PermissionServiceService.getResource, {
        service_name: 'docs',
        resource_type: 'document',
        resource_id: daikon.resourceId(toResource(request)),
      })
      const users = shares.filter(({ grantee_type }) => grantee_type === 'user')
      const permissions = users.map(({ grantee_id, permission }) => [grantee_id, permission])
      response.json({ ownerId: owner_id, permissions: Object.fromEntries(permissions) })
    },
  )

  // daikon itself requires that the user may manage the document.
  router.put(
    '/documents/:id/shares/:userId',
    requireUser(),
    async (request: Request<ByGrantee>, response) => {
      const { permission } = request.body
      const { userId } = request.params
      const options = { as: userOf(request).token }
      response.json(await daikon.share(toResource(request), { userId }, permission, options))
    },
  )

  router.delete(
    '/documents/:id/shares/:userId',
    requireUser(),
    async (request: Request<ByGrantee>, response) => {
      const { userId } = request.params
      await daikon.revoke(toResource(request), { userId }, { as: userOf(request).token })
      response.status(204).end()
    },
  )

  router.use(handleErrors())
  return router
}

function readText(body: Partial<StoredDocument> = {}): { title: string; text: string } {
  return { title: String(body.title ?? '').trim() || 'Untitled', text: String(body.text ?? '') }
}

function now(): string {
  return new Date().toISOString()
}
