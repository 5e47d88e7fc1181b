// Runs in a folder in which the packed client is installed; see package.test.ts. The compiler checks
// that each line with @ts-expect-error is an error.
import assert from 'node:assert/strict'
import {
  createDaikon,
  type Daikon,
  InvalidArgumentError,
  type Registration,
  type Resource,
} from '@daikon-auth/client'
import { createAccess, type DatabasePool } from '@daikon-auth/client/access'
import { createGuards as createExpressGuards } from '@daikon-auth/client/express'
import { createGuards as createFastifyGuards } from '@daikon-auth/client/fastify'
import { createDaikon as createFetchDaikon } from '@daikon-auth/client/fetch'
import { createGuards as createHonoGuards } from '@daikon-auth/client/hono'
import { createFakeDaikon } from '@daikon-auth/client/testing'
import { createGuards as createWebGuards } from '@daikon-auth/client/web'
import type { Request as ExpressRequest } from 'express'

type Actions = {
  document: 'view' | 'edit' | 'publish'
  folder: 'view' | 'edit' | 'archive'
  page: 'view'
}

const workspaceId = '0b000000-0000-4000-8000-000000000001'
const alice = '0a000000-0000-4000-8000-00000000000a'
const document = { type: 'document', id: 'roadmap' } as const
const folder = { type: 'folder', id: 'plans' } as const
const page = { type: 'page', id: 'start' } as const
const invoice = { type: 'invoice', id: '5' } as const

const fake = createFakeDaikon<Actions>({
  actions: ['publish', 'archive'],
  members: [{ workspaceId, userId: alice, role: 'editor' }],
})
const token = fake.token(alice, workspaceId)
const subject = { token }

await useTyped(fake)
await useUntyped(createFakeDaikon({ members: [{ workspaceId, userId: alice, role: 'editor' }] }))
assert.ok([create, guard, joinLists])
process.stdout.write('types are checked\n')

async function useTyped(daikon: Daikon<Actions>) {
  await daikon.registerActions(['publish', { name: 'archive' }])
  // @ts-expect-error No type has this action.
  await daikon.registerActions(['pubish'])
  await daikon.declareType(
    'folder',
    {
      roles: [{ name: 'editor', actions: ['view', 'manage', 'publish'] }],
      conditions: [{ name: 'true', expression: 'true' }],
      requirements: [{ action: 'archive', condition: 'true' }],
    },
    { dryRun: true },
  )
  await assert.rejects(
    // @ts-expect-error No type has this action.
    daikon.declareType('folder', { roles: [{ name: 'editor', actions: ['shred'] }] }),
    InvalidArgumentError,
  )
  const conditions = [{ name: 'true', expression: 'true' }]
  await daikon.declareType(
    'folder',
    {
      conditions,
      // @ts-expect-error Documents have this action, folders do not.
      requirements: [{ action: 'publish', condition: 'true' }],
    },
    { dryRun: true },
  )
  // @ts-expect-error No type has this name.
  await daikon.declareType('invoice', {})

  const owner = { workspaceId, ownerId: alice }
  await daikon.register({ ...folder, ...owner })
  const registered = await daikon.register({ ...document, ...owner, parent: folder })
  await daikon.registerMany([{ ...page, ...owner }])
  // @ts-expect-error No type has this name.
  await daikon.register({ ...invoice, ...owner })
  const parent = { type: 'foldr', id: 'plans' } as const
  // @ts-expect-error No type has this name.
  await assert.rejects(daikon.register({ ...page, id: 'other', ...owner, parent }))
  // @ts-expect-error An owner is required.
  await assert.rejects(daikon.register({ ...page, workspaceId }))

  assert.equal(await daikon.check(subject, 'publish', document), true)
  assert.equal(await daikon.check(subject, 'edit', registered), true)
  // @ts-expect-error Folders do not have this action.
  await daikon.check(subject, 'publish', folder)
  // @ts-expect-error No type has this action.
  await daikon.check(subject, 'edti', document)
  // @ts-expect-error No type has this name.
  await daikon.check(subject, 'view', invoice)
  await daikon.explain(subject, 'archive', folder)
  // @ts-expect-error Documents do not have this action.
  await daikon.explain(subject, 'archive', document)
  const allowed = await daikon.checkMany([
    { subject, action: 'publish', resource: document },
    { subject, action: 'archive', resource: { type: 'folder', id: 'plans' } },
  ])
  assert.deepEqual(allowed, [true, true])
  // @ts-expect-error Documents do not have this action.
  await daikon.checkMany([{ subject, action: 'archive', resource: document }])
  for await (const id of daikon.accessible(subject, 'archive', 'folder')) assert.equal(id, 'plans')
  // @ts-expect-error Pages do not have this action.
  daikon.accessible(subject, 'edit', 'page')
  daikon.subjects('publish', document)
  // @ts-expect-error Pages do not have this action.
  daikon.subjects('publish', page)

  const as = token
  await daikon.share(document, { userId: alice }, 'edit', { as })
  await daikon.share(page, { userId: alice }, 'view', { as })
  // @ts-expect-error A page cannot be edited.
  await daikon.share(page, { userId: alice }, 'edit', { as })
  // @ts-expect-error A share is made by a user.
  await assert.rejects(daikon.share(page, { userId: alice }, 'view'))
  // @ts-expect-error A share is made by a user.
  await assert.rejects(daikon.share(page, { userId: alice }, 'view', {}))
  // @ts-expect-error A share grants no other actions.
  await assert.rejects(daikon.share(document, { userId: alice }, 'publish', { as }))
  await daikon.shareMany([{ resource: document, grantee: { userId: alice }, grant: 'edit' }])
  // @ts-expect-error A page cannot be edited.
  await daikon.shareMany([{ resource: page, grantee: { userId: alice }, grant: 'edit' }])
  const { id } = await daikon.createLink(page, 'view', { as })
  // @ts-expect-error A page cannot be edited.
  await daikon.createLink(page, 'edit', { as })
  // @ts-expect-error Links are created by users.
  await assert.rejects(daikon.createLink(page, 'view'))
  await daikon.links(page, { as })
  await daikon.revokeLink(page, id, { as })
  // @ts-expect-error Links are revoked by users.
  await assert.rejects(daikon.revokeLink(page, id))
  await daikon.setParent(page, folder)
  // @ts-expect-error No type has this name.
  daikon.resourceId(invoice)
}

