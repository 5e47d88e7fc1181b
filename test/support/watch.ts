import { credentials as channel, type ServiceError } from '@grpc/grpc-js'
import { ActivityServiceClient } from '../../gen/daikon/v1/activity.ts'
import { UserServiceClient } from '../../gen/daikon/v1/users.ts'
import { readStatusDetails } from './status-details.ts'
import { createMetadata, type PresentedCredentials } from './transports.ts'
import { waitUntil } from './wait-until.ts'

type Message = {
  cursor: string
  event?: Record<string, any> | undefined
  bookmark: boolean
}

export type WatchRequest = {
  cursor?: string
  workspace_id?: string
  actions?: string[]
  last_event_id?: string
}

/** An open watch and what it has received. */
export type OpenWatch = {
  messages: Message[]
  /** Waits until it has received that many events, and returns the actions of all of them. */
  actions(count: number): Promise<string[]>
  /** Waits until the server has ended it. Returns the reason of the error, if any. */
  ended: Promise<string | undefined>
  stop(): void
}

type Ports = { grpcPort: number; httpPort: number }

/** Opens a watch over either transport. */
export const openWatchOver = { grpc: openGrpcWatch, rest: openEventStream }

function openGrpcWatch(
  { grpcPort }: Ports,
  request: WatchRequest,
  credentials: PresentedCredentials,
): OpenWatch {
  const client = new ActivityServiceClient(`127.0.0.1:${grpcPort}`, channel.createInsecure())
  const stream = client.watch({ actions: [], ...request }, createMetadata(credentials))
  const messages: Message[] = []
  stream.on('data', (message) => messages.push(message))
  const ended = new Promise<string | undefined>((resolve) => {
    stream.on('end', () => resolve(undefined))
    stream.on('error', (error: ServiceError) => resolve(readStatusDetails(error.metadata).reason))
  }).finally(() => client.close())
  return { messages, ended, ...reader(messages), stop: () => stream.cancel() }
}

function openEventStream(
  { httpPort }: Ports,
  { actions = [], last_event_id, ...parameters }: WatchRequest,
  credentials: PresentedCredentials,
): OpenWatch {
  const query = new URLSearchParams(parameters as Record<string, string>)
  for (const action of actions) query.append('actions', action)
  const messages: Message[] = []
  const headers = {
    ...credentials.headers,
    ...(last_event_id && { 'last-event-id': last_event_id }),
  }
  const url = `http://127.0.0.1:${httpPort}/activity/watch?${query}`
  const { ended, stop } = readEvents(url, { ...credentials, headers }, (type, data) => {
    if (type !== 'error') messages.push(data)
  })
  return { messages, ended, ...reader(messages), stop }
}

/** An open watch of a user's permissions, and the types of its messages without heartbeats. */
export type OpenChanges = Pick<OpenWatch, 'ended' | 'stop'> & { types: string[] }

/** Opens a watch of a user's permissions over either transport. */
export const openChangesOver = { grpc: openGrpcChanges, rest: openRestChanges }

function openGrpcChanges({ grpcPort }: Ports, credentials: PresentedCredentials): OpenChanges {
  const client = new UserServiceClient(`127.0.0.1:${grpcPort}`, channel.createInsecure())
  const stream = client.watchChanges({}, createMetadata(credentials))
  const types: string[] = []
  stream.on('data', ({ type }) => type !== 'heartbeat' && types.push(type))
  const ended = new Promise<string | undefined>((resolve) => {
    stream.on('end', () => resolve(undefined))
    stream.on('error', (error: ServiceError) => resolve(readStatusDetails(error.metadata).reason))
  }).finally(() => client.close())
  return { types, ended, stop: () => stream.cancel() }
}

function openRestChanges({ httpPort }: Ports, credentials: PresentedCredentials): OpenChanges {
  const types: string[] = []
  const url = `http://127.0.0.1:${httpPort}/users/me/changes`
  const { ended, stop } = readEvents(url, credentials, (type) => {
    if (type !== 'heartbeat') types.push(type)
  })
  return { types, ended, stop }
}

/** Reads server-sent events. `ended` has the reason of the response or of the last event, if any. */
export function readEvents(
  url: string,
  { key, admin, token, headers }: PresentedCredentials,
  onEvent: (type: string, data: any) => void,
): Pick<OpenWatch, 'ended' | 'stop'> {
  const controller = new AbortController()
  const read = async () => {
    const response = await fetch(url, {
      headers: {
        ...(key && { 'x-service-key': key }),
        ...(admin && { cookie: `admin_token=${admin}` }),
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      signal: controller.signal,
    })
    if (!response.ok) return ((await response.json()) as { reason: string }).reason
    let text = ''
    let reason: string | undefined
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
        )
        const data = JSON.parse(fields.data)
        reason = data.reason
        onEvent(fields.event, data)
      }
    }
    return reason
  }
  return { ended: read().catch(() => 'STOPPED'), stop: () => controller.abort() }
}

function reader(messages: Message[]) {
  const events = () => messages.flatMap(({ event }) => (event ? [event.action as string] : []))
  return {
    async actions(count: number): Promise<string[]> {
      await waitUntil(() => events().length >= count)
      return events()
    },
  }
}
