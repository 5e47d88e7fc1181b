import { readKeys } from '../../src/identity/keys.ts'
import { createTokens } from '../../src/identity/tokens.ts'
import { connectToNodes } from './caller.ts'
import { type ClientsJob, type ClientsMessage, finish } from './clients-messages.ts'
import { createHistory } from './history.ts'
import { type LaneContext, runLane } from './lane.ts'

let isFinished = false

process.once('message', async (job: ClientsJob) => {
  process.on('message', (message) => {
    isFinished ||= message === finish
  })
  process.send?.(await run(job), () => process.exit())
})
process.once('disconnect', () => process.exit())

async function run(job: ClientsJob): Promise<ClientsMessage> {
  const keys = await readKeys({
    privatePath: `${job.folder}/private.pem`,
    publicPath: `${job.folder}/public.pem`,
  })
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
  const { call, close } = connectToNodes(job.ports)
  const history = createHistory(job.historyPath)
  const signAdminToken = (id: string) => {
    const profile = { sub: id, jti: id, email: 'admin@example.com', name: 'admin' }
    return tokens.sign('admin_access', { ...profile, admin: true }, 86_400)
  }
  const context: LaneContext = {
    call,
    tokens,
    service: job.service,
    adminTokens: await Promise.all(job.adminIds.map(signAdminToken)),
    history,
    failures: new Map(),
  }
  const progress = setInterval(() => process.send?.({ operations: history.count }), 1000)
  let lane = 0
  const runLanes = async () => {
    while (!isFinished && lane < job.maxLanes) {
      lane += 1
      await runLane(context, lane)
    }
  }
  await Promise.all(Array.from({ length: job.parallelLanes }, runLanes))
  clearInterval(progress)
  history.flush()
  close()
  return { operations: history.count, failures: [...context.failures] }
}
