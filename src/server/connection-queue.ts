import type { Worker } from 'node:cluster'
import { setImmediate as nextPhase, setTimeout as sleep } from 'node:timers/promises'
import { backlog } from '../core/stop-accepting.ts'

/** The connections that the primary has accepted and gives to its workers, one at a time to each. */
export type ConnectionQueue = {
  /**
   * Follows the connections of a worker, and gives those that it has not accepted to others when it exits.
   * While `isSilent` says that it does not respond, it gets none.
   */
  follow(worker: Worker, isSilent: () => boolean): void
  /**
   * Stops listening once no connection waits, or after 5 seconds. Workers that ask for it before they
   * close their servers have received all connections when the response arrives.
   */
  stopAccepting(): Promise<void>
}

type ClusterMessage = { cmd?: string; act?: string; seq?: number; ack?: number; key?: string }

/** A worker's messages of node:cluster. */
type ClusterChannel = NodeJS.EventEmitter & {
  send(message: ClusterMessage, ...rest: unknown[]): boolean
}

type FollowedWorker = {
  channel: ClusterChannel
  /** The keys of the servers that the worker listens with. */
  servers: Set<string>
  /** The keys of the servers by the connections that the worker has not acknowledged. */
  sent: Map<number, string>
  /** Those of them that wait for a worker to respond. */
  held: Set<number>
  isSilent: () => boolean
}

/** Milliseconds that workers have to accept the connections that wait. */
const limit = 5000

/** Milliseconds between looks at connections that wait. */
const pause = 5

/**
 * Creates the view of the connections that wait. Node.js has no public API for them: when the last
 * worker closes a server, it drops those that the server has accepted and no worker has.
 */
export function createConnectionQueue(): ConnectionQueue {
  const workers = new Set<FollowedWorker>()
  let given = 0

  /**
   * Whether a connection is held, or kept by Node.js, which it is only while each worker of its server has
   * one to accept.
   */
  function isAnyWaiting(): boolean {
    if (Array.from(workers).some(({ held }) => held.size > 0)) return true
    const servers = new Set(Array.from(workers, (worker) => [...worker.servers]).flat())
    return Array.from(servers).some((key) =>
      Array.from(workers)
        .filter((worker) => worker.servers.has(key))
        .every(({ sent }) => [...sent.values()].includes(key)),
    )
  }

  /** Whether a worker that responds could accept a connection of a server now. */
  function isAnyFree(key: string): boolean {
    return Array.from(workers).some(
      ({ servers, sent, isSilent }) =>
        servers.has(key) && ![...sent.values()].includes(key) && !isSilent(),
    )
  }

  return {
    follow(worker, isSilent) {
      const channel = worker.process as unknown as ClusterChannel
      const servers = new Set<string>()
      const sent = new Map<number, string>()
      const held = new Set<number>()
      const followed: FollowedWorker = { channel, servers, sent, held, isSilent }
      workers.add(followed)
      const send = channel.send.bind(channel)
      /** Gives a connection to another worker. */
      const refuse = (ack: number) => {
        channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
      }
      /** Keeps a connection until this worker responds, or another one is free. */
      const hold = (seq: number, key: string, message: ClusterMessage, rest: unknown[]) => {
        held.add(seq)
        const timer = setInterval(() => {
          // It has been given to another worker because this one has exited.
          const isGone = !sent.has(seq)
          if (!isGone && isSilent() && !isAnyFree(key)) return
          clearInterval(timer)
          held.delete(seq)
          if (isGone) return
          if (isSilent()) refuse(seq)
          else send(message, ...rest)
        }, pause)
      }
      channel.send = (message, ...rest) => {
        const { act, seq, key } = message
        if (act === 'newconn' && seq !== undefined && key !== undefined) {
          sent.set(seq, key)
          given += 1
          if (isSilent()) {
            hold(seq, key, message, rest)
            return true
          }
        }
        if (act === undefined && key !== undefined) servers.add(key)
        return send(message, ...rest)
      }
      channel.on('internalMessage', ({ act, ack, key }: ClusterMessage) => {
        if (ack !== undefined) sent.delete(ack)
        if (act === 'close' && key !== undefined) servers.delete(key)
      })
      worker.on('exit', () => {
        workers.delete(followed)
        // Removes the worker from those that get connections. Node.js does not emit it either.
        channel.emit('disconnect')
        for (const ack of [...sent.keys()]) refuse(ack)
      })
    },

    async stopAccepting() {
      const startedAt = performance.now()
      const first = given
      for (;;) {
        const before = given
        await (isAnyWaiting() ? sleep(pause) : nextPhase())
        if (performance.now() - startedAt > limit) break
        // A turn of the event loop accepts at most one of the connections that the system keeps.
        if (!isAnyWaiting() && (given === before || given - first > backlog)) break
      }
      // As if all workers had closed their servers at once, while no connection waits.
      for (const { channel, servers } of workers)
        for (const key of [...servers])
          channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', act: 'close', key })
    },
  }
}
