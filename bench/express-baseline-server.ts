import type { AddressInfo } from 'node:net'
import express from 'express'
import { serveState } from './child-process.ts'

/** The REST baseline: Express parses JSON and sends it back. */
const app = express()
app.use(express.json())
app.post('/permissions/check', (request, response) => void response.json(request.body))
const server = app.listen(0, '127.0.0.1', () => {
  serveState({ port: (server.address() as AddressInfo).port })
})
