import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { createEncryptionKeyFile, readEncryptionKeys } from '../config/encryption-keys.ts'
import { createSecretBox, encryptionKeySize } from '../core/secret-box.ts'
import {
  advanceRotation,
  dropKey,
  KeysLockedError,
  listKeys,
  type RotationSchedule,
  type RotationStep,
  rotateKeys,
} from '../identity/key-rotation.ts'
import { keyPathsOf } from '../identity/key-source.ts'
import { createKeyFiles, type KeyPaths } from '../identity/keys.ts'
import { type Config, readConfig } from '../server/config.ts'
import { UsageError } from './failure.ts'
import { formatTable, print } from './output.ts'
import { withDatabase } from './session.ts'

const minute = 60_000
const day = 86_400_000

/** Minutes for which clients cache the keys: the `max-age` of `/.well-known/jwks.json`. */
const keySetMinutes = 5

type RotateOptions = { schedule?: true; maxAgeDays: number; waitMinutes: number }

export function keysCommand(): Command {
  const command = new Command('keys').description('manage the keys that sign tokens')

  command
    .command('make')
    .description('create the first key pair, and the key for secrets; existing files are kept')
    .action((_options, command) => {
      const config = readConfig(process.env)
      const secrets = makeSecretsKey(config)
      const isMade = config.VAULT_ADDR !== '' || existsSync(config.JWT_PRIVATE_KEY_PATH)
      if (secrets.path && isMade)
        return print(command, { secretsPath: secrets.path }, secrets.lines)
      const paths = pathsOf(config)
      createKeyFiles(paths)
      print(command, { ...paths, secretsPath: secrets.path }, [
        `Created ${paths.privatePath} and ${paths.publicPath}.`,
        ...secrets.lines,
      ])
    })

  command
    .command('list')
    .description('list the keys: the next one, the one that signs, and retired ones')
    .action((_options, command) => {
      const keys = listKeys(pathsOf(readConfig(process.env))).map(
        ({ kid, state, published, signing, retired }) => ({
          kid,
          state,
          published: published?.toISOString(),
          signing: signing?.toISOString(),
          retired: retired?.toISOString(),
        }),
      )
      print(command, keys, formatTable(keys))
    })

  command
    .command('rotate')
    .description('create a new key pair; tokens signed with older keys stay valid')
    .option('--schedule', 'take the steps that are due, so that no token is rejected; run it often')
    .option(
      '--max-age-days <days>',
      'with --schedule: age at which a signing key is replaced',
      parsePositiveNumber,
      90,
    )
    .option(
      '--wait-minutes <minutes>',
      'with --schedule: minutes from the publication of a key to its first use',
      parsePositiveNumber,
      15,
    )
    .action((options: RotateOptions, command) => {
      const config = readConfig(process.env)
      if (options.schedule) rotateBySchedule(config, options, command)
      else rotateAtOnce(pathsOf(config), command)
    })

  command
    .command('drop')
    .description('remove a key; tokens signed with it are rejected from then on')
    .argument('<kid>', 'ID of the key, as `keys list` prints it')
    .action((kid: string, _options, command) => {
      const paths = pathsOf(readConfig(process.env))
      const result = whileUnlocked(() => dropKey(paths, kid))
      if (result === 'unknown') throw new UsageError(`${paths.publicPath} has no key ${kid}`)
      if (result === 'signing') {
        throw new UsageError(`${kid} signs tokens: run \`daikon keys rotate\` first`)
      }
      print(command, { kid }, [
        `Dropped ${kid}. Nodes reject its tokens once they have reloaded the keys.`,
      ])
    })

  command
    .command('reencrypt')
    .description('encrypt all secrets in the database with the first of SECRETS_ENCRYPTION_KEY')
    .action(async (_options, command) => {
      const { reencryptSecrets } = await import('../server/reencrypt.ts')
      const counts = await withDatabase(({ config, operator }) =>
        reencryptSecrets(operator.stores, createSecretBox(readEncryptionKeys(config))),
      )
      const changed = Object.entries(counts).map(([feature, count]) => `${count} ${feature}`)
      print(command, counts, [
        `Encrypted the secrets of ${changed.join(' and ') || 'no feature'} with the first key.`,
      ])
    })

  return command
}

