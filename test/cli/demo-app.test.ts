import test from 'ava'
import { startDemoApp } from '../../src/dev/demo-app.ts'
import { sendRawHttp } from '../support/raw-requests.ts'

test('the demo answers whatever path it is asked for', async (t) => {
  const app = await startDemoApp({ daikonUrl: 'http://localhost:1', serviceKey: '' })
  t.teardown(() => app.close())
  for (const path of ['/', '//', '///?error=a&b', 'http://', '/%', '*']) {
    const { status, text } = await sendRawHttp(Number(new URL(app.url).port), { path })
    t.is(status, 200, path)
    t.regex(text, /Sign in with Google/, path)
  }
  const { text } = await sendRawHttp(Number(new URL(app.url).port), { path: '//?error=denied' })
  t.regex(text, /The sign-in ended with: denied/)
})
