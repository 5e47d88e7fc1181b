import type { OnProgress } from '../admin/import/report.ts'

const width = 30

/** Draws the progress of an import. Prints nothing if the stream is not a terminal. */
export function createProgressBar(stream: NodeJS.WriteStream): {
  onProgress: OnProgress
  clear(): void
} {
  if (!stream.isTTY) return { onProgress: () => {}, clear: () => {} }
  let last = ''
  const draw = (text: string) => {
    if (text !== last) stream.write(`\r\u001b[K${text}`)
    last = text
  }
  return {
    onProgress(step, done, total) {
      const ratio = total > 0 ? done / total : 1
      const bar = '█'.repeat(Math.round(ratio * width)).padEnd(width, '░')
      draw(`${step.padEnd(10)}${bar} ${Math.floor(ratio * 100)} %`)
    },
    clear: () => draw(''),
  }
}
