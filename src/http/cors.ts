import cors from 'cors'
import type { Request, Response } from 'express'

/** The origins whose pages may call the API. */
export type CorsOptions = {
  /** The origins that are allowed everywhere except on admin routes. */
  corsOrigins: string[]
  /** The only origin that is allowed on admin routes. */
  adminOrigin: string
  /** Whether an active client app has a redirect URI at the origin. */
  isClientOrigin: (origin: string) => Promise<boolean>
}

/**
 * The routes that accept the admin cookie. Case-insensitive, because Express matches paths that way.
 */
const adminRoutes = /^\/((auth\/)?admin(\/|$)|activity\/watch\/?$)/i

/**
 * The routes that libraries of browsers call with `X-Requested-With`, such as Swagger UI and jQuery.
 */
const oauthRoutes = /^\/oauth\/(token|userinfo|revoke)\/?$/i

/** The route by which the console finds out whether the server is running. */
const healthRoute = /^\/health\/?$/i

const corsHeaders = {
  credentials: true,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  allowedHeaders: ['Content-Type', 'Authorization', 'X-Service-Key'],
  exposedHeaders: ['Retry-After', 'RateLimit', 'RateLimit-Policy', 'X-Request-ID'],
  maxAge: 600,
}

/** Decides which origins may call the API, and sets the CORS headers for them. */
export type CrossOrigin = {
  /** Whether the request is a preflight. */
  isPreflight(request: Request): boolean
  /** Whether the settings allow the origin of the request, regardless of client apps. */
  isConfigured(request: Request): boolean
  /** Whether the origin of the request is allowed. May read the database. */
  isAllowed(request: Request): Promise<boolean>
  /** Sets the headers that allow the origin of the request to read the response. */
  setHeaders(request: Request, response: Response): void
  /** Responds to a preflight. */
  sendPreflight(request: Request, response: Response): void
}

/**
 * Creates the CORS rules. Requests of origins that are not allowed get no CORS headers, and their
 * preflights fail like any OPTIONS request.
 */
export function createCrossOrigin(options: CorsOptions): CrossOrigin {
  const { corsOrigins, adminOrigin, isClientOrigin } = options

  function isConfigured({ path, headers: { origin } }: Request): boolean {
    if (!origin) return false
    if (adminRoutes.test(path)) return origin === adminOrigin
    return corsOrigins.includes(origin) || (healthRoute.test(path) && origin === adminOrigin)
  }

  const respond = cors({ ...corsHeaders, origin: true })
  const allowedHeaders = [...corsHeaders.allowedHeaders, 'X-Requested-With']
  const respondForOAuth = cors({ ...corsHeaders, origin: true, allowedHeaders })
  const consoleHeaders = [...corsHeaders.allowedHeaders, 'If-Match']
  const respondForConsole = cors({ ...corsHeaders, origin: true, allowedHeaders: consoleHeaders })
  // `cors` would otherwise respond to every OPTIONS request, even if it is not a preflight.
  const withHeaders = { ...corsHeaders, origin: true, preflightContinue: true }
  const setHeaders = cors(withHeaders)
  const exposedHeaders = [
    ...corsHeaders.exposedHeaders,
    'X-Total-Count',
    'X-Kept-Elsewhere',
    'ETag',
  ]
  const setConsoleHeaders = cors({ ...withHeaders, exposedHeaders })

  return {
    isPreflight: ({ method, headers }) =>
      method === 'OPTIONS' &&
      headers.origin !== undefined &&
      headers['access-control-request-method'] !== undefined,
    isConfigured,
    async isAllowed(request) {
      const { origin } = request.headers
      if (!origin) return false
      if (isConfigured(request)) return true
      if (adminRoutes.test(request.path)) return false
      // If the database is unavailable, the route itself reports that.
      return isClientOrigin(origin).catch(() => false)
    },
    setHeaders(request, response) {
      const set = request.headers.origin === adminOrigin ? setConsoleHeaders : setHeaders
      set(request, response, () => {})
    },
    sendPreflight(request, response) {
      const respondToOrigin = request.headers.origin === adminOrigin ? respondForConsole : respond
      const send = oauthRoutes.test(request.path) ? respondForOAuth : respondToOrigin
      send(request, response, () => {})
    },
  }
}
