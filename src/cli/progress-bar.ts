import type { OnProgress } from '../admin/import/on-progress.ts'

const width = 30

/** A bar on a terminal; elsewhere nothing, so that a log holds none of it. */
export function createProgressBar(stream: NodeJS.WriteStream): { tell: OnProgress; clear(): void } {
  if (!stream.isTTY) return { tell: () => {}, clear: () => {} }
  let last = ''
  const show = (text: string) => {
    if (text !== last) stream.write(`\r\u001b[K${text}`)
    last = text
  }
  return {
    tell(doing, done, all) {
      const part = all > 0 ? done / all : 1
      const bar = '█'.repeat(Math.round(part * width)).padEnd(width, '░')
      show(`${doing.padEnd(10)}${bar} ${Math.floor(part * 100)} %`)
    },
    clear: () => show(''),
  }
}
