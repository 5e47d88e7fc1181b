import { spawn } from 'node:child_process'
import os from 'node:os'

/**
 * Reads from a pipe of the owner until it closes, which the operating system does however the owner
 * ends. Then stops the postmaster by a fast shutdown, if its process ID is still that of a postmaster.
 */
const script = `cat > /dev/null
pid=$(head -n 1 "$1/postmaster.pid" 2> /dev/null) || exit 0
{ tr '\\0' ' ' < "/proc/$pid/cmdline" || ps -ww -o command= -p "$pid"; } 2> /dev/null |
  grep -qF -- "-D $1 " && kill -INT "$pid"`

/**
 * Starts a process that stops the postmaster on `cluster` once this process has ended, even by SIGKILL.
 * Returns a function that ends the watch. Windows has no such watch: there, the next start stops the postmaster.
 */
export function watchOwner(cluster: string): () => void {
  if (os.platform() === 'win32') return () => {}
  const watcher = spawn('sh', ['-c', script, 'daikon-owner-watch', cluster], {
    cwd: '/',
    // In a process group of its own: Ctrl-C must not end it before the owner.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell, the postmaster is stopped by the next start.
  watcher.on('error', () => {})
  watcher.stdin.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as unknown as { unref(): void }).unref()
  return () => watcher.kill('SIGKILL')
}
