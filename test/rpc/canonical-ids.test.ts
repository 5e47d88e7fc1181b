import { randomUUID } from 'node:crypto'
import type { DescMessage } from '@bufbuild/protobuf'
import test from 'ava'
import { createToCanonicalIds, isId, namesProvider } from '../../src/rpc/canonical-ids.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { readMethods, readStreams, readWatches } from '../../src/rpc/method.ts'

const registry = readRegistry()
const methods = [...readMethods(registry), ...readStreams(registry), ...readWatches(registry)]

/** Fields with the name of an ID that no UUID of this server can be the value of. */
const otherIds: Record<string, string> = {
  external_id: 'a text, never in the form of a UUID',
  owner_external_id: 'a text, never in the form of a UUID',
  grantee_external_id: 'a text, never in the form of a UUID',
  last_event_id: 'a cursor',
  correlation_id: 'returned as it was sent',
  'ConnectionCreateRequest.client_id': 'chosen by an identity provider',
  'ConnectionUpdateRequest.client_id': 'chosen by an identity provider',
}

/** Builds a message with a UUID in capitals, or a list of them, in every field for IDs. */
function spelledMessage(message: DescMessage): Record<string, unknown> {
  const entries = message.fields.flatMap((field): [string, unknown][] => {
    const { message: type } = field
    const isNested = type && !type.typeName.startsWith('google.protobuf.')
    const isProvider = namesProvider(registry, field)
    if (!isNested && !isProvider && !isId(registry, field)) return []
    const prefix = isProvider ? 'connection:' : ''
    const value = isNested ? spelledMessage(type) : prefix + randomUUID().toUpperCase()
    return [[field.name, field.fieldKind === 'list' ? [value, value] : value]]
  })
  return Object.fromEntries(entries)
}

function listNames(message: DescMessage): [owner: string, field: string, isId: boolean][] {
  return message.fields.flatMap((field): [string, string, boolean][] => {
    const { message: type } = field
    if (type) return type.typeName.startsWith('google.protobuf.') ? [] : listNames(type)
    return [[message.name, field.name, isId(registry, field)]]
  })
}

test('every field with the name of an ID is converted, or is named here', (t) => {
  const names = methods.flatMap(({ input }) => listNames(input))
  t.true(names.filter(([, , isId]) => isId).length > 200)
  const missing = names.filter(
    ([owner, name, isId]) =>
      !isId &&
      /(^|_)ids?$/.test(name) &&
      otherIds[name] === undefined &&
      otherIds[`${owner}.${name}`] === undefined,
  )
  t.deepEqual([...new Set(missing.map(([owner, name]) => `${owner}.${name}`))], [])
})

test('every name of a provider in a request to sign in is converted', (t) => {
  const named = methods.flatMap(({ name, input }) =>
    input.fields
      .filter((field) => namesProvider(registry, field))
      .map(() => name.split('/').at(-1)),
  )
  t.deepEqual([...new Set(named)].sort(), [
    'Authorize',
    'BeginLogin',
    'CompleteAdminLogin',
    'CompleteLogin',
    'ConfirmAddress',
    'OpenInvitation',
  ])
})

test('every UUID of every method becomes lower case', (t) => {
  for (const { input, name } of methods) {
    const message = spelledMessage(input)
    const expected = JSON.parse(
      JSON.stringify(message).replace(/[0-9A-F-]{36}/g, (id) => id.toLowerCase()),
    )
    createToCanonicalIds(registry, input)?.(message)
    t.deepEqual(message, expected, name)
  }
})

test('other texts and values of other types stay as they are', (t) => {
  const evaluateBatch = methods.find(({ key }) => key === 'evaluateBatch')
  if (!evaluateBatch) throw new Error('No such method')
  const id = randomUUID()
  const near = [`${id}0`, `{${id}}`, id.replaceAll('-', ''), 'Carol@example.com', 'ABC'].map(
    (text) => text.toUpperCase(),
  )
  const evaluations = [...near, 1, null, ['A']].map((id) => ({ subject: { type: 'user', id } }))
  const message = {
    evaluations: [...evaluations, null, 'X', { subject: 'X' }, { subject: [{ id }] }],
  }
  const before = structuredClone(message)
  createToCanonicalIds(registry, evaluateBatch.input)?.(message)
  t.deepEqual(message, before)
})
