import type { Transport } from '../../test/support/transports.ts'
import { createFaultEnvironment } from '../faults/fault-environment.ts'
import type { AttackOptions } from './measure-attack.ts'
import { createTarget, createTenant } from './target.ts'
import { startTenantTraffic } from './tenant-traffic.ts'

/** Nodes that share a database and serve the traffic of other tenants. */
export type AbuseEnvironment = Pick<AttackOptions, 'nodes' | 'traffic' | 'target'> & {
  close(): Promise<void>
}

/** The size of the environment. */
export type AbuseScale = { nodes: number; tenants: number; groups: number }

/** Starts the nodes, an attacker and the traffic of other tenants. Rate limits are disabled. */
export async function startAbuseEnvironment(
  databaseUrl: string,
  scale: AbuseScale,
): Promise<AbuseEnvironment> {
  const environment = await createFaultEnvironment(databaseUrl)
  const first = await environment.node()
  const others = await Promise.all(
    Array.from({ length: scale.nodes - 1 }, () => environment.node()),
  )
  const nodes = [first, ...others]
  const [grpc] = first.transports as [Transport]
  const target = await createTarget(environment, databaseUrl, first, scale.groups)
  const tenants = await Promise.all(
    Array.from({ length: scale.tenants }, () => createTenant(environment, grpc, 1)),
  )
  const traffic = startTenantTraffic(nodes, tenants)
  return {
    nodes,
    traffic,
    target,
    async close() {
      await traffic.stop()
      await Promise.all(nodes.map((node) => node.stop()))
      await environment.close()
    },
  }
}
