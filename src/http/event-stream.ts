import type { DescMessage } from '@bufbuild/protobuf'
import type { Response } from 'express'
import type { ServiceError } from '../core/errors.ts'
import { shareResults } from '../core/share-results.ts'
import { drainedOrAborted, type Watch } from '../core/watch.ts'
import type { Call } from '../rpc/call.ts'
import type { WatchOperation } from '../rpc/operation.ts'
import type { RunWatch } from '../rpc/run-watch.ts'
import { createJsonWriter } from './response.ts'

/** Milliseconds that a client has to receive the last message. */
const endTimeout = 5000

/** Sends the messages of a watch to a response. */
export type EventStreamResponder = (response: Response, watch: object, call: Call) => void

/**
 * Creates the responder of a watch, which sends server-sent events (HTML Living Standard). Each has
 * the cursor as its ID, if it has one; its type is the message's, `bookmark` or `activity`. If a message
 * is a oneof, the type is the name of the member, and the member is what the event contains. The error
 * that ends the stream is an event, too. During a drain, the stream ends after the last message.
 */
export function createEventStream(
  operation: WatchOperation,
  runWatch: RunWatch,
): EventStreamResponder {
  const toJson = createJsonWriter(operation.output, operation)
  const readEvent = createEventReader(operation.output)
  const toEvent = shareResults((message: object) => {
    const { type, json } = readEvent(toJson(message))
    const cursor = typeof json.cursor === 'string' ? json.cursor : undefined
    return { cursor, text: formatEvent(type, cursor, json) }
  })

  async function send(response: Response, watch: Watch<object>, call: Call): Promise<void> {
    response.status(200).set({
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    response.flushHeaders()
    let cursor: string | undefined
    const failure = await runWatch(operation, call, watch, async (message, signal) => {
      const event = toEvent(message)
      cursor = event.cursor ?? cursor
      if (!response.write(event.text)) await drainedOrAborted(response, signal)
    })
    if (response.destroyed) return
    const last =
      failure &&
      formatEvent(endTypeOf(operation, failure), cursor, { reason: failure.reason, cursor })
    response.end(last)
    // A client that does not read its last message must not keep the connection.
    const timeout = setTimeout(() => response.destroy(), endTimeout)
    response.once('close', () => clearTimeout(timeout))
  }

  return (response, watch, call) => void send(response, watch as Watch<object>, call)
}

/** The stream of a user says `ended` if a new token would not help: then the user must sign in. */
function endTypeOf({ policy }: WatchOperation, { code, reason }: ServiceError): string {
  const isEnd = policy.tier === 'user' && code === 'unauthenticated' && reason !== 'TOKEN_EXPIRED'
  return isEnd ? 'ended' : 'error'
}

type Json = Record<string, unknown>

/** Returns what tells the type of an event and what it contains from the JSON of a message. */
function createEventReader(output: DescMessage): (json: Json) => { type: string; json: Json } {
  const [oneof] = output.oneofs
  if (oneof?.fields.length !== output.fields.length) return (json) => ({ type: typeOf(json), json })
  const names = oneof.fields.map(({ name }) => name)
  return (json) => {
    const type = names.find((name) => json[name] !== null) ?? ''
    return { type, json: json[type] as Json }
  }
}

function typeOf({ type, bookmark }: Json): string {
  if (typeof type === 'string') return type
  return bookmark === true ? 'bookmark' : 'activity'
}

function formatEvent(type: string, id: string | undefined, data: object): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: ${type}\n${idLine}data: ${JSON.stringify(data)}\n\n`
}
