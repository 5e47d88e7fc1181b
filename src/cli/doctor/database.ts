import { listItems } from '../../activity/list-change.ts'
import type { DeploymentChecks } from '../../core/deployment-checks.ts'
import { expect } from '../../core/deployment-checks.ts'
import { isExternalId } from '../../core/external-id.ts'
import { lacksMigrations } from '../../database/database-errors.ts'
import { transactionPooling } from '../../database/pooling.ts'
import { findPrimaryUrl } from '../../database/primary-hosts.ts'
import { schemaVersion } from '../../database/schema-version.ts'
import { workspaceType } from '../../permissions/engine/workspace-type.ts'
import type { Config } from '../../server/config.ts'
import type { DeploymentStore } from '../store/deployment-store.ts'
import { type Check, NotChecked } from './check.ts'

/** In milliseconds. */
const maxClockDifference = 1000

/** The checks of the database. `featureChecks` are those that features bring. */
export function databaseChecks(
  deployment: DeploymentStore,
  config: Config,
  featureChecks: DeploymentChecks,
): Record<string, Check> {
  const checks: Record<string, Check> = {
    database: async () => {
      const major = await deployment.readServerVersion()
      return expect(
        config.DATABASE_URL !== '' && major >= 15,
        `PostgreSQL ${major}`,
        config.DATABASE_URL === ''
          ? 'DATABASE_URL is empty: the bundled PostgreSQL is for development'
          : `PostgreSQL ${major} is older than 15`,
      )
    },
    migrations: async () => {
      const pending = await deployment.findPendingMigrations()
      return expect(
        pending.length === 0,
        'all applied',
        `${pending.length} pending: run \`daikon migrate\``,
      )
    },
    rollback: async () => {
      const facts = await deployment.readNewerFacts()
      const [newest] = facts
      if (!newest) return 'any version that has run here may run again'
      const listed = facts.map(({ migration, fact }) => `${fact} (${migration})`).join(', ')
      return expect(
        newest.migration <= schemaVersion,
        `older versions must have migration ${newest.migration}, because of: ${listed}`,
        `this version lacks migration ${newest.migration}, because of: ${listed}`,
      )
    },
    durability: async () => {
      const { fsync, synchronousCommit } = await deployment.readDurability()
      return expect(
        fsync === 'on' && synchronousCommit !== 'off',
        'commits are durable',
        `fsync=${fsync}, synchronous_commit=${synchronousCommit}: a crash loses acknowledged revocations`,
      )
    },
    pooling: async () => {
      if (config.DATABASE_URL === '') throw new NotChecked('set DATABASE_URL first')
      const pooling = await deployment.findPooling(await findPrimaryUrl(config.DATABASE_URL))
      return expect(
        pooling !== 'transaction',
        pooling === 'none' ? 'connected directly' : 'a pooler keeps the session of each connection',
        transactionPooling,
      )
    },
    connections: async () => {
      const max = await deployment.readMaxConnections()
      const { maxEntityConnections, maxStatementConnections } = await import(
        '../../database/pool.ts'
      )
      // In addition to its pools, a worker uses 2 connections for readiness and cancellation, and 2
      // more while it starts.
      const needed = (maxEntityConnections + maxStatementConnections + 4) * config.WORKERS
      return expect(
        max >= needed,
        `max_connections ${max}, this node uses up to ${needed}`,
        `max_connections is ${max}, but this node alone uses up to ${needed}`,
      )
    },
    clock: async () => {
      const before = Date.now()
      const now = await deployment.readClock()
      const difference = Math.round(Math.abs(now - (before + Date.now()) / 2))
      return expect(
        difference <= maxClockDifference,
        `${difference} ms from PostgreSQL`,
        `the clock differs from PostgreSQL by ${difference} ms: synchronize both`,
      )
    },
    'service apps': async () => {
      const count = await deployment.countActiveServiceApps()
      return expect(
        count > 0,
        `${count} active`,
        'none is active: create one with `daikon service-app create`',
      )
    },
    administrators: async () => {
      const count = await deployment.countActiveAdministrators()
      return expect(
        count > 0,
        `${count} active`,
        'none is active: run `daikon admin promote <email>` or set ADMIN_EMAILS',
      )
    },
    'reserved types': async () => {
      const services = await deployment.findServicesOfType(workspaceType)
      return expect(
        services.length === 0,
        'no service has resources of the type workspace',
        `resources of the type workspace, which names the workspaces of daikon, are registered by ${listItems(services, ', ')}: give them another type to ask about workspaces`,
      )
    },
    ...featureChecks,
    'external IDs': async () => {
      const suspect = await deployment.findSuspectExternalIds()
      const forbidden = suspect.filter((id) => !isExternalId(id))
      return expect(
        forbidden.length === 0,
        'none has the form of a UUID or an e-mail address',
        `${forbidden.length} have the form of a UUID or an e-mail address, which only identify the user with that ID or address: change ${forbidden.slice(0, 3).join(', ')}${forbidden.length > 3 ? ', …' : ''}`,
      )
    },
  }
  return Object.fromEntries(
    Object.entries(checks).map(([name, check]) => [name, afterMigrations(check)]),
  )
}

/** The check of migrations reports what lets the others fail. */
function afterMigrations(check: Check): Check {
  return async () => {
    try {
      return await check()
    } catch (error) {
      if (lacksMigrations(error)) throw new NotChecked('run `daikon migrate` first')
      throw error
    }
  }
}
