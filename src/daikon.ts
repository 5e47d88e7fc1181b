#!/usr/bin/env -S node --max-semi-space-size=32
import { Command } from 'commander'
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
  // Commander has already printed its own errors and the help text.
  if (!isFromCommander(error)) process.stderr.write(`${message}\n`)
  process.exitCode = isHelp(error) ? 0 : exitCode
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

function isFromCommander(error: unknown): boolean {
  return error instanceof Error && error.name === 'CommanderError'
}

function isHelp(error: unknown): boolean {
  return (error as { exitCode?: number }).exitCode === 0
}
