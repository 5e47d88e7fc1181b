import { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { createKeyFiles, rotateKeys } from '../identity/keys.ts'
import { print } from './output.ts'

export function keysCommand(): Command {
  const command = new Command('keys').description('manage the keys that sign tokens')

  command
    .command('make', { isDefault: true })
    .description('create the first key pair; existing files are not overwritten')
    .action((_options, command) => {
      const paths = readKeyPaths()
      createKeyFiles(paths)
      print(command, paths, [`Created ${paths.privatePath} and ${paths.publicPath}.`])
    })

  command
    .command('rotate')
    .description('create a new key pair; tokens signed with older keys stay valid')
    .action((_options, command) => {
      const paths = readKeyPaths()
      const kept = rotateKeys(paths)
      const older = kept === 1 ? '1 older key' : `${kept} older keys`
      print(command, { ...paths, kept }, [
        `Created a new ${paths.privatePath}. ${paths.publicPath} contains the new key and ${older}.`,
        'Restart every node to sign with the new key.',
        `Once all tokens signed with an older key have expired, delete that key from ${paths.publicPath}.`,
      ])
    })

  return command
}

function readKeyPaths() {
  const config = readConfig(process.env)
  return { privatePath: config.JWT_PRIVATE_KEY_PATH, publicPath: config.JWT_PUBLIC_KEY_PATH }
}
