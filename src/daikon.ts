#!/usr/bin/env -S node --max-semi-space-size=32 --disable-warning=ExperimentalWarning
import { join } from 'node:path'
import type { Command as CommandType } from 'commander'

// Checked first, because older versions of Node.js cannot load the other modules.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 17)) {
  process.stderr.write(`daikon requires Node.js 22.17 or newer; this is ${process.version}\n`)
  process.exit(2)
}

// Cached next to the code, where only its owner can write.
const { enableCompileCache } = await import('node:module')
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/daikon'))

const { Command, CommanderError } = await import('commander')
const { completionCommand } = await import('./cli/completion.ts')
const { explainFailure } = await import('./cli/failure.ts')
const { createProgram } = await import('./cli/program.ts')

const program = createProgram()
  .addCommand(startCommand())
  .addCommand(devCommand())
  .addCommand(completionCommand())

prepare(program)
program.parseAsync().catch(async (error: unknown) => {
  const { message, exitCode } = await explainFailure(error)
  const isFromCommander = error instanceof CommanderError
  // Commander has already printed its own errors and the help text.
  if (!isFromCommander) process.stderr.write(`${message}\n`)
  process.exitCode = isFromCommander && error.exitCode === 0 ? 0 : exitCode
})

function startCommand(): CommandType {
  return new Command('start').description('run the server').action(async () => {
    await import('./main.ts')
  })
}

function devCommand(): CommandType {
  return new Command('dev')
    .description('run the server with demo data, mock identity providers and a demo application')
    .action(async () => {
      await import('./dev/dev.ts')
    })
}

/**
 * Makes the command and its subcommands show global options in their help and throw their errors.
 */
function prepare(command: CommandType): void {
  command.configureHelp({ showGlobalOptions: true }).exitOverride()
  command.commands.forEach(prepare)
}
