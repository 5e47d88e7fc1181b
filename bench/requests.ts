import {
  CheckStreamRequest,
  CheckStreamResponse,
  PermissionCheckRequest,
  PermissionCheckResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { createAsker } from './asker.ts'
import type { Child, ServerState } from './children.ts'
import { grpcHead, http1Head } from './credentials.ts'
import { grpcMessage } from './http2-frames.ts'
import { type Prepared, writePrepared } from './prepared.ts'
import type { Question } from './questions.ts'
import type { Rig } from './rig.ts'

/** A question with its user's token and the answer that has to come back. */
export type Answered = Question & { token: string; response: PermissionCheckResponse }

const { check, checkStream } = PermissionServiceService

/** Has an ordinary client fetch the answers; where a share alone decides, they are compared with it. */
export async function answer(
  { sign }: Pick<Rig, 'sign'>,
  server: Child,
  questions: Question[],
): Promise<Answered[]> {
  const { port } = await server.ask<ServerState>({})
  const asker = createAsker(port)
  const tokens = new Map<number, string>()
  try {
    const answered: Answered[] = []
    for (const question of questions) {
      const { user, workspace, checks, must } = question
      const token = tokens.get(user) ?? (await sign(user, workspace))
      tokens.set(user, token)
      const body = PermissionCheckRequest.encode({ checks }).finish()
      const response = PermissionCheckResponse.decode(await asker.ask(check.path, token, body))
      for (const [at, { allowed }] of response.results.entries()) {
        if (must[at] && !allowed) throw new Error(`denied a share: ${user}, item ${at}`)
      }
      answered.push({ ...question, token, response })
    }
    return answered
  } finally {
    asker.close()
  }
}

/** Writes them as unary calls, for the server and, where everything is allowed, for the floor. */
export function writeChecks(rig: Rig, name: string, answered: Answered[]) {
  const prepare = (read: (answered: Answered) => PermissionCheckResponse) =>
    answered.map(
      (each): Prepared => ({
        head: grpcHead(check.path, each.token),
        body: grpcMessage(PermissionCheckRequest.encode(each).finish()),
        expected: Buffer.from(PermissionCheckResponse.encode(read(each)).finish()),
      }),
    )
  return {
    daikon: write(
      rig,
      `daikon-${name}`,
      prepare(({ response }) => response),
    ),
    floor: write(rig, `floor-${name}`, prepare(allAllowed)),
  }
}

/** Writes them as messages of one stream, all with the token of the first; the opening comes first. */
export function writeStream(rig: Rig, name: string, answered: Answered[]): string {
  const head = grpcHead(checkStream.path, answered[0]?.token ?? '')
  const opening = { head, body: Buffer.alloc(0), expected: Buffer.alloc(0) }
  const messages = answered.flatMap(({ checks, response }) =>
    checks.map((check, at) => ({ check, allowed: response.results[at]?.allowed === true })),
  )
  const requests = messages.map(({ check, allowed }, at): Prepared => {
    const correlation_id = String(at).padStart(6, '0')
    return {
      head,
      body: grpcMessage(CheckStreamRequest.encode({ correlation_id, check }).finish()),
      expected: Buffer.from(CheckStreamResponse.encode({ correlation_id, allowed }).finish()),
    }
  })
  return write(rig, name, [opening, ...requests])
}

/** Writes them as posts of JSON, for the server and for an echo. */
export function writePosts(rig: Rig, name: string, answered: Answered[]) {
  const prepare = (expected: (answered: Answered, body: Buffer) => Buffer) =>
    answered.map((each): Prepared => {
      const body = Buffer.from(JSON.stringify({ checks: each.checks }))
      const head = http1Head('/permissions/check', each.token, body.length)
      return { head, body, expected: expected(each, body) }
    })
  const json = ({ response }: Answered) => Buffer.from(JSON.stringify(response))
  return {
    daikon: write(rig, `daikon-${name}`, prepare(json)),
    echo: write(
      rig,
      `echo-${name}`,
      prepare((_, body) => body),
    ),
  }
}

/** Writes requests under a name; answers their file. */
export function write({ place }: Pick<Rig, 'place'>, name: string, requests: Prepared[]): string {
  const file = `${place.folder}/${name}`
  writePrepared(file, requests)
  return file
}

function allAllowed({ response }: Answered): PermissionCheckResponse {
  return { results: response.results.map((result) => ({ ...result, allowed: true })) }
}
