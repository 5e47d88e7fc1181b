// Follows the activity log, as test/support/follower.ts asks.
import { createInterface } from 'node:readline'
import { createDaikon, DaikonError } from '../../../clients/typescript/src/daikon.ts'

const { address, key, ...options } = JSON.parse(process.argv[2] ?? '')
const daikon = createDaikon({ address, service: 'docs', serviceKey: key })
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const commands: string[] = []
let wake = () => {}
const input = createInterface(process.stdin)
const ended = new Promise((resolve) => input.on('close', resolve))
input.on('line', (line) => {
  if (line === 'close') daikon.close()
  else commands.push(line)
  wake()
})

async function nextCommand(): Promise<string> {
  while (commands.length === 0)
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  return commands.shift() as string
}

const onDisconnect = ({ reason }: DaikonError) => print({ disconnected: reason })
try {
  let credit = Number(await nextCommand())
  for await (const { cursor, event } of daikon.watch({ ...options, onDisconnect })) {
    print({ cursor, ...(event && { id: event.id, action: event.action, detail: event.detail }) })
    credit -= 1
    if (credit > 0) continue
    const command = await nextCommand()
    if (command === 'leave') break
    credit = Number(command)
  }
  print({ ended: true })
} catch (error) {
  if (!(error instanceof DaikonError)) throw error
  const { name, code, reason, fields } = error
  print({ failed: { name, code, reason, fields: fields.map(({ field }) => field) } })
}
await ended
daikon.close()
