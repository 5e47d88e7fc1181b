import { createServer } from 'node:http'
import test from 'ava'
import express from 'express'
import { sendHostedPage } from '../../src/http/hosted-pages.ts'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { listen } from '../support/listen.ts'

test('each provider has an icon where one is chosen, and a connection has none', async (t) => {
  const details = [...providerNames, 'acme']
  const links = details.map((detail) => ({ label: detail, detail, url: '/', confirmation: '' }))
  const page = { client_name: 'Shop', email: '', links, invitations: [], fields: [] }
  const app = express().get('/', (_, response) =>
    sendHostedPage(response, { kind: 'choose_provider', ...page }),
  )
  const port = await listen(t, createServer(app))
  const html = await (await fetch(`http://localhost:${port}`)).text()
  const icons = [...html.matchAll(/<svg class="icon (\w+)"/g)].map(([, name]) => name)
  t.deepEqual(icons, [...providerNames])
})
