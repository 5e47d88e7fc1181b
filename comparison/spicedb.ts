import { amountLimit } from '../bench/copied-type-sql.ts'
import { kind } from '../bench/data-set.ts'
import type { BenchClient } from '../bench/grpc-client.ts'
import { grpcHeadersFrame, grpcMessage } from '../bench/http2-frames.ts'
import type { PreparedRequest } from '../bench/prepared-requests.ts'
import { limitedType } from './daikon.ts'
import type { ListingPeer, Question } from './peer.ts'
import type { Tuple } from './tuples.ts'
import { encodeMessage, encodeStruct, type Field, readNumber, readStream } from './wire.ts'

/* SpiceDB 1.56. The field numbers come from `authzed.api.v1`. */

export const presharedKey = 'bench'

export const schema = `
definition user {}
definition group {
  relation member: user
}
definition workspace {
  relation admin: user
  relation editor: user
  relation viewer: user
  permission may_edit = admin + editor
  permission may_view = admin + editor + viewer
}
caveat ${amountLimit.name}(amount double, limit double) {
  amount <= limit
}
${definitionOf(kind.resource_type, 'user | group#member')}
${definitionOf(limitedType, `user with ${amountLimit.name} | group#member with ${amountLimit.name}`)}`

function definitionOf(type: string, sharedWith: string): string {
  return `definition ${type} {
  relation workspace: workspace
  relation visible: workspace
  relation owner: user
  relation editor: ${sharedWith}
  relation viewer: ${sharedWith}
  permission edit = owner + editor + workspace->admin + visible->may_edit
  permission view = edit + viewer + visible->may_view
}`
}

const paths = {
  check: '/authzed.api.v1.PermissionsService/CheckPermission',
  batch: '/authzed.api.v1.PermissionsService/CheckBulkPermissions',
  list: '/authzed.api.v1.PermissionsService/LookupResources',
  write: '/authzed.api.v1.PermissionsService/WriteRelationships',
  schema: '/authzed.api.v1.SchemaService/WriteSchema',
}

const hasPermission = 2
const noPermission = 1
const touch = 2

/** The `Consistency` message. */
const consistencies = {
  'fully consistent': encodeMessage([4, 1]),
  minimize_latency: encodeMessage([1, 1]),
}

type Options = {
  port: number
  pid: number
  client: BenchClient
  consistency: keyof typeof consistencies
}

/** Creates the peer for one consistency. One process serves all of them. */
export function createSpiceDb({ port, pid, client, consistency }: Options): ListingPeer {
  const required: Field = [1, consistencies[consistency]]
  const check = (question: Question) =>
    encodeMessage(
      required,
      ...[[2, documentOf(question)] as Field, [3, question.action] as Field],
      ...[[4, subjectOf(question.user)] as Field, ...contextOf(5, question)],
    )
  const list = (user: string) =>
    encodeMessage(required, [2, kind.resource_type], [3, 'view'], [4, subjectOf(user)])
  return {
    name: `SpiceDB ${consistency}`,
    port,
    pid,
    measuresShares: consistency === 'fully consistent',
    // `checked_at` varies.
    comparedFields: { check: [2], batch: [2], list: [2], share: [] },
    prepareCheck: (question, allowed) =>
      prepare(paths.check, check(question), encodeMessage([2, permissionship(allowed)])),
    prepareBatch(questions, allowed) {
      const items = questions.map((question) =>
        encodeMessage(
          [1, documentOf(question)],
          [2, question.action],
          [3, subjectOf(question.user)],
          ...contextOf(4, question),
        ),
      )
      const pairs = items.map((item, index): Field => {
        const result = encodeMessage([1, permissionship(allowed[index] === true)])
        return [2, encodeMessage([1, item], [2, result])]
      })
      const body = encodeMessage(required, ...items.map((item): Field => [2, item]))
      return prepare(paths.batch, body, encodeMessage(...pairs))
    },
    prepareList: ({ user, documents }) =>
      prepare(
        paths.list,
        list(user),
        encodeMessage(...documents.map((document): Field => [2, document])),
      ),
    prepareShare: ({ document, user }) =>
      prepare(
        paths.write,
        encodeWrite([
          { object: ['document', document], relation: 'viewer', subject: ['user', user, ''] },
        ]),
        new Uint8Array(),
      ),
    check: async (question) =>
      readNumber(await client.call(paths.check, presharedKey, check(question)), 2) ===
      hasPermission,
    // With a limit in the request, the same ID can come twice and another one not at all.
    listDocuments: (user, limit) =>
      readStream(client.readStream(paths.list, presharedKey, list(user)), 2, limit),
  }
}

export async function writeSpiceDbSchema(client: BenchClient): Promise<void> {
  await client.call(paths.schema, presharedKey, encodeMessage([1, schema]))
}

export async function writeSpiceDbTuples(client: BenchClient, tuples: Tuple[]): Promise<void> {
  await client.call(paths.write, presharedKey, encodeWrite(tuples))
}

function encodeWrite(tuples: Tuple[]): Uint8Array {
  const updates = tuples.map(({ object: [type, id], relation, subject, limit }): Field => {
    const [subjectType, subjectId, subjectRelation] = subject
    const relationship = encodeMessage(
      [1, objectOf(type, id)],
      [2, relation],
      [3, encodeMessage([1, objectOf(subjectType, subjectId)], [2, subjectRelation])],
      ...(limit === undefined ? [] : [[4, caveatOf(limit)] as Field]),
    )
    return [1, encodeMessage([1, touch], [2, relationship])]
  })
  return encodeMessage(...updates)
}

function prepare(path: string, body: Uint8Array, expected: Uint8Array): PreparedRequest {
  const head = grpcHeadersFrame(path, { authorization: `Bearer ${presharedKey}` })
  return { head, body: grpcMessage(body), expected: Buffer.from(expected) }
}

function documentOf({ document, amount }: Question): Uint8Array {
  return objectOf(amount === undefined ? kind.resource_type : limitedType, document)
}

function contextOf(field: number, { amount }: Question): Field[] {
  return amount === undefined ? [] : [[field, encodeStruct({ amount })]]
}

function caveatOf(limit: number): Uint8Array {
  return encodeMessage([1, amountLimit.name], [2, encodeStruct({ limit })])
}

function objectOf(type: string, id: string): Uint8Array {
  return encodeMessage([1, type], [2, id])
}

function subjectOf(user: string): Uint8Array {
  return encodeMessage([1, objectOf('user', user)])
}

function permissionship(allowed: boolean): number {
  return allowed ? hasPermission : noPermission
}
