import { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { createKeyFiles, rotateKeys } from '../identity/keys.ts'
import { print } from './print.ts'

/** `keys make|rotate`: what signs tokens. */
export function keysCommand(): Command {
  const command = new Command('keys').description('manage the keys that sign tokens')

  command
    .command('make', { isDefault: true })
    .description('make the first pair; refuses to overwrite one')
    .action((_options, command) => {
      const paths = keyPaths()
      createKeyFiles(paths)
      print(command, paths, [`Made ${paths.privatePath} and ${paths.publicPath}.`])
    })

  command
    .command('rotate')
    .description('sign with a new key from the next start on; tokens of the old one still verify')
    .action((_options, command) => {
      const paths = keyPaths()
      const kept = rotateKeys(paths)
      print(command, { ...paths, kept }, [
        `Made a new ${paths.privatePath}; ${paths.publicPath} keeps ${kept} older key(s).`,
        'Restart every node. Once the longest token has expired, delete the older keys at its end.',
      ])
    })

  return command
}

function keyPaths() {
  const config = readConfig(process.env)
  return { privatePath: config.JWT_PRIVATE_KEY_PATH, publicPath: config.JWT_PUBLIC_KEY_PATH }
}
