/** Measures the duration of test files from the lines of ava's TAP output. */
export type FileTimer = {
  addLine(line: string): void
  /** Returns the slowest files in descending order. */
  findSlowest(count: number): { file: string; seconds: number }[]
}

type Times = { first: number; last: number }

/** Creates a timer. Assumes that a file starts when another ends, because ava fills free slots. */
export function createFileTimer(now: () => number = () => performance.now()): FileTimer {
  const startedAt = now()
  const files = new Map<string, Times>()

  function findStart({ first, last }: Times): number {
    const ends = [...files.values()].map((other) => other.last)
    return Math.max(startedAt, ...ends.filter((end) => end <= first && end !== last))
  }

  return {
    addLine(line) {
      // A line contains the parts of the file's path, followed by the title of the test.
      const [, path] =
        /^(?:(?:not )?ok \d+ - |# )([a-z0-9-]+(?: › [a-z0-9-]+)*) › /.exec(line) ?? []
      if (!path) return
      const time = now()
      const { first } = files.get(path) ?? { first: time }
      files.set(path, { first, last: time })
    },
    findSlowest: (count) =>
      [...files]
        .map(([path, times]) => ({
          file: path.replaceAll(' › ', '/'),
          seconds: (times.last - findStart(times)) / 1000,
        }))
        .toSorted((a, b) => b.seconds - a.seconds)
        .slice(0, count),
  }
}
