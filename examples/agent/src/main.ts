// Acts for a person: npm start -- <delegation ID>. Without an ID, it prints the link that asks a person for one.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createDaikon } from '@daikon-auth/client'
import { runAgent } from './loop.ts'
import { standInModel } from './stand-in-model.ts'
import { createDocuments, createTools } from './tools.ts'

/** Where `npm run dev` keeps its service key. */
const dev = join(import.meta.dirname, '../../../.daikon')
const { env } = process
const daikonUrl = env.DAIKON_URL ?? 'http://localhost:8000'
const { CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '' } = env
const port = Number(env.PORT ?? 3200)
const callback = `http://localhost:${port}/callback`

/** Sends the person to the page on which they allow it, and waits until they come back. */
async function askPerson(): Promise<string> {
  const parameters = new URLSearchParams({
    agent: clientId,
    service: 'docs',
    actions: 'view',
    reason: 'Write the weekly report',
    expires_in: '86400',
    return_to: callback,
  })
  const link = `${daikonUrl}/account/delegations/new?${parameters}`
  return new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', callback)
      if (pathname !== '/callback') return void response.writeHead(404).end()
      const id = searchParams.get('delegation_id')
      response.setHeader('connection', 'close')
      response.end('You can close this window.')
      server.close()
      if (id) resolve(id)
      else reject(new Error('You did not allow it'))
    }).listen(port, 'localhost', () => console.log(`Open ${link}`))
  })
}

const delegationId = process.argv[2] ?? (await askPerson())
console.log(`Delegation ${delegationId}`)
const base = { address: env.DAIKON_ADDRESS ?? 'localhost:50051', service: 'docs' }
const agent = createDaikon({ ...base, agent: { clientId, clientSecret } })
const daikon = createDaikon({
  ...base,
  serviceKey: env.DAIKON_SERVICE_KEY ?? readFileSync(join(dev, 'demo-service-key'), 'utf8').trim(),
})
// The client keeps the token until a minute before its end.
const getToken = async () => (await agent.exchange({ delegationId })).token
const tools = createTools(daikon, createDocuments(), getToken)
try {
  for (const message of await runAgent(standInModel, tools, 'Write the weekly report'))
    if (message.role === 'call') console.log(`> ${message.tool} ${Object.values(message.args)}`)
    else console.log(message.text)
} finally {
  agent.close()
  daikon.close()
}
