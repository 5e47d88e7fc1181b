import { randomUUID } from 'node:crypto'
import { credentials as channel, type ServiceError } from '@grpc/grpc-js'
import type { TestWorkspace } from '../../../bench/faults/fault-environment.ts'
import { PermissionServiceClient } from '../../../gen/daikon/v1/permissions.ts'
import { readStatusDetails } from '../status-details.ts'
import { createMetadata } from '../transports.ts'
import { waitUntil } from '../wait-until.ts'
import { type OpenWatch, openChangesOver, openWatchOver } from '../watch.ts'
import { CallFailed, type RotatedNode, type Rotation } from './rotation.ts'
import { startWorker } from './worker.ts'

/** Opens a stream of checks of the viewer. `check` returns whether an action is allowed. */
function openChecks({ node }: RotatedNode, { key, service, viewer }: TestWorkspace) {
  const client = new PermissionServiceClient(
    `127.0.0.1:${node.grpcPort}`,
    channel.createInsecure(),
    { 'grpc.use_local_subchannel_pool': 1 },
  )
  const stream = client.checkStream(createMetadata({ key, token: viewer.token }))
  const waiting = new Map<string, (allowed: boolean | string) => void>()
  let ended: string | undefined
  const end = (reason: string) => {
    ended ??= reason
    for (const resolve of waiting.values()) resolve(ended)
    waiting.clear()
  }
  stream.on('data', ({ correlation_id, allowed }) => {
    waiting.get(correlation_id)?.(allowed)
    waiting.delete(correlation_id)
  })
  stream.on('error', (error: ServiceError) =>
    end(readStatusDetails(error.metadata).reason || error.message),
  )
  stream.on('end', () => end('ended'))
  return {
    /** Returns the reason of the error if the stream has ended. */
    check(resource_id: string, action: string): Promise<boolean | string> {
      return new Promise((resolve) => {
        if (ended !== undefined) return resolve(ended)
        const correlation_id = randomUUID()
        waiting.set(correlation_id, resolve)
        const check = { service_name: service, resource_type: 'document', resource_id, action }
        stream.write({ correlation_id, check })
      })
    },
    close() {
      stream.cancel()
      client.close()
    },
  }
}

/**
 * Keeps streams of a node open until stopped: checks, which follow shares that other nodes make, and,
 * of a new node, a watch of the viewer's permissions.
 */
export function startStreams(rotation: Rotation, node: RotatedNode, testWorkspace: TestWorkspace) {
  const { workspace: workspace_id, key, owner, viewer, service } = testWorkspace
  const kind = { service_name: service, resource_type: 'document' }
  const both = { token: owner.token, key }
  const grant = { grantee_type: 'user', grantee_id: viewer.id, permission: 'view' }
  const transports = node.isNew ? (['grpc', 'rest'] as const) : []
  const watches = transports.map((name) =>
    openChangesOver[name](node.node, { token: viewer.token }),
  )
  let isStopping = false
  for (const watch of watches)
    void watch.ended.then((reason) => {
      if (!isStopping) rotation.count(`WatchChanges: ended by ${reason}`, node)
    })
  let checks = openChecks(node, testWorkspace)

  async function expectCheck(resource_id: string, action: string, expected: boolean) {
    const result = await checks.check(resource_id, action)
    if (result === expected) return rotation.count('ok', node)
    const isUnavailable = /UNAVAILABLE|LOCK_TIMEOUT/.test(String(result))
    const label =
      typeof result === 'boolean' ? 'CheckStream: WRONG' : `CheckStream: ended by ${result}`
    rotation.count(isUnavailable ? 'unavailable' : label, node)
    if (typeof result === 'string') {
      checks.close()
      checks = openChecks(node, testWorkspace)
    }
    throw new CallFailed(label)
  }

  const worker = startWorker(rotation, 'streams', async () => {
    const resource_id = randomUUID()
    const registration = { ...kind, resource_id, workspace_id, owner_id: owner.id }
    const { id: permission_id } = await rotation.call('Register', registration, { key })
    await expectCheck(resource_id, 'view', false)
    const before = watches.map(({ types }) => types.length)
    await rotation.call('Share', { permission_id, ...grant }, both)
    await expectCheck(resource_id, 'view', true)
    await expectCheck(resource_id, 'edit', false)
    await rotation.call('RevokeShare', { permission_id, ...grant }, both)
    await expectCheck(resource_id, 'view', false)
    // Both changes may be reported as one.
    await waitUntil(
      () => isStopping || watches.every(({ types }, index) => types.length > Number(before[index])),
    )
  })
  return {
    worker,
    async stop() {
      isStopping = true
      await worker.stop()
      checks.close()
      for (const watch of watches) watch.stop()
    },
  }
}

/**
 * Follows the activity log on one new node after the other, each from where the last one has stopped.
 */
export function createFollower(rotation: Rotation, key: string) {
  const seen = new Set<string>()
  let cursor = 'earliest'
  let watch: OpenWatch | undefined
  let followed: RotatedNode | undefined
  let round = 0

  /** Takes in what the watch has received. */
  function read(): void {
    for (const { cursor: position, event } of watch?.messages.splice(0) ?? []) {
      cursor = position
      if (event?.action === 'group.created') seen.add(event.detail.name)
      if (event?.action === 'permission.shared') seen.add(event.detail.resource_id)
    }
  }

  /** Stops following a node. */
  function stop(node = followed): void {
    if (node !== followed) return
    read()
    const stopped = watch
    watch = undefined
    followed = undefined
    stopped?.stop()
  }
  return {
    stop,
    /** Goes on at a node, over gRPC and REST in turn. */
    start(node: RotatedNode) {
      stop()
      const name = round % 2 === 0 ? 'rest' : 'grpc'
      round += 1
      const actions = ['group.*', 'permission.*']
      const opened = openWatchOver[name](node.node, { cursor, actions }, { key })
      watch = opened
      followed = node
      void opened.ended.then((reason) => {
        if (watch === opened) rotation.count(`Watch: ended by ${reason}`, node)
      })
    },
    /** Returns those of the texts of which no event has been received. */
    findMissing(texts: string[]): string[] {
      read()
      return texts.filter((text) => !seen.has(text))
    },
  }
}