/** Without a type argument, types and actions are any strings. */
async function useUntyped(daikon: Daikon) {
  const resource: Resource = { type: 'any', id: 'thing' }
  const registration: Registration = { ...resource, workspaceId, ownerId: alice }
  const { type } = await daikon.register(registration)
  const action: string = 'anything'
  assert.equal(await daikon.check(subject, action, { type, id: 'thing' }), false)
  assert.deepEqual(await daikon.checkMany([{ subject, action, resource }]), [false])
  await daikon.declareType(type, { roles: [{ name: 'reader', actions: ['view'] }] })
  await daikon.registerActions([action])
}

function guard() {
  const typed = createDaikon<Actions>({
    address: 'localhost:1',
    service: 'docs',
    serviceKey: 'dk_1',
  })
  const express = createExpressGuards(typed)
  express.requirePermission('publish', (request) => ({ type: 'document', id: request.params.id }))
  // @ts-expect-error Folders do not have this action.
  express.requirePermission('publish', (request: ExpressRequest) => ({
    type: 'folder',
    id: request.url,
  }))
  const fastify = createFastifyGuards(typed)
  fastify.requirePermission('view', () => document)
  // @ts-expect-error Folders do not have this action.
  fastify.requirePermission('publish', () => folder)
  const hono = createHonoGuards(fake)
  hono.requirePermission('archive', () => folder)
  // @ts-expect-error No type has this name.
  hono.requirePermission('view', () => invoice)
  const web = createWebGuards(
    createFetchDaikon<Actions>({ url: 'http://a', service: 'docs', serviceKey: 'dk_1' }),
  )
  const respond = () => new Response()
  web.requirePermission('archive', async () => folder, respond)
  // @ts-expect-error Documents do not have this action.
  web.requirePermission('archive', async () => document, respond)
  web.filter(new Request('http://a'), 'view', [document], (item) => item)
  // @ts-expect-error Pages do not have this action.
  web.filter(new Request('http://a'), 'edit', [page], (item) => item)
}

function create() {
  // @ts-expect-error The values are strings.
  createDaikon<{ document: 5 }>({ address: 'localhost:1', service: 'docs', serviceKey: 'dk_1' })
  // @ts-expect-error The service is required.
  createDaikon({ address: 'localhost:1', serviceKey: 'dk_1' })
  // @ts-expect-error The transport over fetch needs the URL of the REST API.
  createFetchDaikon({ address: 'localhost:1', service: 'docs', serviceKey: 'dk_1' })
}

function joinLists(pool: DatabasePool) {
  const daikon = createDaikon<Actions>({
    address: 'localhost:1',
    service: 'docs',
    serviceKey: 'dk_1',
  })
  const access = createAccess({ daikon, pool, types: { document: 'uuid', page: 'bigint' } })
  void access.visible({ userId: alice }, 'view', 'document', { rows: 20 })
  // @ts-expect-error The copy does not contain this type.
  void access.visible({ userId: alice }, 'view', 'folder')
  // @ts-expect-error Keys have no such type.
  createAccess({ daikon, pool, types: { document: 'serial' } })
}