/** The codes of a folder that this user cannot write to, as in a container with a volume for keys. */
const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOENT']

/** Creates the key for secrets unless there is one. Returns its path if it was created. */
function makeSecretsKey(config: Config): { path?: string | undefined; lines: string[] } {
  try {
    const path = createEncryptionKeyFile(config, randomBytes(encryptionKeySize))
    return { path, lines: path ? [`Created ${path}, the key for secrets in the database.`] : [] }
  } catch (error) {
    if (!unwritable.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    const advice = 'set SECRETS_ENCRYPTION_KEY to the output of `openssl rand -base64 32`'
    return { lines: [`DATA_DIR cannot be written to: ${advice} to use webhooks and connections.`] }
  }
}

function rotateAtOnce(paths: KeyPaths, command: Command): void {
  const kept = whileUnlocked(() => rotateKeys(paths))
  const older = kept === 1 ? '1 older key' : `${kept} older keys`
  print(command, { ...paths, kept }, [
    `Created a new ${paths.privatePath}. ${paths.publicPath} contains the new key and ${older}.`,
    'Nodes sign with the new key once they have reloaded the keys.',
    'Once all tokens signed with an older key have expired, remove it with `daikon keys drop`.',
  ])
}

function rotateBySchedule(config: Config, options: RotateOptions, command: Command): void {
  const schedule = scheduleOf(config, options)
  const { steps, nextStepAt } = whileUnlocked(() =>
    advanceRotation(pathsOf(config), schedule, new Date()),
  )
  const next = nextStepAt.toISOString()
  print(command, { steps, next_step_at: next }, [...steps.map(describe), `Next step: ${next}`])
}

/** Throws if a published key could be used to sign before every node and client has loaded it. */
function scheduleOf(config: Config, { maxAgeDays, waitMinutes }: RotateOptions): RotationSchedule {
  const minimum = keySetMinutes + Math.ceil(config.RELOAD_INTERVAL_SECONDS / 60)
  if (waitMinutes < minimum) {
    throw new UsageError(
      `--wait-minutes must be at least ${minimum}: clients cache keys for ${keySetMinutes} minutes, and nodes reload them every ${config.RELOAD_INTERVAL_SECONDS} seconds`,
    )
  }
  const longestLife = Math.max(
    config.ACCESS_TOKEN_EXPIRE_MINUTES * minute,
    config.ADMIN_TOKEN_EXPIRE_MINUTES * minute,
    config.REFRESH_TOKEN_EXPIRE_DAYS * day,
  )
  return {
    maxAge: maxAgeDays * day,
    publicationTime: waitMinutes * minute,
    // A node that has not reloaded the keys yet still signs with the previous key.
    retention: longestLife + waitMinutes * minute,
  }
}

function describe({ action, kid }: RotationStep): string {
  const lines = {
    published: `Published ${kid}, which does not sign yet.`,
    activated: `${kid} now signs tokens.`,
    dropped: `Dropped ${kid}, whose tokens have expired.`,
  }
  return lines[action]
}

function whileUnlocked<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw error instanceof KeysLockedError ? new UsageError(error.message) : error
  }
}

/** Throws if the keys are not stored in files. */
function pathsOf(config: Config): KeyPaths {
  if (config.VAULT_ADDR !== '') {
    const key = `${config.VAULT_TRANSIT_MOUNT}/keys/${config.VAULT_TRANSIT_KEY}`
    throw new UsageError(`The signing keys are in Vault: use \`vault write -f ${key}/rotate\``)
  }
  return keyPathsOf(config)
}

/** Parses a positive integer. */
function parsePositiveNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new InvalidArgumentError('Must be a whole number, 1 or greater.')
  }
  return Number(text)
}
