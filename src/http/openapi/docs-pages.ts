import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Response } from 'express'

/**
 * A file of the API documentation. The content security policy allows files from this host only.
 */
export type DocsPage = { path: string; send: (response: Response) => void }

const { resolve } = createRequire(import.meta.url)

const contentSecurityPolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'",
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

const startSwagger = `const dark = matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
applyScheme()
dark.addEventListener('change', applyScheme)
SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#docs', validatorUrl: null, layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis], deepLinking: true, persistAuthorization: true,
  docExpansion: 'none',
})`
const startRedoc = `Redoc.init('/openapi.json', {nonce: document.currentScript.nonce},
  document.getElementById('docs'))`

/** Swagger UI squeezes descriptions, and its open operations are wider than a phone. */
const narrowStyle = `@media (max-width: 40rem) {
.swagger-ui .opblock-tag { flex-wrap: wrap }
.swagger-ui .opblock-tag small { flex-basis: 100%; padding: .5rem 0 0 }
.swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
.swagger-ui .opblock-body, .swagger-ui .responses-inner { overflow-x: auto } }`

const indexStyle = `:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
body { max-width: 34rem; margin: 12vh auto; padding: 0 1.5rem }
h1 { margin: 0 } ul { padding: 0; list-style: none } a { font-weight: 600 }
li { padding: .6rem 0; border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent) }`

const indexHead = '<link rel="stylesheet" href="/index.css">'
const index = `<h1>daikon</h1><p>Identity and authorization server. Backend services call it over gRPC.</p><ul>
<li><a href="/docs">API reference</a>: try every method (Swagger UI)</li>
<li><a href="/redoc">API documentation</a>: read it on one page (Redoc)</li>
<li><a href="/openapi.json">openapi.json</a>: generate a client</li>
<li><a href="/.well-known/openid-configuration">OpenID configuration</a></li>
<li><a href="/health">Health</a></li></ul>
<p><small>This page exists while DEBUG=true.</small></p>`

/**
 * Creates the index page, /openapi.json, /docs (Swagger UI) and /redoc, with the scripts and styles
 * they load.
 */
export function createDocs(createOpenApi: () => object): DocsPage[] {
  let openApi: string | undefined
  return [
    { path: '/', send: (response) => sendHtml(response, contentSecurityPolicy, indexHead, index) },
    { path: '/index.css', send: (response) => void response.type('css').send(indexStyle) },
    {
      path: '/openapi.json',
      send: (response) => {
        openApi ??= JSON.stringify(createOpenApi())
        response.type('application/json').send(openApi)
      },
    },
    {
      path: '/docs',
      send: (response) => {
        const scripts = '<script src="/docs/ui.js"></script><script src="/docs/start.js"></script>'
        sendPage(
          response,
          contentSecurityPolicy,
          ['ui', 'narrow']
            .map((name) => `<link rel="stylesheet" href="/docs/${name}.css">`)
            .join(''),
          scripts,
        )
      },
    },
    { path: '/docs/ui.js', send: sendFile('swagger-ui-dist/swagger-ui-bundle.js', 'js') },
    { path: '/docs/ui.css', send: sendFile('swagger-ui-dist/swagger-ui.css', 'css') },
    { path: '/docs/narrow.css', send: (response) => void response.type('css').send(narrowStyle) },
    { path: '/docs/start.js', send: (response) => void response.type('js').send(startSwagger) },
    {
      path: '/redoc',
      send: (response) => {
        const nonce = randomBytes(16).toString('base64')
        const styles = `style-src 'self' 'nonce-${nonce}'`
        const csp = `${contentSecurityPolicy.replace("style-src 'self'", styles)}; worker-src blob:`
        const start = `<script nonce="${nonce}" src="/redoc/start.js"></script>`
        const scripts = `<script src="/redoc/ui.js"></script>${start}`
        sendPage(response, csp, '', scripts)
      },
    },
    { path: '/redoc/ui.js', send: sendRedoc },
    { path: '/redoc/start.js', send: (response) => void response.type('js').send(startRedoc) },
  ]
}

function sendPage(response: Response, csp: string, head: string, scripts: string): void {
  sendHtml(response, csp, head, `<div id="docs"></div>${scripts}`)
}

function sendHtml(response: Response, csp: string, head: string, body: string): void {
  response.set('Content-Security-Policy', csp).type('html')
  response.send(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>daikon</title>
    <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">${head}</head>
    <body>${body}</body></html>`,
  )
}

function sendFile(name: string, type: string) {
  return (response: Response) => void response.type(type).send(readFileSync(resolve(name)))
}

/** Sends Redoc without the logo that it would load from its own CDN. */
function sendRedoc(response: Response): void {
  const script = readFileSync(resolve('redoc/bundles/redoc.standalone.js'), 'utf8')
  response.type('js').send(script.replaceAll('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,'))
}
