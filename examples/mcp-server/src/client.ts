// Signs you in and calls a tool: npm run client -- <client ID or URL> <tool> [arguments as JSON]
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { prepareSignIn } from './sign-in.ts'

const [clientId = '', tool = 'list_documents', args = '{}'] = process.argv.slice(2)
const url = new URL(process.env.MCP_URL ?? 'http://localhost:3100/mcp')
const signIn = await prepareSignIn(clientId, 0, (url) => console.log(`Open ${url}`))

/** Runs a call and, if it needs a sign-in or a scope more, signs in and runs it again. */
async function withSignIn<Result>(call: (client: Client) => Promise<Result>): Promise<Result> {
  const transport = new StreamableHTTPClientTransport(url, { authProvider: signIn.provider })
  const client = new Client({ name: 'example', version: '1.0.0' })
  try {
    await client.connect(transport)
    return await call(client)
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    await transport.finishAuth(await signIn.waitForCallback())
    return withSignIn(call)
  } finally {
    await client.close()
  }
}

const result = await withSignIn((client) =>
  client.callTool({ name: tool, arguments: JSON.parse(args) }),
)
for (const part of result.content) if (part.type === 'text') console.log(part.text)
signIn.close()
