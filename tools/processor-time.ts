import { readFileSync } from 'node:fs'

/**
 * Returns the processor time in seconds of this process, and of the processes that it has started and that have ended,
 * which only Linux tells.
 */
export function readProcessorTime(): { own: number; ended: number } {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1e6, ended: readEnded() }
}

function readEnded(): number {
  try {
    // What follows the name of the program, which may contain spaces: cutime and cstime of proc(5), in ticks of 10 ms.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return 0
  }
}
