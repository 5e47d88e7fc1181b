#!/usr/bin/env -S node --max-semi-space-size=32
import { Command, CommanderError } from 'commander'
import { completionCommand } from './cli/completion.ts'
import { explainFailure } from './cli/failure.ts'
import { createProgram } from './cli/program.ts'

const program = createProgram()
  .addCommand(startCommand())
  .addCommand(devCommand())
  .addCommand(completionCommand())

prepare(program)
program.parseAsync().catch((error: unknown) => {
  const { message, exitCode } = explainFailure(error)
  const isFromCommander = error instanceof CommanderError
  // Commander has already printed its own errors and the help text.
  if (!isFromCommander) process.stderr.write(`${message}\n`)
  process.exitCode = isFromCommander && error.exitCode === 0 ? 0 : exitCode
})

function startCommand(): Command {
  return new Command('start').description('run the server').action(async () => {
    await import('./main.ts')
  })
}

function devCommand(): Command {
  return new Command('dev')
    .description('run the server with demo data, mock identity providers and a demo application')
    .action(async () => {
      await import('./dev/dev.ts')
    })
}

/** Applies to every command: its help shows the global options, and its errors are thrown. */
function prepare(command: Command): void {
  command.configureHelp({ showGlobalOptions: true }).exitOverride()
  command.commands.forEach(prepare)
}
