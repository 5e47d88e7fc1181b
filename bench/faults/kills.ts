import { setTimeout as sleep } from 'node:timers/promises'
import { createLedger, findLosses } from './ledger.ts'
import type { Measure } from './measure.ts'
import type { Site } from './site.ts'
import { count, startTraffic, type Tally } from './traffic.ts'

/** kill -9 of the node at a random moment while both doors write, again and again. */
export async function measureKills(site: Site, kills: number): Promise<Measure> {
  const saw: Tally = {}
  const lost: string[] = []
  const starts: number[] = []
  let acknowledged = 0
  let next = site.node()
  for (let round = 0; round < kills; round += 1) {
    const node = await next
    starts.push(node.startedIn)
    const office = await site.office()
    const traffic = await startTraffic(node, office)
    await sleep(50 + Math.random() * 700)
    const killed = node.kill()
    // The clients' calls at the moment of the kill end by themselves; nothing may be tried anew.
    await Promise.all([killed, traffic.stop()])
    next = site.node()
    next.catch(() => {})
    for (const [label, calls] of Object.entries(traffic.tally)) count(saw, label, calls)
    for (const ids of Object.values(traffic.ledger)) acknowledged += ids.size
    lost.push(...(await findLosses(site.pool, office, traffic.ledger)))
  }
  const node = await next
  lost.push(...(await findLosses(site.pool, await site.office(), createLedger())))
  await node.stop()
  const note = `${acknowledged} acknowledged writes; time is from start to first answer, the worst`
  return { fault: `kill -9, ${kills} times`, saw, lost, normal: Math.max(...starts), note }
}
