import { Command } from 'commander'
import { ConfigError } from '../config/config.ts'
import { findMisspeltSettings } from '../config/misspelt-settings.ts'
import { tellSchemaVersion } from '../database/schema-version.ts'
import { type Config, readConfig, settings } from '../server/config.ts'
import { createSettingChecks } from '../server/setting-checks.ts'
import { type Check, type Finding, runChecks } from './doctor/check.ts'
import { configurationChecks } from './doctor/configuration.ts'
import { databaseChecks } from './doctor/database.ts'
import { providerChecks } from './doctor/providers.ts'
import { type Mistake, withoutRepetition } from './doctor/repetition.ts'
import { replicaChecks } from './doctor/replicas.ts'
import { explainFailure } from './failure.ts'
import { print } from './output.ts'
import { openPostgres } from './session.ts'

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check a deployment against the production checklist; status 1 if it falls short')
    .action(async (_options, command) => {
      const findings = await examine(process.env)
      const lines = findings.map(
        ({ check, ok, detail }) => `${stateOf(ok)}  ${check.padEnd(16)}  ${detail}`,
      )
      const failed = findings.filter(({ ok }) => ok === false).length
      print(command, { ok: failed === 0, findings }, [
        ...lines,
        '',
        failed === 0 ? 'Nothing falls short.' : `${failed} of ${findings.length} checks failed.`,
      ])
      if (failed > 0) process.exitCode = 1
    })
}

function stateOf(ok: Finding['ok']): string {
  if (ok === null) return '-   '
  return ok ? 'ok  ' : 'FAIL'
}

async function examine(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { config, mistakes: invalid } = readSettings(environment)
  const misspelt = findMisspeltSettings(environment, Object.keys(settings))
  const meant = new Set(misspelt.map(({ setting }) => setting))
  const mistakes = [...invalid.filter(({ setting }) => !meant.has(setting)), ...misspelt]
  const findings: Finding[] = mistakes.map(({ detail }) => ({
    check: 'settings',
    ok: false,
    detail,
  }))
  if (!config) return findings
  if (mistakes.length === 0) findings.push({ check: 'settings', ok: true, detail: 'valid' })
  return [
    ...findings,
    ...withoutRepetition(
      await runChecks({ ...configurationChecks(config), ...createSettingChecks(config) }),
      mistakes,
    ),
    ...(await runChecks(providerChecks(config))),
    ...(await examineRedis(config)),
    ...(await runChecks(replicaChecks(config))),
    ...(await examineDatabase(config)),
  ]
}

/** Falls back to DEBUG=true if the settings are invalid, so that the other checks can still run. */
function readSettings(environment: NodeJS.ProcessEnv): { config?: Config; mistakes: Mistake[] } {
  try {
    return { config: readConfig(environment), mistakes: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const mistakes = error.message
      .split('\n')
      .map((detail) => ({ setting: detail.split(' ', 1).join(), detail }))
    try {
      const config = readConfig({ ...environment, DEBUG: 'true' })
      return { config: { ...config, DEBUG: false }, mistakes }
    } catch {
      return { mistakes }
    }
  }
}

async function examineRedis({ REDIS_URL: nodes }: Config): Promise<Finding[]> {
  const redis: Check = async () => {
    const [url] = nodes
    if (url === undefined) {
      throw new Error('REDIS_URL is empty: every node counts rate limits by itself')
    }
    const { Redis } = await import('ioredis')
    const client = new Redis(url, { lazyConnect: true, connectTimeout: 2000, retryStrategy: null })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.ping()
      return 'reachable'
    } catch (error) {
      throw new Error(`Redis does not respond: ${(error as Error).message}`)
    } finally {
      client.disconnect()
    }
  }
  return runChecks({ redis })
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  try {
    const { Client } = (await import('pg')).default
    const { DeploymentStore } = await import('./store/deployment-store.ts')
    const { createDeploymentChecks } = await import('../server/deployment-checks.ts')
    const { url, stop } = await openPostgres(config)
    const VersionedClient = tellSchemaVersion(Client)
    const client = new VersionedClient({ connectionString: url, connectionTimeoutMillis: 3000 })
    try {
      await client.connect()
      const deployment = new DeploymentStore(client)
      const featureChecks = createDeploymentChecks((sql) => deployment.readRows(sql), config)
      return await runChecks(databaseChecks(deployment, config, featureChecks))
    } finally {
      await client.end()
      await stop()
    }
  } catch (error) {
    return [{ check: 'database', ok: false, detail: (await explainFailure(error)).message }]
  }
}
