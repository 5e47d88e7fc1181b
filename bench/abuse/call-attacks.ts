import { setTimeout as sleep } from 'node:timers/promises'
import type { PresentedCredentials, Transport } from '../../test/support/transports.ts'
import { connectToNode } from '../faults/node-process.ts'
import {
  type Attack,
  type AttackContext,
  countCall,
  repeatBursts,
  repeatInParallel,
} from './attack.ts'
import { connectFromOtherAddress } from './other-address.ts'
import { codeVerifier, type Target } from './target.ts'

/** Attacks with many or expensive calls. */
export const callAttacks: Record<string, Attack> = {
  invitations: {
    title: '1,500 parallel `InviteMember` of one administrator',
    run: (context) => {
      const { workspace, people } = context.target
      return burst(context, 1500, 'InviteMember', { token: people.admin.token }, () => {
        const email = `${crypto.randomUUID()}@example.com`
        return { workspace_id: workspace, email, role: 'viewer' }
      })
    },
  },
  workspaces: {
    title: '3,000 parallel `InviteMember` of 3 people in 9 workspaces, over 9 connections',
    run: async (context) => {
      const { target } = context
      const attackWorkspace = async ({ workspace, tokens }: Target['manyWorkspaces'][number]) => {
        const [grpc] = connectToNode(target) as [Transport]
        await repeatInParallel(context, 333, async (index) => {
          const message = { workspace_id: workspace, role: 'viewer' }
          const email = `${crypto.randomUUID()}@example.com`
          const token = tokens[index % tokens.length] ?? ''
          const call = grpc.call('InviteMember', { ...message, email }, { token })
          await countCall(context.outcomes, call)
          // A rejected call would otherwise be repeated immediately.
          await sleep(100)
        })
        grpc.close()
      }
      await Promise.all(target.manyWorkspaces.map(attackWorkspace))
    },
  },
  lists: {
    title: '1,000 parallel `ListMembers` and `Accessible` of one user',
    run: async (context) => {
      const { workspace, people, kind, key } = context.target
      const { token } = people.viewer
      const accessible = { ...kind, action: 'view', workspace_id: workspace, limit: 1000 }
      await Promise.all([
        burst(context, 500, 'ListMembers', { token }, () => ({ workspace_id: workspace })),
        burst(context, 500, 'Accessible', { token, key }, () => accessible),
      ])
    },
  },
  codes: {
    title: '1,000 parallel `ExchangeToken` without credentials',
    run: async (context) => {
      const { workspace } = context.target
      const message = { workspace_id: workspace, code_verifier: codeVerifier }
      const { grpc, close } = await connectFromOtherAddress(context.target)
      await burst({ ...context, grpc }, 1000, 'ExchangeToken', {}, () => ({
        ...message,
        code: crypto.randomUUID(),
      }))
      close()
    },
  },
  registrations: {
    title: '100 parallel `RegisterBatch` of 500 resources',
    run: (context) => {
      const { workspace, people, kind, key } = context.target
      return burst(context, 100, 'RegisterBatch', { key }, () => ({
        resources: Array.from({ length: 500 }, () => ({
          ...kind,
          resource_id: crypto.randomUUID(),
          workspace_id: workspace,
          owner_id: people.owner.id,
        })),
      }))
    },
  },
  checks: {
    title: '200 parallel `Check` of 1,000 items',
    run: (context) => floodChecks(context, 200, 1000, context.target.resource),
  },
  groups: {
    title:
      'Two parallel `Check` of 999 items by a member of 3,000 groups, on a resource shared with them',
    run: (context) => floodChecks(context, 2, 999, context.target.grouped.resource),
  },
  chains: {
    title: '20 parallel `Check` of 1,000 items at the end of a chain of 32 resources',
    run: (context) => floodChecks(context, 20, 1000, context.target.chainEnd),
  },
  evaluations: {
    title: '100 parallel `EvaluateBatch` of 1,000 items',
    run: (context) => {
      const { kind, key, people, resource } = context.target
      const message = {
        subject: { type: 'user', id: people.viewer.id },
        action: { name: 'view' },
        evaluations: Array.from({ length: 1000 }, () => ({
          resource: { type: kind.resource_type, id: resource.resource_id },
        })),
      }
      return flood(context, 100, 'EvaluateBatch', { key }, () => message)
    },
  },
}

function floodChecks(
  context: AttackContext,
  parallel: number,
  items: number,
  { resource_id }: { resource_id: string },
): Promise<void> {
  const { kind, key, people } = context.target
  const checks = Array.from({ length: items }, () => ({ ...kind, resource_id, action: 'view' }))
  return flood(context, parallel, 'Check', { key, token: people.viewer.token }, () => ({ checks }))
}

type Call = [method: string, credentials: PresentedCredentials, createMessage: () => object]

/** Sends `parallel` calls concurrently, and repeats this when all of them have ended. */
function burst(context: AttackContext, parallel: number, ...call: Call): Promise<void> {
  return repeatBursts(context, parallel, () => send(context, ...call))
}

/** Keeps `parallel` calls running until the attack is over. */
function flood(context: AttackContext, parallel: number, ...call: Call): Promise<void> {
  return repeatInParallel(context, parallel, () => send(context, ...call))
}

function send({ grpc, outcomes }: AttackContext, ...[method, credentials, createMessage]: Call) {
  return countCall(outcomes, grpc.call(method, createMessage(), credentials))
}
