import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'

/** `npm run setup` installs a hook that runs `npm run check` before every push. */
const hook = execFileSync('git', ['rev-parse', '--git-path', 'hooks/pre-push'], {
  encoding: 'utf8',
}).trim()
if (existsSync(hook)) {
  process.stdout.write(`${hook} exists and was not changed.\n`)
} else {
  writeFileSync(hook, '#!/bin/sh\nexec npm run check\n', { mode: 0o755 })
  process.stdout.write(`Created ${hook}: \`npm run check\` runs before every push.\n`)
}
