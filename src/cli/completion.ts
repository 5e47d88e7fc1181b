import { Argument, Command } from 'commander'

const shells = ['bash', 'zsh', 'fish'] as const

/** Prints a completion script for a shell, generated from the program's commands. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a completion script, for example: source <(daikon completion bash)')
    .addArgument(new Argument('<shell>', 'shell to complete in').choices(shells))
    .action((shell: (typeof shells)[number], _options, command: Command) => {
      const root = command.parent as Command
      process.stdout.write(scripts[shell](listPaths(root)))
    })
}

/** A command or group with the words that can follow it. */
type Path = { words: string[]; next: { name: string; description: string }[] }

function listPaths(command: Command, words: string[] = []): Path[] {
  const subcommands = command.commands.map((sub) => ({
    name: sub.name(),
    description: sub.description(),
  }))
  const options = command.options.map(({ long, description }) => ({
    name: long ?? '',
    description,
  }))
  return [
    { words, next: [...subcommands, ...options] },
    ...command.commands.flatMap((sub) => listPaths(sub, [...words, sub.name()])),
  ]
}

const scripts: Record<(typeof shells)[number], (paths: Path[]) => string> = {
  bash: (paths) => `_daikon() {
  local words="\${COMP_WORDS[*]:1:COMP_CWORD-1}" next
  case "$words" in
${paths.map(({ words, next }) => `    ${quote(words.join(' '))}) next=${quote(names(next))} ;;`).join('\n')}
    *) COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); return ;;
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _daikon daikon
`,
  zsh: (paths) => `#compdef daikon
_daikon() {
  local -a next
  case "\${(j: :)words[2,CURRENT-1]}" in
${paths.map(({ words, next }) => `    ${quote(words.join(' '))}) next=(${next.map(({ name, description }) => quote(`${name}:${description}`)).join(' ')}) ;;`).join('\n')}
    *) _files; return ;;
  esac
  _describe 'command' next
}
compdef _daikon daikon
`,
  fish: (paths) => `function __daikon_at
  set -l words (commandline -opc)[2..]
  test "$words" = "$argv"
end
complete -c daikon -f
${paths
  .flatMap(({ words, next }) =>
    next.map(
      ({ name, description }) =>
        `complete -c daikon -n ${quote(`__daikon_at ${words.join(' ')}`.trimEnd())} -a ${quote(name)} -d ${quote(description)}`,
    ),
  )
  .join('\n')}
`,
}

function names(next: Path['next']): string {
  return next.map(({ name }) => name).join(' ')
}

/**
 * Quotes a word for bash, zsh and fish. All three accept single quotes if the text contains no
 * quotes or backslashes.
 */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`
}
