import type {
  AccessMessage,
  AccessResource,
  Context,
  RemoteDaikon,
} from '../../clients/typescript/src/daikon.ts'

/** How long tests wait for a copy, also on busy machines. */
export const patient = { timeoutMs: 120_000 }

type Keys = { holders: string[]; levels: string[] }

/** A daikon that sends the messages of a script, and whose subjects hold what the script says. */
export type ScriptedDaikon = {
  daikon: Pick<RemoteDaikon, 'accessKeys' | 'watchAccess' | 'checkMany'>
  /** The cursor with which each stream was opened. */
  cursors: (string | undefined)[]
  send(...messages: AccessMessage[]): void
  /** Ends the open stream with an error. */
  fail(error: Error): void
  /** What each user holds. */
  hold(userId: string, grants: Keys[], maybeGrants?: Keys[]): void
  /** The IDs of resources that checks allow. */
  allowed: Set<string>
  /** The IDs of resources that were checked. */
  checked: string[]
  /** The context of each batch of checks. */
  contexts: (Context | undefined)[]
}

export function createScriptedDaikon(): ScriptedDaikon {
  const messages: (AccessMessage | Error)[] = []
  const held = new Map<string, { grants: Keys[]; maybeGrants: Keys[] }>()
  const cursors: (string | undefined)[] = []
  const allowed = new Set<string>()
  const checked: string[] = []
  const contexts: (Context | undefined)[] = []
  let onMessage = () => {}
  return {
    cursors,
    allowed,
    checked,
    contexts,
    send(...sent) {
      messages.push(...sent)
      onMessage()
    },
    fail(error) {
      messages.push(error)
      onMessage()
    },
    hold(userId, grants, maybeGrants = []) {
      held.set(userId, { grants, maybeGrants })
    },
    daikon: {
      async accessKeys(subject) {
        const keys = held.get('userId' in subject ? subject.userId : '')
        const { grants, maybeGrants } = keys ?? { grants: [], maybeGrants: [] }
        return { grants, maybeGrants, validUntil: undefined, position: '' }
      },
      async *watchAccess({ cursor, signal } = {}) {
        cursors.push(cursor)
        while (!signal?.aborted) {
          const message = messages.shift()
          if (message instanceof Error) throw message
          if (message) yield message
          else
            await new Promise<void>((resolve) => {
              onMessage = resolve
              signal?.addEventListener('abort', () => resolve())
            })
        }
      },
      async checkMany(checks, options) {
        contexts.push(options?.context)
        checked.push(...checks.map(({ resource }) => resource.id))
        return checks.map(({ resource }) => allowed.has(resource.id))
      },
    },
  }
}

/** A document; `own` are keys `holder/level`, with `?` for maybe and `@` for an end. */
export function upsert(
  resourceId: string,
  own: string[],
  more: Partial<AccessResource> = {},
): AccessMessage {
  const resource: AccessResource = {
    resourceType: 'document',
    resourceId,
    externalId: undefined,
    workspaceId: '00000000-0000-4000-8000-000000000001',
    own: own.map((text) => {
      const [, holder = '', level = '', maybe, until] =
        /^(\w+)\/(\w+)(\?)?(?:@(.+))?$/.exec(text) ?? []
      return { holder, level, maybe: maybe !== undefined, until }
    }),
    inheritsFrom: [],
    inheritKey: `inherit-${resourceId}`,
    hasChildren: false,
    ...more,
  }
  return { type: 'upsert', resource }
}

export function remove(resourceId: string, resourceType = 'document'): AccessMessage {
  return { type: 'remove', resourceType, resourceId }
}

export function position(number: number, history = 'aaaaaaaaaaaa'): string {
  return `${history}-${number}`
}

export function bookmark(number: number, complete = true, history?: string): AccessMessage {
  const cursor = `cursor-${number}`
  return { type: 'bookmark', cursor, position: position(number, history), complete }
}

export const begin: AccessMessage = { type: 'begin' }

/** The UUID with a number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-9000-${number.toString(16).padStart(12, '0')}`
}
