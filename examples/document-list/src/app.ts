import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DaikonClient, DaikonError } from '@daikon-auth/client'
import type { Access } from '@daikon-auth/client/access'
import { toProblem } from '@daikon-auth/client/express'
import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import type { Pool } from 'pg'
import {
  countDocuments,
  type Document,
  findDocument,
  insertDocument,
  type List,
  listDocuments,
} from './documents.ts'
import { renderDocument, renderError, renderList, renderPeople } from './pages.ts'
import { choosePerson, personOf, refuseOtherSites } from './session.ts'
import { people, workspaceId } from './setup.ts'

type Dependencies = { daikon: DaikonClient; pool: Pool; access: Access<'document'> }

type ById = Request<{ id: string }>

/** An error that a page shows. */
class PageError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const style = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8')

/** Pages with documents of the service's own table, and daikon to decide who may see which. */
export function createApp({ daikon, pool, access }: Dependencies): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use((_request, response, next) => {
    response.set({
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    })
    next()
  })
  app.use(refuseOtherSites(), express.urlencoded({ extended: false, limit: '16kb' }))

  app.get('/style.css', (_request, response) => void response.type('css').send(style))

  app.post('/person', (request, response) => {
    if (!choosePerson(response, request.body?.person)) throw new PageError(422, 'Choose a person.')
    response.redirect(303, '/')
  })

  app.get('/', async (request, response) => {
    const person = personOf(request)
    if (person === undefined) return void response.send(renderPeople(people))
    const list = readList(request.query)
    const [page, count] = await Promise.all([
      listDocuments(access, person, list),
      countDocuments(access, person, list.search),
    ])
    response.send(renderList({ people, person, list, count, ...page }))
  })

  app.post('/documents', async (request, response) => {
    const author = requirePerson(request)
    const title = readTitle(request.body?.title)
    const id = randomUUID()
    // In this order, a failure leaves a registration without a document, which no list shows. The example
    // documents-express has an outbox, with which neither is lost.
    await daikon.register({ type: 'document', id, workspaceId, ownerEmail: author })
    await insertDocument(pool, { id, title, author })
    await waitForCopy()
    response.redirect(303, '/')
  })

  app.get('/documents/:id', async (request: ById, response) => {
    const person = requirePerson(request)
    const { document, mayManage } = await requireDocument(request)
    const shares = mayManage
      ? await daikon.shares({ type: 'document', id: document.id })
      : undefined
    response.send(renderDocument({ people, person, document, shares }))
  })

  app.post('/documents/:id/shares', async (request: ById, response) => {
    const { document } = await requireDocument(request, { toManage: true })
    const { email, permission, from } = request.body ?? {}
    if (!people.includes(email)) throw new PageError(422, 'Choose a person.')
    if (permission !== 'view' && permission !== 'edit')
      throw new PageError(422, 'Choose what the person may do.')
    if (from && !/^\d{4}-\d\d-\d\d$/.test(from)) throw new PageError(422, 'Choose a date.')
    // A copy can't tell whether the time has come, so lists confirm these shares with a check.
    const condition = from && { name: 'not_before', params: { time: `${from}T00:00:00Z` } }
    const resource = { type: 'document', id: document.id }
    await daikon.shareMany([
      { resource, grantee: { email }, grant: permission, ...(condition && { condition }) },
    ])
    await waitForCopy()
    response.redirect(303, `/documents/${document.id}`)
  })

  app.post('/documents/:id/shares/revoke', async (request: ById, response) => {
    const { document } = await requireDocument(request, { toManage: true })
    const userId = String(request.body?.user_id)
    await daikon.revoke({ type: 'document', id: document.id }, { userId })
    await waitForCopy()
    response.redirect(303, `/documents/${document.id}`)
  })

  app.use(() => {
    throw new PageError(404, 'There is no such page.')
  })
  app.use(showError)
  return app

  /**
   * Returns the document of a request, and whether the person may share it. These decisions are always current,
   * however old the list is from which the person comes.
   */
  async function requireDocument(
    request: ById,
    { toManage = false } = {},
  ): Promise<{ document: Document; mayManage: boolean }> {
    const { id } = request.params
    const subject = { email: requirePerson(request) }
    const document = uuid.test(id) ? await findDocument(pool, id) : undefined
    const resource = { type: 'document', id }
    const [mayView, mayManage = false] = document
      ? await daikon.checkMany([
          { subject, action: 'view', resource },
          { subject, action: 'manage', resource },
        ])
      : []
    if (!document || !mayView) throw new PageError(404, 'There is no such document.')
    if (toManage && !mayManage) throw new PageError(403, 'You may not share this document.')
    return { document, mayManage }
  }

  /** Waits until lists show what was changed. If that takes longer, lists show it later. */
  async function waitForCopy(): Promise<void> {
    const position = daikon.lastPosition()
    if (position === undefined) return
    try {
      await access.waitFor(position, { timeoutMs: 2000 })
    } catch (error) {
      if (!(error instanceof DaikonError)) throw error
      console.warn(error.message)
    }
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function requirePerson(request: Request): string {
  const person = personOf(request)
  if (person === undefined) throw new PageError(401, 'Choose a person first.')
  return person
}

function readTitle(text: unknown): string {
  const title = typeof text === 'string' ? text.trim() : ''
  if (!/^\P{Cc}{1,200}$/u.test(title)) throw new PageError(422, 'A title has 1 to 200 characters.')
  return title
}

/** Reads the query of a list. Anything else than a page sends falls back to the default. */
function readList({ sort, q, page }: Request['query']): List {
  const search = typeof q === 'string' ? q.replace(/\p{Cc}/gu, '').trim() : ''
  return {
    sort: sort === 'title' ? 'title' : 'newest',
    search: search.slice(0, 100),
    page: typeof page === 'string' && /^[1-9]\d{0,3}$/.test(page) ? Number(page) : 1,
  }
}

/** Shows errors as pages. Without daikon, this is an error, and never an empty list. */
const showError: ErrorRequestHandler = (error, _request, response, next) => {
  const { status, message } = describe(error)
  if (response.headersSent) return next(error)
  if (status === 500) console.error(error)
  if (status === 503) response.set('retry-after', '1')
  response.status(status).send(renderError(status, message))
}

function describe(error: unknown): { status: number; message: string } {
  if (error instanceof PageError) return error
  if (error instanceof DaikonError && error.reason === 'COPY_INCOMPLETE')
    return { status: 503, message: 'The list is not ready yet. Try again in a moment.' }
  const problem = toProblem(error)
  if (problem?.status === 503)
    return {
      status: 503,
      message: 'Permissions cannot be checked right now. Try again in a moment.',
    }
  if (problem) return { status: problem.status, message: (error as Error).message }
  // Of Express, for bodies that are too large or malformed.
  const { status } = error as { status?: unknown }
  if (typeof status === 'number' && status >= 400 && status < 500)
    return { status, message: 'The request is not valid.' }
  return { status: 500, message: 'Something went wrong.' }
}
