import type { OnProgress } from '../core/on-progress.ts'

const width = 30

/** Imports of more rows show their progress where it is not a bar, too. */
const maxQuietRows = 1000

type Progress = { onProgress: OnProgress; clear(): void }

/** Draws the progress of an import on a terminal. Writes lines for long imports elsewhere. */
export function createProgressBar(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return createProgressLines(stream)
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

/** Writes at most one line for each tenth of a phase. Reading takes no time worth telling. */
function createProgressLines(stream: NodeJS.WriteStream): Progress {
  let last = ''
  return {
    onProgress(step, done, total) {
      if (step === 'Reading' || total <= maxQuietRows) return
      const place = `${step} ${Math.floor((done / total) * 10)}`
      if (place !== last) stream.write(`${step}: ${done} of ${total}\n`)
      last = place
    },
    clear: () => {},
  }
}
