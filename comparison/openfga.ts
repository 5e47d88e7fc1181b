import { amountLimit } from '../bench/copied-type-sql.ts'
import { kind } from '../bench/data-set.ts'
import type { BenchClient } from '../bench/grpc-client.ts'
import { grpcHeadersFrame, grpcMessage } from '../bench/http2-frames.ts'
import type { PreparedRequest } from '../bench/prepared-requests.ts'
import { limitedType } from './daikon.ts'
import type { ListingPeer, Peer, Question } from './peer.ts'
import type { Tuple } from './tuples.ts'
import {
  encodeMessage,
  encodeStruct,
  type Field,
  readNumber,
  readStream,
  readString,
  readStrings,
} from './wire.ts'

/* OpenFGA 1.22. The field numbers come from `openfga.v1`. */

const direct = { this: {} }
const computed = (relation: string) => ({ computedUserset: { relation } })
const fromParent = (parent: string, relation: string) => ({
  tupleToUserset: { tupleset: { relation: parent }, computedUserset: { relation } },
})
const anyOf = (...child: object[]) => ({ union: { child } })
const users = { directly_related_user_types: [{ type: 'user' }] }
const workspaces = { directly_related_user_types: [{ type: 'workspace' }] }

const model = {
  schema_version: '1.1',
  type_definitions: [
    { type: 'user' },
    { type: 'group', relations: { member: direct }, metadata: { relations: { member: users } } },
    {
      type: 'workspace',
      relations: {
        admin: direct,
        editor: direct,
        viewer: direct,
        may_edit: anyOf(computed('admin'), computed('editor')),
        may_view: anyOf(computed('admin'), computed('editor'), computed('viewer')),
      },
      metadata: { relations: { admin: users, editor: users, viewer: users } },
    },
    documentType(kind.resource_type),
    documentType(limitedType, amountLimit.name),
  ],
  conditions: {
    [amountLimit.name]: {
      name: amountLimit.name,
      expression: 'amount <= limit',
      parameters: {
        amount: { type_name: 'TYPE_NAME_DOUBLE' },
        limit: { type_name: 'TYPE_NAME_DOUBLE' },
      },
    },
  },
}

/** The type of documents whose shares may have a condition. */
function documentType(type: string, condition?: string) {
  const grantees = {
    directly_related_user_types: [{ type: 'user' }, { type: 'group', relation: 'member' }].map(
      (grantee) => ({ ...grantee, ...(condition && { condition }) }),
    ),
  }
  return {
    type,
    relations: {
      workspace: direct,
      visible: direct,
      owner: direct,
      editor: direct,
      viewer: direct,
      edit: anyOf(
        computed('owner'),
        computed('editor'),
        fromParent('workspace', 'admin'),
        fromParent('visible', 'may_edit'),
      ),
      view: anyOf(computed('edit'), computed('viewer'), fromParent('visible', 'may_view')),
    },
    metadata: {
      relations: {
        workspace: workspaces,
        visible: workspaces,
        owner: users,
        editor: grantees,
        viewer: grantees,
      },
    },
  }
}

const service = '/openfga.v1.OpenFGAService'
const paths = {
  check: `${service}/Check`,
  batch: `${service}/BatchCheck`,
  list: `${service}/ListObjects`,
  streamedList: `${service}/StreamedListObjects`,
  write: `${service}/Write`,
}

/** The store and the model that requests refer to. */
export type OpenFgaStore = { store: string; model: string }

/** Creates a store with the model over HTTP, because the model is JSON. */
export async function createOpenFgaStore(
  httpPort: number,
  client: BenchClient,
): Promise<OpenFgaStore> {
  const created = await client.call(
    `${service}/CreateStore`,
    undefined,
    encodeMessage([1, 'bench']),
  )
  const store = readString(created, 1)
  const response = await fetch(
    `http://127.0.0.1:${httpPort}/stores/${store}/authorization-models`,
    { method: 'POST', body: JSON.stringify(model) },
  )
  const { authorization_model_id, message } = (await response.json()) as Record<string, string>
  if (!authorization_model_id) throw new Error(`OpenFGA rejected the model: ${message}`)
  return { store, model: authorization_model_id }
}

