import { randomUUID } from 'node:crypto'
import type { DaikonClient } from '@daikon-auth/client'
import { createGuards } from '@daikon-auth/client/express'
import { PermissionServiceService } from '@daikon-auth/client/grpc'
import express, { type Express } from 'express'
import type { Pool, PoolClient } from 'pg'
import {
  deleteDocument,
  findDocument,
  insertDocument,
  listDocuments,
  type Position,
  updateDocument,
} from './documents.ts'
import { deliver, enqueue } from './outbox.ts'

const pageSize = 20

/** Documents with a table of their own, and daikon to decide who may do what. */
export function createApp(pool: Pool, daikon: DaikonClient): Express {
  const { requireUser, requirePermission, userOf, handleErrors } = createGuards(daikon)
  const toResource = (request: express.Request<{ id: string }>) => {
    return { type: 'document', id: request.params.id }
  }
  const app = express()
  app.use(express.json())

  app.post('/documents', requireUser(), async (request, response) => {
    const { sub: owner_id, wid: workspace_id } = userOf(request).claims
    const { title, body = '' } = request.body ?? {}
    if (typeof title !== 'string' || typeof body !== 'string')
      return void response.status(422).json({ detail: 'title must be a string' })
    const id = randomUUID()
    const document = await inTransaction(pool, async (transaction) => {
      await enqueue(transaction, {
        kind: 'register',
        id,
        workspaceId: workspace_id,
        ownerId: owner_id,
      })
      return insertDocument(transaction, { id, workspace_id, owner_id, title, body })
    })
    // Usually the document is registered immediately. If not, the outbox does it later.
    await deliver(pool, daikon)
    response.status(201).json(document)
  })

  app.get('/documents', requireUser(), async (request, response) => {
    const { token, claims } = userOf(request)
    const ids = await findViewable(token, claims.wid)
    const after = readPosition(request.query.after)
    const documents = await listDocuments(pool, claims.wid, ids, pageSize, after)
    const last = documents.length === pageSize ? documents.at(-1) : undefined
    response.json({ documents, next: last && writePosition(last) })
  })

  app.get(
    '/documents/:id',
    requirePermission('view', toResource, { hide: true }),
    async (request, response) => {
      const document = await findDocument(pool, request.params.id)
      if (document) response.json(document)
      else response.status(404).json({ detail: 'Not found' })
    },
  )

  app.put('/documents/:id', requirePermission('edit', toResource), async (request, response) => {
    const { title, body } = request.body ?? {}
    response.json(await updateDocument(pool, request.params.id, { title, body }))
  })

  app.delete(
    '/documents/:id',
    requirePermission('manage', toResource),
    async (request, response) => {
      const { id } = request.params
      await inTransaction(pool, async (transaction) => {
        await enqueue(transaction, { kind: 'unregister', id })
        await deleteDocument(transaction, id)
      })
      await deliver(pool, daikon)
      response.status(204).end()
    },
  )

  // daikon itself requires that the user may manage the document.
  app.put(
    '/documents/:id/shares/users/:userId',
    requireUser(),
    async (request: express.Request<{ id: string; userId: string }>, response) => {
      const { permission } = request.body ?? {}
      const { userId } = request.params
      const options = { as: userOf(request).token }
      response.json(await daikon.share(toResource(request), { userId }, permission, options))
    },
  )

  app.delete(
    '/documents/:id/shares/users/:userId',
    requireUser(),
    async (request: express.Request<{ id: string; userId: string }>, response) => {
      const { userId } = request.params
      await daikon.revoke(toResource(request), { userId }, { as: userOf(request).token })
      response.status(204).end()
    },
  )

  app.use(handleErrors())
  return app

  /** The IDs of the documents that the user may view; undefined if these are all of the workspace. */
  async function findViewable(token: string, workspace_id: string): Promise<string[] | undefined> {
    const kind = { service_name: 'docs', resource_type: 'document' }
    const { has_full_access } = await daikon.call(
      PermissionServiceService.accessible,
      { ...kind, action: 'view', workspace_id, limit: 1 },
      { as: token, retry: true },
    )
    if (has_full_access) return undefined
    const ids: string[] = []
    for await (const id of daikon.accessible({ token }, 'view', 'document')) ids.push(id)
    return ids.filter((id) => uuid.test(id))
  }
}

/** Only documents with a UUID are in the table. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function writePosition({ updated_at, id }: { updated_at: Date; id: string }): string {
  const position: Position = { updated_at: updated_at.toISOString(), id }
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

function readPosition(text: unknown): Position | undefined {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

async function inTransaction<Result>(
  pool: Pool,
  work: (transaction: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
