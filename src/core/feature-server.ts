/** A server on a port of its own that a feature has started. */
export type FeatureServer = {
  port: number
  /** Accepts no more connections. Those that are open stay so. */
  stopListening(): Promise<void>
  /**
   * Waits for running requests, for at most `milliseconds`, and closes connections that have been
   * idle for `idleMilliseconds`.
   */
  drain(milliseconds: number, idleMilliseconds: number): Promise<void>
}

/** The settings that determine the address of such a server. */
export type FeatureListener = {
  hostSetting: 'HTTP_HOST' | 'GRPC_HOST'
  portSetting: string
  /** The setting of the URL at which browsers reach it. */
  urlSetting: 'ADMIN_URL'
  isEnabled(settings: never): boolean
}