export async function writeOpenFgaTuples(
  client: BenchClient,
  store: OpenFgaStore,
  tuples: Tuple[],
): Promise<void> {
  await client.call(paths.write, undefined, encodeWrite(store, tuples))
}

type Options = Pick<Peer, 'name' | 'port' | 'pid' | 'measuresShares'> & {
  client: BenchClient
  store: OpenFgaStore
}

export function createOpenFga({ client, store, ...peer }: Options): ListingPeer {
  const check = (question: Question) =>
    encodeMessage(
      [1, store.store],
      [2, tupleOf(question)],
      [4, store.model],
      ...contextOf(6, question),
    )
  const list = (user: string) =>
    encodeMessage(
      [1, store.store],
      [2, store.model],
      [3, kind.resource_type],
      [4, 'view'],
      [5, `user:${user}`],
    )
  return {
    ...peer,
    // The results of a batch are a map, which is serialized in random order.
    comparedFields: { check: [1], batch: [1], list: [1], share: [] },
    prepareCheck: (question, allowed) =>
      prepare(paths.check, check(question), allowed ? encodeMessage([1, 1]) : new Uint8Array()),
    prepareBatch(questions, allowed) {
      const items = questions.map(
        (question, index): Field => [
          2,
          encodeMessage([1, tupleOf(question)], ...contextOf(3, question), [4, String(index)]),
        ],
      )
      const results = questions.map(
        (_, index): Field => [
          1,
          encodeMessage([1, String(index)], [2, encodeMessage([1, Number(allowed[index])])]),
        ],
      )
      const body = encodeMessage([1, store.store], ...items, [3, store.model])
      return prepare(paths.batch, body, encodeMessage(...results))
    },
    prepareList: ({ user, documents }) =>
      prepare(
        paths.list,
        list(user),
        encodeMessage(...documents.map((document): Field => [1, `document:${document}`])),
      ),
    prepareShare: ({ document, user }) =>
      prepare(
        paths.write,
        encodeWrite(store, [
          { object: ['document', document], relation: 'viewer', subject: ['user', user, ''] },
        ]),
        new Uint8Array(),
      ),
    check: async (question) =>
      readNumber(await client.call(paths.check, undefined, check(question)), 1) === 1,
    // Only a stream can end early. For a complete list, one message takes less time.
    async listDocuments(user, limit) {
      const objects =
        limit === undefined
          ? readStrings(await client.call(paths.list, undefined, list(user)), 1)
          : await readStream(client.readStream(paths.streamedList, undefined, list(user)), 1, limit)
      return objects.map((object) => object.slice(`${kind.resource_type}:`.length))
    },
  }
}

function encodeWrite({ store, model }: OpenFgaStore, tuples: Tuple[]): Uint8Array {
  const keys = tuples.map(({ object, relation, subject: [type, id, via], limit }): Field => {
    const user = via ? `${type}:${id}#${via}` : `${type}:${id}`
    const condition = limit === undefined ? [] : [[4, conditionOf(limit)] as Field]
    return [1, encodeMessage([1, user], [2, relation], [3, object.join(':')], ...condition)]
  })
  return encodeMessage([1, store], [2, encodeMessage(...keys)], [4, model])
}

function tupleOf({ user, document, action, amount }: Question): Uint8Array {
  const type = amount === undefined ? kind.resource_type : limitedType
  return encodeMessage([1, `user:${user}`], [2, action], [3, `${type}:${document}`])
}

function contextOf(field: number, { amount }: Question): Field[] {
  return amount === undefined ? [] : [[field, encodeStruct({ amount })]]
}

function conditionOf(limit: number): Uint8Array {
  return encodeMessage([1, amountLimit.name], [2, encodeStruct({ limit })])
}

function prepare(path: string, body: Uint8Array, expected: Uint8Array): PreparedRequest {
  const head = grpcHeadersFrame(path)
  return { head, body: grpcMessage(body), expected: Buffer.from(expected) }
}
