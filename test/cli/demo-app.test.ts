import test from 'ava'
import { startDemoApp } from '../../src/dev/demo-app.ts'
import { sendRawHttp } from '../support/raw-requests.ts'

test('the demo application serves the sign-in page on any path', async (t) => {
  const app = await startDemoApp({ port: 0, daikonUrl: 'http://localhost:1', serviceKey: '' })
  t.teardown(() => app.close())
  const port = Number(new URL(app.url).port)
  for (const path of ['/', '//', '///?error=a&b', 'http://', '/%', '*']) {
    const { status, text } = await sendRawHttp(port, { path })
    t.is(status, 200, path)
    t.regex(text, /Sign in with daikon/, path)
  }
  const { text } = await sendRawHttp(port, { path: '//?error=denied' })
  t.regex(text, /Sign-in failed: denied/)
})
