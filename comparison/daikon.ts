import { grpcHead } from '../bench/credentials.ts'
import { kind } from '../bench/data-set.ts'
import type { BenchClient } from '../bench/grpc-client.ts'
import { grpcMessage } from '../bench/http2-frames.ts'
import type { PreparedRequest } from '../bench/prepared-requests.ts'
import {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
  PermissionCheckRequest,
  PermissionCheckResponse,
  PermissionServiceService,
  ShareRequest,
} from '../gen/daikon/v1/permissions.ts'
import type { Peer, Question } from './peer.ts'

/** The type of the documents whose shares have a condition. */
export const limitedType = 'limited'

/** The type of the documents that are shared during the measurement of a load. */
export const writtenType = 'written'

const paths = {
  check: PermissionServiceService.check.path,
  accessible: PermissionServiceService.accessible.path,
  share: PermissionServiceService.share.path,
}

type Options = {
  name: string
  port: number
  pid: number
  client: BenchClient
  /** The access token and workspace of each user. */
  tokens: Map<string, { token: string; workspace: string }>
  /** The token of the user who owns all written documents. */
  writer: string
}

/** A peer that can also decide several questions of one user in one call. */
export type Daikon = Peer & { decide(questions: Question[]): Promise<boolean[]> }

export function createDaikon({ name, port, pid, client, tokens, writer }: Options): Daikon {
  const requireToken = (user: string) => {
    const found = tokens.get(user)
    if (!found) throw new Error(`No token of user ${user}`)
    return found
  }
  const requestOf = (questions: Question[]): PermissionCheckRequest => {
    const amount = questions[0]?.amount
    const checks = questions.map(({ document, action }) => ({
      ...kind,
      ...(amount !== undefined && { resource_type: limitedType }),
      ...{ resource_id: document, action },
    }))
    return { checks, ...(amount !== undefined && { context: { amount } }) }
  }
  const prepareBatch = (questions: Question[], allowed: boolean[]): PreparedRequest => {
    const request = requestOf(questions)
    const results = request.checks.map((check, index) => ({
      ...check,
      allowed: allowed[index] === true,
    }))
    return prepare(
      grpcHead(paths.check, requireToken(questions[0]?.user ?? '').token),
      PermissionCheckRequest.encode(request).finish(),
      PermissionCheckResponse.encode({ results }).finish(),
    )
  }
  const decide = async (questions: Question[]) => {
    const { token } = requireToken(questions[0]?.user ?? '')
    const body = PermissionCheckRequest.encode(requestOf(questions)).finish()
    const { results } = PermissionCheckResponse.decode(await client.call(paths.check, token, body))
    return results.map(({ allowed }) => allowed)
  }
  return {
    name,
    port,
    pid,
    measuresShares: true,
    decide,
    comparedFields: { check: [], batch: [], list: [1], share: [] },
    prepareCheck: (question, allowed) => prepareBatch([question], [allowed]),
    prepareBatch,
    prepareList({ user, documents }) {
      const { token, workspace } = requireToken(user)
      const request = { ...kind, action: 'view', workspace_id: workspace, limit: 10_000 }
      const response = { resource_ids: documents, has_full_access: false }
      return prepare(
        grpcHead(paths.accessible, token),
        AccessibleResourcesRequest.encode(request).finish(),
        AccessibleResourcesResponse.encode(response).finish(),
      )
    },
    prepareShare({ document, user }) {
      const request = {
        service_name: kind.service_name,
        resource_type: writtenType,
        resource_id: document,
        grantee_type: 'user',
        grantee_id: user,
        permission: 'view',
      }
      return prepare(
        grpcHead(paths.share, writer),
        ShareRequest.encode(request).finish(),
        new Uint8Array(),
      )
    },
    check: async (question) => (await decide([question]))[0] === true,
  }
}

function prepare(head: Buffer, body: Uint8Array, expected: Uint8Array): PreparedRequest {
  return { head, body: grpcMessage(body), expected: Buffer.from(expected) }
}
