import type { AttackTarget } from './attacked-server.ts'

/** The function to run: a file URL and the name of its export. */
export type AttackerJob = { file: string; name: string }

type Attack = (target: AttackTarget) => Promise<unknown>

// The first message loads the function; the second one runs it and is answered with its result.
process.once('message', async ({ file, name }: AttackerJob) => {
  const attack = (await import(file))[name] as Attack
  process.once('message', async (target: AttackTarget) => {
    const result = await attack(target)
    process.send?.(result ?? {}, () => process.exit())
  })
  process.send?.({})
})
process.once('disconnect', () => process.exit())
