import { spawn } from 'node:child_process'
import os from 'node:os'

/**
 * Reads from a pipe until the operating system closes it, which happens when the owner process ends
 * for any reason. Then requests a fast shutdown of the postmaster, provided that the process ID
 * still belongs to one.
 */
const script = `cat > /dev/null
pid=$(head -n 1 "$1/postmaster.pid" 2> /dev/null) || exit 0
{ tr '\\0' ' ' < "/proc/$pid/cmdline" || ps -ww -o command= -p "$pid"; } 2> /dev/null |
  grep -qF -- "-D $1 " && kill -INT "$pid"`

/**
 * Starts a process that stops the postmaster of `cluster` when this process has ended, even by
 * SIGKILL. Returns a function that stops watching. On Windows, there is no watcher: the next start
 * stops the postmaster.
 */
export function watchOwner(cluster: string): () => void {
  if (os.platform() === 'win32') return () => {}
  const watcher = spawn('sh', ['-c', script, 'daikon-owner-watch', cluster], {
    cwd: '/',
    // In its own process group, because Ctrl-C must not end it before the owner.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // If there is no shell, the next start stops the postmaster.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref(): void }).unref()
  return () => watcher.kill('SIGKILL')
}
